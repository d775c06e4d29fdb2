/** What is printed after `command not found`: the nearest names, and where to find the others. */
export function unknownCommandHint(unknown: string, names: readonly string[]): string {
  const most = Math.max(1, Math.floor(unknown.length / 4))
  const near = names
    .map((name) => ({ name, distance: distance(name, unknown) }))
    .filter((one) => one.distance <= most)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, 3)
  const suggestion = near.length > 0 ? ` Did you mean ${near.map(({ name }) => name).join(' or ')}?` : ''
  return `This emulated shell cannot run programs of the machine.${suggestion} \`help\` lists what it has.\n`
}

/** The Levenshtein distance. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
