/** How the engine waits for what it asks. */
import type { Asking, Entry, Question } from './ask.js'

export interface Waiting {
  /** The engine is suspended, which it can't be while JavaScript is between its functions. */
  readonly suspends: boolean
  /** Makes a function for the engine to import. */
  imported(call: (...given: never[]) => Asking<unknown>): unknown
  /** Calls what the engine exports. */
  run<Result>(asking: Asking<Result>, engine: Engine): Result | Promise<Result>
}

export type Engine = (name: string) => (...given: number[]) => number

/** Where a thread can sleep, it does. */
export function sleeping(answer: (question: Question) => unknown): Waiting {
  function run<Result>(asking: Asking<Result>, perform: (step: Question | Entry) => unknown): Result {
    let step = asking.next()
    while (step.done !== true) {
      let result: unknown
      try {
        result = perform(step.value)
      } catch (error) {
        step = asking.throw(error)
        continue
      }
      step = asking.next(result)
    }
    return step.value
  }

  const perform = (step: Question | Entry, engine: Engine) =>
    step.kind === 'ask' ? answer(step) : engine(step.name)(...step.given)
  return {
    suspends: false,
    imported:
      (call) =>
      (...given: never[]) =>
        run(call(...given), (step) => perform(step, noEngine)),
    run: (asking, engine) => run(asking, (step) => perform(step, engine)),
  }
}

/** Elsewhere the engine is suspended, and the thread goes on with messages. */
export function suspending(answer: (question: Question) => Promise<unknown>): Waiting {
  const { Suspending, promising } = WebAssembly as unknown as PromiseIntegration
  const entries = new Map<string, (...given: number[]) => Promise<number>>()

  async function run<Result>(
    asking: Asking<Result>,
    perform: (step: Question | Entry) => Promise<unknown>,
  ): Promise<Result> {
    let step = asking.next()
    while (step.done !== true) {
      let result: unknown
      try {
        result = await perform(step.value)
      } catch (error) {
        step = asking.throw(error)
        continue
      }
      step = asking.next(result)
    }
    return step.value
  }

  function entered(name: string, engine: Engine): (...given: number[]) => Promise<number> {
    const known = entries.get(name) ?? promising(engine(name))
    entries.set(name, known)
    return known
  }

  const perform = (step: Question | Entry, engine: Engine) =>
    step.kind === 'ask' ? answer(step) : entered(step.name, engine)(...step.given)
  return {
    suspends: true,
    imported: (call) => new Suspending((...given) => run(call(...given), (step) => perform(step, noEngine))),
    run: (asking, engine) => run(asking, (step) => perform(step, engine)),
  }
}

/** Engines with JavaScript Promise Integration have these. */
interface PromiseIntegration {
  Suspending: new (call: (...given: never[]) => Promise<unknown>) => object
  promising(call: (...given: number[]) => number): (...given: number[]) => Promise<number>
}

/** System calls run nothing in the engine. */
function noEngine(name: string): never {
  throw new Error(`${name} is called by a system call`)
}
