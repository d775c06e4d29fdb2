mkdir r; cd r; git init -q -b main; for i in 1 2 3; do echo $i > f$i; git add .; git commit -qm "c$i"; done; git branch side HEAD~1
look() { git worktree list; git worktree list --porcelain; for d in .git/worktrees/*; do echo $d; ls $d; cat $d/HEAD $d/gitdir $d/commondir $d/locked $d/ORIG_HEAD; cat $d/logs/HEAD; done; }
---
git worktree add ../wt; echo "[$?]"; look; cat ../wt/.git; ls ../wt; cd ../wt; git status; git log --oneline; git branch; git rev-parse --git-dir --git-common-dir --show-toplevel --is-inside-work-tree; echo new > n; git add n; git commit -qm new; git log --oneline; git branch -v; cd ../r; git log --oneline; git branch -v; git reflog wt; git reflog; git worktree list; git merge wt; git log --oneline
---
git worktree add ../wt side; echo "[$?]"; look; git worktree add ../wt2 side; echo "[$?]"; git worktree add -f ../wt2 side; echo "[$?]"; git -C ../wt2 switch -q -c own; git worktree add ../wt3 main; echo "[$?]"; git worktree add ../wt HEAD; echo "[$?]"; git checkout side; echo "[$?]"; git branch -d side; echo "[$?]"; git branch -D side; git branch -m side side2; look; git -C ../wt status
---
git worktree add -b new ../wt HEAD~2; look; git worktree add -b new ../wt4; echo "[$?]"; git worktree add -B new ../wt4; echo "[$?]"; git worktree remove ../wt; git worktree add -B new ../wt4 HEAD; echo "[$?]"; look; git branch -v; git worktree add -b a -B b ../x; echo "[$?]"
---
git worktree add --detach ../wt; look; git worktree add -d ../wt2 side; look; git worktree add ../wt5 HEAD~1; git worktree add ../wt6 nosuch; echo "[$?]"; git worktree add ../wt7 main~1; look; cd ../wt; git branch; git status; git switch -c topic; git worktree list
---
git worktree add -q ../q; git worktree add --no-checkout ../nc; ls -A ../nc; git -C ../nc status -s; mkdir ../full; echo x > ../full/x; git worktree add ../full; echo "[$?]"; mkdir ../empty; git worktree add ../empty; ls ../empty; git worktree add sub/dir/deep; git status; look; mkdir d; cd d; git worktree add ../../fromsub; git worktree add ../../full; git worktree list
---
git worktree add ../wt; git worktree lock ../wt; look; git worktree lock ../wt; echo "[$?]"; git worktree remove ../wt; echo "[$?]"; git worktree remove -f ../wt; echo "[$?]"; git worktree move ../wt ../wt2; git worktree unlock wt; git worktree unlock wt; echo "[$?]"; git worktree lock --reason "on a usb stick" wt; look; git worktree list -v; git worktree lock wt; git worktree remove wt; git worktree move wt ../zz; git worktree remove -f -f wt; echo "[$?]"; look; ls ..;  git worktree lock .; echo "[$?]"; git worktree unlock nosuch; echo "[$?]"; git worktree remove .; git worktree remove nosuch
---
git worktree add ../wt; echo x > ../wt/x; git worktree remove ../wt; echo "[$?]"; rm ../wt/x; echo y > ../wt/f1; git worktree remove wt; git -C ../wt add .; git worktree remove wt; git worktree remove --force wt; echo "[$?]"; ls ..; git worktree list; git branch; git worktree add ../wt wt; ls ../wt; echo '*.log' > ../wt/.gitignore; git -C ../wt add .; git -C ../wt commit -qm ign; echo l > ../wt/a.log; git worktree remove wt; echo "[$?]"; ls ..
---
git worktree add ../wt; git worktree move ../wt ../moved; echo "[$?]"; look; cat ../moved/.git; git -C ../moved status; mkdir ../dir; git worktree move moved ../dir; look; git worktree move moved ../dir; echo "[$?]"; git worktree move . ../x; echo "[$?]"; ls .. ../dir
---
git worktree add ../wt; cd ../wt; echo 1 > w; git add w; git stash; git stash list; cd ../r; git stash list; git stash pop; git status -s; cd ../wt; git tag v1; git checkout -q -b other; git reset --hard HEAD~1; cat .git; git rev-parse HEAD ORIG_HEAD main; git diff --stat main; git checkout main; echo "[$?]"; git checkout side; git checkout -; git rebase main; git cherry-pick side; git reflog; cd ../r; git reflog; git reflog other; git for-each-ref
---
git worktree add ../wt side; cd ../wt; echo c > f1; git commit -qam conflict; git checkout -q -b more; echo d > f1; git commit -qam d; cd ../r; echo e > f1; git commit -qam e; cd ../wt; git merge main; git status; git worktree list; cd ../r; git status; cd ../wt; git merge --abort; git rebase main; git status; git worktree list; cd ../r; git checkout more; echo "[$?]"; git branch; cd ../wt; git rebase --abort; git bisect start; git bisect bad; git bisect good HEAD~2; cd ../r; git branch; git bisect log; git for-each-ref; git worktree add ../n more; cd ../wt; git bisect reset; git bisect log
---
git worktree add ../wt; cd ../wt; git worktree list; git worktree add ../wt2; cd ..; git -C wt2 worktree list; git -C wt2 worktree remove wt; git -C wt2 worktree remove ../wt2; echo "[$?]"; ls; git -C r worktree list
---
git worktree list -v --porcelain; echo "[$?]"; git worktree list -z; git worktree list --porcelain -z | tr '\0' '@'; git worktree add --reason x ../wt; git worktree add --lock ../wt; look; git worktree add --lock --reason why ../wt2; look
---
git clone -q ../r ../c; cd ../c; git branch -r; git worktree add ../t side; echo "[$?]"; cat .git/config; git worktree list; git worktree add --guess-remote ../side2; git worktree add --track -b tr ../tr origin/side; git worktree add --no-track -b ntr ../ntr origin/side; git branch -vv; git worktree add --track ../zz main; echo "[$?]"; git -C ../t push origin side; git -C ../t log --oneline
---
cd ..; mkdir 'sp ace'; git -C r worktree add '../sp ace/my tree'; git -C r worktree list; git -C 'sp ace/my tree' status; git -C r worktree add ./x.lock; git -C r worktree add .hid; git -C r worktree add 'we~ird'; ls r/.git/worktrees; git -C r status -s
---
cd ..; git clone -q --bare r b.git; for u in r r/ ./r r/.git "$PWD/r" "$PWD/r/" b b.git b.git/ "file://$PWD/r"; do git clone -q "$u" "c$((++n))"; git -C c$n config remote.origin.url; git -C c$n remote -v; git -C c$n pull -q; done
---
git branch x; git branch x; git checkout -b x; git switch -c x; git branch -m side x; git branch -f main HEAD~1; git reset -q --hard; git reset -q --soft HEAD; git branch -f x; git reflog; git reflog x; git reflog main
