/** Decompresses bzip2 data: one stream, or several after another. */
import type { Bytes } from '../../../../src/fs/types.js'
import type { ByteReader } from '../../../io/streams.js'
import { BadData, type Lookahead, lookahead, type Meter } from '../codec.js'
import { type BitReader, bitReader } from './bit-reader.js'
import { combined, crcTable, initialCrc } from './crc.js'
import { type SymbolReader, symbolReader } from './huffman-table.js'

const unit = 100_000
const groupSize = 50
const longestCode = 20
const blockMark = 0x314159265359
const endMark = 0x177245385090
/** More than a compressed block can have for each unit: 20 bits for each byte, and the tables. */
const blockShare = 320 * 1024
const pieceBytes = 256 * 1024

const magic = Uint8Array.of(0x42, 0x5a, 0x68)

export function isBzip2(start: Bytes): boolean {
  return magic.every((byte, index) => start[index] === byte)
}

export async function* bunzip2Pieces(reader: ByteReader, meter: Meter): AsyncGenerator<Bytes> {
  const input = lookahead(reader)
  let accounted = 0
  for (let isFirst = true; ; isFirst = false) {
    const level = await readHeader(input, isFirst)
    if (level === undefined) return
    const needed = level * unit * 4
    if (needed > accounted) meter.account(needed - accounted)
    accounted = Math.max(accounted, needed)
    yield* streamPieces(input, level, meter)
  }
}

/** The level of the stream that begins here; undefined after the last one. */
async function readHeader(input: Lookahead, isFirst: boolean): Promise<number | undefined> {
  const isThere = await input.ensure(4)
  const [start, level] = [input.bytes.subarray(input.at, input.at + 4), (input.bytes[input.at + 3] ?? 0) - 0x30]
  if (isThere && isBzip2(start) && level >= 1 && level <= 9) {
    input.at += 4
    return level
  }
  if (!isFirst && start.length === 0) return undefined
  if (!isFirst) throw new BadData('trailing')
  const isPrefix = !isThere && start.every((byte, index) => byte === magic[index])
  throw new BadData(isPrefix ? 'truncated' : 'format')
}

async function* streamPieces(input: Lookahead, level: number, meter: Meter): AsyncGenerator<Bytes> {
  const bits = bitReader(input)
  const links = new Uint32Array(level * unit)
  let streamCrc = 0
  for (;;) {
    meter.step()
    await input.ensure(level * blockShare)
    bits.refill()
    const mark = bits.take(24) * 2 ** 24 + bits.take(24)
    const crc = (bits.take(16) << 16) | bits.take(16)
    if (mark === endMark) {
      if (crc !== streamCrc) throw new BadData('damaged')
      bits.align()
      return
    }
    if (mark !== blockMark) throw new BadData('damaged')
    streamCrc = combined(streamCrc, crc)
    yield* blockPieces(bits, links, crc)
  }
}

function* blockPieces(bits: BitReader, links: Uint32Array, crc: number): Generator<Bytes> {
  if (bits.take(1) === 1) throw new BadData('unsupported')
  const origin = bits.take(24)
  const used = readUsed(bits)
  const { readers, selectors } = readTables(bits, used.length + 2)
  const size = readBytes(bits, used, readers, selectors, links)
  if (origin >= size) throw new BadData('damaged')
  yield* plainBytes(links, size, origin, crc)
}

function readUsed(bits: BitReader): Uint8Array {
  const ranges = bits.take(16)
  const used: number[] = []
  for (let range = 0; range < 16; range += 1) {
    if (((ranges >> (15 - range)) & 1) === 0) continue
    const within = bits.take(16)
    for (let low = 0; low < 16; low += 1) if (((within >> (15 - low)) & 1) === 1) used.push(range * 16 + low)
  }
  if (used.length === 0) throw new BadData('damaged')
  return Uint8Array.from(used)
}

function readTables(bits: BitReader, symbols: number): { readers: SymbolReader[]; selectors: Uint8Array } {
  const tables = bits.take(3)
  const count = bits.take(15)
  if (tables < 2 || tables > 6 || count < 1) throw new BadData('damaged')
  const recent = Array.from({ length: tables }, (_, table) => table)
  const selectors = new Uint8Array(count)
  for (let group = 0; group < count; group += 1) {
    let place = 0
    while (bits.take(1) === 1) place += 1
    const [selector] = recent.splice(place, 1)
    if (selector === undefined) throw new BadData('damaged')
    recent.unshift(selector)
    selectors[group] = selector
  }
  return { selectors, readers: recent.map(() => symbolReader(readLengths(bits, symbols))) }
}

function readLengths(bits: BitReader, symbols: number): Uint8Array {
  const lengths = new Uint8Array(symbols)
  let length = bits.take(5)
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    for (;;) {
      if (length < 1 || length > longestCode) throw new BadData('damaged')
      if (bits.take(1) === 0) break
      length += bits.take(1) === 0 ? 1 : -1
    }
    lengths[symbol] = length
  }
  return lengths
}

/** The transformed bytes of the block, in the low bits of `into`. */
function readBytes(
  bits: BitReader,
  used: Uint8Array,
  readers: readonly SymbolReader[],
  selectors: Uint8Array,
  into: Uint32Array,
): number {
  const recent = used.slice()
  const end = used.length + 1
  let size = 0
  let run = 0
  let weight = 1
  for (const selector of selectors) {
    const read = readers[selector] as SymbolReader
    for (let left = groupSize; left > 0; left -= 1) {
      const symbol = read(bits)
      if (symbol <= 1) {
        run += weight << symbol
        weight *= 2
        if (run > into.length) throw new BadData('damaged')
        continue
      }
      if (run > 0) {
        if (size + run > into.length) throw new BadData('damaged')
        into.fill(recent[0] as number, size, size + run)
        size += run
        run = 0
        weight = 1
      }
      if (symbol === end) return size
      if (size >= into.length) throw new BadData('damaged')
      const place = symbol - 1
      const byte = recent[place] as number
      recent.copyWithin(1, 0, place)
      recent[0] = byte
      into[size] = byte
      size += 1
    }
  }
  throw new BadData('damaged')
}

/** Undoes the transform and the runs of equal bytes. */
function* plainBytes(links: Uint32Array, size: number, origin: number, crc: number): Generator<Bytes> {
  linkBytes(links, size)
  let piece = new Uint8Array(pieceBytes)
  let filled = 0
  let sum = initialCrc
  let entry = (links[origin] as number) >>> 8
  let previous = -1
  let same = 0
  for (let at = 0; at < size; at += 1) {
    const link = links[entry] as number
    const byte = link & 255
    entry = link >>> 8
    if (filled + 255 > pieceBytes) {
      yield piece.subarray(0, filled)
      piece = new Uint8Array(pieceBytes)
      filled = 0
    }
    if (same === 4) {
      for (let times = byte; times > 0; times -= 1) {
        sum = (sum << 8) ^ (crcTable[(sum >>> 24) ^ previous] as number)
        piece[filled] = previous
        filled += 1
      }
      same = 0
      previous = -1
      continue
    }
    same = byte === previous ? same + 1 : 1
    previous = byte
    sum = (sum << 8) ^ (crcTable[(sum >>> 24) ^ byte] as number)
    piece[filled] = byte
    filled += 1
  }
  if (~sum !== crc) throw new BadData('damaged')
  yield piece.subarray(0, filled)
}

/** In the high bits of each byte: where the one after it is. */
function linkBytes(links: Uint32Array, size: number): void {
  const starts = new Int32Array(257)
  for (let at = 0; at < size; at += 1) {
    const after = ((links[at] as number) & 255) + 1
    starts[after] = (starts[after] as number) + 1
  }
  for (let byte = 1; byte < 257; byte += 1) starts[byte] = (starts[byte] as number) + (starts[byte - 1] as number)
  for (let at = 0; at < size; at += 1) {
    const byte = (links[at] as number) & 255
    const place = starts[byte] as number
    links[place] = ((links[place] as number) & 255) | (at << 8)
    starts[byte] = place + 1
  }
}
