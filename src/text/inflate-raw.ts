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
  /** The symbol and length of each code of at most `quickBits` bits, by the next bits of the stream; made for long content. */
  quick?: Uint16Array
}

const quickBits = 9

/** Shorter content is decoded before such a table would be made. */
const quickFromBytes = 4096

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
  for (const length of lengths) counts[length] = (counts[length] as number) + 1
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
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue
    symbols[offsets[length] as number] = symbol
    offsets[length] = (offsets[length] as number) + 1
  }
  return { counts, symbols }
}

/** Decodes the next symbol; -1 if there is none. */
function decode(state: State, { counts, symbols, quick }: Code): number {
  if (quick !== undefined) {
    while (state.held < quickBits && state.at < state.bytes.length) {
      state.bits |= (state.bytes[state.at] as number) << state.held
      state.at += 1
      state.held += 8
    }
    const entry = quick[state.bits & ((1 << quickBits) - 1)] as number
    const length = entry & 15
    if (length > 0 && length <= state.held) {
      state.bits >>>= length
      state.held -= length
      return entry >> 4
    }
  }
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

const lengthBases = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
]
const lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0]
const distanceBits = Array.from({ length: 30 }, (_, i) => Math.max(0, (i >> 1) - 1))
const distanceBases = Array.from({ length: 30 }, (_, i) => (i < 2 ? i + 1 : 1 + ((2 + (i & 1)) << ((i >> 1) - 1))))

function codes(state: State, literals: Code, distances: Code): Outcome {
  const { content } = state
  if (content.length >= quickFromBytes) {
    literals.quick ??= quickTable(literals)
    distances.quick ??= quickTable(distances)
  }
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
