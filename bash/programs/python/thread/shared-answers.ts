/** Asks the shell with a message, and sleeps until the answer is in shared memory. */
import { dataAt, type FromPython, word } from '../wire.js'
import type { Question } from './ask.js'
import { SystemFailure } from './errno.js'

/** Returns the answer to a question, or fails with `SystemFailure`. */
export function sharedAnswers(
  shared: SharedArrayBuffer,
  post: (message: FromPython) => void,
): (question: Question) => unknown {
  const words = new Int32Array(shared, 0, dataAt / 4)
  const data = new Uint8Array(shared, dataAt)

  function waitFor(message: FromPython): void {
    Atomics.store(words, word.state, 0)
    post(message)
    // The notice of the answer before may come only now: it must not end the wait for this one.
    while (Atomics.load(words, word.state) === 0) Atomics.wait(words, word.state, 0)
  }

  return ({ name, given }) => {
    waitFor({ kind: 'ask', name, given })
    const textLength = words[word.text] as number
    const all = new Uint8Array(textLength + (words[word.bytes] as number))
    for (let at = 0; ; waitFor({ kind: 'more' })) {
      const length = words[word.piece] as number
      all.set(data.subarray(0, length), at)
      at += length
      if (at >= all.length) break
    }
    const text = new TextDecoder().decode(all.subarray(0, textLength))
    const { error, value, hasBytes } = JSON.parse(text) as { error?: string; value: unknown; hasBytes?: boolean }
    if (error !== undefined) throw new SystemFailure(error)
    return hasBytes ? { value, bytes: all.subarray(textLength) } : value
  }
}
