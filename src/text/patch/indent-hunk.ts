import { reindent } from '../edit/match/reindent.js'
import type { HunkLine } from './patch.js'

/** `replaced` with added lines that are indented as the file is: `block` has its lines, for those that `lines` takes them to be. `sample` is text of the file. */
export function indentedLike(
  replaced: readonly HunkLine[],
  lines: readonly HunkLine[],
  { block, sample }: { block: readonly string[]; sample: string },
): HunkLine[] {
  const find = textsWithout(lines, 'add').join('\n')
  const replacement = textsWithout(lines, 'remove').join('\n')
  const fresh = reindent(replacement, { lines: block, find, policy: 'steps', sample }).split('\n')
  let at = 0
  const added = lines.flatMap(({ kind }) => {
    if (kind === 'remove') return []
    at += 1
    return kind === 'add' ? [fresh[at - 1] ?? ''] : []
  })
  let next = 0
  return replaced.map((line) => {
    if (line.kind !== 'add') return line
    next += 1
    return { ...line, text: added[next - 1] ?? line.text }
  })
}

function textsWithout(lines: readonly HunkLine[], kind: HunkLine['kind']): string[] {
  return lines.filter((line) => line.kind !== kind).map(({ text }) => text)
}
