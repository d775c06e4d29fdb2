git init -q -b main; seq 30 > f; seq 5 > g; printf 'a\nb' > nonl; git add .; git commit -qm base; sed -i '3s/.*/three/;6s/.*/six/;25s/.*/x25/' f; sed -i 's/2/two/' g
st() { git status -s; git diff --cached; git diff; }
---
printf 'y\nn\ny\n' | git add -p; echo "[$?]"; st
---
printf 'y\n' | git add -p; echo "[$?]"; st
---
printf 'q\n' | git add -p; echo "[$?]"; st
---
printf 'a\nd\n' | git add -p; echo "[$?]"; st
---
printf 's\ny\nn\n?\nn\nq\n' | git add -p f; echo "[$?]"; st
---
printf 's\nJ\nJ\nJ\nK\ny\nk\nj\ny\nn\n' | git add -p f; echo "[$?]"; st
---
printf 'g\n2\ny\ng5\ngx\ng 1\n/25\n/zzz\n/\nthree\nn\nx\n\nK\nk\nj\nj\nJ\nq\n' | git add -p f; echo "[$?]"; st
---
printf 'y\ny\n' | git add -p nosuch; echo "[$?]"; printf 'y\n' | git add -p g; st; git add -p; echo "[$?]"; git commit -qam all; git add -p; echo "[$?]"
---
git add .; printf 'y\nn\nn\n' | git reset -p; echo "[$?]"; st
---
git commit -qam two; printf 'y\nn\nn\n' | git reset -p HEAD~1; echo "[$?]"; st; git reset -q --hard; printf 'y\nn\nn\n' | git reset -p HEAD~1 -- f; st
---
printf 'y\nn\nn\n' | git checkout -p; echo "[$?]"; st
---
printf 's\nn\ny\nn\nn\n' | git restore -p .; echo "[$?]"; st
---
git add .; printf 'y\nn\nn\n' | git restore -p --staged .; echo "[$?]"; st
---
git add .; printf 'y\nn\nn\n' | git checkout -p HEAD; echo "[$?]"; st
---
printf 'y\nn\nn\n' | git checkout -p HEAD; echo "[$?]"; st
---
printf 'y\nn\ny\ny\n' | git checkout -p HEAD; echo "[$?]"; st
---
git commit -qam two; printf 'y\nn\ny\n' | git checkout -p HEAD~1 -- f; echo "[$?]"; st
---
git commit -qam two; printf 'y\nn\ny\n' | git restore -p -s HEAD~1 f; echo "[$?]"; st
---
git commit -qam two; echo new >> f; printf 'y\nn\ny\n' | git restore -p -s HEAD f; echo "[$?]"; st
---
printf 'y\nn\nn\n' | git stash -p; echo "[$?]"; st; git stash list; git stash show -p; git stash pop; st
---
printf 'n\nn\nn\n' | git stash -p; echo "[$?]"; st;  printf 'a\na\n' | git stash push -p -m msg; echo "[$?]"; st; git stash list
---
printf 'y\nn\nn\n' | git commit -p -m part; echo "[$?]"; st; git show --stat; printf 'n\nn\nn\n' | git commit -p -m none; echo "[$?]"; printf 'y\ny\ny\n' | git commit -qp -m rest; git log --oneline
---
chmod +x f; rm g; printf 'c' >> nonl; printf 'y\nn\nn\ny\ny\n' | git add -p; echo "[$?]"; st
---
chmod +x f; rm g; printf 'c' >> nonl;  printf 'n\ny\nn\nn\n?\ny\n' | git add -p; echo "[$?]"; st
---
echo n1 > new; git add new; git checkout f; printf 'n\ny\n?\n' | git add -p; echo "[$?]"; st; git add new g;  printf '?\ny\nn\nn\n' | git reset -p; st
---
printf 'a\0b' > bin; git add bin; git commit -qm bin; printf 'a\0c' > bin; printf 'q\n' | git add -p; git checkout f g;  git add -p; echo "[$?]"
---
printf 'e\nq\n' | GIT_EDITOR="sed -i 's/+three/+THREE/;/^-6/d;/^+six/s/.*/ 6/'" git add -p f; echo "[$?]"; st
---
printf 'e\nn\nq\n' | GIT_EDITOR="sed -i 's/^ 1/ bogus/'" git add -p f; echo "[$?]"; st; printf 'e\nq\n' | GIT_EDITOR="sed -i d" git add -p f;  printf 'e\nq\n' | GIT_EDITOR=false git add -p f
---
echo new > f; git add -p < /dev/null; echo "[$?]"; printf 'Y\n' | git add --patch f; st; printf 'y' | git reset -p; st
---
printf 'y\n' | git add -u -p; printf 'y\n' | git add -A -p; printf 'y\n' | git reset --hard -p;  printf 'y\n' | git reset --soft -p; printf 'y\n' | git commit -a -p; printf 'y\n' | git add -p -n; mkdir d; cd d; printf 'y\nn\n' | git add -p ../g; git status -s
