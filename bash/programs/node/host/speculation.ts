/**
 * Lets a script that cannot wait use files that can only be waited for. The script runs ahead on what is known. When it asks for something that
 * is not, it is ended, the thing is fetched, and the script runs again from the start: calls that were answered before get the same answers, and what
 * they changed is not changed again. So every run does the same up to where the last one ended, and then goes further.
 */

import { codeOf } from '../../error-codes.js'
import type { Value } from '../engine/machine.js'
import { Failure } from './failure.js'

/** The answer has to be waited for. `answer`: what `fetch` returns is the answer itself; otherwise the call is made again. */
export class Miss extends Error {
  constructor(
    readonly fetch: () => Promise<unknown>,
    readonly isAnswer = false,
  ) {
    super('miss')
  }
}

/** The script ended itself. */
class Exit extends Error {
  constructor(readonly status: number) {
    super('exit')
  }
}

interface Answer {
  operation: string
  value: Value
}

export interface Speculation {
  /** Answers a call from the record, or by `live`. */
  answer(operation: string, live: () => Value): Value
  /** The same for something that can be waited for, because the script is at rest. */
  later(operation: string, live: () => Promise<Value>): Promise<Value>
  /** Something to do for real, in this order, when the script has come to rest. */
  effect(run: () => Promise<void> | undefined, bytes?: number): void
  /** Ends the script with this status. */
  exit(status: number): never
  /** Ends the script because of a failure outside of it. */
  fail(error: unknown): void
  readonly isStopping: boolean
  /** True when it is to end because of a failure outside of it. */
  readonly hasFailed: boolean
  /** True while answers come from the record. */
  readonly isReplaying: boolean
  begin(): void
  /** Does what is to be done, and fetches what is missing. The status when the script has ended, `again` when it has to run again. */
  settle(): Promise<number | 'again' | undefined>
}

/** So much may wait before the script is ended to do it; four times as much each time. */
const firstPendingBytes = 2 * 1024 * 1024
/** What an effect counts besides its bytes. */
const effectBytes = 32

export function speculation(options: { account(bytes: number): void; forget(): void }): Speculation {
  const record: Answer[] = []
  let cursor = 0
  let stop: Miss | Exit | { error: unknown } | undefined
  /** The call that the script was in when it was ended. */
  let stoppedIn = ''
  let effects: Array<{ at: number; run: () => Promise<void> | undefined }> = []
  let pendingBytes = 0
  let maxPendingBytes = firstPendingBytes

  /** False when an effect failed: the script sees that as the answer of the call that caused it, in the next run. */
  async function flush(): Promise<boolean> {
    const all = effects
    effects = []
    options.account(-pendingBytes)
    pendingBytes = 0
    for (const { at, run } of all) {
      try {
        await run()
      } catch (error) {
        const operation = record[at]?.operation ?? ''
        if (operation === 'out') throw error
        record.length = at
        record.push({ operation, value: { $fail: codeOf(error) } })
        options.forget()
        return false
      }
    }
    return true
  }

  return {
    get isStopping() {
      return stop !== undefined
    },
    get hasFailed() {
      return stop !== undefined && 'error' in stop
    },
    get isReplaying() {
      return cursor < record.length
    },
    answer(operation, live) {
      if (stop !== undefined) throw new Error('stopped')
      const known = record[cursor]
      if (known !== undefined) {
        if (known.operation !== operation) {
          stop = { error: new Error(`node: the script did ${operation} where it did ${known.operation} before`) }
          throw new Error('stopped')
        }
        cursor += 1
        return known.value
      }
      let value: Value
      try {
        if (pendingBytes > maxPendingBytes) {
          maxPendingBytes *= 4
          throw new Miss(async () => undefined)
        }
        value = live()
      } catch (error) {
        if (error instanceof Failure) value = { $fail: error.code, ...error.details }
        else {
          stoppedIn = operation
          stop = error instanceof Miss || error instanceof Exit ? error : { error }
          throw new Error('stopped')
        }
      }
      record.push({ operation, value })
      cursor += 1
      return value
    },
    async later(operation, live) {
      const known = record[cursor]
      if (known !== undefined && known.operation !== operation) {
        throw new Error(`node: the script did ${operation} where it did ${known.operation} before`)
      }
      const value = known === undefined ? await live() : known.value
      if (known === undefined) record.push({ operation, value })
      cursor += 1
      return value
    },
    effect(run, bytes = 0) {
      options.account(bytes + effectBytes)
      pendingBytes += bytes + effectBytes
      effects.push({ at: record.length, run })
    },
    exit(status) {
      throw new Exit(status)
    },
    fail(error) {
      stop ??= { error }
    },
    begin() {
      cursor = 0
      stop = undefined
    },
    async settle() {
      const ended = stop
      if (ended !== undefined && 'error' in ended) {
        await flush().catch(() => {})
        throw ended.error
      }
      if (!(await flush())) return 'again'
      if (ended instanceof Exit) return ended.status
      if (ended === undefined) return undefined
      const miss = ended as Miss
      const value = await miss.fetch()
      if (miss.isAnswer) record.push({ operation: stoppedIn, value: value as Value })
      return 'again'
    },
  }
}
