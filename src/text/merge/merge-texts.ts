/** Three-way merge of texts: the changes of both sides, and where they overlap. */
import { splitAfterLf } from '../diff/diff-lines.js'
import { mergeLines } from './merge-lines.js'

/** Lines `[start, end)`, counted from 0; empty for a place between two lines. */
export interface LineRange {
  start: number
  end: number
}

/** What both sides changed, each in another way, by its lines in ours and in theirs. */
export interface Overlap {
  ours: LineRange
  theirs: LineRange
}

export interface MergedText {
  /** Where the sides overlap, it has ours, or theirs if they are favoured. */
  text: string
  overlaps: Overlap[]
}

/** Lines that touch overlap too, as in git: without a line between them nobody can say that they are independent. */
export function mergeTexts(
  base: string,
  ours: string,
  theirs: string,
  { favor = 'ours' }: { favor?: 'ours' | 'theirs' } = {},
): MergedText {
  const [o, t] = [splitAfterLf(ours), splitAfterLf(theirs)]
  const pieces: string[] = []
  const overlaps: Overlap[] = []
  let at = 0
  for (const part of mergeLines(splitAfterLf(base), o, t, { refine: true })) {
    const inOurs = { start: part.ours, end: part.ours + part.oursCount }
    const inTheirs = { start: part.theirs, end: part.theirs + part.theirsCount }
    if (part.kind === 'conflict') overlaps.push({ ours: inOurs, theirs: inTheirs })
    if ((part.kind === 'conflict' ? favor : part.kind) === 'ours') continue
    pieces.push(o.slice(at, part.ours).join(''), t.slice(inTheirs.start, inTheirs.end).join(''))
    at = inOurs.end
  }
  pieces.push(o.slice(at).join(''))
  return { text: pieces.join(''), overlaps }
}
