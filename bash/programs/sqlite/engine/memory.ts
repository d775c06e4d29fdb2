/** The engine's memory as values: its views change when it grows. */
import { decodeText, encodeText } from '../../../io/byte-text.js'

export interface EngineMemory {
  readonly object: WebAssembly.Memory
  bytes(): Uint8Array<ArrayBuffer>
  view(): DataView
  /** Text up to the first byte of value 0. */
  text(at: number): string
  /** A copy. */
  slice(at: number, length: number): Uint8Array<ArrayBuffer>
  /** Called before it grows; what it throws ends the engine. */
  grow(bytes: number): boolean
}

const pageBytes = 65536
const initialPages = 128
/** As the engine was linked. */
const maximumPages = 32768

export function engineMemory(count: (bytes: number) => void): EngineMemory {
  const object = new WebAssembly.Memory({ initial: initialPages, maximum: maximumPages })
  count(initialPages * pageBytes)
  let bytes = new Uint8Array(object.buffer)
  let view = new DataView(object.buffer)

  function fresh(): void {
    if (bytes.buffer === object.buffer) return
    bytes = new Uint8Array(object.buffer)
    view = new DataView(object.buffer)
  }

  const memory: EngineMemory = {
    object,
    bytes() {
      fresh()
      return bytes
    },
    view() {
      fresh()
      return view
    },
    text(at) {
      const all = memory.bytes()
      return decodeText(all.slice(at, all.indexOf(0, at)))
    },
    slice: (at, length) => memory.bytes().slice(at, at + length),
    grow(wanted) {
      const now = memory.bytes().length
      // More than is asked for, so that it does not grow with every page.
      const size = Math.max(wanted, Math.min(now * 1.2, now + (8 << 20)))
      const pages = Math.ceil((size - now) / pageBytes)
      if (now / pageBytes + pages > maximumPages) return false
      count(pages * pageBytes)
      object.grow(pages)
      return true
    },
  }
  return memory
}

/** Text as C has it: up to its first character of value 0. */
export function encodeCText(text: string): Uint8Array<ArrayBuffer> {
  const bytes = encodeText(text)
  const end = bytes.indexOf(0)
  const all = new Uint8Array((end < 0 ? bytes.length : end) + 1)
  all.set(end < 0 ? bytes : bytes.subarray(0, end))
  return all
}
