/** Deflate streams that no compressor would make, but that are valid: codes of every length, and every length and distance with all its bits. */
import { seededRandom } from '../../../src/text/seeded-random.js'

const lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0]
const lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
const [endOfBlock, literals, distances] = [256, 286, 30]

/** The last block may be of any kind; the symbols of a compressed one are equally likely, however long their codes are. */
export function generatedDeflate(seed: number, { blocks = 3, symbols = 400 } = {}): Buffer {
  const random = seededRandom(seed)
  const below = (count: number) => Math.floor(random() * count)
  const out = bitWriter()
  let written = 0
  for (let block = 0; block < blocks; block += 1) {
    out.bits(block === blocks - 1 ? 1 : 0, 1)
    const kind = below(8)
    if (kind === 0) {
      const bytes = Array.from({ length: below(600) }, () => below(256))
      out.bits(0, 2)
      out.align()
      for (const value of [bytes.length, ~bytes.length & 0xffff]) out.bits(value, 16)
      for (const byte of bytes) out.bits(byte, 8)
      written += bytes.length
      continue
    }
    const [ofLiterals, ofDistances] = kind === 1 ? fixedLengths() : [lengths(literals), lengths(distances)]
    out.bits(kind === 1 ? 1 : 2, 2)
    if (kind !== 1) describe(ofLiterals, ofDistances)
    const [literalCodes, distanceCodes] = [codesOf(ofLiterals), codesOf(ofDistances)]
    for (let count = below(symbols); count > 0; count -= 1) {
      const symbol = below(literals)
      if (symbol === endOfBlock) continue
      const place = below(distances)
      const more = Math.max(0, (place >> 1) - 1)
      const base = place < 2 ? place + 1 : 1 + ((2 + (place & 1)) << more)
      if (symbol > endOfBlock && base > written) continue
      out.code(literalCodes[symbol])
      if (symbol < endOfBlock) {
        written += 1
        continue
      }
      const extra = lengthBits[symbol - 257] as number
      // All bits set is the length of another symbol.
      const chosen = symbol === 284 ? below(31) : below(1 << extra)
      out.bits(chosen, extra)
      out.code(distanceCodes[place])
      out.bits(below(Math.min(1 << more, written - base + 1)), more)
      written += lengthOf(symbol, chosen)
    }
    out.code(literalCodes[endOfBlock])
  }
  return out.bytes()

  /** A complete code: leaves are split at random, more often the deepest, up to 15 bits. */
  function lengths(count: number): number[] {
    const found = [1, 1]
    const isDeep = random() < 0.7
    while (found.length < count) {
      const deepest = found.indexOf(Math.max(...found.filter((length) => length < 15)))
      const at = isDeep && random() < 0.5 ? deepest : below(found.length)
      const length = found[at] as number
      if (length === 15) continue
      found[at] = length + 1
      found.push(length + 1)
    }
    for (let at = count - 1; at > 0; at -= 1) {
      const other = below(at + 1)
      ;[found[at], found[other]] = [found[other] as number, found[at] as number]
    }
    return found
  }

  /** The lengths one by one, with a code of four bits for each of the lengths 1 to 15, and one that is not used. */
  function describe(ofLiterals: readonly number[], ofDistances: readonly number[]): void {
    const ofLengths = Array.from({ length: 19 }, (_, length) => (length <= 15 ? 4 : 0))
    out.bits(ofLiterals.length - 257, 5)
    out.bits(ofDistances.length - 1, 5)
    out.bits(lengthOrder.length - 4, 4)
    for (const length of lengthOrder) out.bits(ofLengths[length] as number, 3)
    const codes = codesOf(ofLengths)
    for (const length of [...ofLiterals, ...ofDistances]) out.code(codes[length])
  }
}

function lengthOf(symbol: number, extra: number): number {
  if (symbol === 285) return 258
  let base = 3
  for (let each = 257; each < symbol; each += 1) base += 1 << (lengthBits[each - 257] as number)
  return base + extra
}

function fixedLengths(): [number[], number[]] {
  const ofLiterals = Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))
  return [ofLiterals, Array.from({ length: 32 }, () => 5)]
}

interface Code {
  value: number
  length: number
}

/** The codes for lengths, as RFC 1951 numbers them. */
function codesOf(lengths: readonly number[]): Code[] {
  const codes = lengths.map((length) => ({ value: 0, length }))
  let value = 0
  for (let length = 1; length <= 15; length += 1) {
    for (const code of codes) {
      if (code.length !== length) continue
      code.value = value
      value += 1
    }
    value *= 2
  }
  return codes
}

function bitWriter() {
  const bytes: number[] = []
  let [held, count] = [0, 0]

  function bit(value: number): void {
    held |= value << count
    count += 1
    if (count === 8) align()
  }

  function align(): void {
    if (count === 0) return
    bytes.push(held)
    held = 0
    count = 0
  }

  return {
    align,
    bits(value: number, length: number) {
      for (let at = 0; at < length; at += 1) bit((value >> at) & 1)
    },
    /** The highest bit of a code comes first. */
    code(code: Code | undefined) {
      const { value, length } = code as Code
      for (let at = length - 1; at >= 0; at -= 1) bit((value >> at) & 1)
    },
    bytes() {
      align()
      return Buffer.from(bytes)
    },
  }
}
