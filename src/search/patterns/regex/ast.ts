import type { CodePoints } from './code-points.js'

/**
 * A parsed pattern of either syntax. Letter case, `.` and class escapes are resolved to sets of code points, so that everything that works
 * on it (printing, cost, literals, the bounded engine) deals with one meaning.
 */
export type Node =
  | { kind: 'set'; set: CodePoints }
  | { kind: 'sequence'; items: readonly Node[] }
  | { kind: 'choice'; options: readonly Node[] }
  | { kind: 'repeat'; body: Node; min: number; max: number; greedy: boolean }
  | { kind: 'capture'; body: Node; group: number }
  | { kind: 'look'; body: Node; behind: boolean; negated: boolean }
  /** Edges of a line, or of the text; searched line by line the two are the same. */
  | { kind: 'edge'; at: 'line-start' | 'line-end' | 'text-start' | 'text-end' }
  | { kind: 'word-edge'; word: CodePoints; negated: boolean }
  | { kind: 'back-reference'; group: number; ignoreCase: boolean }

export interface Pattern {
  root: Node
  /** Capturing groups, counted from 1. */
  groups: number
  /** Which of them have a name. */
  names?: ReadonlyMap<string, number>
}

export const nothing: Node = { kind: 'sequence', items: [] }

/** The node's parts, in reading order. */
export function partsOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'sequence':
      return node.items
    case 'choice':
      return node.options
    case 'repeat':
    case 'capture':
    case 'look':
      return [node.body]
    default:
      return noParts
  }
}

const noParts: readonly Node[] = []

/** Whether the node or a part of it passes the test. */
export function some(node: Node, test: (node: Node) => boolean): boolean {
  if (test(node)) return true
  for (const part of partsOf(node)) if (some(part, test)) return true
  return false
}

/** The same tree with every set changed. */
export function mapSets(node: Node, change: (set: CodePoints) => CodePoints): Node {
  switch (node.kind) {
    case 'set':
      return { kind: 'set', set: change(node.set) }
    case 'sequence':
      return { kind: 'sequence', items: node.items.map((item) => mapSets(item, change)) }
    case 'choice':
      return { kind: 'choice', options: node.options.map((option) => mapSets(option, change)) }
    case 'repeat':
    case 'capture':
    case 'look':
      return { ...node, body: mapSets(node.body, change) }
    default:
      return node
  }
}

/** The number of single parts, if they are matched one after the other without any choice; otherwise undefined. */
export function straightLength(node: Node): number | undefined {
  switch (node.kind) {
    case 'set':
    case 'edge':
    case 'word-edge':
      return 1
    case 'capture':
      return straightLength(node.body)
    case 'sequence': {
      let length = 0
      for (const item of node.items) {
        const part = straightLength(item)
        if (part === undefined) return undefined
        length += part
      }
      return length
    }
    default:
      return undefined
  }
}

/** The fewest code points in a match of the node. */
export function minLength(node: Node): number {
  switch (node.kind) {
    case 'set':
      return 1
    case 'sequence':
      return node.items.reduce((sum, item) => sum + minLength(item), 0)
    case 'choice':
      return Math.min(...node.options.map(minLength))
    case 'repeat':
      return node.min === 0 ? 0 : node.min * minLength(node.body)
    case 'capture':
      return minLength(node.body)
    default:
      return 0
  }
}

/** The most code points in a match of the node; Infinity if unbounded. */
export function maxLength(node: Node): number {
  switch (node.kind) {
    case 'set':
      return 1
    case 'sequence':
      return node.items.reduce((sum, item) => sum + maxLength(item), 0)
    case 'choice':
      return Math.max(0, ...node.options.map(maxLength))
    case 'repeat': {
      const body = maxLength(node.body)
      return body === 0 || node.max === 0 ? 0 : body * node.max
    }
    case 'capture':
      return maxLength(node.body)
    case 'back-reference':
      return Infinity
    default:
      return 0
  }
}

/** Whether every match of the node contains a code point of which the test holds for the whole set. */
export function needs(node: Node, test: (set: CodePoints) => boolean): boolean {
  switch (node.kind) {
    case 'set':
      return test(node.set)
    case 'sequence':
      return node.items.some((item) => needs(item, test))
    case 'choice':
      return node.options.every((option) => needs(option, test))
    case 'repeat':
      return node.min > 0 && needs(node.body, test)
    case 'capture':
      return needs(node.body, test)
    default:
      return false
  }
}
