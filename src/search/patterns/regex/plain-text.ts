/** Patterns that are a text, alone or between word edges, are found without an engine. */
import type { Node } from './ast.js'
import { type CodePoints, contains } from './code-points.js'
import type { Span } from './engine.js'

export interface PlainFinder {
  /** The first match at or after an offset. */
  find(text: string, from: number): Span | undefined
  /** What it takes at most for a text of so many units, in steps of the platform's engine. */
  steps(units: number): number
  /** Set if this is the whole pattern, of ASCII, and matches as a whole word. */
  readonly word: string | undefined
}

/** The text that every match starts with; undefined for none. */
export function plainStart(root: Node): string | undefined {
  const { text } = plainPart(root.kind === 'sequence' ? root.items : [root])
  return text === '' ? undefined : text
}

/** Longer texts are not compared whole where several are searched together; see `byteSequences`. */
const maxAlternative = 24

/** The texts of a pattern that is a choice of texts, of ASCII without line ends; undefined for other patterns. */
export function plainAlternatives(root: Node): readonly string[] | undefined {
  if (root.kind === 'capture') return plainAlternatives(root.body)
  if (root.kind !== 'choice') return undefined
  const texts = root.options.map((option) => {
    const items = flat(option)
    const { text, length } = plainPart(items)
    return length === items.length && /^[ -~]+$/.test(text) && length <= maxAlternative ? text : undefined
  })
  return texts.every((text) => text !== undefined) ? texts : undefined
}

/** Undefined for other patterns. */
export function plainFinder(root: Node): PlainFinder | undefined {
  const items = flat(root)
  const first = items[0]?.kind === 'word-edge' ? items[0] : undefined
  const { text: wanted, length } = plainPart(first === undefined ? items : items.slice(1))
  const [last, ...rest] = items.slice(length + (first === undefined ? 0 : 1))
  if (wanted === '' || rest.length > 0 || (last !== undefined && last.kind !== 'word-edge')) return undefined
  return {
    find(text, from) {
      for (let start = text.indexOf(wanted, from); start >= 0; start = text.indexOf(wanted, start + 1)) {
        const end = start + wanted.length
        if (isAt(first, text, start) && isAt(last, text, end)) return { start, end }
      }
      return undefined
    },
    // A text that repeats itself may have to be compared at every offset, many units at a time.
    steps: (units) => (units * wanted.length) / 16,
    word: first?.negated === false && last?.negated === false && asciiWord.test(wanted) ? wanted : undefined,
  }
}

const asciiWord = /^\w([ -~]*\w)?$/

/** The characters at the beginning, and how many parts they are. Half a surrogate pair is none: it is not part of a whole pair. */
function plainPart(items: readonly Node[]): { text: string; length: number } {
  let text = ''
  let length = 0
  for (const item of items) {
    if (item.kind !== 'set' || item.set.length !== 2 || item.set[0] !== item.set[1]) break
    const character = String.fromCodePoint(item.set[0]!)
    if (!character.isWellFormed()) break
    text += character
    length += 1
  }
  return { text, length }
}

function flat(node: Node): readonly Node[] {
  return node.kind === 'sequence' ? node.items.flatMap(flat) : [node]
}

function isAt(edge: (Node & { kind: 'word-edge' }) | undefined, text: string, at: number): boolean {
  if (edge === undefined) return true
  const left = at > 0 && isWord(edge.word, characterBefore(text, at))
  const right = at < text.length && isWord(edge.word, text.codePointAt(at)!)
  return (left !== right) !== edge.negated
}

function characterBefore(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1)
  return unit >= 0xdc00 && unit <= 0xdfff && at > 1 ? text.codePointAt(at - 2)! : unit
}

/** Both kinds of words, ASCII and Unicode, have the same characters of ASCII. */
function isWord(word: CodePoints, code: number): boolean {
  if (code >= 0x80) return contains(word, code)
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code === 0x5f
  )
}
