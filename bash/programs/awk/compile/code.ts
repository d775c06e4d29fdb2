/** Compiled parts of a program, and where its statements lead. */
import { type CompiledCode, compiledCode, type Now as ImmediateCode } from '../../compiled-code.js'
import { located, type SourceLine } from '../syntax/awk-error.js'
import type { Cell } from '../values/array.js'

/** The parameters and local variables of a function call. */
export type Frame = Cell[]

export type Now<Result> = ImmediateCode<Frame, Result>
export type Code<Result> = CompiledCode<Frame, Result>

export const { now, later, ask, map, map2, all, inTurn } = compiledCode<Frame>()

export function constant<Result>(value: Result): Now<Result> {
  return { now: () => value }
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
