import type { FilePatch } from './patch.js'

/** The blocks of a patch that are in `wanted`, as they were written; empty if there are none. `blocks` are all of the patch. */
export function restOfPatch(
  text: string,
  blocks: readonly FilePatch[],
  { wanted, isV4a }: { wanted: ReadonlySet<FilePatch>; isV4a: boolean },
): string {
  if (wanted.size === 0) return ''
  const lines = text.split('\n')
  const parts = blocks.flatMap((block, index) => {
    if (!wanted.has(block)) return []
    const next = blocks[index + 1]?.line
    const end = isV4a ? endOfV4a(lines, next) : endOfUnified(block, lines, next)
    return lines.slice(block.line - 1, end)
  })
  const rest = parts.join('\n')
  return isV4a ? `*** Begin Patch\n${rest}\n*** End Patch\n` : `${rest}\n`
}

function endOfV4a(lines: readonly string[], next: number | undefined): number {
  if (next !== undefined) return next - 1
  let end = lines.length - 1
  while (lines[end]?.trim() !== '*** End Patch') end -= 1
  return end
}

/** Text between blocks does not belong to them. */
function endOfUnified({ hunks = [] }: FilePatch, lines: readonly string[], next: number | undefined): number {
  const last = hunks.at(-1)
  if (last === undefined) return lastWritten(lines, next === undefined ? lines.length : next - 1)
  const unterminated = last.lines.filter(({ ending }) => ending === '').length
  return last.line + last.lines.length + unterminated
}

/** Without the blank lines before `end`. */
function lastWritten(lines: readonly string[], end: number): number {
  let last = end
  while (lines[last - 1]?.trim() === '') last -= 1
  return last
}
