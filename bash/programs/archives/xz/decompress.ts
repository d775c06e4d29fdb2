/** Decompresses xz data: streams of blocks, each an LZMA2 stream with a check. */
import type { Bytes } from '../../../../src/fs/types.js'
import { crc32 } from '../../../../src/text/crc32.js'
import type { ByteReader } from '../../../io/streams.js'
import { BadData, type Lookahead, lookahead, type Meter } from '../codec.js'
import { checkBytes, checkOf, littleEndian } from './checks.js'
import { lzmaDecoder } from './lzma-decoder.js'
import { outputWindow } from './output-window.js'

const magic = Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0)
const lzma2 = 0x21

/** The sizes of a block, as the index of its stream repeats them. */
export interface BlockSizes {
  packed: number
  plain: number
}

/** Called at the end of each stream. */
export type OnStream = (stream: { check: number; blocks: readonly BlockSizes[] }) => void

export function isXz(start: Bytes): boolean {
  return start.length >= magic.length && magic.every((byte, index) => start[index] === byte)
}

export async function* unxzPieces(reader: ByteReader, meter: Meter, onStream?: OnStream): AsyncGenerator<Bytes> {
  const input = lookahead(reader)
  for (let isFirst = true; ; isFirst = false) {
    if (!isFirst) await skipPadding(input)
    if (!isFirst && !(await input.ensure(1))) return
    const check = await readStreamHeader(input)
    const blocks: BlockSizes[] = []
    while ((await byteAt(input)) !== 0) yield* blockPieces(input, check, meter, blocks)
    await readIndex(input, check, blocks)
    onStream?.({ check, blocks })
  }
}

async function take(input: Lookahead, count: number): Promise<Bytes> {
  if (!(await input.ensure(count))) throw new BadData('truncated')
  input.at += count
  return input.bytes.subarray(input.at - count, input.at)
}

/** The next byte, which is not taken. */
async function byteAt(input: Lookahead): Promise<number> {
  if (!(await input.ensure(1))) throw new BadData('truncated')
  return input.bytes[input.at] as number
}

function require(isRight: boolean): void {
  if (!isRight) throw new BadData('damaged')
}

function isSame(left: Bytes, right: Bytes): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index])
}

async function skipPadding(input: Lookahead): Promise<void> {
  while (await input.ensure(4)) {
    if (input.bytes.subarray(input.at, input.at + 4).some((byte) => byte !== 0)) return
    input.at += 4
  }
}

/** The number of the check. */
async function readStreamHeader(input: Lookahead): Promise<number> {
  const isWhole = await input.ensure(12)
  const start = input.bytes.subarray(input.at, input.at + 12)
  if (!isXz(start)) throw new BadData('format')
  if (!isWhole) throw new BadData('truncated')
  input.at += 12
  require(isSame(start.subarray(8), littleEndian(crc32(start.subarray(6, 8)))))
  const check = start[7] as number
  if (start[6] !== 0 || check > 15) throw new BadData('unsupported')
  return check
}

/** A number of up to nine bytes of seven bits, and where it ends. */
function readNumber(bytes: Bytes, from: number): [value: number, end: number] {
  let value = 0
  for (let index = 0; index < 9; index += 1) {
    const byte = bytes[from + index]
    if (byte === undefined) break
    value += (byte & 127) * 2 ** (7 * index)
    if (byte < 128) return [value, from + index + 1]
  }
  throw new BadData('damaged')
}

/** The size of the dictionary. */
function readBlockHeader(header: Bytes): { dictionary: number; packed: number | undefined; plain: number | undefined } {
  const body = header.subarray(0, -4)
  require(isSame(header.subarray(-4), littleEndian(crc32(body))))
  const flags = body[1] as number
  let end = 2
  let [packed, plain]: [number | undefined, number | undefined] = [undefined, undefined]
  if (flags & 0x40) [packed, end] = readNumber(body, end)
  if (flags & 0x80) [plain, end] = readNumber(body, end)
  if ((flags & 0x3f) !== 0 || body[end] !== lzma2 || body[end + 1] !== 1) throw new BadData('unsupported')
  const code = body[end + 2] as number
  if (code > 40) throw new BadData('unsupported')
  require(body.subarray(end + 3).every((byte) => byte === 0))
  const dictionary = code === 40 ? 2 ** 32 - 1 : (2 | (code & 1)) * 2 ** ((code >> 1) + 11)
  return { dictionary, packed, plain }
}

async function* blockPieces(
  input: Lookahead,
  checkId: number,
  meter: Meter,
  blocks: BlockSizes[],
): AsyncGenerator<Bytes> {
  const headerBytes = ((await byteAt(input)) + 1) * 4
  const header = readBlockHeader(await take(input, headerBytes))
  const check = checkOf(checkId)
  const sizes = { packed: 0, plain: 0 }
  for await (const piece of lzma2Pieces(input, header.dictionary, meter, sizes)) {
    check?.update(piece)
    yield piece
  }
  require(header.packed === undefined || header.packed === sizes.packed)
  require(header.plain === undefined || header.plain === sizes.plain)
  const padding = (4 - (sizes.packed % 4)) % 4
  require((await take(input, padding)).every((byte) => byte === 0))
  const stored = await take(input, checkBytes(checkId))
  if (check !== undefined) require(isSame(stored, check.digest()))
  blocks.push({ packed: headerBytes + sizes.packed + checkBytes(checkId), plain: sizes.plain })
}

/** Chunks, each of which is compressed or not, up to an end mark. */
async function* lzma2Pieces(
  input: Lookahead,
  dictionary: number,
  meter: Meter,
  sizes: BlockSizes,
): AsyncGenerator<Bytes> {
  const window = outputWindow(dictionary, meter)
  const decoder = lzmaDecoder(window)
  /** What the first chunks have to bring. */
  let needs: 'dictionary' | 'properties' | undefined = 'dictionary'
  for (;;) {
    meter.step()
    const control = (await take(input, 1))[0] as number
    sizes.packed += 1
    if (control === 0) return
    const isPlain = control < 0x80
    require(!isPlain || control <= 2)
    if (control === 1 || control >= 0xe0) {
      window.reset()
      needs = 'properties'
    }
    require(needs !== 'dictionary')
    if (isPlain) {
      const [high, low] = await take(input, 2)
      const size = ((high as number) << 8) + (low as number) + 1
      window.reserve(size)
      window.append(await take(input, size))
      sizes.packed += 2 + size
      sizes.plain += size
      yield window.take()
      continue
    }
    const head = await take(input, 4)
    const size = ((control & 31) << 16) + ((head[0] as number) << 8) + (head[1] as number) + 1
    const coded = ((head[2] as number) << 8) + (head[3] as number) + 1
    sizes.packed += 4 + coded
    sizes.plain += size
    const reset = (control >> 5) & 3
    require(needs === undefined || reset >= 2)
    if (reset >= 2) {
      decoder.setProperties((await take(input, 1))[0] as number)
      sizes.packed += 1
    }
    if (reset >= 1) decoder.resetState()
    needs = undefined
    window.reserve(size)
    decoder.decode(await take(input, coded), size)
    yield window.take()
  }
}

/** The index repeats the sizes of the blocks; the footer repeats the header and has the size of the index. */
async function readIndex(input: Lookahead, check: number, blocks: readonly BlockSizes[]): Promise<void> {
  const numbers = [blocks.length, ...blocks.flatMap(({ packed, plain }) => [packed, plain])]
  const content = [0, ...numbers.flatMap(numberBytes)]
  while (content.length % 4 !== 0) content.push(0)
  const expected = Uint8Array.from(content)
  require(isSame(await take(input, expected.length), expected))
  require(isSame(await take(input, 4), littleEndian(crc32(expected))))
  const footer = await take(input, 12)
  require(isSame(footer.subarray(4, 8), littleEndian(expected.length / 4)))
  require(footer[8] === 0 && footer[9] === check && footer[10] === 0x59 && footer[11] === 0x5a)
  require(isSame(footer.subarray(0, 4), littleEndian(crc32(footer.subarray(4, 10)))))
}

/** A number as `readNumber` reads it. */
export function numberBytes(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return [...bytes, rest]
}
