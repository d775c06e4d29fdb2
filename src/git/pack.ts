/** Many new objects as one file: a thousand small ones would cost a thousand renames. */

import type { Bytes } from '../fs/types.js'
import { crc32 } from '../text/crc32.js'
import { joinBytes } from '../text/join-bytes.js'
import { fromHex, sha1, toHex } from './object-id.js'

export interface PackedObject {
  oid: string
  type: 'blob' | 'tree' | 'commit'
  bytes: Bytes
}

export interface Pack {
  /** Without ending: `pack-…`. */
  name: string
  pack: Bytes
  index: Bytes
}

const typeNumbers = { commit: 1, tree: 2, blob: 3 }

/** Compressed in parallel where the platform does. */
const atOnce = 8

/** A pack without deltas, and its index of version 2. `check` is called now and then, and may throw. */
export async function writePack(objects: readonly PackedObject[], check: () => void = () => {}): Promise<Pack> {
  const entries: Array<{ oid: string; crc: number; offset: number; bytes: Bytes }> = []
  let offset = 12
  for (let start = 0; start < objects.length; start += atOnce) {
    check()
    const made = await Promise.all(objects.slice(start, start + atOnce).map(packEntry))
    for (const [i, bytes] of made.entries()) {
      entries.push({ oid: (objects[start + i] as PackedObject).oid, crc: crc32(bytes), offset, bytes })
      offset += bytes.length
    }
  }
  const pack = new Uint8Array(offset + 20)
  const view = new DataView(pack.buffer)
  view.setUint32(0, 0x5041434b)
  view.setUint32(4, 2)
  view.setUint32(8, objects.length)
  for (const entry of entries) pack.set(entry.bytes, entry.offset)
  const checksum = await sha1(pack.subarray(0, offset))
  pack.set(checksum, offset)
  return { name: `pack-${toHex(checksum)}`, pack, index: await packIndex(entries, checksum) }
}

/** An object as it stands in a file of its own. */
export async function writeLoose({ type, bytes }: PackedObject): Promise<Bytes> {
  return deflate(joinBytes([new TextEncoder().encode(`${type} ${bytes.length}\0`), bytes]))
}

async function packEntry({ type, bytes }: PackedObject): Promise<Bytes> {
  const head: number[] = []
  let rest = bytes.length
  head.push((typeNumbers[type] << 4) | (rest & 15))
  for (rest = Math.floor(rest / 16); rest > 0; rest = Math.floor(rest / 128)) {
    head[head.length - 1] = (head.at(-1) as number) | 0x80
    head.push(rest & 0x7f)
  }
  return joinBytes([Uint8Array.from(head), await deflate(bytes)])
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

async function deflate(bytes: Bytes): Promise<Bytes> {
  const { readable, writable } = new CompressionStream('deflate')
  const writer = writable.getWriter()
  // A failure shows where it is read.
  writer.write(bytes as Uint8Array<ArrayBuffer>).catch(() => {})
  writer.close().catch(() => {})
  const reader = readable.getReader()
  const chunks: Bytes[] = []
  for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value)
  return joinBytes(chunks)
}
