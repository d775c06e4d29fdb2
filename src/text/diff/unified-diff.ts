import { diffLines, type LineChange, type LineDiff } from './diff-lines.js'

/** One file before and after. An absent side means that there is no file before or after. */
export interface FileChange {
  /** Relative, separated by `/`. */
  path: string
  /** The new path, if the file is moved. */
  toPath?: string
  before?: string
  after?: string
  /** Permission bits; only whether it is executable is printed, as in git. */
  modeBefore?: number
  modeAfter?: number
}

/** A diff as git prints it and `git apply` accepts it; empty if nothing changes. */
export function unifiedDiff(change: FileChange, { context = 3 }: { context?: number } = {}): string {
  const { path, toPath = path, before, after } = change
  const header = extendedHeader(change)
  const hunks = printHunks(diffLines(before ?? '', after ?? '', { context }), context)
  if (header === '' && hunks === '') return ''
  const from = before === undefined ? '/dev/null' : fileName('a', path)
  const to = after === undefined ? '/dev/null' : fileName('b', toPath)
  const names = hunks === '' ? '' : `--- ${from}\n+++ ${to}\n`
  return `diff --git ${quotedName(`a/${path}`)} ${quotedName(`b/${toPath}`)}\n${header}${names}${hunks}`
}

/** A diff for reading: plain names, and one hunk from the first to the last change, always with its counts. */
export function singleHunkDiff(path: string, before: string, after: string, { context = 3 } = {}): string {
  const diff = diffLines(before, after, { context })
  if (diff.changes.length === 0) return ''
  const { oldLines, newLines } = diff
  const body = printLines(diff, diff.changes, 0, oldLines.length)
  const first = (count: number) => diff.skipped + (count === 0 ? 0 : 1)
  const oldRange = `${first(oldLines.length)},${oldLines.length}`
  const newRange = `${first(newLines.length)},${newLines.length}`
  return `--- ${path}\n+++ ${path}\n@@ -${oldRange} +${newRange} @@\n${body}`
}

/** Only the hunks. `heading` returns the text after a hunk's numbers, given the number of lines before it. */
export function unifiedHunks(
  before: string,
  after: string,
  { context = 3, heading }: { context?: number; heading?: (linesBefore: number) => string } = {},
): string {
  return printHunks(
    diffLines(before, after, { context }),
    context,
    heading && (({ linesBefore }) => heading(linesBefore)),
  )
}

function extendedHeader({ path, toPath = path, before, after, modeBefore, modeAfter }: FileChange): string {
  if (before === undefined && after === undefined) return ''
  if (before === undefined) return `new file mode ${gitMode(modeAfter)}\n`
  if (after === undefined) return `deleted file mode ${gitMode(modeBefore)}\n`
  let header = ''
  if (modeBefore !== undefined && modeAfter !== undefined && gitMode(modeBefore) !== gitMode(modeAfter)) {
    header += `old mode ${gitMode(modeBefore)}\nnew mode ${gitMode(modeAfter)}\n`
  }
  if (toPath !== path) header += `rename from ${quotedName(path)}\nrename to ${quotedName(toPath)}\n`
  return header
}

function gitMode(mode = 0o644): string {
  return mode & 0o100 ? '100755' : '100644'
}

/** A name with a space is followed by a TAB; otherwise `patch` would read a part of it as a date. */
function fileName(prefix: 'a' | 'b', path: string): string {
  return quotedName(`${prefix}/${path}`) + (path.includes(' ') ? '\t' : '')
}

/** C-style quotes with octal escapes for bytes beyond ASCII, as in git; without quotes if none are needed. */
export function quotedName(name: string): string {
  const text = escapedName(name)
  return text === name ? name : `"${text}"`
}

/** A name as it stands between C-style quotes. */
export function escapedName(name: string): string {
  return Array.from(new TextEncoder().encode(name), escaped).join('')
}

function escaped(byte: number): string {
  const letter = 'abtnvfr'[byte - 0x07]
  if (letter !== undefined) return `\\${letter}`
  if (byte < 0x20 || byte >= 0x7f) return `\\${byte.toString(8).padStart(3, '0')}`
  const character = String.fromCharCode(byte)
  return character === '"' || character === '\\' ? `\\${character}` : character
}

/** Where a hunk is: the lines of the file before it, and its ranges in the lines of the diff. */
export interface PrintedHunk {
  linesBefore: number
  oldStart: number
  oldEnd: number
  newStart: number
  newEnd: number
}

/** `heading` returns the text after a hunk's numbers. `above` are the lines of both files above those that were compared. */
export function printHunks(
  diff: LineDiff,
  context: number,
  heading: (hunk: PrintedHunk) => string = () => '',
  above = { old: 0, new: 0 },
): string {
  const oldAbove = above.old + diff.skipped
  const newAbove = above.new + diff.skipped
  let text = ''
  for (const changes of grouped(diff.changes, context)) {
    const first = changes[0] as LineChange
    const last = changes.at(-1) as LineChange
    const lead = Math.min(context, first.oldStart)
    const tail = Math.min(context, diff.oldLines.length - last.oldEnd)
    const oldStart = first.oldStart - lead
    const newStart = first.newStart - lead
    const oldEnd = last.oldEnd + tail
    const newEnd = last.newEnd + tail
    const ranges = `-${range(oldAbove + oldStart, oldEnd - oldStart)} +${range(newAbove + newStart, newEnd - newStart)}`
    text += `@@ ${ranges} @@${heading({ linesBefore: oldAbove + oldStart, oldStart, oldEnd, newStart, newEnd })}\n`
    text += printLines(diff, changes, oldStart, oldEnd)
  }
  return text
}

/** Changes with adjacent context belong to one hunk. */
function grouped(changes: readonly LineChange[], context: number): LineChange[][] {
  const groups: LineChange[][] = []
  for (const change of changes) {
    const group = groups.at(-1)
    const previous = group?.at(-1)
    if (group && previous && change.oldStart - previous.oldEnd <= 2 * context) group.push(change)
    else groups.push([change])
  }
  return groups
}

/** An empty range is printed by the line before it; a count of 1 is omitted. */
function range(linesBefore: number, count: number): string {
  if (count === 0) return `${linesBefore},0`
  return count === 1 ? `${linesBefore + 1}` : `${linesBefore + 1},${count}`
}

function printLines(
  { oldLines, newLines }: LineDiff,
  changes: readonly LineChange[],
  oldStart: number,
  oldEnd: number,
): string {
  const rows: string[] = []
  const print = (sign: string, lines: readonly string[], from: number, to: number) => {
    for (let at = from; at < to; at += 1) {
      const line = lines[at] as string
      rows.push(line.endsWith('\n') ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`)
    }
  }
  let oldAt = oldStart
  for (const change of changes) {
    print(' ', oldLines, oldAt, change.oldStart)
    print('-', oldLines, change.oldStart, change.oldEnd)
    print('+', newLines, change.newStart, change.newEnd)
    oldAt = change.oldEnd
  }
  print(' ', oldLines, oldAt, oldEnd)
  return rows.join('')
}
