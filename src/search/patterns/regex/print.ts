import type { Node } from './ast.js'
import { type CodePoints, rangesOf } from './code-points.js'
import { asciiWord } from './unicode.js'

/** The pattern as ECMAScript source for a RegExp with the flag `u` and without `i`, `m` and `s`, which are resolved in the tree. */
export function print(node: Node): string {
  switch (node.kind) {
    case 'set':
      return printSet(node.set)
    case 'sequence':
      return node.items.map((item) => (item.kind === 'choice' ? `(?:${print(item)})` : print(item))).join('')
    case 'choice':
      return node.options.map(print).join('|')
    case 'repeat':
      return `${printBody(node.body)}${printCount(node.min, node.max)}${node.greedy ? '' : '?'}`
    case 'capture':
      return `(${print(node.body)})`
    case 'look':
      return `(?${node.behind ? '<' : ''}${node.negated ? '!' : '='}${print(node.body)})`
    case 'edge':
      return edges[node.at]
    case 'word-edge':
      return printWordEdge(node.word, node.negated)
    case 'back-reference':
      // In a group, so that a digit after it is not part of the reference.
      return `(?:\\${node.group})`
  }
}

// `^` and `$` with the flag `m` would also stop at a lone carriage return and at U+2028.
const edges = { 'line-start': '(?<![^\\n])', 'line-end': '(?![^\\n])', 'text-start': '^', 'text-end': '$' }

function printBody(body: Node): string {
  return body.kind === 'set' || body.kind === 'capture' ? print(body) : `(?:${print(body)})`
}

function printCount(min: number, max: number): string {
  if (max === Infinity) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`
  if (min === 0 && max === 1) return '?'
  return min === max ? `{${min}}` : `{${min},${max}}`
}

function printWordEdge(word: CodePoints, negated: boolean): string {
  if (word === asciiWord) return negated ? '\\B' : '\\b'
  const set = printSet(word)
  return negated ? `(?:(?<=${set})(?=${set})|(?<!${set})(?!${set}))` : `(?:(?<=${set})(?!${set})|(?<!${set})(?=${set}))`
}

/** Large sets are shared by many patterns. */
const printed = new WeakMap<CodePoints, string>()

function printSet(set: CodePoints): string {
  if (set.length === 0) return '[]'
  if (set.length === 2 && set[0] === set[1]) return printCharacter(set[0]!)
  const text = printed.get(set) ?? printClass(set)
  printed.set(set, text)
  return text
}

function printClass(set: CodePoints): string {
  if (set[0] === 0 && set.at(-1) === 0x10ffff) {
    // A negated class is shorter and faster.
    const gaps = set.slice(1, -1)
    const inner = gaps.length === 0 ? '' : printRanges(gaps.map((bound, i) => (i % 2 === 0 ? bound + 1 : bound - 1)))
    return `[^${inner}]`
  }
  return `[${printRanges(set)}]`
}

function printRanges(set: CodePoints): string {
  let text = ''
  for (const [low, high] of rangesOf(set)) {
    text += low === high ? printCharacter(low) : `${printCharacter(low)}-${printCharacter(high)}`
  }
  return text
}

function printCharacter(codePoint: number): string {
  const character = String.fromCodePoint(codePoint)
  return /^[A-Za-z0-9_ "'<>=,:;!@#%&~`]$/.test(character) ? character : `\\u{${codePoint.toString(16)}}`
}
