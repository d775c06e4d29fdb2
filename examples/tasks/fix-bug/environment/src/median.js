/** The median of some numbers; undefined for none. */
function median(values) {
  const sorted = values.sort()
  return sorted[Math.floor(sorted.length / 2)]
}

module.exports = { median }
