import type { Bytes } from '../../fs/types.js'
import {
  type ByteSequences,
  type ByteSet,
  byteSequences,
  findSequences,
  maxSequences,
} from '../bytes/byte-sequences.js'
import { type FindBytes, findBytes, findFolded } from '../bytes/find-bytes.js'
import { type Node, needs, type Pattern, partsOf, some } from './regex/ast.js'
import { compile, type Regex } from './regex/compile.js'
import { invalid, type ParseOptions, parse } from './regex/parse.js'
import type { Literals } from './regex/required-literals.js'
import { asciiWord, closeOverCase, unicodeWord } from './regex/unicode.js'

/** What to search for, as plain data that can be sent to a worker. */
export interface MatcherSpec {
  pattern: string
  /** `rust` is the syntax of the `regex` crate and of RE2; neither has look-around or back-references. */
  syntax: 'literal' | 'ecmascript' | 'rust'
  ignoreCase?: boolean
  /** Matches only between word edges, as `\b(?:…)\b`. */
  wholeWord?: boolean
  /** A match may span lines, and `.` matches line ends; `^` and `$` are the edges of lines either way. */
  multiline?: boolean
  /** UTF-16 units; 1,000 unless given. */
  maxLength?: number
}

/** A compiled `MatcherSpec`. */
export interface Matcher {
  readonly multiline: boolean
  readonly regex: Regex
  /** Set when a line matches exactly if it contains these bytes, so that nothing has to be decoded. */
  readonly bytes: NeedleBytes | undefined
  /** Set when a line matches exactly if it contains these bytes as a whole word; beside bytes beyond ASCII it may or may not be one. */
  readonly word: Bytes | undefined
  /** Set when every match is one of these, of ASCII; the first that occurs counts. */
  readonly alternatives: readonly Bytes[] | undefined
  /** Every match contains a line feed; false where a match lies in one line. */
  readonly needsFeed: boolean
  /** Set when every match contains one of these. Empty when nothing can match. */
  readonly needles: readonly NeedleBytes[] | undefined
  /** Set when every match contains one of these, and there are no needles, or several that are searched together as sequences. */
  readonly sequences: ByteSequences | undefined
}

export interface NeedleBytes {
  bytes: Bytes
  folded: boolean
  /** Contains a k or s, to which characters beyond ASCII fold: a file with one of those may match without these bytes. */
  foldsBeyondAscii: { kelvin: boolean; longS: boolean }
}

/** Fails with `INVALID_PATTERN`, or with `PATTERN_TOO_COMPLEX` if even short lines would take too long. */
export function compileMatcher(spec: MatcherSpec): Matcher {
  const { multiline = false, wholeWord = false } = spec
  const parsed = read(spec)
  const root = wholeWord ? betweenWordEdges(parsed.root, spec.syntax) : parsed.root
  const regex = compile({ root, groups: parsed.groups }, { multiline, source: spec.pattern })
  const needles = regex.literals && toBytes(regex.literals)
  // A carriage return at the end of a line is not part of it, but would be found among the bytes.
  const plain = !multiline && regex.literals?.whole === true && !needles?.[0]?.bytes.includes(0x0d)
  const sequences = regex.sequences ?? (needles && sequencesOf(needles))
  const word = multiline || regex.word === undefined ? undefined : new TextEncoder().encode(regex.word)
  const alternatives = multiline ? undefined : needlesThatAre(regex)
  const needsFeed = multiline && needs(root, isLineFeed)
  const bytes = plain ? needles?.[0] : undefined
  return { multiline, regex, needsFeed, needles, sequences, bytes, word, alternatives }
}

/** The texts that a pattern is a choice of, if exactly those are searched for. */
function needlesThatAre({ alternatives, literals }: Regex): readonly Bytes[] | undefined {
  const searched = literals?.needles.map(({ text, folded }) => (folded ? undefined : text))
  if (alternatives === undefined || alternatives.some((text, i) => text !== searched?.[i])) return undefined
  return searched?.length === alternatives.length
    ? alternatives.map((text) => new TextEncoder().encode(text))
    : undefined
}

/** Undefined where needles have to be searched one by one, or some files may match without them. */
function sequencesOf(needles: readonly NeedleBytes[]): ByteSequences | undefined {
  if (needles.length < 2 || needles.length > maxSequences) return undefined
  if (needles.some(({ foldsBeyondAscii: { kelvin, longS } }) => kelvin || longS)) return undefined
  return byteSequences(needles.map(({ bytes, folded }) => Array.from(bytes, (byte) => setOf(byte, folded))))
}

function setOf(byte: number, folded: boolean): ByteSet {
  const set = new Uint8Array(256)
  set[byte] = 1
  if (folded && byte >= 0x61 && byte <= 0x7a) set[byte - 0x20] = 1
  return set
}

/** Which features a pattern uses, for callers that reject some: among them how deep unlimited repetitions nest (`starHeight`). */
export function inspectPattern(spec: MatcherSpec): {
  lookAround: boolean
  backReferences: boolean
  starHeight: number
  lineBreaks: boolean
} {
  const { root } = read(spec)
  return {
    lookAround: some(root, (node) => node.kind === 'look'),
    backReferences: some(root, (node) => node.kind === 'back-reference'),
    starHeight: starHeight(root),
    lineBreaks: some(root, (node) => node.kind === 'set' && isLineFeed(node.set)),
  }
}

/** The offset of the next needle at or after `from`; -1 for none. `from` must not decrease between calls. */
export type Cursor = (from: number) => number

/** Undefined when the matcher has no needles, or this file may match without them. */
export function openCursor(
  haystack: Bytes,
  { needles, sequences }: Pick<Matcher, 'needles' | 'sequences'>,
  find: FindBytes = findBytes,
): Cursor | undefined {
  if (sequences !== undefined && (needles === undefined || find.holds?.(haystack) === true)) {
    const look = find.sequences ?? findSequences
    return (from) => look(haystack, sequences, from)
  }
  if (needles === undefined) return undefined
  if (
    needles.some(({ foldsBeyondAscii: { kelvin, longS } }) => (kelvin && has(kelvinSign)) || (longS && has(longSmallS)))
  ) {
    return undefined
  }
  const cursors = needles.map(({ bytes, folded }) => {
    if (!folded) return (from: number) => find(haystack, bytes, from)
    return find.folded ? (from: number) => find.folded!(haystack, bytes, from) : findFolded(haystack, bytes)
  })
  if (cursors.length === 1) return cursors[0]
  const next = cursors.map(() => -2)
  return (from) => {
    let nearest = -1
    for (let i = 0; i < cursors.length; i += 1) {
      if (next[i] !== -1 && next[i]! < from) next[i] = cursors[i]!(from)
      if (next[i] !== -1 && (nearest === -1 || next[i]! < nearest)) nearest = next[i]!
    }
    return nearest
  }

  function has(character: Bytes): boolean {
    return find(haystack, character, 0) >= 0
  }
}

/** Folds to a k. */
export const kelvinSign = new TextEncoder().encode('\u212a')
/** Folds to an s. */
export const longSmallS = new TextEncoder().encode('\u017f')

function read(spec: MatcherSpec): Pattern {
  const { pattern, syntax, ignoreCase = false, multiline = false, maxLength = 1_000 } = spec
  const options: ParseOptions = { syntax: 'ecmascript', ignoreCase, dotAll: multiline, maxLength, maxNesting: 50 }
  if (syntax !== 'literal') return parse(pattern, { ...options, syntax })
  if (pattern.length > maxLength) invalid(pattern, `longer than ${maxLength} characters`)
  if (!pattern.isWellFormed()) invalid(pattern, 'half a surrogate pair')
  const items = Array.from(pattern, (character): Node => {
    const codePoint = character.codePointAt(0)!
    return { kind: 'set', set: ignoreCase ? closeOverCase([codePoint, codePoint]) : [codePoint, codePoint] }
  })
  return { root: { kind: 'sequence', items }, groups: 0 }
}

function betweenWordEdges(root: Node, syntax: MatcherSpec['syntax']): Node {
  const edge: Node = { kind: 'word-edge', word: syntax === 'ecmascript' ? asciiWord : unicodeWord(), negated: false }
  return { kind: 'sequence', items: [edge, root, edge] }
}

function toBytes({ needles }: Literals): NeedleBytes[] {
  return needles.map(({ text, folded }) => ({
    bytes: new TextEncoder().encode(text),
    folded,
    foldsBeyondAscii: { kelvin: folded && text.includes('k'), longS: folded && text.includes('s') },
  }))
}

function isLineFeed(set: readonly number[]): boolean {
  return set.length === 2 && set[0] === 0x0a && set[1] === 0x0a
}

function starHeight(node: Node): number {
  const inner = Math.max(0, ...partsOf(node).map(starHeight))
  return node.kind === 'repeat' && node.max === Infinity ? inner + 1 : inner
}
