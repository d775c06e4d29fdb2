/**
 * Compiled parts of programs in awk and perl. What needs no waiting is a plain function, which is fast; what reads, runs
 * commands or writes to files is an asynchronous one.
 */

export interface Now<Frame, Result> {
  now(frame: Frame): Result
  later?: undefined
}

export interface Later<Frame, Result> {
  now?: undefined
  later(frame: Frame): Promise<Result>
}

export type CompiledCode<Frame, Result> = Now<Frame, Result> | Later<Frame, Result>

/** How parts are made and put together; `Frame` has the variables of a call. */
export function compiledCode<Frame>() {
  type Code<Result> = CompiledCode<Frame, Result>

  function now<Result>(run: (frame: Frame) => Result): Now<Frame, Result> {
    return { now: run }
  }

  function later<Result>(run: (frame: Frame) => Promise<Result>): Later<Frame, Result> {
    return { later: run }
  }

  function ask<Result>(code: Code<Result>, frame: Frame): Result | Promise<Result> {
    return code.now === undefined ? code.later(frame) : code.now(frame)
  }

  function map<A, Result>(one: Code<A>, combine: (one: A, frame: Frame) => Result): Code<Result> {
    if (one.now === undefined) return later(async (frame) => combine(await one.later(frame), frame))
    const first = one.now
    return now((frame) => combine(first(frame), frame))
  }

  function map2<A, B, Result>(
    one: Code<A>,
    two: Code<B>,
    combine: (one: A, two: B, frame: Frame) => Result,
  ): Code<Result> {
    if (one.now === undefined || two.now === undefined) {
      return later(async (frame) => {
        const first = await ask(one, frame)
        return combine(first, await ask(two, frame), frame)
      })
    }
    const first = one.now
    const second = two.now
    return now((frame) => combine(first(frame), second(frame), frame))
  }

  function all<A>(codes: ReadonlyArray<Code<A>>): Code<A[]> {
    const immediate = codes.flatMap((code) => (code.now === undefined ? [] : [code.now]))
    if (immediate.length === codes.length) return now((frame) => immediate.map((run) => run(frame)))
    return later(async (frame) => {
      const results: A[] = []
      for (const code of codes) results.push(await ask(code, frame))
      return results
    })
  }

  /** One after the other; the result is that of the second. */
  function inTurn<Result>(first: Code<unknown>, second: Code<Result>): Code<Result> {
    if (first.now === undefined || second.now === undefined) {
      return later(async (frame) => {
        await ask(first, frame)
        return ask(second, frame)
      })
    }
    const [one, two] = [first.now, second.now]
    return now((frame) => {
      one(frame)
      return two(frame)
    })
  }

  return { now, later, ask, map, map2, all, inTurn }
}
