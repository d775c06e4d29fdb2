#!/bin/bash
set -e
cat > src/median.js <<'END'
/** The median of some numbers; undefined for none. */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  if (sorted.length % 2 === 1) return sorted[middle]
  return sorted.length === 0 ? undefined : (sorted[middle - 1] + sorted[middle]) / 2
}

module.exports = { median }
END
