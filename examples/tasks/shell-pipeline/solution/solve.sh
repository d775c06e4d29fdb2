#!/bin/bash
set -e
cat > top-words.sh <<'END'
#!/bin/bash
tr -cs 'A-Za-z' '\n' | tr A-Z a-z | grep . | LC_ALL=C sort | uniq -c |
  LC_ALL=C sort -k1,1nr -k2,2 | head -n "${1:-5}" | awk '{ print $2 "\t" $1 }'
END
chmod +x top-words.sh
