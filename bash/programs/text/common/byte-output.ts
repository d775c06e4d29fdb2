/** Collects small pieces of output in large buffers, for programs that write byte by byte or field by field. */
import type { Bytes } from '../../../../src/fs/types.js'
import { encodeText } from '../../../io/byte-text.js'
import type { Output } from '../../../io/program.js'

const bufferBytes = 64 * 1024
const copyByHand = 24

export class ByteOutput {
  #buffer: Bytes = new Uint8Array(bufferBytes)
  #length = 0
  #full: Bytes[] = []

  constructor(private readonly output: Pick<Output, 'write'>) {}

  /** True when `drain` should be awaited before more is written. */
  get isFull(): boolean {
    return this.#full.length > 0
  }

  byte(value: number): void {
    if (this.#length === this.#buffer.length) this.#next()
    this.#buffer[this.#length++] = value
  }

  bytes(from: Bytes, start = 0, end = from.length): void {
    const count = end - start
    if (count <= 0) return
    if (count > this.#buffer.length - this.#length) {
      this.#next()
      if (count > bufferBytes) {
        this.#full.push(from.slice(start, end))
        return
      }
    }
    if (count > copyByHand) {
      this.#buffer.set(start === 0 && end === from.length ? from : from.subarray(start, end), this.#length)
    } else {
      const buffer = this.#buffer
      for (let at = start, to = this.#length; at < end; at += 1, to += 1) buffer[to] = from[at] as number
    }
    this.#length += count
  }

  /** Text of ASCII characters only. */
  ascii(text: string): void {
    for (let at = 0; at < text.length; at += 1) this.byte(text.charCodeAt(at))
  }

  text(text: string): void {
    this.bytes(encodeText(text))
  }

  /** The same byte `count` times. */
  fill(value: number, count: number): void {
    for (let left = count; left > 0; left -= 1) this.byte(value)
  }

  /** Hands over the full buffers. */
  async drain(): Promise<void> {
    const full = this.#full
    this.#full = []
    for (const bytes of full) await this.output.write(bytes)
  }

  /** Hands over everything. */
  async flush(): Promise<void> {
    this.#next()
    await this.drain()
  }

  #next(): void {
    if (this.#length === 0) return
    this.#full.push(this.#buffer.subarray(0, this.#length))
    this.#buffer = new Uint8Array(bufferBytes)
    this.#length = 0
  }
}
