git init -q -b main; t=1700000000; c() { t=$((t+60)); export GIT_AUTHOR_DATE="$t +0000" GIT_COMMITTER_DATE="$t +0000"; echo "$1" >> f; echo $1 > "${2:-g}"; git add .; git commit -qm "c$1"; }
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do c $i; done; git tag good HEAD~11; git tag bad
look() { git status; git bisect log; git for-each-ref; ls .git | grep BISECT; cat .git/BISECT_* .git/HEAD; }
---
git bisect; echo "[$?]"; git bisect help; git bisect bad; echo "[$?]"; git bisect good; git bisect log; echo "[$?]"; git bisect reset; echo "[$?]"; git bisect next; echo "[$?]"; git bisect skip; echo "[$?]"; git bisect terms; git bisect run true; echo "[$?]"
---
git bisect start; echo "[$?]"; look; git bisect bad; look; git bisect good good; echo "[$?]"; look; git bisect good; git branch; git bisect bad; git bisect bad; echo "[$?]"; look; git bisect reset; echo "[$?]"; git status; git log --oneline | head -3; ls .git/refs; git reflog
---
git bisect start HEAD good; git bisect log; git bisect good HEAD; git bisect bad; git bisect reset HEAD~2; git status; git bisect log
---
git bisect start bad good -- f; git bisect good;git bisect good; git bisect good; git bisect good; look
---
c 13 h; c 14; c 15 h; c 16; c 17 h; git bisect start HEAD HEAD~9 -- h; git bisect bad; look; git bisect good; look; git bisect reset
---
git bisect start HEAD HEAD~3 nosuch; echo "[$?]"; look; git bisect start HEAD HEAD~3 -- nosuch; echo "[$?]"; look; git bisect start nosuch; echo "[$?]"; git bisect start nosuch -- f; echo "[$?]"; git bisect start --bogus; echo "[$?]"; look
---
git bisect start bad good; git bisect run sh -c 'test $(wc -l < f) -lt 7'; echo "[$?]"; look; git bisect reset
---
git bisect start bad good; git bisect run grep -q '^9$' f; echo "[$?]"; look; git bisect reset
---
git bisect start bad good; git bisect run sh -c 'n=$(wc -l < f); test $n = 6 && exit 125; test $n = 7 && exit 125; test $n -lt 7'; echo "[$?]"; look; git bisect visualize --oneline; git bisect reset
---
git bisect start bad good; git bisect run sh -c 'exit 130'; echo "[$?]"; git bisect run sh -c 'exit 255'; echo "[$?]";  git bisect run; echo "[$?]"; git bisect run sh -c 'exit 127'; echo "[$?]"; git bisect run sh -c '[ $(wc -l < f) = 1 ] || exit 126'; echo "[$?]"
---
mkdir sub; git bisect start bad good; cd sub; git bisect run sh -c 'pwd; ls; exit 1'; git bisect log; git bisect reset
---
git bisect start --term-old fast --term-new slow; git bisect terms; git bisect terms --term-good; git bisect terms --term-new; git bisect terms --bogus; echo "[$?]"; git bisect slow; git bisect fast good; look; git bisect bad; echo "[$?]"; git bisect slow; git bisect run test -f nosuch; git bisect reset
---
git bisect start; git bisect new; git bisect old good; git bisect terms; look; git bisect good; echo "[$?]"; git bisect old; git bisect new; git bisect new; look
---
for t1 in "--term-good=bad" "--term-bad=good" "--term-good=start" "--term-good=a..b" "--term-good=x --term-bad=x" "--term-good"; do git bisect start $t1; echo "[$?]"; git bisect log; done
---
git bisect start bad good; git bisect skip; look; git bisect skip; git bisect skip HEAD~2..HEAD; look; git bisect skip; git bisect good;  git bisect skip; git bisect skip; git bisect skip; echo "[$?]"; look
---
git bisect start HEAD HEAD~4; git bisect skip HEAD~3 HEAD~2 HEAD~1; echo "[$?]"; git bisect skip; echo "[$?]"; look; git bisect bad; git bisect good; look
---
git bisect start --no-checkout bad good; look; git bisect good; git bisect bad; cat f; look; git bisect run sh -c 'git show BISECT_HEAD:f | wc -l; test $(git show BISECT_HEAD:f | wc -l) -lt 8'; look; git bisect reset; look
---
git bisect start bad good; git bisect good; git bisect bad; git bisect log > ../log; git bisect reset; cp ../log log; git bisect replay log; echo "[$?]"; look; git bisect replay nosuch; echo "[$?]"; git bisect replay; echo "[$?]"; rm ../log
---
git checkout -q -b side HEAD~8; c 20 s; c 21 s; c 22 s; git checkout -q main; git bisect start main side; echo "[$?]"; look; git bisect good; echo "[$?]"; look; git bisect bad; git bisect good; git bisect good; look
---
git checkout -q -b side HEAD~8; c 20 s; c 21 s; c 22 s; git checkout -q main; git bisect start main side; git bisect bad; echo "[$?]"; look; git bisect reset
---
git checkout -q -b side HEAD~8; c 20 s; c 21 s; c 22 s; git checkout -q main; git bisect start main side; git bisect skip; echo "[$?]"; look; git bisect reset
---
git bisect start good bad; echo "[$?]"; look; git bisect start; git bisect bad good; git bisect good bad; echo "[$?]"
---
echo dirty >> f; git bisect start bad good; echo "[$?]"; look; git checkout -q f; git bisect start bad good; echo dirty > f; git bisect good; echo "[$?]"; git bisect reset; echo "[$?]"; git checkout -f -q; git bisect reset nosuch; echo "[$?]"; git bisect reset a b; git bisect reset good; git status
---
git checkout -q --detach HEAD~1; git bisect start bad good; look; git checkout -q main; git bisect bad; git bisect start; git bisect log; git bisect bad nosuch; echo "[$?]"; git bisect bad HEAD HEAD~1; echo "[$?]"; git bisect bad HEAD^{tree}; git bisect reset; git status
---
git bisect start; git bisect good good HEAD~5; git bisect bad; look; git bisect visualize; git bisect view --stat; git log --oneline --decorate -3
---
git checkout -q -b a HEAD~6; c 30 a; c 31 a; git checkout -q -b b HEAD~4; c 40 b; git checkout -q main; git merge -q --no-edit a 2>&1; git merge -q --no-edit b; c 50; git log --oneline --graph; git bisect start HEAD good; git bisect good; git bisect bad; git bisect good; git bisect good; git bisect bad;  look
---
git checkout -q -b a HEAD~6; c 30 a; c 31 a; git checkout -q main; git merge -q --no-edit -X ours a; c 50; git bisect start --first-parent HEAD good; ls .git | grep BISECT; git bisect good; git bisect bad; git bisect good; look
---
git init -q -b main e; cd e; git bisect start; echo "[$?]"; git bisect log
---
git bisect start HEAD; look; git bisect next; echo "[$?]"; git bisect bad; git bisect next; look
