/** Writes many new objects as one pack: a thousand small files would cost a thousand renames. */

import type { Streamed } from '../../change/streamed-content.js'
import { FsError } from '../../errors.js'
import { createSha1, sha1 } from '../../fs/digests/sha1.js'
import { gather } from '../../fs/pieces.js'
import type { Bytes } from '../../fs/types.js'
import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import { crc32 } from '../../text/crc32.js'
import { fromHex, toHex } from '../../text/hex.js'
import { joinBytes } from '../../text/join-bytes.js'
import { type Compress, compressorFor } from './deflate.js'
import type { NewObject } from './new-object.js'

export interface Pack {
  /** Without extension: `pack-…`. */
  name: string
  /** A pack too large for memory is generated again when it is written. */
  pack: Bytes | Streamed
  index: Bytes
}

const typeNumbers = { commit: 1, tree: 2, blob: 3, tag: 4 }

/** Compressed concurrently where the platform supports it. */
const concurrency = 8

const maxHeldBytes = 32 * 1024 * 1024

export interface WritePackOptions {
  compress: Compress
  check?: (() => void) | undefined
  maxBytes?: number
}

/** Creates a pack without deltas and its index, version 2. `check` is called from time to time and may throw. */
export async function writePack(
  objects: readonly NewObject[],
  { compress, check = () => {}, maxBytes = maxHeldBytes }: WritePackOptions,
): Promise<Pack> {
  const entries: Array<{ oid: string; crc: number; offset: number }> = []
  const hash = createSha1()
  let held: Bytes[] | undefined = []
  let offset = 0
  const pieces = () => packPieces(objects, { compress, check })
  for await (const { bytes, oid } of pieces()) {
    if (oid !== undefined) entries.push({ oid, crc: crc32(bytes), offset })
    offset += bytes.length
    hash.update(bytes)
    if (offset > maxBytes) held = undefined
    held?.push(bytes)
  }
  const checksum = hash.digest()
  const pack = held === undefined ? regenerated(pieces, checksum, offset) : joinBytes([...held, checksum])
  return { name: `pack-${toHex(checksum)}`, pack, index: await packIndex(entries, checksum) }
}

/** Generates the same bytes again; fails when a file has changed in the meantime. */
function regenerated(packed: () => AsyncGenerator<{ bytes: Bytes }>, checksum: Bytes, length: number): Streamed {
  return {
    size: length + checksum.length,
    async *pieces() {
      const hash = createSha1()
      for await (const { bytes } of packed()) {
        hash.update(bytes)
        yield bytes
      }
      const name = toHex(checksum)
      if (toHex(hash.digest()) !== name) throw new FsError('CONFLICT', { path: `pack-${name}.pack` })
      yield checksum
    },
  }
}

async function* packPieces(
  objects: readonly NewObject[],
  { compress, check }: { compress: Compress; check: () => void },
): AsyncGenerator<{ bytes: Bytes; oid?: string }> {
  const header = new DataView(new ArrayBuffer(12))
  header.setUint32(0, 0x5041434b)
  header.setUint32(4, 2)
  header.setUint32(8, objects.length)
  yield { bytes: new Uint8Array(header.buffer) }
  const turn = yieldBetweenSteps()
  for (let start = 0; start < objects.length; start += concurrency) {
    check()
    await turn()
    const some = objects.slice(start, start + concurrency)
    const made = await Promise.all(some.map((object) => packEntry(object, compress)))
    for (const [i, bytes] of made.entries()) yield { bytes, oid: (some[i] as NewObject).oid }
  }
}

/** An object as a loose file. */
export function looseObject(object: NewObject, compress: Compress): Streamed {
  const { type, size, pieces } = object
  return {
    pieces: () =>
      compressorFor(
        object,
        compress,
      )(
        (async function* () {
          yield new TextEncoder().encode(`${type} ${size}\0`)
          yield* pieces()
        })(),
      ),
  }
}

async function packEntry(object: NewObject, compress: Compress): Promise<Bytes> {
  const { type, size, pieces } = object
  const head: number[] = [(typeNumbers[type] << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    head[head.length - 1] = (head.at(-1) as number) | 0x80
    head.push(rest & 0x7f)
  }
  return joinBytes([Uint8Array.from(head), await gather(() => compressorFor(object, compress)(pieces()))])
}

async function packIndex(
  entries: ReadonlyArray<{ oid: string; crc: number; offset: number }>,
  checksum: Bytes,
): Promise<Bytes> {
  const inOrder = [...entries].sort((a, b) => (a.oid < b.oid ? -1 : 1))
  const count = inOrder.length
  const length = 8 + 256 * 4 + count * 28 + 20
  const bytes = new Uint8Array(length + 20)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 0xff744f63)
  view.setUint32(4, 2)
  for (let first = 0, at = 0; first < 256; first += 1) {
    while (at < count && Number.parseInt((inOrder[at] as { oid: string }).oid.slice(0, 2), 16) <= first) at += 1
    view.setUint32(8 + first * 4, at)
  }
  const [oids, crcs, offsets] = [1032, 1032 + count * 20, 1032 + count * 24]
  for (const [i, { oid, crc, offset }] of inOrder.entries()) {
    bytes.set(fromHex(oid), oids + i * 20)
    view.setUint32(crcs + i * 4, crc)
    view.setUint32(offsets + i * 4, offset)
  }
  bytes.set(checksum, length - 20)
  bytes.set(await sha1(bytes.subarray(0, length)), length)
  return bytes
}
