import { foldWhitespace, type Span } from './fold.js'
import { occurrences } from './literal.js'

/** A word with more occurrences than this is not used to find the others. */
const maxHits = 400

/**
 * Places that equal `find` except for white space, which either side may have where the other has none. The longest word of `find` must be
 * unbroken. The indent of the first line is included if `find` has one.
 */
export function regardlessOfWhitespace(text: string, find: string): Span[] {
  const wanted = foldWhitespace(find).text
  if (wanted.length < 4) return []
  return foundAround(text, find, wanted).map(({ start, end }) => {
    const indent = /^\s/.test(find) ? (/[ \t]*$/.exec(text.slice(Math.max(0, start - 200), start))?.[0].length ?? 0) : 0
    return { start: start - indent, end }
  })
}

/** Compares only around the longest word; without one, or with too many occurrences, the whole text without white space. */
function foundAround(text: string, find: string, wanted: string): Span[] {
  const words = find.match(/[\p{L}\p{N}_]+/gu) ?? []
  const word = words.reduce((longest, one) => (one.length > longest.length ? one : longest), '')
  const before = wanted.indexOf(word)
  const hits = word === '' ? undefined : hitsOf(text, word)
  if (hits === undefined) return foundInFolded(text, wanted)
  const spans: Span[] = []
  for (const hit of hits) {
    const start = matchBackward(text, hit, wanted.slice(0, before))
    const end = matchForward(text, hit + word.length, wanted.slice(before + word.length))
    if (start === undefined || end === undefined || start < (spans.at(-1)?.end ?? 0)) continue
    spans.push({ start, end })
  }
  return spans
}

/** Undefined when there are too many. */
function hitsOf(text: string, word: string): number[] | undefined {
  const hits: number[] = []
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (hits.push(at) > maxHits) return undefined
  }
  return hits
}

function foundInFolded(text: string, wanted: string): Span[] {
  // Without the offset map this is far cheaper, and usually nothing is found.
  if (!text.replace(/\s+/g, '').includes(wanted)) return []
  const folded = foldWhitespace(text)
  return occurrences(folded.text, wanted).flatMap((span) => folded.raw(span) ?? [])
}

/** The start of the wanted characters that end at `end`, ignoring white space. */
function matchBackward(text: string, end: number, wanted: string): number | undefined {
  let start = end
  let at = end
  for (let left = wanted.length; left > 0; ) {
    at -= 1
    if (at < 0) return undefined
    const character = text[at]!
    if (character === wanted[left - 1]) {
      left -= 1
      start = at
    } else if (!isSpace(character)) return undefined
  }
  return start
}

/** The end of the wanted characters that start at `start`, ignoring white space. */
function matchForward(text: string, start: number, wanted: string): number | undefined {
  let end = start
  let at = start
  for (let done = 0; done < wanted.length; at += 1) {
    const character = text[at]
    if (character === undefined) return undefined
    if (character === wanted[done]) {
      done += 1
      end = at + 1
    } else if (!isSpace(character)) return undefined
  }
  return end
}

function isSpace(character: string): boolean {
  return /\s/.test(character)
}
