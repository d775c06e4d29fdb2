git init -q -b main; echo 1 > a; git add a; git commit -qm base; git checkout -q -b t; echo q > q; git add q; git commit -qm q; echo w > w; git add w; git commit -qm w; git checkout -q main; echo q > q; echo z > z; git add q z; git commit -qm other; git checkout -q t
---
GIT_SEQUENCE_EDITOR=: git rebase -i main; echo "[$?]"; git status; git rebase --continue; git log --oneline
---
GIT_SEQUENCE_EDITOR=: git rebase -i main; git commit --allow-empty -m mine; git rebase --continue; git log --oneline
---
GIT_SEQUENCE_EDITOR=: git rebase -i main; git rebase --skip; git log --oneline
---
git rebase main; git log --oneline
---
git rebase -x true main; git log --oneline
