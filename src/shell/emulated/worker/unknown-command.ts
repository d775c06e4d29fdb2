/** Names the available programs when a command is unknown. */

const groups: Record<string, string> = {
  files: 'ls tree find du stat file cat cp mv rm rmdir mkdir touch ln chmod readlink realpath mktemp split truncate dd',
  text: 'grep rg sed awk head tail sort uniq cut tr wc diff cmp patch paste join comm column fold nl rev tac xargs tee shuf',
  data: 'jq base64 xxd od hexdump strings md5sum sha1sum sha256sum sha512sum bc iconv',
  archives: 'tar gzip gunzip zcat zip unzip',
  'version control': 'git',
  other: 'echo printf date seq expr env sleep timeout which bash sh node uname id help',
}

export function unknownCommandHint(unknown: string, names: readonly string[]): string {
  const near = names
    .filter((name) => distance(name, unknown) <= Math.max(1, Math.floor(unknown.length / 4)))
    .slice(0, 3)
  const known = new Set(names)
  const listed = new Set(Object.values(groups).flatMap((members) => members.split(' ')))
  const own = names.filter((name) => !listed.has(name))
  const available = Object.entries(groups).map(([group, members]) => {
    const there = members.split(' ').filter((name) => known.has(name))
    return `  ${group}: ${[...there, ...(group === 'other' ? own : [])].join(' ')}\n`
  })
  const suggestion = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''
  return `This emulated shell cannot run programs of the machine.${suggestion} It has:\n${available.join('')}`
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
