#!/bin/bash
set -e
find . -path ./keep -prune -o -type f -name '*.tmp' -print0 | xargs -0 rm --
find . -path ./keep -prune -o -type d -empty -print | sort -r | while read -r directory; do rmdir -p "$directory" 2>/dev/null || true; done
