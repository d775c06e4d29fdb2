import { lastAtMost } from '../../lines/lines.js'

export interface Span {
  start: number
  end: number
}

/** A normalised text, and a map of its offsets to those of the raw text. */
export interface Folded {
  readonly text: string
  /** The raw span of a folded one; undefined when it begins or ends inside a folded sequence. */
  raw(span: Span): Span | undefined
}

/** Converts every line ending to LF. */
export function foldLineEndings(text: string): Folded {
  if (!text.includes('\r')) return { text, raw: (span) => span }
  return fold(text, /\r\n?/g, () => '\n')
}

/** Converts typographic quotes, dashes and spaces to ASCII and line endings to LF, and removes invisible characters. */
export function foldLookAlikes(text: string): Folded {
  return fold(text, lookAlikes, (found) => alike.find(([members]) => members.test(found))?.[1] ?? '\n')
}

/** Whether a text has characters that look like others. */
export function hasLookAlikes(text: string): boolean {
  return anyLookAlike.test(text)
}

/** Removes all white space. */
export function foldWhitespace(text: string): Folded {
  return fold(text, /\s+/g, () => '')
}

function fold(text: string, pattern: RegExp, by: (found: string) => string): Folded {
  // Where folding changed a length: folded start and end, and raw start and end.
  const starts: number[] = []
  const ends: number[] = []
  const rawStarts: number[] = []
  const rawEnds: number[] = []
  let shift = 0
  const folded = text.replace(pattern, (found: string, index: number) => {
    const replacement = by(found)
    if (replacement.length !== found.length) {
      starts.push(index + shift)
      ends.push(index + shift + replacement.length)
      rawStarts.push(index)
      rawEnds.push(index + found.length)
      shift += replacement.length - found.length
    }
    return replacement
  })

  // Removed characters at an edge belong to neither side: a start is after them, an end before them.
  function rawStart(offset: number): number | undefined {
    const at = lastAtMost(starts, offset)
    if (at < 0) return offset
    if (ends[at]! <= offset) return rawEnds[at]! + offset - ends[at]!
    return starts[at] === offset ? rawStarts[at] : undefined
  }
  function rawEnd(offset: number): number | undefined {
    const at = lastAtMost(starts, offset - 1)
    if (at < 0) return offset
    return ends[at]! <= offset ? rawEnds[at]! + offset - ends[at]! : undefined
  }
  return {
    text: folded,
    raw({ start, end }) {
      const from = rawStart(start)
      const to = end === start ? from : rawEnd(end)
      return from === undefined || to === undefined ? undefined : { start: from, end: to }
    },
  }
}

/** Look-alikes and their ASCII characters. The backtick is not a quote: it has its own meaning in code. */
const alike: readonly (readonly [RegExp, string])[] = [
  [/[\u2018-\u201b\u2032\u02bc\uff07\u00b4]/, "'"],
  [/[\u201c-\u201f\u2033\uff02]/, '"'],
  [/[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/, '-'],
  [/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/, ' '],
  [/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/, ''],
  [/\u2026/, '...'],
]
const anyLookAlike = new RegExp(alike.map(([members]) => members.source).join('|'))
const lookAlikes = new RegExp(`\\r\\n?|${anyLookAlike.source}`, 'g')
