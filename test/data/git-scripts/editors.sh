n=1; d() { n=$((n+1)); export GIT_AUTHOR_DATE="2024-06-01T00:00:$((n+10))Z"; export GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE; }
clean() { tr '\r' '\n' | grep -v '^Rebasing' | sed 's/\x1b\[K//; s/^ *Succ/Succ/' | grep -v '^ *$'; }
git init -q -b main; for i in 1 2 3 4 5; do echo $i > f$i; git add .; d; git commit -qm "c$i"; done
ri() { local e=$1; shift; GIT_SEQUENCE_EDITOR="$e" git rebase -i "$@" 2>&1 | clean; echo "[${PIPESTATUS[0]}]"; git log --format='%h %s' | head -6; }
---
GIT_SEQUENCE_EDITOR=cat git rebase -i HEAD~2 2>&1 | clean; ri 'sed -i 2d' HEAD~3; ri "sed -i '1{h;d};2{G}'" HEAD~2; ri true HEAD~2; ri : HEAD~2
---
ri "sed -i '2s/pick/edit/'" HEAD~3; git status; echo x > f4; git add f4; GIT_EDITOR='sed -i s/c4/new4/' git rebase --continue 2>&1 | clean; git log --stat --format=%s | head -12; ri "sed -i '1s/pick/e/'" HEAD~2; git commit -q --amend -m am; git rebase --continue 2>&1 | clean; git log --format='%h %s'
---
ri "sed -i '1s/pick/break\npick/'" HEAD~3; git status; GIT_EDITOR=true git rebase --continue 2>&1 | clean;  git status -s; ri "sed -i '1s/pick/b\npick/'" HEAD~3; git rebase --abort; git log --oneline
---
GIT_EDITOR=true ri "sed -i '2s/pick/squash/'" HEAD~3 | sed 's/^\[detached HEAD [0-9a-f]*\]//'; git log -1 --format=%B HEAD~1; ri "sed -i '2s/pick/f/;3s/pick/fixup/'" HEAD~3; git log -1 --format=%B; ri "sed -i '2s/pick/fixup -C/'" HEAD~2; git log -1 --format=%B; git status -s
---
ri "sed -i d" HEAD~3; git status | head -3;  ri "false" HEAD~3; git status | head -3; git config --global sequence.editor 'sed -i 1d'; git rebase -i HEAD~2 2>&1 | clean; git log --oneline; git config --global --unset sequence.editor; git config --global core.editor "sed -i '1s/pick/drop/'"; git rebase -i HEAD~2 2>&1 | clean;  git log --oneline
---
GIT_EDITOR='sed -i s/c4/new/' ri "sed -i '2s/pick/reword/'" HEAD~3 | sed 's/^\[detached HEAD [0-9a-f]*\]//'; git log -3 --format='%s %an'; echo q > f2; git add f2; d; git commit -q --fixup HEAD~3; echo w > f3; git add f3; git commit -q --squash HEAD~3 -m more; GIT_EDITOR=true GIT_SEQUENCE_EDITOR='head -6' git rebase -q -i --autosquash HEAD~6 2>&1 | clean | sed 's/^\[detached HEAD [0-9a-f]*\]//'; git status; git log --format=%s
---
GIT_EDITOR=cat git commit --amend | sed 's/^\[main [0-9a-f]*\]//'; echo 9 > f9; git add f9; GIT_EDITOR='echo edited >' git commit 2>&1; git log -1 --format=%B; echo 8 > f8; git add f8; GIT_EDITOR='echo >' git commit; echo $?; GIT_EDITOR=false git commit; echo $?; EDITOR='printf "sub\n\nbody # x\n# comment\n" >' git commit -q; git log -1 --format=%B; git config --global core.editor "cat"; git commit --amend -q; GIT_EDITOR=true git commit --amend -q; git log -1 --format=%B; git commit -m given -e -q --allow-empty; cat > ed.sh <<'X'
#!/bin/sh
echo "from script: $(basename $1)" > "$1"
X
chmod +x ed.sh; GIT_EDITOR=./ed.sh git commit -q --amend; git log -1 --format=%B
