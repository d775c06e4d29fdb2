/** Asks the shell with a message, and sleeps until the answer is in shared memory. */
import { dataAt, word } from './shared-memory.js'

interface Asked {
  name: string
  given: unknown[]
}

/** Returns the answer to a question, or fails with what `failure` makes of the name of an error. */
export function sharedAnswers<Question extends Asked>(
  shared: SharedArrayBuffer,
  post: (message: { kind: 'ask'; name: Question['name']; given: unknown[] } | { kind: 'more' }) => void,
  failure: (error: string) => Error,
): (question: Question) => unknown {
  const words = new Int32Array(shared, 0, dataAt / 4)
  const data = new Uint8Array(shared, dataAt)

  function waitFor(message: Parameters<typeof post>[0]): void {
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
    if (error !== undefined) throw failure(error)
    return hasBytes ? { value, bytes: all.subarray(textLength) } : value
  }
}
