/** Compresses a stream in xz format: one block of LZMA2 chunks. */

import type { Hash } from '../../../../src/fs/digests/block-hash.js'
import type { Bytes } from '../../../../src/fs/types.js'
import { crc32 } from '../../../../src/text/crc32.js'
import type { ByteReader } from '../../../io/streams.js'
import type { Meter } from '../codec.js'
import { checkBytes, checkOf, littleEndian } from './checks.js'
import { numberBytes } from './decompress.js'
import { lzmaEncoder, packedProperties } from './lzma-encoder.js'
import { matchFinder } from './match-finder.js'

const mostCoded = 64 * 1024
const mostPlain = 2 * 1024 * 1024
/** Matches are looked for within this much at most: greater levels only say so in the header. */
const mostDictionary = 2 ** 23
const leastDictionary = 2 ** 12
/** By level: the exponent of the dictionary's size, and how hard matches are looked for. */
const dictionaryBits = [18, 20, 21, 22, 22, 23, 23, 24, 25, 26]
const depths = [4, 8, 16, 24, 32, 48, 64, 96, 128, 192]

export async function* xzPieces(
  reader: ByteReader,
  level: number,
  checkId: number,
  meter: Meter,
): AsyncGenerator<Bytes> {
  const flags = Uint8Array.of(0, checkId)
  yield Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, ...flags, ...littleEndian(crc32(flags)))
  const records: number[] = []
  const start = await reader.read()
  if (start !== undefined) {
    reader.unread(start)
    const check = checkOf(checkId) as Hash
    const header = blockHeader(level)
    yield header
    const sizes = { packed: header.length, plain: 0 }
    yield* chunks(reader, level, check, sizes, meter)
    yield new Uint8Array((4 - (sizes.packed % 4)) % 4)
    yield check.digest()
    records.push(sizes.packed + checkBytes(checkId), sizes.plain)
  }
  const content = [0, ...[records.length / 2, ...records].flatMap(numberBytes)]
  while (content.length % 4 !== 0) content.push(0)
  const index = Uint8Array.from(content)
  yield index
  yield littleEndian(crc32(index))
  const footer = Uint8Array.of(...littleEndian(index.length / 4), ...flags)
  yield Uint8Array.of(...littleEndian(crc32(footer)), ...footer, 0x59, 0x5a)
}

function blockHeader(level: number): Bytes {
  const dictionary = ((dictionaryBits[level] as number) - 12) * 2
  const body = Uint8Array.of(2, 0, 0x21, 1, dictionary, 0, 0, 0)
  return Uint8Array.of(...body, ...littleEndian(crc32(body)))
}

/** Reads ahead into a buffer that slides over the input. */
function inputBuffer(reader: ByteReader, dictionary: number, meter: Meter) {
  let data = new Uint8Array(64 * 1024)
  let filled = 0
  let isEnded = false
  meter.account(data.length)
  return {
    data: () => data,
    filled: () => filled,
    isEnded: () => isEnded,
    async fill(until: number, onChunk: (chunk: Bytes) => void): Promise<void> {
      while (filled < until && !isEnded) {
        const chunk = await reader.read()
        if (chunk === undefined) {
          isEnded = true
          return
        }
        onChunk(chunk)
        if (filled + chunk.length > data.length) {
          const larger = new Uint8Array(Math.max(data.length * 2, filled + chunk.length))
          meter.account(larger.length - data.length)
          larger.set(data.subarray(0, filled))
          data = larger
        }
        data.set(chunk, filled)
        filled += chunk.length
      }
    },
    /** Drops a dictionary's size from the start. */
    slide(): void {
      data.copyWithin(0, dictionary, filled)
      filled -= dictionary
    },
  }
}

async function* chunks(
  reader: ByteReader,
  level: number,
  check: Hash,
  sizes: { packed: number; plain: number },
  meter: Meter,
): AsyncGenerator<Bytes> {
  const most = Math.min(mostDictionary, 2 ** (dictionaryBits[level] as number))
  const input = inputBuffer(reader, most, meter)
  const onChunk = (chunk: Bytes) => {
    check.update(chunk)
    sizes.plain += chunk.length
  }
  await input.fill(mostPlain, onChunk)
  const dictionary = input.isEnded() ? Math.min(most, powerFrom(Math.max(leastDictionary, input.filled()))) : most
  meter.account(dictionary * 4)
  const finder = matchFinder(input.data, { dictionary, depth: depths[level] as number, nice: level < 6 ? 64 : 128 })
  const encoder = lzmaEncoder(finder, mostCoded)
  let [position, origin] = [0, 0]
  let [needsDictionary, needsProperties, needsState] = [true, true, true]
  for (;;) {
    meter.step()
    while (position >= 2 * most) {
      input.slide()
      finder.shift(most)
      position -= most
      origin -= most
    }
    await input.fill(position + mostPlain, onChunk)
    const end = Math.min(input.filled(), position + mostPlain)
    if (position === end) break
    if (needsState) encoder.resetState()
    const { coded, end: stopped } = encoder.encode(input.data(), position, end, origin)
    const size = stopped - position
    if (coded.length < size) {
      const reset = needsDictionary ? 3 : needsProperties ? 2 : needsState ? 1 : 0
      const head = [0x80 | (reset << 5) | ((size - 1) >> 16), (size - 1) >> 8, size - 1, ...lowBytes(coded.length - 1)]
      const packed = Uint8Array.of(...head, ...(reset >= 2 ? [packedProperties] : []))
      yield packed
      yield coded
      sizes.packed += packed.length + coded.length
      needsDictionary = false
      needsProperties = false
      needsState = false
    } else {
      yield Uint8Array.of(needsDictionary ? 1 : 2, ...lowBytes(size - 1))
      yield input.data().slice(position, stopped)
      sizes.packed += 3 + size
      needsDictionary = false
      needsState = true
    }
    position = stopped
  }
  yield Uint8Array.of(0)
  sizes.packed += 1
}

/** The two lowest bytes, the higher first. */
function lowBytes(value: number): [number, number] {
  return [(value >> 8) & 255, value & 255]
}

function powerFrom(size: number): number {
  return 2 ** Math.ceil(Math.log2(size))
}
