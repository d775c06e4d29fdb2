/**
 * Compiled parts of a program. What needs no waiting is a plain function, which is fast; what reads, runs commands or
 * writes to files is an asynchronous one.
 */
import { located, type SourceLine } from '../syntax/awk-error.js'
import type { Cell } from '../values/array.js'

/** The parameters and local variables of a function call. */
export type Frame = Cell[]

export interface Now<Result> {
  now(frame: Frame): Result
  later?: undefined
}

export interface Later<Result> {
  now?: undefined
  later(frame: Frame): Promise<Result>
}

export type Code<Result> = Now<Result> | Later<Result>

export function now<Result>(run: (frame: Frame) => Result): Now<Result> {
  return { now: run }
}

export function later<Result>(run: (frame: Frame) => Promise<Result>): Later<Result> {
  return { later: run }
}

export function constant<Result>(value: Result): Now<Result> {
  return { now: () => value }
}

export function ask<Result>(code: Code<Result>, frame: Frame): Result | Promise<Result> {
  return code.now === undefined ? code.later(frame) : code.now(frame)
}

export function map<A, Result>(one: Code<A>, combine: (one: A) => Result): Code<Result> {
  if (one.now === undefined) return later(async (frame) => combine(await one.later(frame)))
  const first = one.now
  return now((frame) => combine(first(frame)))
}

export function map2<A, B, Result>(one: Code<A>, two: Code<B>, combine: (one: A, two: B) => Result): Code<Result> {
  if (one.now === undefined || two.now === undefined) {
    return later(async (frame) => combine(await ask(one, frame), await ask(two, frame)))
  }
  const first = one.now
  const second = two.now
  return now((frame) => combine(first(frame), second(frame)))
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

/** Failures that know no place in the program happened at `line`. */
export function placed<Result>(code: Code<Result>, line: SourceLine | undefined): Code<Result> {
  if (code.now === undefined) {
    return later(async (frame) => {
      try {
        return await code.later(frame)
      } catch (error) {
        throw located(error, line)
      }
    })
  }
  const run = code.now
  return now((frame) => {
    try {
      return run(frame)
    } catch (error) {
      throw located(error, line)
    }
  })
}

/** Control flow, as the result of a statement. */
export const went = { on: 0, break: 1, continue: 2, next: 3, nextfile: 4, exit: 5, return: 6 } as const
export type Went = (typeof went)[keyof typeof went]

/** `next`, `nextfile` and `exit` inside of functions leave everything at once. */
export class Leave {
  constructor(readonly to: Went) {}
}
