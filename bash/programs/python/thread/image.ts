/**
 * An image of a started interpreter. To start Python takes seconds, most of it for modules that every program uses; to copy what a start
 * changed in the memory of a fresh instance takes milliseconds.
 */
import { enginePageBytes, type PythonImage } from '../wire.js'

const pageBytes = 4096

/** Where an image is made: in memory that threads share, where they can. */
export type Room = (bytes: number) => ArrayBufferLike

/** `fresh` is the memory before the start. */
export function imageOf(fresh: Uint8Array, started: Uint8Array, stackPointer: number, room: Room): PythonImage {
  const pages: number[] = []
  for (let at = 0; at < started.length; at += pageBytes) {
    if (!samePage(fresh, started, at)) pages.push(at / pageBytes)
  }
  const numbers = new Uint32Array(room(pages.length * 4))
  const bytes = new Uint8Array(room(pages.length * pageBytes))
  for (const [index, page] of pages.entries()) {
    numbers[index] = page
    bytes.set(started.subarray(page * pageBytes, (page + 1) * pageBytes), index * pageBytes)
  }
  return { pages: numbers, bytes, memoryPages: started.length / enginePageBytes, stackPointer }
}

/** What lies behind the end of the fresh memory is zero there. */
function samePage(fresh: Uint8Array, started: Uint8Array, at: number): boolean {
  const now = wordsOf(started, at)
  if (at >= fresh.length) return now.every((word) => word === 0)
  const before = wordsOf(fresh, at)
  return now.every((word, index) => word === before[index])
}

function wordsOf({ buffer, byteOffset }: Uint8Array, at: number): Int32Array {
  return new Int32Array(buffer, byteOffset + at, pageBytes / 4)
}

/** Makes of a fresh instance one that was started. */
export function restoreImage(memory: WebAssembly.Memory, image: PythonImage): void {
  const missing = image.memoryPages - memory.buffer.byteLength / enginePageBytes
  if (missing > 0) memory.grow(missing)
  const all = new Uint8Array(memory.buffer)
  const { pages, bytes } = image
  // Pages that lie side by side are copied at once.
  for (let first = 0; first < pages.length; ) {
    let last = first + 1
    while (last < pages.length && pages[last] === (pages[last - 1] as number) + 1) last += 1
    all.set(bytes.subarray(first * pageBytes, last * pageBytes), (pages[first] as number) * pageBytes)
    first = last
  }
}
