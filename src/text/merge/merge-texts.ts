/** Three-way merge of texts: the changes of both sides, and where they overlap. */
import { splitAfterLf } from '../diff/diff-lines.js'
import { type MergePart, mergeLines } from './merge-lines.js'

/** Lines `[start, end)`, counted from 0; empty for a place between two lines. */
export interface LineRange {
  start: number
  end: number
}

/** What both sides changed, each in another way, by its lines in each version. */
export interface Overlap {
  /** All that the change concerns; lines that both changed in the same way are left out of the other two. */
  base: LineRange
  ours: LineRange
  theirs: LineRange
}

/** What is taken where the sides overlap. `both`: ours, and theirs after it. */
export type Favor = 'ours' | 'theirs' | 'both'

export interface MergedText {
  /** Where the sides overlap, it has ours, or what is favoured. */
  text: string
  overlaps: Overlap[]
}

/** Lines that touch overlap too, as in git: without a line between them nobody can say that they are independent. */
export function mergeTexts(
  base: string,
  ours: string,
  theirs: string,
  { favor = 'ours' }: { favor?: Favor } = {},
): MergedText {
  const [b, o, t] = [splitAfterLf(base), splitAfterLf(ours), splitAfterLf(theirs)]
  const pieces: string[] = []
  const overlaps: Overlap[] = []
  let at = 0
  for (const part of mergeLines(b, o, t, { refine: true })) {
    const inOurs = { start: part.ours, end: part.ours + part.oursCount }
    const inTheirs = { start: part.theirs, end: part.theirs + part.theirsCount }
    const inBase = { start: part.base, end: part.base + part.baseCount }
    if (part.kind === 'conflict') overlaps.push({ base: inBase, ours: inOurs, theirs: inTheirs })
    const taken = part.kind === 'conflict' ? favor : part.kind
    if (taken === 'ours') continue
    const before = o.slice(at, taken === 'both' ? inOurs.end : part.ours).join('')
    const added = t.slice(inTheirs.start, inTheirs.end).join('')
    pieces.push(before)
    // The last line may have no end, and another one is to follow.
    if (taken === 'both' && part.oursCount > 0 && !before.endsWith('\n')) pieces.push(lineEndAt(part, b, o, t))
    pieces.push(added)
    at = inOurs.end
  }
  pieces.push(o.slice(at).join(''))
  return { text: pieces.join(''), overlaps }
}

/** As git decides it: CRLF where the lines before, and the first of the base, have it. */
function lineEndAt(
  { ours, theirs }: MergePart,
  b: readonly string[],
  o: readonly string[],
  t: readonly string[],
): string {
  const asked = [hasCrlf(o, Math.max(0, ours - 1)), hasCrlf(t, Math.max(0, theirs - 1)), hasCrlf(b, 0)]
  return asked.includes(false) || asked[2] === undefined ? '\n' : '\r\n'
}

/** Undefined where no line says it. */
function hasCrlf(lines: readonly string[], at: number): boolean | undefined {
  const line = lines[at]?.endsWith('\n') ? lines[at] : lines[at - 1]
  return line?.endsWith('\r\n')
}
