n=1; d() { n=$((n+1)); export GIT_AUTHOR_DATE="2024-06-01T00:00:$((n+10))Z"; export GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE; }
git init -q -b main; seq 5 > f; git add f; d; git commit -qm base; for i in 1 2 3 4; do sed -i "s/^3.*/3 c$i/" f; echo $i > g$i; git add .; d; git commit -qm "c$i" -m "body $i"; done
st() { git status; git log --format='%h %s %an %ad' | head -8; git reflog | head -14; ls .git/rebase-merge 2>/dev/null | grep -v -e message- -e current -e backup -e patch -e rewritten; for i in stopped-sha done git-rebase-todo amend; do [ -f .git/rebase-merge/$i ] && { echo "-- $i"; cat .git/rebase-merge/$i; }; done; }
export EDITOR=true
fix() { echo "$1" > f; git add f; }
---
GIT_SEQUENCE_EDITOR="sed -i '1d;3s/pick/squash/'" git rebase -i HEAD~4; echo "[$?]"; cat f; st; fix one; git rebase --continue; echo "[$?]"; cat f; st; fix two;  git rebase --continue; echo "[$?]"; st; fix three; GIT_EDITOR=cat git rebase --continue; echo "[$?]"; st; git log -2 --format=%B
---
GIT_SEQUENCE_EDITOR="sed -i '1d;3s/pick/fixup/;4s/pick/fixup/'" git rebase -i HEAD~4; echo "[$?]"; st; fix one; git rebase --continue; echo "[$?]"; st; fix two; git rebase --continue; echo "[$?]"; st; fix three; git rebase --continue; st
---
GIT_SEQUENCE_EDITOR="sed -i '2{h;d};3{s/pick/squash/;G;s/\npick/\nsquash/}'" git rebase -i HEAD~4; echo "[$?]"; cat f; st; fix one; GIT_EDITOR=cat git rebase --continue; echo "[$?]"; st; fix two; GIT_EDITOR=cat git rebase --continue; echo "[$?]"; st; git log --format=%B -3; 
---
GIT_SEQUENCE_EDITOR="sed -i '2d;3s/pick/squash/'" git rebase -i HEAD~4; echo "[$?]"; git rebase --skip; echo "[$?]"; st; git log --format=%B -3
---
GIT_SEQUENCE_EDITOR="sed -i '2d;3s/pick/squash/;4s/pick/squash/'" git rebase -i HEAD~4; echo "[$?]"; st; git rebase --skip; echo "[$?]"; st; git rebase --skip; echo "[$?]"; st
---
GIT_SEQUENCE_EDITOR="sed -i '2d;3s/pick/fixup/;4s/pick/fixup/'" git rebase -i HEAD~4; echo "[$?]"; fix 1; git rebase --continue; echo "[$?]"; git rebase --skip; echo "[$?]"; st
---
GIT_SEQUENCE_EDITOR="sed -i '2d;3s/pick/fixup -C/'" git rebase -i HEAD~4; echo "[$?]"; st; fix 1; git rebase --continue; echo "[$?]"; st; git log -2 --format=%B
---
GIT_SEQUENCE_EDITOR="sed -i '2d'" git rebase -i HEAD~4; echo "[$?]"; st; git rebase --continue; echo "[$?]"; fix new; git commit -qm own; git rebase --continue; echo "[$?]"; git rebase --abort; st
---
GIT_SEQUENCE_EDITOR="sed -i '2d;3s/pick/edit/'" git rebase -i HEAD~4; echo "[$?]"; fix new; GIT_EDITOR='echo worded >' git rebase --continue; echo "[$?]"; st
---
GIT_SEQUENCE_EDITOR="sed -i '2d;3s/pick/squash/'" git rebase -i HEAD~4; git rebase --abort; echo "[$?]"; st
---
GIT_SEQUENCE_EDITOR="sed -i '2d;3s/pick/squash/'" git rebase -i HEAD~4; git rebase --quit; echo "[$?]"; st
---
GIT_SEQUENCE_EDITOR="sed -i '2s/pick/reword/'" GIT_EDITOR=false git rebase -i HEAD~3; echo "[$?]"; st; git rebase --continue; echo "[$?]"; st
---
GIT_SEQUENCE_EDITOR="sed -i '2s/pick/squash/'" GIT_EDITOR=false git rebase -i HEAD~3; echo "[$?]"; st; git rebase --continue; echo "[$?]"; st
---
GIT_SEQUENCE_EDITOR="sed -i '2s/pick/reword/'" GIT_EDITOR='echo >' git rebase -i HEAD~3; echo "[$?]"; st; git rebase --continue; echo "[$?]"; st
