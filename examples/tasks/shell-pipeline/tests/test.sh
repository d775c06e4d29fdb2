#!/bin/bash
cd /app
[ -f top-words.sh ] || { echo 'there is no top-words.sh'; echo 0 > /logs/verifier/reward.txt; exit; }
right=0
check() {
  if [ "$(bash top-words.sh "${@:2}" < /tests/text.txt | head -c 1000)" = "$(printf "$1")" ]; then right=$((right + 1)); fi
}
check 'a\t4\nthe\t4\nb\t3\nx\t3\ncat\t2'
check 'a\t4\nthe\t4' 2
check 'a\t4' 1
echo "$right of 3"
if [ $right -eq 0 ]; then echo 0; else awk "BEGIN { print $right / 3 }"; fi > /logs/verifier/reward.txt
