git init -q -b main; seq 40 > f; printf 'one\ntwo\nthree' > nonl; echo del > gone; git add .; git commit -qm base; sed -i '2d;5s/.*/five/;8a new8\nnew9;11d;14s/$/x/' f; sed -i '35s/^/z/' f; printf 'ONE\ntwo\nthree\nfour' > nonl
st() { git status -s; git diff --cached; git diff; }
---
printf 's\ny\nn\ny\nn\ny\ny\nn\nq\n' | git add -p f; echo "[$?]"; st
---
printf 's\nn\ny\nn\ny\nn\ny\n' | git checkout -p f; echo "[$?]"; st
---
git add f; printf 's\nn\ny\nn\ny\nn\ny\n' | git reset -p f; echo "[$?]"; st
---
printf 's\ny\nn\n' | git add -p nonl; echo "[$?]"; st
---
printf 's\nn\ny\n' | git checkout -p nonl; echo "[$?]"; st
---
printf 'J\nJ\nJ\nK\nK\nK\nk\nj\ns\ns\nn\nJ\nJ\nJ\nJ\nJ\ns\nq\n' | git add -p f; echo "[$?]"
---
printf 'Yes\nno\nquit\nall\n' | git add -p; st
---
printf 'e\nq\n' | GIT_EDITOR="sed -i '/^+new8/d;s/^-11/ 11/'" git add -p f; st
---
printf 'e\nq\n' | GIT_EDITOR="sed -i '/^+new8/s/^+/ /;/^-11/d'" git checkout -p f; st
---
git add f; printf 'e\nq\n' | GIT_EDITOR="sed -i '/^-11/d;/^+five/,/^+five/s/^+/ /;/^-5/d'" git reset -p f; st
---
rm gone; printf 'n\nn\nn\ny\nn\n' | git checkout -p; st; git rm -q --cached gone; printf 'a\ny\n' | git reset -p; st
---
rm gone; printf 'q\n' | git stash -p; printf 'n\nn\ny\nn\n' | git stash push -p -q -m x; st; git stash show -p; git stash pop; st
---
git add .; printf 'y\nn\nq\n' | git restore -S -W -p -s HEAD .; st; printf 'y\nn\nn\n' | git restore -S -W -p .; st
---
printf 'y\nn\nn\nn\n' | GIT_EDITOR='echo mess >' git commit -p; git log --stat --format=%s -1; st
---
chmod +x f; printf 'y\nq\n' | git add -p f; st; printf 'n\na\n' | git add -p f; st;  printf 'y\nd\n' | git reset -p; st; printf 'y\nd\n' | git checkout -p; st
---
touch empty; git add empty; printf 'y\n' | git reset -p empty; st; mkdir d; cd d; printf 'y\nq\n' | git add -p; git status -s; printf 'y\n' | git add -p ../nonl; git status -s; printf 'y\n' | git checkout -p HEAD -- ../f | tail -1; git status -s
---
printf 'g\n\ng3\ng 9\ng1x\nq\n' | git add -p f; printf '/z35\n/five\ns\n/x$\nq\n' | git add -p f; printf 'e\n' | git add -p gone; echo "[$?]"; git add -p nosuch/; git checkout -p -- nosuch; git reset -p -- nosuch; echo "[$?]"
