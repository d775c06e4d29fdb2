#!/bin/bash
set -e
commit=$(git log --diff-filter=D --format=%H -- soup.md | head -1)
git log -1 --format=%s "$commit" > culprit.txt
git checkout -q "$commit~1" -- soup.md
git commit -qm 'Restore the soup'
