import { FsError } from '../../../errors.js'
import { cutUnits } from '../../../text/lines/lines.js'
import { type ByteSequences, type ByteSet, byteSequences } from '../../bytes/byte-sequences.js'
import { mapSets, type Node, type Pattern, some, straightLength } from './ast.js'
import { difference, noCodePoint, overlaps, union } from './code-points.js'
import { type Cost, costOf } from './cost.js'
import { createEngine, type Engine, type Span } from './engine.js'
import { matchBytes } from './match-bytes.js'
import { plainAlternatives, plainFinder, plainStart } from './plain-text.js'
import { print } from './print.js'
import { assemble, type Program } from './program.js'
import { requiredBytes } from './required-bytes.js'
import { type CloseOver, type Literals, requiredLiterals } from './required-literals.js'

export type { Span } from './engine.js'

/** A match. */
export interface Found extends Span {
  /** The whole match and its groups, if they were asked for and the platform's engine found it. */
  groups?: readonly (string | undefined)[]
}

/** A compiled pattern. The time of every search is bounded, whatever the pattern and the text. */
export interface Regex {
  readonly literals: Literals | undefined
  /** Byte sequences of which every match contains one, if there are no literals. */
  readonly sequences: ByteSequences | undefined
  /** Set if a text matches exactly when it contains this one as a whole word. */
  readonly word: string | undefined
  /** Set if the pattern is a choice of these texts; the first of them that matches counts. */
  readonly alternatives: readonly string[] | undefined
  /** For searches line by line: every byte that a match can contain; see `matchBytes`. */
  readonly matchBytes: ByteSet | undefined
  /** The first match at or after `from`. `too-expensive`: unknown, the limit was reached. `stopped`: `stop`, called now and then, returned true. */
  find(text: string, from: number, stop?: () => boolean): Found | undefined | 'too-expensive' | 'stopped'
  /**
   * For searching many lines in one call: finds in a text of many lines what it finds in each alone, in at most so many steps for a line of
   * so many units. One call must not take more than `maxNativeSteps`.
   */
  readonly inLines: { find(text: string, from: number): Span | undefined; steps(units: number): number } | undefined
  /** What the platform's engine takes for it. */
  readonly cost: Cost
}

export interface CompileOptions {
  /** A match may span lines. Otherwise the texts searched are lines, and no part of the pattern matches a line end. */
  multiline: boolean
  /** For messages. */
  source: string
  /** Groups are asked for. */
  groups?: boolean
  /** What ignoring the case has made of the letters in the pattern. */
  closeOver?: CloseOver
}

/** Steps of the platform's engine in one call: tens of milliseconds in the worst case. */
export const maxNativeSteps = 4_000_000

export function compile(pattern: Pattern, { multiline, source, groups = false, closeOver }: CompileOptions): Regex {
  const root = multiline ? pattern.root : perLine(pattern.root)
  const refers = some(root, (node) => node.kind === 'back-reference')
  const cost = once(() => costOf(root))
  const limit = once(() => longestCheapText(cost()))
  const isShort = (straightLength(root) ?? Infinity) <= fewInstructions
  /** Most texts are short, and to find the limit takes as long as all else. A pattern without choices takes few steps for each unit. */
  const isCheapIfShort = once(() => isShort || cost()(shortText) <= maxNativeSteps)
  const isCheap = (units: number) => (units <= shortText && isCheapIfShort()) || units <= limit()
  const program = once(() => assemble(root, pattern.groups, 20_000))
  const isSmall = isShort || (program()?.operations.length ?? Infinity) <= fewInstructions
  const native = once(() =>
    runsNatively(root) && isCheap(1) ? nativeExpression(root, { captures: refers || groups, isSmall }) : undefined,
  )
  const starts = once(() => plainStart(root))
  if (!isShort && program() === undefined && (native() === undefined || limit() < shortestUsefulLine)) {
    throw new FsError('PATTERN_TOO_COMPLEX', {
      pattern: cutUnits(source, 200),
      reason: 'counted repetitions inside each other',
    })
  }
  let engine: Engine | undefined
  /** What `isCheapFromStarts` found last: it holds for the rest of the text if cheap, otherwise up to `until`. */
  let counted: { text: string; from: number; until: number; isCheap: boolean } | undefined

  const plain = groups ? undefined : plainFinder(root)
  const inLines = once(() => {
    const expression = plain === undefined ? native() : undefined
    if (expression === undefined) return plain
    const find = (text: string, from: number) => findNatively(expression, text, from)
    return { find, steps: stepTable(cost(), limit()) }
  })
  const literals = requiredLiterals(root, closeOver)
  const mayMatch = needleTest(literals)
  const bytes = literals === undefined ? requiredBytes(root) : undefined
  return {
    literals,
    sequences: bytes && byteSequences(bytes),
    word: plain?.word,
    alternatives: plainAlternatives(root),
    matchBytes: multiline ? undefined : matchBytes(root),
    get inLines() {
      return inLines()
    },
    get cost() {
      return cost()
    },
    find(text, given, stop) {
      if (plain !== undefined && plain.steps(text.length - given) <= maxNativeSteps) return plain.find(text, given)
      const from = firstStart(text, given)
      if (from === undefined) return undefined
      const expression = native()
      if (expression !== undefined && (isCheap(text.length - from) || isCheapFromStarts(text, from))) {
        const match = matchNatively(expression, text, from)
        if (match === undefined || !groups) return match && spanOf(match)
        const { start, end } = spanOf(match)
        return { start, end, groups: [...match] }
      }
      const instructions = program()
      if (instructions === undefined) return 'too-expensive'
      engine ??= engineOf(instructions, root, starts())
      const found = engine.find(text, from, refers ? fuelWithReferences : 1_000_000 + 64 * text.length, stop)
      return found === 'out-of-fuel' ? 'too-expensive' : found
    },
  }

  /** The first offset where a match can start; undefined for none. */
  function firstStart(text: string, from: number): number | undefined {
    const start = starts()
    if (start === undefined) return mayMatch(text, from) ? from : undefined
    const at = text.indexOf(start, from)
    return at < 0 ? undefined : at
  }

  /** A long text may have few offsets where a match can start. Looks at each of them once, however often the text is searched. */
  function isCheapFromStarts(text: string, from: number): boolean {
    const start = starts()
    if (start === undefined) return false
    if (counted?.text === text && from >= counted.from && (counted.isCheap || from < counted.until))
      return counted.isCheap
    const each = cost().from(text.length - from, 1)
    let count = 0
    for (let at = text.indexOf(start, from); at >= 0; at = text.indexOf(start, at + 1)) {
      count += 1
      if (count * each <= maxNativeSteps) continue
      counted = { text, from, until: at, isCheap: false }
      return false
    }
    counted = { text, from, until: text.length, isCheap: true }
    return true
  }
}

/** Returns a function that is false if nothing can match from an offset on. It looks at a long text once, however many matches that has. */
function needleTest(literals: Literals | undefined): (text: string, from: number) => boolean {
  if (literals === undefined || literals.needles.some(({ folded }) => folded)) return () => true
  const { needles } = literals
  let searched = ''
  let last = 0
  /** The next offset of each needle; Infinity for none. */
  let next: number[] = []
  return (text, from) => {
    if (text.length <= shortText) return needles.some((needle) => text.includes(needle.text, from))
    if (text !== searched || from < last) next = needles.map(() => -1)
    searched = text
    last = from
    return needles.some((needle, i) => {
      if (next[i]! < from) {
        const at = text.indexOf(needle.text, from)
        next[i] = at < 0 ? Infinity : at
      }
      return next[i] !== Infinity
    })
  }
}

/** Computed on first use: most files need no match of the pattern at all. */
function once<Result>(make: () => Result): () => Result {
  let made: { result: Result } | undefined
  return () => {
    made ??= { result: make() }
    return made.result
  }
}

const fuelWithReferences = 500_000

const shortestUsefulLine = 200
const shortText = 1024

function engineOf(program: Program, root: Node, start: string | undefined): Engine {
  if (start !== undefined) return createEngine(program, { start })
  const first = firstCharacters(root)
  return createEngine(program, first === undefined ? {} : { first })
}

/** The pattern for texts of one line: sets without line feeds, and edges of the text as edges of the line. */
function perLine(node: Node): Node {
  const lineEdges = (part: Node): Node => {
    if (part.kind === 'edge') return { kind: 'edge', at: part.at.endsWith('start') ? 'line-start' : 'line-end' }
    if (part.kind === 'sequence') return { kind: 'sequence', items: part.items.map(lineEdges) }
    if (part.kind === 'choice') return { kind: 'choice', options: part.options.map(lineEdges) }
    return 'body' in part ? { ...part, body: lineEdges(part.body) } : part
  }
  const lineFeed = [0x0a, 0x0a]
  return lineEdges(mapSets(node, (set) => (overlaps(set, lineFeed) ? difference(set, lineFeed) : set)))
}

/** A back-reference that ignores case can't be printed, as case is resolved in the sets. */
function runsNatively(root: Node): boolean {
  return !some(root, (node) => node.kind === 'back-reference' && node.ignoreCase)
}

/** A pattern of so few is never too large for the platform. To try it takes longer than to search a line with it. */
const fewInstructions = 100

/** Undefined if the pattern is too large for the platform, which fails on its first use with one-byte or two-byte text. */
function nativeExpression(
  root: Node,
  { captures, isSmall }: { captures: boolean; isSmall: boolean },
): RegExp | undefined {
  try {
    const expression = new RegExp(print(captures ? root : withoutCaptures(root)), 'gu')
    if (isSmall) return expression
    expression.test('')
    expression.lastIndex = 0
    expression.test('\u0100')
    return expression
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error
    return undefined
  }
}

/** For the place of a match alone: the platform takes longer to report groups too. */
function withoutCaptures(node: Node): Node {
  if (node.kind === 'capture') return withoutCaptures(node.body)
  if (node.kind === 'sequence') return { ...node, items: node.items.map(withoutCaptures) }
  if (node.kind === 'choice') return { ...node, options: node.options.map(withoutCaptures) }
  return 'body' in node ? { ...node, body: withoutCaptures(node.body) } : node
}

/** The first match of a global expression at or after `from`. */
export function findNatively(expression: RegExp, text: string, from: number): Span | undefined {
  const found = matchNatively(expression, text, from)
  return found && spanOf(found)
}

function spanOf({ index, 0: text }: RegExpExecArray): Span {
  return { start: index, end: index + text.length }
}

function matchNatively(expression: RegExp, text: string, from: number): RegExpExecArray | undefined {
  expression.lastIndex = from
  for (;;) {
    const found = expression.exec(text)
    if (found === null) return undefined
    if (found[0] !== '' || !isHalfPair(text, found.index)) return found
    // V8 finds empty matches inside a surrogate pair.
    expression.lastIndex = found.index + 1
  }
}

/** The offset to search for the next match from. */
export function placeAfter(text: string, { start, end }: Span): number {
  if (end > start) return end
  return end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1)
}

function isHalfPair(text: string, at: number): boolean {
  if (at === 0 || (text.charCodeAt(at) & 0xfc00) !== 0xdc00) return false
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
}

function longestCheapText(cost: (units: number) => number): number {
  let low = 0
  let high = 1
  while (high < 1 << 26 && cost(high) <= maxNativeSteps) {
    low = high
    high *= 2
  }
  while (high - low > Math.max(1, low >> 4)) {
    const middle = (low + high) >> 1
    if (cost(middle) <= maxNativeSteps) low = middle
    else high = middle
  }
  return low
}

/** An upper bound of the steps, by the binary logarithm of the length. */
function stepTable(cost: (units: number) => number, limit: number): (units: number) => number {
  const table = Array.from({ length: 28 }, (_, bits) => (2 ** bits - 1 <= limit ? cost(2 ** bits - 1) : maxNativeSteps))
  return (units) => (units > limit ? Infinity : table[32 - Math.clz32(units)]!)
}

/** The characters a match can start with; undefined when it can be empty, or when they are not easily determined. */
function firstCharacters(node: Node): readonly number[] | undefined {
  switch (node.kind) {
    case 'set':
      return node.set
    case 'capture':
      return firstCharacters(node.body)
    case 'repeat':
      return node.min > 0 ? firstCharacters(node.body) : undefined
    case 'choice': {
      const sets = node.options.map(firstCharacters)
      return sets.includes(undefined) ? undefined : union(noCodePoint, ...sets.map((set) => set!))
    }
    case 'sequence': {
      const item = node.items.find((part) => part.kind !== 'edge' && part.kind !== 'word-edge' && part.kind !== 'look')
      return item && firstCharacters(item)
    }
    default:
      return undefined
  }
}
