import { lastAtMost } from '../../lines/lines.js'

export interface Span {
  start: number
  end: number
}

/** A text in which what may differ has been made equal, and the way back to the raw one. */
export interface Folded {
  readonly text: string
  /** The raw span of a folded one; absent when it would begin or end inside something that was folded as a whole. */
  raw(span: Span): Span | undefined
}

/** Every line ending as LF. */
export function foldLineEndings(text: string): Folded {
  if (!text.includes('\r')) return { text, raw: (span) => span }
  return fold(text, /\r\n?/g, () => '\n')
}

/** Typographic quotes, dashes and spaces as their plain ASCII ones, invisible characters left out, every line ending as LF. */
export function foldLookAlikes(text: string): Folded {
  return fold(text, lookAlikes, (found) => alike.find(([members]) => members.test(found))?.[1] ?? '\n')
}

/** Whether a text holds anything that passes for something else. */
export function hasLookAlikes(text: string): boolean {
  return anyLookAlike.test(text)
}

/** All white space left out. */
export function foldWhitespace(text: string): Folded {
  return fold(text, /\s+/g, () => '')
}

function fold(text: string, pattern: RegExp, by: (found: string) => string): Folded {
  // Where folding changed a length: folded start and end, and the raw start and end.
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

  // What was left out at a border belongs to neither side: a start comes after it, an end before it.
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

/** What passes for what. The backtick is no quote: it means something of its own in code. */
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
