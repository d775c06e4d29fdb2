/**
 * Whether the first match of a backtracking engine is the longest, so that the platform's own can be used. True only
 * where it can be shown: either only one way of matching is possible with each next character, or all matches from one
 * place end at the same place.
 */
import { maxLength, minLength, type Node, partsOf, some } from '../../src/search/patterns/regex/ast.js'
import {
  type CodePoints,
  difference,
  noCodePoint,
  overlaps,
  union,
} from '../../src/search/patterns/regex/code-points.js'

export function isFirstLongest(root: Node): boolean {
  if (some(root, ({ kind }) => kind === 'back-reference')) return false
  const items = flattened(root)
  return minLength(root) === maxLength(root) || endsAtOnePlace(items) || isDetermined(items) || hasOneGreedy(items)
}

/** The items of a sequence, without the groups around them. */
function flattened(node: Node): Node[] {
  if (node.kind === 'capture') return flattened(node.body)
  return node.kind === 'sequence' ? node.items.flatMap(flattened) : [node]
}

/** The end of the text, or of a run of characters that every part of the pattern stays in. */
function endsAtOnePlace(items: readonly Node[]): boolean {
  const last = items.at(-1)
  if (last?.kind === 'edge' && last.at === 'text-end') return true
  if (last?.kind !== 'repeat' || last.max !== Infinity || last.body.kind !== 'set') return false
  const { set } = last.body
  return !items.some((item) => some(item, (part) => leaves(part, set)))
}

function leaves(node: Node, set: CodePoints): boolean {
  if (node.kind === 'set') return difference(node.set, set).length > 0
  return partsOf(node).length === 0 && node.kind !== 'sequence'
}

/** One repetition that takes all it can, between parts that leave no choice of length. */
function hasOneGreedy(items: readonly Node[]): boolean {
  const at = items.findIndex((item) => minLength(item) !== maxLength(item))
  const item = items[at]
  if (item?.kind !== 'repeat' || minLength(item.body) !== maxLength(item.body)) return false
  return items.slice(at + 1).every((part) => minLength(part) === maxLength(part))
}

function isDetermined(items: readonly Node[]): boolean {
  return follows({ kind: 'sequence', items }, noCodePoint) !== undefined
}

interface Start {
  /** The characters it can start with, with those that can follow when it can be empty. */
  first: CodePoints
}

/** What a node and what comes after it can start with; undefined when more than one way is possible. */
function follows(node: Node, follow: CodePoints): Start | undefined {
  switch (node.kind) {
    case 'set':
      return { first: node.set }
    case 'capture':
      return follows(node.body, follow)
    case 'sequence': {
      let start: Start | undefined = { first: follow }
      for (let index = node.items.length - 1; index >= 0 && start; index -= 1) {
        start = follows(node.items[index] as Node, start.first)
      }
      return start
    }
    case 'choice':
      return choiceFollows(node.options, follow)
    case 'repeat':
      return repeatFollows(node, follow)
    case 'back-reference':
      return undefined
    default:
      return { first: follow }
  }
}

function choiceFollows(options: readonly Node[], follow: CodePoints): Start | undefined {
  let first: CodePoints = noCodePoint
  for (const [index, option] of options.entries()) {
    const canBeEmpty = minLength(option) === 0
    if (canBeEmpty && index < options.length - 1) return undefined
    const start = follows(option, follow)
    if (start === undefined || overlaps(first, start.first)) return undefined
    first = union(first, start.first)
  }
  return { first }
}

function repeatFollows(node: Extract<Node, { kind: 'repeat' }>, follow: CodePoints): Start | undefined {
  const { body, min, max } = node
  if (minLength(body) === 0) return undefined
  const own = follows(body, noCodePoint)
  if (own === undefined) return undefined
  if (min !== max && overlaps(own.first, follow)) return undefined
  const inner = follows(body, union(own.first, follow))
  if (inner === undefined) return undefined
  return { first: min === 0 ? union(own.first, follow) : own.first }
}
