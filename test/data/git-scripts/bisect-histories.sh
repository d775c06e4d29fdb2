git init -q -b main; seed=0; next() { seed=$(( (seed * 1103515245 + 12345) % 2147483648 )); n=$(( seed / 65536 % $1 )); }
history() { seed=$1; all=(); for i in $(seq $2); do next 4; t=$((1700000000 + (n == 0 ? i - 3 : i) * 60)); export GIT_AUTHOR_DATE="$t +0000" GIT_COMMITTER_DATE="$t +0000"
  next 3; f=f$n; echo $i > $f; git add $f; p=(); next 5; k=$((n == 0 ? 2 : 1)); [ ${#all[@]} = 0 ] && k=0
  for j in $(seq $k); do next 5; o=$((${#all[@]} - 1 - n)); [ $o -lt 0 ] && o=0; p+=(-p ${all[$o]}); done
  all+=($(git commit-tree -m "c$i" "${p[@]}" $(git write-tree) 2>/dev/null)); done; git reset -q --hard ${all[-1]}; git clean -qfd; }
walk() { for i in $(seq $1); do next 4; case $n in 0) git bisect good;; 1) git bisect bad;; *) next $2; [ $n = 0 ] && git bisect skip || { next 2; [ $n = 0 ] && git bisect bad || git bisect good; };; esac; echo "[$?]"; done; git bisect log; git bisect reset; }
---
history 1 12; git bisect start HEAD ${all[0]} ${all[2]}; walk 7 4
---
history 2 20; git bisect start HEAD ${all[0]} -- f0 f2; walk 7 1
---
history 3 30; git bisect start HEAD ${all[0]} ${all[2]} -- f1; walk 7 2
---
history 4 25; git bisect start --first-parent HEAD ${all[0]}; walk 7 4
---
history 5 40; git bisect start HEAD ${all[0]} ${all[2]} -- f0 f2; walk 7 1
---
history 6 18; git bisect start HEAD ${all[0]} -- f1; walk 7 2
---
history 7 33; git bisect start HEAD ${all[0]} ${all[2]}; walk 7 4
---
history 8 60; git bisect start HEAD ${all[0]} -- f0 f2; walk 7 1
