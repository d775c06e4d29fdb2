/** Asks the shell and sleeps until it has answered. */
import { type Answers, dataAt, type FromPython, type WithBytes, word } from '../wire.js'
import { SystemFailure } from './errno.js'

type Answered<Name extends keyof Answers> =
  Awaited<ReturnType<Answers[Name]>> extends infer Result
    ? Result extends WithBytes<infer Value>
      ? { value: Value; bytes: Uint8Array<ArrayBuffer> }
      : Result
    : never

/** Fails with `SystemFailure`. */
export type Ask = <Name extends keyof Answers>(name: Name, ...given: Parameters<Answers[Name]>) => Answered<Name>

export function shellBehind(shared: SharedArrayBuffer, post: (message: FromPython) => void): Ask {
  const words = new Int32Array(shared, 0, dataAt / 4)
  const data = new Uint8Array(shared, dataAt)

  function waitFor(message: FromPython): void {
    Atomics.store(words, word.state, 0)
    post(message)
    Atomics.wait(words, word.state, 0)
  }

  return (name, ...given) => {
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
    return (hasBytes ? { value, bytes: all.subarray(textLength) } : value) as never
  }
}
