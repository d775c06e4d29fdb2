/** Diffs in few words: one line that names a file, then its hunks. `apply_patch` of our own dialect reads them too. */
import { printable } from '../printable.js'
import type { Span } from '../spans.js'
import { cutLongLines, cuttingBudget } from './cut-lines.js'
import { diffLines, type LineDiff } from './diff-lines.js'
import { partsAround } from './parts.js'
import { escapedName, type PrintedHunk, printHunks } from './unified-diff.js'

export interface CompactOptions {
  /** Equal lines around each change. Default: 3. */
  context?: number
  /** Lines longer than this are cut around what has changed in them. Default: 300. */
  longest?: number
  /** Returns text to print after a hunk's numbers, given the number of lines before it. */
  heading?: (linesBefore: number) => string
  /** The spans of the text before that are replaced, if they are known. Then only lines around them are compared, which is faster if there are many. */
  changed?: readonly Span[] | undefined
}

export interface CompactHunks {
  /** Empty if nothing changes. */
  text: string
  added: number
  removed: number
  /** Long lines were cut, so that the text is for reading only. Hunks with such lines say so. */
  isCut: boolean
}

/** The hunks of one file, without a line that names it. */
export function compactHunks(
  before: string,
  after: string,
  { context = 3, longest = 300, heading = () => '', changed }: CompactOptions = {},
): CompactHunks {
  const budget = cuttingBudget()
  let [text, added, removed, isCut] = ['', 0, 0, false]
  for (const part of partsOf(before, after, { context, changed })) {
    const whole = diffLines(part.before, part.after, { context })
    const { diff, oldCut, newCut } = cutLongLines(whole, { longest, context, budget })
    const isCutIn = ({ oldStart, oldEnd, newStart, newEnd }: PrintedHunk) =>
      holdsAny(oldCut, oldStart, oldEnd) || holdsAny(newCut, newStart, newEnd)
    const headingOf = (hunk: PrintedHunk) => {
      if (!isCutIn(hunk)) return heading(hunk.linesBefore)
      isCut = true
      return ` ${cutMark}`
    }
    const { linesAbove } = part
    text += printHunks(diff, context, headingOf, { old: linesAbove, new: linesAbove + added - removed })
    const count = counted(whole)
    added += count.added
    removed += count.removed
  }
  return { text, isCut, added, removed }
}

/** The numbers of lines alone, for those who do not print the hunks. */
export function compactCounts(
  before: string,
  after: string,
  { context = 3, changed }: CompactOptions = {},
): Pick<CompactHunks, 'added' | 'removed'> {
  let [added, removed] = [0, 0]
  for (const part of partsOf(before, after, { context, changed })) {
    const count = counted(diffLines(part.before, part.after))
    added += count.added
    removed += count.removed
  }
  return { added, removed }
}

function partsOf(before: string, after: string, { context, changed }: CompactOptions & { context: number }) {
  return changed === undefined ? [{ before, after, linesAbove: 0 }] : partsAround(changed, before, after, context)
}

/** Stands after the numbers of a hunk whose long lines are cut: it can't be applied. */
export const cutMark = '(long lines cut: for reading only)'

function holdsAny(cut: ReadonlySet<number>, start: number, end: number): boolean {
  for (const at of cut) if (at >= start && at < end) return true
  return false
}

function counted({ changes }: LineDiff): Pick<CompactHunks, 'added' | 'removed'> {
  let [added, removed] = [0, 0]
  for (const { oldStart, oldEnd, newStart, newEnd } of changes) {
    removed += oldEnd - oldStart
    added += newEnd - newStart
  }
  return { added, removed }
}

export type ChangeKind = 'changed' | 'created' | 'deleted' | 'renamed'

/** What happened to one file. */
export interface CompactChange {
  kind: ChangeKind
  /** Separated by `/`. */
  path: string
  /** The new path of a renamed file. */
  toPath?: string
  /** The texts; absent where there is no file, and where its content is not shown. */
  before?: string
  after?: string
  /** The new permission bits, if they differ, or a new file is executable. */
  mode?: number
  /** How much of a renamed file is the same, in percent. */
  similarity?: number
  /** Why the content is not shown, or what else has to be said: `binary`. */
  remark?: string
}

/** `renamed a -> b (87% similar)`. */
export function compactHeader({ kind, path, toPath, mode, similarity, remark }: CompactChange): string {
  const names = toPath === undefined ? plainName(path) : `${plainName(path)} -> ${plainName(toPath)}`
  const remarks = [
    similarity !== undefined && similarity < 100 && `${similarity}% similar`,
    mode !== undefined && `mode ${(mode & 0o777).toString(8)}`,
    remark,
  ].filter(Boolean)
  return `${kind} ${names}${remarks.length === 0 ? '' : ` (${remarks.join(', ')})`}`
}

/** The header and the hunks of one file; ends with a line break. */
export function compactDiff(change: CompactChange, options: CompactOptions = {}): string {
  return `${compactHeader(change)}\n${compactHunks(change.before ?? '', change.after ?? '', options).text}`
}

/** One line for each file, with the numbers of lines added and removed, and the sum of all. */
export function compactStat(changes: readonly CompactChange[]): { rows: string[]; added: number; removed: number } {
  let [added, removed] = [0, 0]
  const rows = changes.map((change) => {
    const { before, after } = change
    if (before === undefined && after === undefined) return compactHeader(change)
    const count = counted(diffLines(before ?? '', after ?? ''))
    added += count.added
    removed += count.removed
    return `${compactHeader(change)} +${count.added} -${count.removed}`
  })
  return { rows, added, removed }
}

/** In C-style quotes if the name could be mistaken for something else, or holds what must not be printed. */
function plainName(name: string): string {
  const isPlain =
    name === name.trim() && printable(name) === name && !name.startsWith('"') && !/ -> |\)$/.test(name) && name !== ''
  return isPlain ? name : `"${escapedName(name)}"`
}
