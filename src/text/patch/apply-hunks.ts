import { indentOf } from '../edit/match/blocks.js'
import { dominantEnding, type EndingPolicy } from '../lines/line-endings.js'
import type { LineCounting } from '../lines/lines.js'
import { replaceSpans, type Span } from '../spans.js'
import { indentedLike } from './indent-hunk.js'
import { type FileLines, type HunkFailure, type LocatedHunk, locateHunks } from './locate-hunks.js'
import type { Hunk, HunkLine } from './patch.js'
import type { Likeness } from './seek-lines.js'

export interface ApplyOptions {
  /** How many lines of context at either end of a hunk may differ from the file. Default: none. */
  fuzz?: number
  /**
   * The ending of added lines for which the patch names none: that of the line they replace or follow (`neighbour`, the default), or the
   * most frequent one of the file (`dominant`, which also overrides the patch).
   */
  endings?: Exclude<EndingPolicy, 'verbatim'>
}

export type Applied = { ok: true; text: string } | ({ ok: false } & HunkFailure)

/** The text with all hunks applied, or the first hunk that does not fit. See `hunkSpans`. */
export function applyHunks(text: string, hunks: readonly Hunk[], options: ApplyOptions = {}): Applied {
  const found = hunkSpans(text, hunks, options)
  return found.ok ? { ok: true, text: replaceSpans(text, found.spans) } : found
}

/** A hunk whose old lines are not exactly those of the file. */
export interface Tolerated {
  /** The first line of the file that it is for, counted from 1. */
  line: number
  likeness: Likeness
  /** Its added lines were indented as the file is. */
  isIndented: boolean
}

export type FoundSpans = { ok: true; spans: Span[]; tolerated: readonly Tolerated[] } | ({ ok: false } & HunkFailure)

/**
 * The spans that hunks replace in a text, or the first hunk that does not fit. Lines are compared without their endings. Context lines keep
 * their bytes, even where the patch differs in white space; where it differs in indentation, added lines take that of the file. A byte-order mark is not part of the first line unless the patch has it. A
 * missing final newline stays missing unless the patch adds it. CR alone ends a line only if no place is found without that.
 */
export function hunkSpans(
  text: string,
  hunks: readonly Hunk[],
  { fuzz = 0, endings = 'neighbour' }: ApplyOptions = {},
): FoundSpans {
  if (hunks.length === 0) return { ok: true, spans: [], tolerated: [] }
  const skipped = text.startsWith(byteOrderMark) && !showsMark(hunks) ? byteOrderMark.length : 0
  const body = text.slice(skipped)
  let failure: HunkFailure | undefined
  for (const breaks of likelyBreaks(body)) {
    const file = splitFile(body, breaks)
    const located = locateHunks(file, hunks, fuzz)
    if (Array.isArray(located)) {
      const indented = located.map((hunk) => indentedAsFile(file, hunk))
      const spans = spansOf(file, indented, { endings, skipped })
      return { ok: true, spans, tolerated: toleratedIn(located, indented) }
    }
    failure ??= located
  }
  return { ok: false, ...(failure as HunkFailure) }
}

/** The line, counted from 1, where a hunk fits if no other hunk is applied. */
export function lineOfHunk(text: string, hunk: Hunk): number | undefined {
  const body = text.startsWith(byteOrderMark) && !showsMark([hunk]) ? text.slice(byteOrderMark.length) : text
  for (const breaks of likelyBreaks(body)) {
    const located = locateHunks(splitFile(body, breaks), [hunk], 0)
    if (Array.isArray(located)) return (located[0]?.at ?? 0) + 1
  }
  return undefined
}

/** The hunk with added lines indented as the file is, where its old lines are indented in another way. */
function indentedAsFile(file: SplitFile, hunk: LocatedHunk): LocatedHunk {
  const { at, oldLength, lines, likeness } = hunk
  if (likeness === undefined || likeness === 'trailing-space') return hunk
  const block = Array.from({ length: oldLength }, (_, index) => file.textAt(at + index) ?? '')
  const old = lines.filter(({ kind }) => kind !== 'add')
  const isMoved = old.some(({ text }, index) => text.trim() !== '' && indentOf(text) !== indentOf(block[index] ?? ''))
  return isMoved ? { ...hunk, lines: indentedLike(lines, lines, { block, sample: file.text }) } : hunk
}

function toleratedIn(located: readonly LocatedHunk[], indented: readonly LocatedHunk[]): Tolerated[] {
  return located.flatMap(({ at, likeness, lines }, index) => {
    if (likeness === undefined) return []
    const now = indented[index]?.lines ?? lines
    return [{ line: at + 1, likeness, isIndented: now.some(({ text }, line) => text !== lines[line]?.text) }]
  })
}

const byteOrderMark = '\ufeff'

function showsMark(hunks: readonly Hunk[]): boolean {
  return hunks.some(({ lines }) => lines.some((line) => line.text.startsWith(byteOrderMark)))
}

type Breaks = NonNullable<LineCounting['breaks']>

interface SplitFile extends FileLines {
  text: string
  breaks: Breaks
  /** Where each line starts, and the length of the text. */
  starts: readonly number[]
  /** Where the text of each line ends and its ending starts. */
  endOf(at: number): number
}

/** Line endings to try, in this order: LF and CRLF, then also CR alone. */
function likelyBreaks(text: string): Breaks[] {
  if (!text.includes('\r') || !/\r(?!\n)/.test(text)) return ['line-feed']
  return text.includes('\n') ? ['line-feed', 'any'] : ['any', 'line-feed']
}

/** Lines are sliced on demand: a hunk needs few of them. */
function splitFile(text: string, breaks: Breaks): SplitFile {
  const starts = breaks === 'any' ? startsAfterAny(text) : startsAfterLineFeeds(text)
  const endsWithNewline = starts.at(-1) === text.length
  if (!endsWithNewline) starts.push(text.length)
  const count = starts.length - 1
  let all: string[] | undefined

  function textAt(at: number): string | undefined {
    return at >= 0 && at < count ? text.slice(starts[at], endOf(at)) : undefined
  }

  function endOf(at: number): number {
    const next = starts[at + 1] as number
    if (at === count - 1 && !endsWithNewline) return next
    const isPair = text[next - 1] === '\n' && text[next - 2] === '\r' && next - 1 > (starts[at] as number)
    return isPair ? next - 2 : next - 1
  }

  return {
    text,
    breaks,
    starts,
    count,
    endsWithNewline,
    endOf,
    textAt,
    isAt: (at, line) => {
      const start = starts[at] as number
      return endOf(at) - start === line.length && text.startsWith(line, start)
    },
    texts() {
      all ??= Array.from({ length: count }, (_, at) => textAt(at) as string)
      return all
    },
  }
}

function startsAfterAny(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), ({ index, 0: ending }) => index + ending.length)]
}

function startsAfterLineFeeds(text: string): number[] {
  const starts = [0]
  for (let lf = text.indexOf('\n'); lf !== -1; lf = text.indexOf('\n', lf + 1)) starts.push(lf + 1)
  return starts
}

interface HowSpans {
  endings: EndingPolicy
  /** Units of the text before the file's own, such as a byte-order mark. */
  skipped: number
}

/** The spans between context lines. Only the last line of a text can lack its ending: one that is no longer the last gets one. */
function spansOf(file: SplitFile, located: readonly LocatedHunk[], { endings, skipped }: HowSpans): Span[] {
  const always = endings === 'dominant' ? usualEnding(file) : undefined
  const endingFor = (near: number) => always ?? nearEnding(file, near)
  const spans: Span[] = []
  /** The number of old lines so far, and whether the last line so far, old or new, lacks its ending. */
  let passed = 0
  let isOpen = false
  const passTo = (at: number) => {
    if (at === passed) return
    const last = spans.at(-1)
    if (isOpen && last !== undefined) last.text += endingFor(file.count - 1)
    isOpen = at === file.count && !file.endsWithNewline
    passed = at
  }
  for (const hunk of located) {
    const named = always === undefined && namesEndingsOf(file, hunk)
    const definesEnd = hunk.lines.some(({ ending }) => ending === '')
    for (const { from, to, added } of replacedBy(hunk)) {
      passTo(from)
      const staysOpen = to === file.count && !file.endsWithNewline && !definesEnd
      let text = ''
      for (const [index, line] of added.entries()) {
        if (isOpen) text += endingFor(file.count - 1)
        isOpen = line.ending === '' || (staysOpen && index === added.length - 1)
        // The n-th added line replaces the n-th removed one, further ones follow the last.
        const ending = (named && line.ending) || endingFor(Math.min(from + index, to - 1))
        text += isOpen ? line.text : line.text + ending
      }
      spans.push({ start: skipped + (file.starts[from] as number), end: skipped + (file.starts[to] as number), text })
      passed = to
    }
  }
  passTo(file.count)
  return spans
}

/** Old lines from `from` to before `to`, and their replacement. */
interface Replaced {
  from: number
  to: number
  added: readonly HunkLine[]
}

function replacedBy({ at, lines }: LocatedHunk): Replaced[] {
  const all: Replaced[] = []
  let added: HunkLine[] = []
  let [from, to] = [at, at]
  const end = () => {
    if (added.length > 0 || from < to) all.push({ from, to, added })
  }
  for (const line of lines) {
    if (line.kind === 'add') {
      added.push(line)
      continue
    }
    if (line.kind === 'context') {
      end()
      added = []
      from = to + 1
    }
    to += 1
  }
  end()
  return all
}

/** The line endings of the patch apply only if they agree with the file's; otherwise one of the two has been converted. */
function namesEndingsOf(file: SplitFile, { at, lines }: LocatedHunk): boolean {
  if (!lines.some(({ ending }) => ending)) return false
  const old = lines.filter(({ kind }) => kind !== 'add')
  return old.every(({ ending }, index) => !ending || ending === endingAt(file, at + index))
}

/** The ending of a line, else of a neighbour, else the most frequent one. */
function nearEnding(file: SplitFile, at: number): string {
  return endingAt(file, at) || endingAt(file, at - 1) || endingAt(file, at + 1) || usualEnding(file)
}

/** Undefined if there is no such line. */
function endingAt({ text, count, starts, endOf }: SplitFile, at: number): string | undefined {
  return at >= 0 && at < count ? text.slice(endOf(at), starts[at + 1]) : undefined
}

function usualEnding({ text, breaks }: SplitFile): string {
  return dominantEnding(text, { breaks }) ?? '\n'
}
