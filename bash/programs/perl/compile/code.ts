/** Compiled parts of a program: plain functions where nothing has to be waited for, which is fast, and asynchronous ones. */
import type { PerlArray, PerlHash, Scalar, Value } from '../values/values.js'

export type Want = 'list' | 'scalar'

/** The variables of one call of a sub. */
export class Frame {
  readonly cells: Array<Scalar | PerlArray | PerlHash | undefined>

  constructor(
    slots: number,
    readonly args: PerlArray,
    readonly want: Want,
  ) {
    this.cells = new Array(slots)
  }
}

export interface Now<Result> {
  now(frame: Frame): Result
  later?: undefined
}

export interface Later<Result> {
  now?: undefined
  later(frame: Frame): Promise<Result>
}

export type Code<Result> = Now<Result> | Later<Result>

export function now<Result>(run: (frame: Frame) => Result): Code<Result> {
  return { now: run }
}

export function later<Result>(run: (frame: Frame) => Promise<Result>): Code<Result> {
  return { later: run }
}

export function ask<Result>(code: Code<Result>, frame: Frame): Result | Promise<Result> {
  return code.now === undefined ? code.later(frame) : code.now(frame)
}

export function map<A, Result>(one: Code<A>, combine: (one: A, frame: Frame) => Result): Code<Result> {
  if (one.now === undefined) return later(async (frame) => combine(await one.later(frame), frame))
  const first = one.now
  return now((frame) => combine(first(frame), frame))
}

export function map2<A, B, Result>(
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

export function all<A>(codes: ReadonlyArray<Code<A>>): Code<A[]> {
  const immediate = codes.flatMap((code) => (code.now === undefined ? [] : [code.now]))
  if (immediate.length === codes.length) return now((frame) => immediate.map((run) => run(frame)))
  return later(async (frame) => {
    const results: A[] = []
    for (const code of codes) results.push(await ask(code, frame))
    return results
  })
}

/** What waits for its result. */
export function waiting<A, Result>(one: Code<A>, run: (one: A, frame: Frame) => Promise<Result>): Code<Result> {
  return later(async (frame) => run(await ask(one, frame), frame))
}

/** Where a statement leads. */
export const went = { on: 0, next: 1, last: 2, redo: 3, return: 4 } as const
export type Went = (typeof went)[keyof typeof went]

/** A list of values from lists, which are mostly of one. */
export function flattened(lists: ReadonlyArray<readonly Value[]>): Value[] {
  const result: Value[] = []
  for (const list of lists) for (const value of list) result.push(value)
  return result
}
