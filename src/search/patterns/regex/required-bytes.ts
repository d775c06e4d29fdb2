import { type ByteSet, chanceOf, maxSequences } from '../../bytes/byte-sequences.js'
import type { Node } from './ast.js'
import { type CodePoints, contains, rangesOf } from './code-points.js'

/** Byte sequences of which the UTF-8 of every match contains at least one. Undefined if they are too frequent to be of use. */
export function requiredBytes(root: Node): Sequences | undefined {
  const sequences = bestOf(find(root))
  if (sequences === undefined) return undefined
  const complete = withBytesBeyondAscii(sequences)
  return chanceOfAny(complete) <= worthwhileChance ? complete : undefined
}

/** Sequences of byte sets. A set with characters beyond ASCII has all bytes from 0x80 on. */
type Sequences = readonly (readonly ByteSet[])[]

/** A line that is matched in vain costs as much as hundreds of bytes that are skipped. */
const worthwhileChance = 1 / 400

const maxLength = 24

interface Found {
  /** Everything that the node can match, if that is one sequence. */
  exact?: readonly ByteSet[]
  /** Sequences that every match starts and ends with. */
  start?: readonly ByteSet[]
  end?: readonly ByteSet[]
  /** Every match contains one of these. */
  required?: Sequences | undefined
}

function find(node: Node): Found {
  switch (node.kind) {
    case 'set':
      return fromSet(node.set)
    case 'sequence':
      return fromSequence(node.items.map(find))
    case 'choice':
      return fromChoice(node.options.map(find))
    case 'capture':
      return find(node.body)
    case 'repeat': {
      if (node.min === 0) return {}
      const found = fromSequence(new Array<Found>(Math.min(node.min, maxLength)).fill(find(node.body)))
      if (found.exact === undefined || (node.min === node.max && node.min <= maxLength)) return found
      return { start: found.exact, end: found.exact, required: bestOf(found) }
    }
    case 'back-reference':
      return {}
    default:
      return { exact: [] }
  }
}

function fromSet(set: CodePoints): Found {
  // A line feed in the pattern may be two bytes in the file.
  if (contains(set, 0x0a)) return {}
  const bytes = new Uint8Array(256)
  for (const [low, high] of rangesOf(set)) {
    if (low < 0x80) bytes.fill(1, low, Math.min(high + 1, 0x80))
    if (high >= 0x80) bytes.fill(1, 0x80)
  }
  return { exact: [bytes] }
}

function fromSequence(items: readonly Found[]): Found {
  let required: Sequences | undefined
  let start: readonly ByteSet[] | undefined
  let run: readonly ByteSet[] = []
  for (const { exact, ...item } of items) {
    if (exact !== undefined && run.length + exact.length <= maxLength) {
      run = [...run, ...exact]
      continue
    }
    const closed = [...run, ...(exact === undefined ? (item.start ?? []) : [])]
    start ??= closed
    required = better(better(required, [closed]), item.required)
    run = exact ?? item.end ?? []
  }
  return start === undefined ? { exact: run } : { start, end: run, required: better(required, [run]) }
}

function fromChoice(options: readonly Found[]): Found {
  const all: (readonly ByteSet[])[] = []
  for (const option of options) {
    const best = bestOf(option)
    if (best === undefined) return {}
    all.push(...best)
  }
  return all.length < maxSequences ? { required: all } : {}
}

function bestOf({ exact, required }: Found): Sequences | undefined {
  return exact === undefined ? required : better(undefined, [exact])
}

function better(a: Sequences | undefined, b: Sequences | undefined): Sequences | undefined {
  if (b === undefined || b.some((sequence) => sequence.length === 0)) return a
  return a === undefined || chanceOfAny(b) < chanceOfAny(a) ? b : a
}

function chanceOfAny(sequences: Sequences): number {
  return sequences.reduce((sum, sequence) => sum + chanceOf(sequence), 0)
}

/**
 * A character beyond ASCII takes several bytes, which moves what follows it. So the sequences are restricted to ASCII, and any byte beyond
 * ASCII is added as a candidate if the pattern allows one.
 */
function withBytesBeyondAscii(sequences: Sequences): Sequences {
  const isBeyond = (set: ByteSet) => set[0x80] === 1
  if (!sequences.some((sequence) => sequence.some(isBeyond))) return sequences
  const ascii = sequences.map((sequence) => sequence.map((set) => (isBeyond(set) ? set.slice().fill(0, 0x80) : set)))
  return [...ascii, [new Uint8Array(256).fill(1, 0x80)]]
}
