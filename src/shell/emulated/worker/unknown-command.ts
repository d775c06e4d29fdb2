/** Lists the available commands when a command is unknown. */
import type { OutputChunk } from '../../types.js'

const groups: Record<string, string> = {
  files: 'ls tree find du stat file cat cp mv rm rmdir mkdir touch ln chmod readlink realpath mktemp split truncate',
  text: 'grep rg sed awk head tail sort uniq cut tr wc diff cmp patch paste join comm column fold nl rev tac xargs tee shuf',
  data: 'jq yq xan base64 xxd od hexdump strings md5sum sha1sum sha256sum sha512sum',
  archives: 'tar gzip gunzip zcat zip unzip',
  'version control': 'git',
  other: 'echo printf date seq expr env sleep timeout time which bash sh uname id help',
}

/** Forwards output, and adds a hint after the first `command not found` on stderr. */
export function withHints(
  names: readonly string[],
  output: (chunk: OutputChunk) => void,
): (chunk: OutputChunk) => void {
  let hasHinted = false
  return (chunk) => {
    output(chunk)
    if (hasHinted || chunk.stream !== 'stderr') return
    const unknown = /^bash: (?:line \d+: )?([^\s:]+): command not found$/m.exec(
      new TextDecoder().decode(chunk.bytes),
    )?.[1]
    if (unknown === undefined) return
    hasHinted = true
    output({ stream: 'stderr', bytes: new TextEncoder().encode(hint(unknown, names)) })
  }
}

function hint(unknown: string, names: readonly string[]): string {
  const near = names
    .filter((name) => distance(name, unknown) <= Math.max(1, Math.floor(unknown.length / 4)))
    .slice(0, 3)
  const available = Object.entries(groups).map(([group, members]) => {
    return `  ${group}: ${members
      .split(' ')
      .filter((name) => names.includes(name))
      .join(' ')}\n`
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
