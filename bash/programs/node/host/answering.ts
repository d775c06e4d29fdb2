/** Answers a script that waits: what is not known is fetched, what it changes is done, and then it gets the answer. */
import { codeOf } from '../../error-codes.js'
import type { Value } from '../engine/machine.js'
import { Failure } from './failure.js'
import { Miss, type Speculation } from './speculation.js'

export interface Answering extends Pick<Speculation, 'answer' | 'effect' | 'exit'> {
  /** True when the script has changed something. */
  readonly hasChanged: boolean
  /** The answer, when all that belongs to it is done. */
  settled(call: () => Value): Promise<Value>
}

/** `forget`: called when something could not be done, so that what is known of files is wrong. */
export function answering(forget: () => void): Answering {
  let effects: Array<() => Promise<void> | undefined> = []
  let hasChanged = false

  async function perform(): Promise<Value> {
    const all = effects
    effects = []
    for (const run of all) {
      try {
        await run()
      } catch (error) {
        forget()
        return { $fail: codeOf(error) }
      }
    }
    return undefined
  }

  return {
    answer(_operation, live) {
      try {
        return live()
      } catch (error) {
        if (error instanceof Failure) return { $fail: error.code, ...error.details } as Value
        throw error
      }
    },
    get hasChanged() {
      return hasChanged
    },
    effect(run) {
      hasChanged = true
      effects.push(run)
    },
    exit() {
      throw new Error('node: a script in a thread ends itself')
    },
    async settled(call) {
      for (;;) {
        let value: Value
        try {
          value = call()
        } catch (error) {
          if (!(error instanceof Miss)) throw error
          const fetched = await error.fetch()
          if (error.isAnswer) return fetched as Value
          continue
        }
        return (await perform()) ?? value
      }
    },
  }
}
