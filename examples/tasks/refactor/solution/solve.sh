#!/bin/bash
set -e
cat > bin/lib.sh <<'END'
log() {
  printf '[%s] %s\n' "$1" "$2"
}
END
for script in start stop; do
  sed -i '/^log() {/,/^}/d' bin/$script.sh
  sed -i '1a source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"' bin/$script.sh
done
