/** The engine's memory as system calls see it: texts, numbers and structures at addresses. */
import { decodeText, encodeText } from '../../../io/byte-text.js'
import type { FileFacts } from '../wire.js'

export interface EngineMemory {
  /** Valid until the memory grows. */
  bytes(): Uint8Array<ArrayBuffer>
  view(): DataView<ArrayBuffer>
  /** A text that ends with a zero byte. Bytes that are not UTF-8 are kept, as everywhere in the shell. */
  text(address: number): string
  putText(address: number, text: string): void
  word(address: number): number
  putWord(address: number, value: number): void
  putLong(address: number, value: number): void
  putFacts(address: number, facts: FileFacts): void
  /** The buffers of a vector call. */
  vectors(address: number, count: number): Array<{ address: number; length: number }>
}

const vectorBytes = 8
const blockBytes = 512
const blockSize = 4096

export function engineMemory(memory: WebAssembly.Memory): EngineMemory {
  let buffer = memory.buffer
  let all = new Uint8Array(buffer)
  let data = new DataView(buffer)

  function renew(): void {
    if (memory.buffer === buffer) return
    buffer = memory.buffer
    all = new Uint8Array(buffer)
    data = new DataView(buffer)
  }

  function bytes(): Uint8Array<ArrayBuffer> {
    renew()
    return all
  }

  function view(): DataView<ArrayBuffer> {
    renew()
    return data
  }

  const word = (address: number) => view().getUint32(address, true)
  const putWord = (address: number, value: number) => view().setUint32(address, value, true)
  const putLong = (address: number, value: number) => view().setBigInt64(address, BigInt(Math.trunc(value)), true)

  function putTime(address: number, ms: number): void {
    const seconds = Math.floor(ms / 1000)
    putLong(address, seconds)
    putWord(address + 8, Math.round((ms - seconds * 1000) * 1e6))
  }

  return {
    bytes,
    view,
    text(address) {
      const from = bytes()
      return decodeText(from.slice(address, from.indexOf(0, address)))
    },
    putText(address, text) {
      const encoded = encodeText(text)
      bytes().set(encoded, address)
      bytes()[address + encoded.length] = 0
    },
    word,
    putWord,
    putLong,
    putFacts(address, { mode, size, inode, modifiedMs, accessedMs, changedMs }) {
      bytes().fill(0, address, address + 96)
      putWord(address, 1)
      putWord(address + 4, mode)
      putWord(address + 8, 1)
      putWord(address + 12, ownerId)
      putWord(address + 16, ownerId)
      putLong(address + 24, size)
      putWord(address + 32, blockSize)
      putWord(address + 36, (Math.ceil(size / blockSize) * blockSize) / blockBytes)
      putTime(address + 40, accessedMs)
      putTime(address + 56, modifiedMs)
      putTime(address + 72, changedMs)
      putLong(address + 88, inode)
    },
    vectors(address, count) {
      return Array.from({ length: count }, (_, index) => {
        const at = address + index * vectorBytes
        return { address: word(at), length: word(at + 4) }
      })
    },
  }
}

/** Of all files: the user of the shell. */
export const ownerId = 1000
