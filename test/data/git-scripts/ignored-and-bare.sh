---
mkdir r; cd r; git init -q -b main; printf '*.log\n!keep.log\nbuild/\n/top\n\n# c\nsp  \n' > .gitignore; mkdir -p sub build; echo 'x*' > sub/.gitignore; git add .; touch a.log; git add -f a.log
for o in "" -v "-v -n" "-v --no-index" --no-index; do echo "== $o"; git check-ignore $o a.log b.log keep.log build build/x sub/xa sub/y top ./top nope.exc "sp ace.log" sp sp/ x/top $'tab\t.log' 'é.log'; echo "rc $?"; done
printf 'b.log\nnope\nbuild/z\n' | git check-ignore --stdin -v -n; echo rc $?
printf 'b.log\0nope\0build/z\0' | git check-ignore --stdin -z -v -n | tr '\0' '|'; echo
printf 'b.log\0nope\0build/z\0' | git check-ignore --stdin -z | tr '\0' '|'; echo
git check-ignore -z b.log; echo rc $?; git check-ignore -n b.log; echo rc $?; git check-ignore -q b.log; echo $?; git check-ignore -q b.log c.log; echo $?; git check-ignore -q -v b.log; echo $?
git check-ignore --stdin x; echo $?; git check-ignore; echo $?; git check-ignore ../x; echo $?; git check-ignore .; echo $?; cd sub; git check-ignore -v ../b.log xa ../build; cd ../; git config core.excludesFile ~/x; echo '*.zip' > ~/x; git check-ignore -v a.zip; git check-ignore -v -n . sub ; git check-ignore .git/x; echo $?; git check-ignore -v $PWD/b.log; git check-ignore ''; echo $?
---
mkdir r; cd r; git init -q -b main; git count-objects; echo a > a; git add a; git commit -qm x; git count-objects; git count-objects -v; git count-objects -H; git count-objects -vH;  git count-objects x > /dev/null; echo $?
---
git count-objects; echo $?; git init -b m --bare b.git; git init --bare b.git; git init --bare -q -b x c.git; cat b.git/config; cd b.git; for c in "status" "log" "add x" "branch" "rev-parse --git-dir" "rev-parse --is-bare-repository" "rev-parse --is-inside-work-tree" "rev-parse --is-inside-git-dir" "rev-parse --show-toplevel" "diff" "commit -m x" "checkout x" "stash" "config core.bare" "ls-files" "reset" "reset --soft" "symbolic-ref HEAD" "pull" "merge x" "grep x" "tag" "rev-parse --absolute-git-dir" "clean -f" "rev-parse --show-prefix" "count-objects" "remote -v" "remote" "check-ignore x" "worktree list" "rebase x" "switch x" "cherry-pick x" "show-ref" "mv a b" "restore x" "rm x" "stash list" "update-index x" "rev-parse --git-common-dir"; do echo "== $c"; git $c; echo "rc $?"; done
---
git init -q -b main; git -c user.name=X -c user.email=x@y commit -q --allow-empty -m a; git log --format='%an %ae'; git -c alias.st='status -s' st; touch f; git -c alias.st='status -s' st; git -c foo.bar=1 config foo.bar; git -c foo.bar= config foo.bar; git -c foo log; echo $?; git -c core.abbrev=10 log --oneline; git -C . -c user.name=Z config user.name
