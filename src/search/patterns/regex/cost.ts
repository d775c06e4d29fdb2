/**
 * The most steps a backtracking engine can take, computed from the pattern alone. It depends on the number of ways in which a part can end
 * such that the next part can start: `\w+` before `\s` has one, since no shorter run of letters is followed by a space; before `\w` it has
 * as many as there are letters. Ways multiply along a sequence, and are raised to the power of the count in a repetition.
 */
import { maxLength, minLength, type Node, partsOf, some, straightLength } from './ast.js'
import { type CodePoints, everyCodePoint, noCodePoint, overlaps, union } from './code-points.js'

export interface Cost {
  /** Steps for a line of so many units, searched from every offset. Never decreases with the length. */
  (units: number): number
  /** Steps for a text of so many units when a match can start at `starts` offsets at most. */
  from(units: number, starts: number): number
}

export function costOf(root: Node): Cost {
  const anchored = startsAtEdge(root)
  const from = stepsOf(root)
  return Object.assign((units: number) => from(units, anchored ? 1 : units + 1), { from })
}

function stepsOf(root: Node): Cost['from'] {
  const straight = straightLength(root)
  if (straight !== undefined) return (units, starts) => 2 * units + starts * (straight + 1)
  const decisive = withoutEasyEnd(readForwards(root))
  const firsts = new Map<Node, First>()
  const exclusiveChoices = new Map<Node, boolean>()
  const looks = new Map<Node, Map<number, Bound>>()
  const either = cachedUnion()
  const apart = startsApart(decisive)
  return from

  function from(units: number, starts: number): number {
    const whole = bound(decisive, units, { set: noCodePoint, width: 0 })
    // Attempts that can't overlap take time for each part of the text only once.
    if (apart && whole.perUnit < Infinity) return (whole.perUnit + 2) * 2 * (units + 1)
    return 2 * units + starts * (Math.min(whole.steps, whole.perUnit * (units + 1)) + 1)
  }

  function bound(node: Node, units: number, follow: Follow): Bound {
    switch (node.kind) {
      case 'set':
        return { steps: 1, ways: 1, perUnit: 1 }
      case 'sequence':
        return sequenceBound(node.items, units, follow)
      case 'choice':
        return choiceBound(node, units, follow)
      case 'repeat':
        return repeatBound(node, units, follow)
      case 'capture':
        return bound(node.body, units, follow)
      case 'look':
        return lookBound(node, units)
      case 'back-reference':
        return { steps: units + 1, ways: 1, perUnit: 1 }
      default:
        return { steps: 1, ways: 1, perUnit: 1 }
    }
  }

  function sequenceBound(items: readonly Node[], units: number, follow: Follow): Bound {
    let rest: Bound = { steps: 0, ways: 1, perUnit: 0 }
    let next = follow
    for (let i = items.length - 1; i >= 0; i -= 1) {
      const item = items[i]!
      const { steps, ways, perUnit } = bound(item, units, next)
      rest = {
        steps: steps + times(ways, rest.steps),
        ways: ways * rest.ways,
        perUnit: ways <= 1 ? perUnit + rest.perUnit : Infinity,
      }
      next = before(item, units, next)
    }
    return rest
  }

  function choiceBound(node: Extract<Node, { kind: 'choice' }>, units: number, follow: Follow): Bound {
    const bounds = node.options.map((option) => bound(option, units, follow))
    const exclusive = exclusiveChoices.get(node) ?? areExclusive(node.options)
    exclusiveChoices.set(node, exclusive)
    const ways = exclusive ? Math.max(...bounds.map((each) => each.ways)) : sum(bounds.map((each) => each.ways))
    return {
      steps: sum(bounds.map((each) => each.steps)) + bounds.length,
      ways,
      perUnit: ways <= 1 ? sum(bounds.map((each) => each.perUnit)) + bounds.length : Infinity,
    }
  }

  function repeatBound(node: Extract<Node, { kind: 'repeat' }>, units: number, follow: Follow): Bound {
    const { body, min, max } = node
    if (max === 0) return { steps: 1, ways: 1, perUnit: 1 }
    const front = firstOf(body, units)
    const shortest = minLength(body)
    const most = Math.max(
      min,
      Math.min(max, shortest > 0 ? Math.floor(units / shortest) : max === Infinity ? units : max),
    )
    const inner = max > 1 ? { set: either(front.set, follow.set), width: front.width + follow.width } : follow
    const once = bound(body, units, inner)
    const each = once.steps + follow.width + 1
    // A body that can be empty adds one way each time, which its first set does not show.
    const empty = shortest === 0
    const ways = once.ways + (empty && max > min ? 1 : 0)
    if (ways <= 1 || max === 1) {
      const exits = most - min + 1
      const leaves = empty || overlaps(front.set, follow.set) ? exits : 1
      const perUnit = once.perUnit + follow.width + 1
      const total = max === 1 && min === 0 ? ways * (leaves > 1 && !empty ? 2 : 1) : max === 1 ? ways : leaves
      return {
        steps: Math.min(times(most, each), perUnit * (units + most + 1)) + times(exits, follow.width) + 1,
        ways: total,
        perUnit: total <= 1 ? 2 * perUnit : Infinity,
      }
    }
    const total = powers(ways, most)
    return { steps: times(1 + total, each), ways: total, perUnit: Infinity }
  }

  /** Cached: otherwise nested look-arounds would be computed twice at every depth. */
  function lookBound(node: Extract<Node, { kind: 'look' }>, units: number): Bound {
    const known = looks.get(node) ?? new Map<number, Bound>()
    looks.set(node, known)
    const result = known.get(units) ?? findLookBound(node, units)
    known.set(units, result)
    return result
  }

  function findLookBound(node: Extract<Node, { kind: 'look' }>, units: number): Bound {
    const farther = some(node.body, (part) => part.kind === 'look' || part.kind === 'back-reference')
    const longest = farther ? units : Math.min(units, maxLength(node.body))
    const body = bound(node.body, longest, { set: noCodePoint, width: 0 })
    const steps = Math.min(body.steps, body.perUnit * (longest + 1)) + 1
    return { steps, ways: 1, perUnit: longest < units ? steps : Infinity }
  }

  /** What follows the part before `item`. */
  function before(item: Node, units: number, follow: Follow): Follow {
    const { set, width, passes } = firstOf(item, units)
    return passes ? { set: either(set, follow.set), width: width + follow.width } : { set, width }
  }

  function firstOf(node: Node, units: number): First {
    // Only look-around and back-references depend on the length of the text.
    const known = firsts.get(node)
    if (known !== undefined) return known
    const first = findFirst(node, units)
    if (!some(node, (part) => part.kind === 'look' || part.kind === 'back-reference')) firsts.set(node, first)
    return first
  }

  function findFirst(node: Node, units: number): First {
    switch (node.kind) {
      case 'set':
        return { set: node.set, width: 1, passes: false }
      case 'sequence': {
        let first: First = { set: noCodePoint, width: 1, passes: true }
        for (const item of node.items) {
          if (!first.passes) break
          const next = firstOf(item, units)
          first = { set: union(first.set, next.set), width: first.width + next.width, passes: next.passes }
        }
        return first
      }
      case 'choice': {
        const parts = node.options.map((option) => firstOf(option, units))
        return {
          set: union(noCodePoint, ...parts.map((part) => part.set)),
          width: sum(parts.map((part) => part.width)) + parts.length,
          passes: parts.some((part) => part.passes),
        }
      }
      case 'repeat': {
        const body = firstOf(node.body, units)
        return node.min === 0 || body.passes ? { ...body, width: body.width + 1, passes: true } : body
      }
      case 'capture':
        return firstOf(node.body, units)
      case 'look':
        return { set: noCodePoint, width: lookBound(node, units).steps, passes: true }
      case 'back-reference':
        return { set: everyCodePoint, width: units, passes: true }
      case 'edge':
        return node.at === 'line-end' || node.at === 'text-end'
          ? { set: [0x0a, 0x0a], width: 1, passes: false }
          : { set: noCodePoint, width: 1, passes: true }
      case 'word-edge':
        return { set: noCodePoint, width: 1, passes: true }
    }
  }
}

interface Bound {
  /** To try all ways of the part from one offset. */
  steps: number
  /** In which the part can end such that the next part can start. */
  ways: number
  /** Steps for each unit, if there is only one way; else Infinity. */
  perUnit: number
}

/** The characters that the next part can start with, and the steps to find out that it does not match. */
interface Follow {
  set: CodePoints
  width: number
}

/** `passes`: it can match without a character, so that the next part may come first. */
interface First extends Follow {
  passes: boolean
}

/** The same sets are needed for every length of text. */
function cachedUnion(): (a: CodePoints, b: CodePoints) => CodePoints {
  const known = new Map<CodePoints, Map<CodePoints, CodePoints>>()
  return (a, b) => {
    const withA = known.get(a) ?? new Map<CodePoints, CodePoints>()
    known.set(a, withA)
    const both = withA.get(b) ?? union(a, b)
    withA.set(b, both)
    return both
  }
}

/** As `*`, but 0 times Infinity is 0. */
function times(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : a * b
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

/** An upper bound of base + base² + … + base^exponent. */
function powers(base: number, exponent: number): number {
  const log = Math.log2(base) * exponent
  return log > 1000 ? Infinity : 2 * base ** exponent
}

function startsAtEdge(node: Node): boolean {
  if (node.kind === 'edge') return node.at === 'line-start' || node.at === 'text-start'
  if (node.kind === 'sequence') return node.items.length > 0 && startsAtEdge(node.items[0]!)
  if (node.kind === 'choice') return node.options.every(startsAtEdge)
  return node.kind === 'capture' && startsAtEdge(node.body)
}

/** Without optional parts at the very end: they can't fail, so there is no backtracking into them. Only for simple ones, of one step per character. */
function withoutEasyEnd(root: Node): Node {
  if (root.kind !== 'sequence') return root
  const items = [...root.items]
  for (
    let last = items.at(-1);
    last?.kind === 'repeat' && last.body.kind === 'set' && last.min === 0;
    last = items.at(-1)
  )
    items.pop()
  return { kind: 'sequence', items }
}

/** No later part can match the first character: `[A-Z][a-z]+`. */
function startsApart(root: Node): boolean {
  if (root.kind !== 'sequence' || root.items[0]?.kind !== 'set') return false
  const later: Node = { kind: 'sequence', items: root.items.slice(1) }
  if (some(later, (part) => part.kind === 'back-reference' || (part.kind === 'look' && part.behind))) return false
  return !overlaps(root.items[0].set, union(noCodePoint, ...setsWithin(later)))
}

function setsWithin(node: Node): CodePoints[] {
  return node.kind === 'set' ? [node.set] : partsOf(node).flatMap(setsWithin)
}

/** No two of the options can match at the same offset. */
function areExclusive(options: readonly Node[]): boolean {
  if (options.length > 200) return false
  const heads = options.map((option) => leading(option))
  return heads.every((head, i) =>
    heads.slice(i + 1).every((other) => head.some((set, k) => k < other.length && !overlaps(set, other[k]!))),
  )
}

/** The sets of the first characters of every match, as far as they are easily determined. */
function leading(node: Node): CodePoints[] {
  if (node.kind === 'set') return [node.set]
  if (node.kind === 'capture') return leading(node.body)
  if (node.kind === 'repeat') return node.min > 0 ? leading(node.body).slice(0, 1) : []
  if (node.kind !== 'sequence') return []
  const sets: CodePoints[] = []
  for (const item of node.items) {
    const part = leading(item)
    sets.push(...part)
    if (item.kind !== 'set' && !(item.kind === 'edge' || item.kind === 'word-edge')) break
  }
  return sets
}

/** Look-behind is matched backwards, which costs as much as its reverse forwards. */
function readForwards(node: Node): Node {
  switch (node.kind) {
    case 'sequence':
      return { kind: 'sequence', items: node.items.map(readForwards) }
    case 'choice':
      return { kind: 'choice', options: node.options.map(readForwards) }
    case 'look':
      return { ...node, body: node.behind ? reversed(readForwards(node.body)) : readForwards(node.body) }
    case 'repeat':
    case 'capture':
      return { ...node, body: readForwards(node.body) }
    default:
      return node
  }
}

function reversed(node: Node): Node {
  switch (node.kind) {
    case 'sequence':
      return { kind: 'sequence', items: node.items.map(reversed).reverse() }
    case 'choice':
      return { kind: 'choice', options: node.options.map(reversed) }
    case 'repeat':
    case 'capture':
      return { ...node, body: reversed(node.body) }
    default:
      return node
  }
}
