n=1; d() { n=$((n+1)); export GIT_AUTHOR_DATE="2024-06-01T00:00:$((n+10))Z"; export GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE; }
git init -q -b main; seq 5 > f; git add f; d; git commit -qm base; for i in 1 2 3 4; do sed -i "s/^3.*/3 c$i/" f; echo $i > g$i; git add .; d; git commit -qm "c$i" -m "body $i" --author "Bob <b@x>"; done
st() { git status; git log --format='%h %s %an %ad' | head -8; git reflog | head -14; }
export EDITOR=true
fix() { echo "$1" > f; git add f; }
---
GIT_SEQUENCE_EDITOR="sed -i '2d'" git rebase -i HEAD~4; cat .git/MERGE_MSG .git/CHERRY_PICK_HEAD; git commit --amend; fix 1; d; GIT_EDITOR=cat git commit; st; git rebase --continue; st
---
GIT_SEQUENCE_EDITOR="sed -i '2d'" git rebase -i HEAD~4; git checkout --ours f; git add f g3; git rm -q --cached g3; rm g3; git status; git rebase --continue;echo $?; st
---
git checkout -q -b t HEAD~2; git cherry-pick main~1; d; git rebase -i main; echo $?; st; git rebase --abort; git rebase main; st
---
git checkout -q -b t HEAD~2; echo q > q; git add q; git commit -qm q;  echo q > q1; git add q1; git commit -qm q1; git checkout -q main; echo q > q; git add q; git commit -qm "other q"; git checkout -q t; git rebase -i --empty=keep main; echo "[$?]"; st; git log --oneline --stat -2
---
GIT_SEQUENCE_EDITOR="sed -i 's/pick/pikc/'" git rebase -i HEAD~2;  echo "[$?]"; st; cat .git/rebase-merge/git-rebase-todo; git rebase --edit-todo; GIT_SEQUENCE_EDITOR="sed -i s/pikc/pick/" git rebase --edit-todo; git rebase --continue; st
---
GIT_EDITOR=cat GIT_SEQUENCE_EDITOR="sed -i '2s/pick/squash/;3s/pick/squash/'" git rebase -i HEAD~3; st
---
GIT_EDITOR=cat GIT_SEQUENCE_EDITOR="sed -i '2s/pick/reword/;3s/pick/fixup/'" git rebase -i HEAD~3; st
---
GIT_EDITOR=cat GIT_SEQUENCE_EDITOR="sed -i '2s/pick/fixup/;3s/pick/squash/'" git rebase -i HEAD~3; st
---
GIT_EDITOR=cat GIT_SEQUENCE_EDITOR="sed -i '2s/pick/fixup -c/;3s/pick/fixup -C/'" git rebase -i HEAD~3; st; git log -1 --format=%B
---
GIT_EDITOR=cat GIT_SEQUENCE_EDITOR="sed -i '2s/pick/edit/;3s/pick/fixup -C/'" git rebase -i HEAD~3; st; echo x > new; git add new; GIT_EDITOR=cat git rebase --continue; st
---
GIT_SEQUENCE_EDITOR="sed -i '1s/pick/edit/'" git rebase -i HEAD~2; echo x > new; git add new; git commit -qm extra; git rebase --continue; st; git rebase -q -x true HEAD~1; GIT_SEQUENCE_EDITOR="sed -i '1s/pick/edit/'" git rebase -i HEAD~2; git commit -q --amend -m x; echo 5 > newer; git add newer; git rebase --continue; echo "[$?]";  git rebase --skip; st
---
echo dirty >> f; git rebase -i HEAD~2; echo "[$?]"; git add f; git rebase HEAD~1;  echo "[$?]"; git stash -q; git rebase HEAD~2;  echo "[$?]"; git rebase -f HEAD~2; git rebase HEAD~1 nosuch; git rebase nosuch; git rebase --onto nosuch HEAD~1; git checkout -q HEAD~1;  git rebase -f HEAD~1; st
---
GIT_SEQUENCE_EDITOR="sed -i '1s/pick/drop/;2s/pick/d/'" git rebase -i HEAD~2; echo "[$?]"; st; GIT_SEQUENCE_EDITOR="cat" git rebase -i HEAD; GIT_SEQUENCE_EDITOR="sed -i s/.*//" git rebase -i HEAD~1; echo "[$?]"; st
