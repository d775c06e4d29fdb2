git init -q; git config user.name A; git config user.email a@b; n=0
c() { n=$((n+1)); export GIT_AUTHOR_DATE="2024-01-01T00:00:0$n Z" GIT_COMMITTER_DATE="2024-01-01T00:00:0$n Z"; echo $1 > $1; git add .; git commit -qm $1; }
export GIT_AUTHOR_DATE='2024-01-01T00:00:00Z' GIT_COMMITTER_DATE='2024-01-01T00:00:00Z'
---
c a; c b; git branch side; c c; c d; git checkout -q side; c e; c f
git checkout --detach; git reflog -1; git checkout -q side; git checkout -q --detach HEAD; git reflog -1 --format=%gs; git checkout -q master; git checkout -q HEAD; git checkout -q HEAD~1; git reflog -1 --format=%gs; git checkout -q master; git checkout --detach -q side; git reflog -1 --format=%gs;  git checkout -q master
git log --oneline --left-right master...side; git log --left-right --format='%m %s' master...side; git log --left-right -2 master...side; git log --left-only --oneline master...side; git log --right-only --oneline master...side
git log --oneline --boundary side..master; git log --boundary --format='%m%s' master...side;git log --boundary --left-right master...side; git log --boundary -1 --oneline master;  git log --boundary --oneline -2 master
git rev-list --left-right master...side; git rev-list --boundary master...side; git rev-list --left-right --count master...side; git rev-list --count --left-right side..master; git rev-list --left-right master
git log --no-walk --oneline master side; git log --no-walk=unsorted --oneline side~1 master side~1; git show --no-walk -s --oneline master side; git rev-list --no-walk side master; git log --no-walk --oneline side..master; git log --no-walk --tags --oneline; git log --no-walk --branches --oneline; git log --no-walk -1 --format=%s master side; git rev-list --no-walk=unsorted --max-count=1 side master
git merge -q -m m side; git log --oneline --left-right HEAD~1...HEAD; git log --boundary --oneline HEAD^..HEAD; git rev-list --boundary HEAD^!
---
echo 1 > a; echo 1 > b; git add .; git commit -qm one
git stash --staged; echo $?; echo 2 > a; git stash push --staged; echo $?; git add a; echo 3 > b; git stash push -S -m mine; echo $?; git status -s; cat a b; git stash list; git stash show -p; git log -g --format=%gs -3; git stash pop; cat a b; git status -s; git stash list
git commit -qam two; echo new > n; git add n; echo 5 > a; git stash --staged; ls; git stash pop
git stash push -q -u; git stash branch br; echo $?; git status -s; git log --oneline --all; git stash list; git stash branch; echo $?; git stash branch x; echo $?; git stash -q; git stash branch br; echo $?; git stash list
git stash branch y stash@{0}; cat a; git reflog -3 --format=%gs; git add a; echo 7 > a; git stash -S; echo $?; git status -s; cat a
---
h=$(echo hi | git hash-object -w --stdin); git update-index --cacheinfo 100644,$h,x; echo $?; git update-index --add --cacheinfo 100644,$h,x; echo $?; git update-index --add --cacheinfo 100755 $h d/y; git update-index --cacheinfo 120000,$h,x; git ls-files -s; git status -s
printf "100644 $h\tz\n100644 blob $h\tq/w\n0 $h\tx\n" | git update-index --index-info; git ls-files -s; git update-index --add --cacheinfo 100644,zz,x; echo $?; git update-index --add --cacheinfo 100644,$h,../x; echo $?; git update-index --add --cacheinfo 100644,$h,.git/x; echo $?
t=$(git write-tree); git commit -qm one; git read-tree --empty; git ls-files; git read-tree $t; git ls-files -s; git read-tree HEAD; git read-tree --prefix=sub/ HEAD; git ls-files; git read-tree --prefix=sub HEAD; echo $?; git read-tree -m HEAD; git ls-files; git read-tree nope; echo $?; git read-tree --reset HEAD; git status -s; git read-tree HEAD^{tree}; git read-tree --empty HEAD; echo $?; git checkout -q . ; git status -s
git update-index --add --cacheinfo 100664,$h,m; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sm; git ls-files -s
---
c a; git branch x; c b; git branch y; c c; git checkout -q x; c d; git merge -q -m mx y; c e; git checkout -q master; c f
git log --boundary --format='%m %s' x..master; git log --boundary --format='%m %s' master..x;  git log --boundary --left-right --format='%m %s' master...x; git rev-list --boundary x y ^master | wc -l; git log --left-right --format='%m %s' y...x; git log --boundary --format='%m %s' -1 master..x
