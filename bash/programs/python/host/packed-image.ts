/** An image as bytes: how many pages, how many of the engine's memory, and the stack pointer; then the numbers of the pages, and the pages. */
import type { Room } from '../thread/image.js'
import type { PythonImage } from '../wire.js'

const headerBytes = 16

export function packedImage({ pages, bytes, memoryPages, stackPointer }: PythonImage): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(headerBytes + pages.byteLength + bytes.length)
  const header = new DataView(packed.buffer)
  for (const [index, value] of [pages.length, memoryPages, stackPointer].entries())
    header.setUint32(4 * index, value, true)
  packed.set(new Uint8Array(pages.buffer, pages.byteOffset, pages.byteLength), headerBytes)
  packed.set(bytes, headerBytes + pages.byteLength)
  return packed
}

/** Undefined for what is none. */
export function unpackedImage(packed: Uint8Array, room: Room): PythonImage | undefined {
  if (packed.length < headerBytes) return undefined
  const header = new DataView(packed.buffer, packed.byteOffset, headerBytes)
  const [count, memoryPages, stackPointer] = [0, 4, 8].map((at) => header.getUint32(at, true)) as [
    number,
    number,
    number,
  ]
  const pagesEnd = headerBytes + 4 * count
  if (packed.length < pagesEnd) return undefined
  const pages = new Uint32Array(room(4 * count))
  new Uint8Array(pages.buffer).set(packed.subarray(headerBytes, pagesEnd))
  const bytes = new Uint8Array(room(packed.length - pagesEnd))
  bytes.set(packed.subarray(pagesEnd))
  return { pages, bytes, memoryPages, stackPointer }
}
