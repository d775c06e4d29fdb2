/** Inflates deflate streams synchronously, and the same on every platform. */

type Bytes = Uint8Array

export interface Inflated {
  content: Bytes
  /** Whether the stream ended; otherwise there is more than the size that was asked for. */
  ends: boolean
  /** Where the bytes after the stream begin, if it ended. */
  end: number
}

/** Inflates the stream that begins at `start` into at most `size` bytes. Undefined for an invalid or truncated stream. */
export function inflateRaw(bytes: Bytes, start: number, size: number): Inflated | undefined {
  const state: State = { bytes, at: start, bits: 0, held: 0, content: new Uint8Array(size), filled: 0 }
  for (;;) {
    const isLast = take(state, 1)
    const kind = take(state, 2)
    if (isLast === -1 || kind === -1) return undefined
    const done = kind === 0 ? stored(state) : kind === 1 ? codes(state, ...fixedCodes()) : dynamic(state)
    if (done === 'full') return { content: state.content, ends: false, end: state.at }
    if (done === 'broken') return undefined
    if (isLast === 1) {
      return { content: state.content.subarray(0, state.filled), ends: true, end: state.at - (state.held >> 3) }
    }
  }
}

interface State {
  bytes: Bytes
  at: number
  bits: number
  held: number
  content: Uint8Array
  filled: number
}

type Outcome = 'done' | 'full' | 'broken'

/** Reads `count` bits; -1 at the end of the input. */
function take(state: State, count: number): number {
  while (state.held < count) {
    if (state.at >= state.bytes.length) return -1
    state.bits |= (state.bytes[state.at] as number) << state.held
    state.at += 1
    state.held += 8
  }
  const value = state.bits & ((1 << count) - 1)
  state.bits >>>= count
  state.held -= count
  return value
}

function stored(state: State): Outcome {
  state.at -= state.held >> 3
  state.bits = 0
  state.held = 0
  const { bytes, at, content, filled } = state
  if (at + 4 > bytes.length) return 'broken'
  const length = (bytes[at] as number) | ((bytes[at + 1] as number) << 8)
  const check = (bytes[at + 2] as number) | ((bytes[at + 3] as number) << 8)
  if (length !== (~check & 0xffff)) return 'broken'
  const fits = Math.min(length, content.length - filled)
  if (at + 4 + fits > bytes.length) return 'broken'
  content.set(bytes.subarray(at + 4, at + 4 + fits), filled)
  state.filled += fits
  state.at = at + 4 + length
  return fits < length ? 'full' : 'done'
}

/** A canonical Huffman code: the number of symbols of each length, and the symbols in order. */
interface Code {
  counts: Uint16Array
  symbols: Uint16Array
  /** The symbol and length of each code of at most `quickBits` bits, by the next bits of the stream. */
  quick?: Uint16Array
}

const quickBits = 9

/** Symbol times 16, plus length; 0 where the code is longer. */
function quickTable({ counts, symbols }: Code): Uint16Array {
  const table = new Uint16Array(1 << quickBits)
  let [code, index] = [0, 0]
  for (let length = 1; length <= quickBits; length += 1) {
    for (let count = counts[length] as number; count > 0; count -= 1) {
      // The stream has the highest bit of a code first.
      let reversed = 0
      for (let bit = 0; bit < length; bit += 1) reversed |= ((code >> bit) & 1) << (length - 1 - bit)
      const entry = ((symbols[index] as number) << 4) | length
      for (let at = reversed; at < table.length; at += 1 << length) table[at] = entry
      index += 1
      code += 1
    }
    code <<= 1
  }
  return table
}

/** Undefined for invalid lengths. An incomplete code is valid only with a single symbol. */
function codeOf(lengths: Uint8Array): Code | undefined {
  const counts = new Uint16Array(16)
  for (let symbol = 0; symbol < lengths.length; symbol += 1) {
    const length = lengths[symbol] as number
    counts[length] = (counts[length] as number) + 1
  }
  let left = 1
  for (let length = 1; length < 16; length += 1) {
    left = left * 2 - (counts[length] as number)
    if (left < 0) return undefined
  }
  const used = lengths.length - (counts[0] as number)
  if (left > 0 && used > 1) return undefined
  counts[0] = 0
  const offsets = new Uint16Array(16)
  for (let length = 1; length < 15; length += 1) {
    offsets[length + 1] = (offsets[length] as number) + (counts[length] as number)
  }
  const symbols = new Uint16Array(used)
  for (let symbol = 0; symbol < lengths.length; symbol += 1) {
    const length = lengths[symbol] as number
    if (length === 0) continue
    const at = offsets[length] as number
    symbols[at] = symbol
    offsets[length] = at + 1
  }
  return { counts, symbols }
}

/** Decodes the next symbol bit by bit; -1 if there is none. */
function decode(state: State, { counts, symbols }: Code): number {
  let [code, first, index] = [0, 0, 0]
  for (let length = 1; length < 16; length += 1) {
    if (state.held === 0) {
      if (state.at >= state.bytes.length) return -1
      state.bits = state.bytes[state.at] as number
      state.at += 1
      state.held = 8
    }
    code |= state.bits & 1
    state.bits >>>= 1
    state.held -= 1
    const count = counts[length] as number
    if (code - count < first) return symbols[index + code - first] as number
    index += count
    first = (first + count) << 1
    code <<= 1
  }
  return -1
}

/** The same for a code that is not in the quick table, of at least 15 bits: the symbol times 16, plus its length; 0 if there is none. */
function decodeLong(bits: number, { counts, symbols }: Code): number {
  let [code, first, index] = [0, 0, 0]
  for (let length = 1; length < 16; length += 1) {
    code |= (bits >>> (length - 1)) & 1
    const count = counts[length] as number
    if (code - count < first) return ((symbols[index + code - first] as number) << 4) | length
    index += count
    first = (first + count) << 1
    code <<= 1
  }
  return 0
}

const lengthBases = Uint16Array.of(
  ...[
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
  ],
)
const lengthBits = Uint8Array.of(
  ...[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0],
)
const distanceBits = Uint8Array.from({ length: 30 }, (_, i) => Math.max(0, (i >> 1) - 1))
const distanceBases = Uint16Array.from({ length: 30 }, (_, i) =>
  i < 2 ? i + 1 : 1 + ((2 + (i & 1)) << ((i >> 1) - 1)),
)

const longestMatch = 258
/** What a length and a distance take at most, and two more that are taken with the last of them. */
const longestPair = 8

function codes(state: State, literals: Code, distances: Code): Outcome {
  const { content } = state
  const quickly = quickCodes(state, literals, distances)
  if (quickly !== undefined) return quickly
  for (;;) {
    const symbol = decode(state, literals)
    if (symbol === 256) return 'done'
    if (symbol === -1 || symbol > 285) return 'broken'
    if (symbol < 256) {
      if (state.filled === content.length) return 'full'
      content[state.filled] = symbol
      state.filled += 1
      continue
    }
    const extraLength = take(state, lengthBits[symbol - 257] as number)
    const distanceSymbol = decode(state, distances)
    if (extraLength === -1 || distanceSymbol === -1 || distanceSymbol > 29) return 'broken'
    const extraDistance = take(state, distanceBits[distanceSymbol] as number)
    const distance = (distanceBases[distanceSymbol] as number) + extraDistance
    if (extraDistance === -1 || distance > state.filled) return 'broken'
    const end = state.filled + (lengthBases[symbol - 257] as number) + extraLength
    for (let at = state.filled; at < end && at < content.length; at += 1) {
      content[at] = content[at - distance] as number
    }
    state.filled = Math.min(end, content.length)
    if (end > content.length) return 'full'
  }
}

/** Decodes as long as neither the input nor the room for content can end within the next symbol. Undefined if there is more to do. */
function quickCodes(state: State, literals: Code, distances: Code): Outcome | undefined {
  const { bytes, content } = state
  const [lastAt, lastFilled] = [bytes.length - longestPair, content.length - longestMatch]
  let { at, bits, held, filled } = state
  if (at > lastAt || filled > lastFilled) return undefined
  literals.quick ??= quickTable(literals)
  distances.quick ??= quickTable(distances)
  const { quick: quickLiterals } = literals
  const { quick: quickDistances } = distances
  const mask = (1 << quickBits) - 1
  let outcome: Outcome | undefined
  while (at <= lastAt && filled <= lastFilled) {
    // Two bytes fit whenever fewer than 15 bits are held, which is the longest code.
    if (held < 15) {
      bits |= ((bytes[at] as number) | ((bytes[at + 1] as number) << 8)) << held
      at += 2
      held += 16
    }
    const literal = (quickLiterals[bits & mask] as number) || decodeLong(bits, literals)
    bits >>>= literal & 15
    held -= literal & 15
    const symbol = literal >> 4
    if (symbol < 256 && literal !== 0) {
      content[filled] = symbol
      filled += 1
      continue
    }
    if (symbol === 256) {
      outcome = 'done'
      break
    }
    // An invalid code, and symbols that are not used.
    if (literal === 0 || symbol > 285) return 'broken'
    const moreLength = lengthBits[symbol - 257] as number
    const end = filled + (lengthBases[symbol - 257] as number) + (bits & ((1 << moreLength) - 1))
    bits >>>= moreLength
    held -= moreLength
    if (held < 15) {
      bits |= ((bytes[at] as number) | ((bytes[at + 1] as number) << 8)) << held
      at += 2
      held += 16
    }
    const place = (quickDistances[bits & mask] as number) || decodeLong(bits, distances)
    if (place === 0 || place >> 4 > 29) return 'broken'
    bits >>>= place & 15
    held -= place & 15
    if (held < 15) {
      bits |= ((bytes[at] as number) | ((bytes[at + 1] as number) << 8)) << held
      at += 2
      held += 16
    }
    const moreDistance = distanceBits[place >> 4] as number
    const distance = (distanceBases[place >> 4] as number) + (bits & ((1 << moreDistance) - 1))
    bits >>>= moreDistance
    held -= moreDistance
    if (distance > filled) return 'broken'
    for (; filled < end; filled += 1) content[filled] = content[filled - distance] as number
  }
  state.at = at
  state.bits = bits
  state.held = held
  state.filled = filled
  return outcome
}

let fixed: [Code, Code] | undefined

function fixedCodes(): [Code, Code] {
  if (fixed === undefined) {
    const lengths = Uint8Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))
    fixed = [
      codeOf(lengths) as Code,
      {
        counts: Uint16Array.from({ length: 16 }, (_, i) => (i === 5 ? 30 : 0)),
        symbols: Uint16Array.from({ length: 30 }, (_, i) => i),
      },
    ]
  }
  return fixed
}

const lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

function dynamic(state: State): Outcome {
  const [literalCount, distanceCount, lengthCount] = [take(state, 5) + 257, take(state, 5) + 1, take(state, 4) + 4]
  if (literalCount < 257 || distanceCount < 1 || lengthCount < 4 || literalCount > 286 || distanceCount > 30)
    return 'broken'
  const lengths = new Uint8Array(literalCount + distanceCount)
  const forLengths = new Uint8Array(19)
  for (const place of lengthOrder.slice(0, lengthCount)) {
    const length = take(state, 3)
    if (length === -1) return 'broken'
    forLengths[place] = length
  }
  const lengthCode = codeOf(forLengths)
  if (lengthCode === undefined) return 'broken'
  for (let at = 0; at < lengths.length; ) {
    const symbol = decode(state, lengthCode)
    if (symbol === -1 || (symbol === 16 && at === 0)) return 'broken'
    if (symbol < 16) {
      lengths[at] = symbol
      at += 1
      continue
    }
    const [bits, base] = symbol === 16 ? [2, 3] : symbol === 17 ? [3, 3] : [7, 11]
    const extra = take(state, bits as number)
    const end = at + (base as number) + extra
    if (extra === -1 || end > lengths.length) return 'broken'
    lengths.fill(symbol === 16 ? (lengths[at - 1] as number) : 0, at, end)
    at = end
  }
  const [literals, distances] = [codeOf(lengths.subarray(0, literalCount)), codeOf(lengths.subarray(literalCount))]
  if (literals === undefined || distances === undefined || lengths[256] === 0) return 'broken'
  return codes(state, literals, distances)
}
