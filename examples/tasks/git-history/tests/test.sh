#!/bin/bash
cd /app
set -e
trap 'echo 0 > /logs/verifier/reward.txt' EXIT
git show HEAD:soup.md | diff /tests/soup.md -
diff /tests/soup.md soup.md
[ "$(git log -1 --format=%s)" = 'Restore the soup' ]
[ "$(git rev-list --count HEAD)" = 6 ]
[ "$(cat culprit.txt)" = 'Say how long to bake' ]
! git ls-files | grep -q culprit
[ "$(git rev-parse HEAD~1)" = 6cad74d8d246f734a11f0991f492a829a4b57d6a ]
trap - EXIT
echo 1 > /logs/verifier/reward.txt
