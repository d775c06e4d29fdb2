import { dominantEnding, type EndingPolicy } from './line-endings.js'
import type { LineCounting } from './lines.js'
import { type FileLines, type HunkFailure, type LocatedHunk, locateHunks } from './locate-hunks.js'
import type { Hunk, HunkLine } from './patch.js'
import { replaceSpans, type Span } from './spans.js'

export interface ApplyOptions {
  /** How many lines of context at either end of a hunk may differ from the file. Default: none. */
  fuzz?: number
  /**
   * The ending of added lines whose own the patch does not name: that of the line they replace or follow (`neighbour`, the default),
   * or the most frequent of the file (`dominant`, which also overrules the patch).
   */
  endings?: Exclude<EndingPolicy, 'verbatim'>
}

export type Applied = { ok: true; text: string } | ({ ok: false } & HunkFailure)

/** The text with all hunks applied, or the first that does not fit. See `hunkSpans`. */
export function applyHunks(text: string, hunks: readonly Hunk[], options: ApplyOptions = {}): Applied {
  const found = hunkSpans(text, hunks, options)
  return found.ok ? { ok: true, text: replaceSpans(text, found.spans) } : found
}

export type FoundSpans = { ok: true; spans: Span[] } | ({ ok: false } & HunkFailure)

/**
 * What hunks replace in a text, or the first that does not fit. Lines are compared without their endings; lines that stay keep their
 * bytes, even where the patch's context differs in white space. A byte-order mark is no part of the first line unless the patch shows it.
 * A missing final newline stays missing unless the patch says otherwise. CR alone ends a line only where LF would find no place.
 */
export function hunkSpans(
  text: string,
  hunks: readonly Hunk[],
  { fuzz = 0, endings = 'neighbour' }: ApplyOptions = {},
): FoundSpans {
  if (hunks.length === 0) return { ok: true, spans: [] }
  const skipped = text.startsWith(byteOrderMark) && !showsMark(hunks) ? byteOrderMark.length : 0
  const body = text.slice(skipped)
  let failure: HunkFailure | undefined
  for (const breaks of likelyBreaks(body)) {
    const file = splitFile(body, breaks)
    const located = locateHunks(file, hunks, fuzz)
    if (Array.isArray(located)) return { ok: true, spans: spansOf(file, located, { endings, skipped }) }
    failure ??= located
  }
  return { ok: false, ...(failure as HunkFailure) }
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
  /** Where a line's own text ends, and its ending starts. */
  endOf(at: number): number
}

/** How lines may end, the likelier first: with LF or CRLF, or with CR alone too. */
function likelyBreaks(text: string): Breaks[] {
  if (!text.includes('\r') || !/\r(?!\n)/.test(text)) return ['line-feed']
  return text.includes('\n') ? ['line-feed', 'any'] : ['any', 'line-feed']
}

/** Lines are cut out when they are asked for: a hunk concerns few of them. */
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
  /** Units of the text before those of the file. */
  skipped: number
}

/** Mostly the lines between kept ones; of a text that lacks its last newline, or is to, all of it. */
function spansOf(file: SplitFile, located: readonly LocatedHunk[], { endings, skipped }: HowSpans): Span[] {
  if (!file.endsWithNewline || located.some(({ lines }) => lines.some(({ ending }) => ending === ''))) {
    return [{ start: skipped, end: skipped + file.text.length, text: rebuild(file, located, endings) }]
  }
  const always = endings === 'dominant' ? usualEnding(file) : undefined
  const spans: Span[] = []
  for (const hunk of located) {
    const named = always === undefined && namesEndingsOf(file, hunk)
    let at = hunk.at
    let removedFrom = at
    let added: HunkLine[] = []
    const flush = () => {
      if (added.length === 0 && removedFrom === at) return
      const text = added.map((line, index) => line.text + endingOf(line, Math.min(removedFrom + index, at - 1)))
      const [start, end] = [file.starts[removedFrom] as number, file.starts[at] as number]
      spans.push({ start: skipped + start, end: skipped + end, text: text.length === 1 ? text[0]! : text.join('') })
    }
    const endingOf = ({ ending }: HunkLine, near: number) =>
      (named ? ending : undefined) ?? always ?? nearEnding(file, near)
    for (const line of hunk.lines) {
      if (line.kind === 'add') {
        added.push(line)
        continue
      }
      if (line.kind === 'keep') {
        flush()
        added = []
        removedFrom = at + 1
      }
      at += 1
    }
    flush()
  }
  return spans
}

function rebuild(file: SplitFile, located: readonly LocatedHunk[], endings: EndingPolicy): string {
  const always = endings === 'dominant' ? usualEnding(file) : undefined
  const last = file.count
  const pieces: string[] = []
  let unterminated = false
  const push = (piece: string, isUnterminated: boolean) => {
    // Only the last line of a text can lack its ending; this one is no longer the last.
    if (unterminated) pieces.push(always ?? nearEnding(file, last - 1))
    pieces.push(piece)
    unterminated = isUnterminated
  }
  const pushOld = (from: number, to: number) => {
    if (from < to) push(file.text.slice(file.starts[from], file.starts[to]), to === last && !file.endsWithNewline)
  }
  let at = 0
  for (const hunk of located) {
    pushOld(at, hunk.at)
    for (const { text, ending } of newLines(file, hunk, always)) push(text + ending, ending === '')
    at = hunk.at + hunk.oldLength
  }
  pushOld(at, last)
  return pieces.join('')
}

interface NewLine {
  text: string
  ending: string
}

/** What a hunk puts in the place of its old lines; `always` is the ending of all added lines. */
function newLines(file: SplitFile, hunk: LocatedHunk, always: string | undefined): NewLine[] {
  const named = always === undefined && namesEndingsOf(file, hunk)
  const result: NewLine[] = []
  let at = hunk.at
  // Between two kept lines: the n-th added line takes the place of the n-th removed one, further ones that of the last.
  let removedFrom = at
  let added: HunkLine[] = []
  const flush = () => {
    for (const [index, { text, ending }] of added.entries()) {
      const near = always ?? nearEnding(file, Math.min(removedFrom + index, at - 1))
      result.push({ text, ending: ending === '' ? '' : named ? (ending ?? near) : near })
    }
    added = []
  }
  for (const line of hunk.lines) {
    if (line.kind === 'add') {
      added.push(line)
      continue
    }
    if (line.kind === 'keep') {
      flush()
      result.push({ text: file.textAt(at) as string, ending: endingAt(file, at) ?? '' })
      removedFrom = at + 1
    }
    at += 1
  }
  const endsWithAdded = added.length > 0
  flush()
  const newlineTold = hunk.lines.some(({ ending }) => ending === '')
  const last = result.at(-1)
  if (last && endsWithAdded && !newlineTold && at === file.count && !file.endsWithNewline) last.ending = ''
  return result
}

/** The patch's line endings count only if it saw those of this file; otherwise one of the two has been converted on its way. */
function namesEndingsOf(file: SplitFile, { at, lines }: LocatedHunk): boolean {
  if (!lines.some(({ ending }) => ending)) return false
  const old = lines.filter(({ kind }) => kind !== 'add')
  return old.every(({ ending }, index) => !ending || ending === endingAt(file, at + index))
}

/** The ending of a line, of a neighbour when it has none, else the most frequent. */
function nearEnding(file: SplitFile, at: number): string {
  return endingAt(file, at) || endingAt(file, at - 1) || endingAt(file, at + 1) || usualEnding(file)
}

/** Undefined where there is no such line. */
function endingAt({ text, count, starts, endOf }: SplitFile, at: number): string | undefined {
  return at >= 0 && at < count ? text.slice(endOf(at), starts[at + 1]) : undefined
}

function usualEnding({ text, breaks }: SplitFile): string {
  return dominantEnding(text, { breaks }) ?? '\n'
}
