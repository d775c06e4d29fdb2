/** Hands answers to a thread that sleeps: into memory that is shared with it, a piece at a time. */
import type { Bytes } from '../../../src/fs/types.js'
import { answerBytes, dataAt, WithBytes, word } from './shared-memory.js'

export interface AnswersGiven {
  /** What the thread needs for it. */
  readonly shared?: SharedArrayBuffer
  give(answer: unknown): void
  /** For the name of an error, such as `ENOENT`. */
  fail(error: string): void
  /** The next piece of the last answer. */
  more(): void
}

export function answerMemory(): AnswersGiven {
  const shared = new SharedArrayBuffer(dataAt + answerBytes)
  const words = new Int32Array(shared, 0, dataAt / 4)
  const data = new Uint8Array(shared, dataAt)
  let parts: Bytes[] = []

  function begin(content: object, bytes: Bytes = new Uint8Array()): void {
    const text = new TextEncoder().encode(JSON.stringify(content))
    words[word.text] = text.length
    words[word.bytes] = bytes.length
    parts = [text, bytes]
    more()
  }

  function more(): void {
    let length = 0
    while (parts.length > 0 && length < answerBytes) {
      const [part] = parts as [Bytes]
      const fits = part.subarray(0, answerBytes - length)
      data.set(fits, length)
      length += fits.length
      if (fits.length === part.length) parts.shift()
      else parts[0] = part.subarray(fits.length)
    }
    words[word.piece] = length
    Atomics.store(words, word.state, 1)
    Atomics.notify(words, word.state)
  }

  return {
    shared,
    give(answer) {
      if (answer instanceof WithBytes) begin({ value: answer.value, hasBytes: true }, answer.bytes)
      else begin({ value: answer ?? null })
    },
    fail: (error) => begin({ error }),
    more,
  }
}
