n=1; d() { n=$((n+1)); export GIT_AUTHOR_DATE="2024-06-01T00:00:$((n+10))Z"; export GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE; }
git init -q -b main; for i in 1 2 3 4 5; do echo $i > f$i; git add .; d; git commit -qm "c$i"; done
st() { git status; git log --format='%h %s %an %ad' | head -8; git reflog | head -12; ls .git/rebase-merge 2>/dev/null | grep -v -e backup -e patch -e rewritten; }
export EDITOR=true
---
git rebase -x 'echo hi; git log -1 --format=%s' HEAD~2; echo "[$?]"; st
---
git rebase --exec 'false' HEAD~2; echo "[$?]"; st; cat .git/rebase-merge/git-rebase-todo .git/rebase-merge/done; git rebase --continue; echo "[$?]"; git rebase --continue;  echo "[$?]"; st
---
git rebase -i -x 'echo x > f1' HEAD~2; echo "[$?]"; st; git rebase --continue; echo "[$?]"; git commit -qam ch; git rebase --continue; echo "[$?]"; st
---
git rebase -i -x 'echo x > f1; false' HEAD~2; echo "[$?]"; st; git checkout f1;  git rebase --skip;  echo "[$?]"; git rebase --abort; st
---
git rebase -x 'nosuchcmd' HEAD~2; echo "[$?]"; git rebase --abort; echo "[$?]"; st
---
git rebase -x 'exit 3' -x 'echo two' HEAD~2; echo "[$?]"; st; git rebase --continue; echo "[$?]"; git rebase --continue; st
---
GIT_SEQUENCE_EDITOR="sed -i '1a exec git commit --amend -q -m changed'" git rebase -i HEAD~2; echo "[$?]"; st
---
---
GIT_SEQUENCE_EDITOR="sed -i 's/^pick/break\npick/'" git rebase -i HEAD~2; echo "[$?]"; GIT_SEQUENCE_EDITOR="cat" git rebase --edit-todo; echo "[$?]";  GIT_SEQUENCE_EDITOR="sed -i '1i exec echo new'" git rebase --edit-todo; st; git rebase --continue; git rebase --continue; st
---
GIT_SEQUENCE_EDITOR="sed -i 's/^pick/break\npick/'" git rebase -i HEAD~2; GIT_SEQUENCE_EDITOR="sed -i 's/pick/pcik/'" git rebase --edit-todo; echo "[$?]"; st; cat .git/rebase-merge/git-rebase-todo; git rebase --continue; echo "[$?]"; GIT_SEQUENCE_EDITOR="sed -i 's/pcik/pick/'" git rebase --edit-todo; git rebase --continue; git rebase --continue; st
---
git rebase --edit-todo; echo "[$?]"; git rebase --continue; echo "[$?]"; git rebase --skip; echo "[$?]"; git rebase --abort; echo "[$?]"; git rebase --quit; echo "[$?]"; git rebase --show-current-patch;  echo "[$?]"
---
GIT_SEQUENCE_EDITOR="sed -i '1{h;d};2{G}'" git rebase -i --root; echo "[$?]"; st
---
GIT_SEQUENCE_EDITOR="sed -i '1s/pick/edit/'" git rebase -i --root; echo "[$?]"; st; echo q > q; git add q; git commit -q --amend --no-edit; git rebase --continue; st
---
GIT_SEQUENCE_EDITOR="sed -i '2s/pick/squash/'" git rebase -i --root; echo "[$?]"; st
---
git rebase --root; echo "[$?]"; st; git rebase --root --force-rebase; d; git rebase --root -f; st
