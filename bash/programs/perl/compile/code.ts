/** Compiled parts of a program, the variables of a call, and where statements lead. */
import { type CompiledCode, compiledCode } from '../../compiled-code.js'
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

export type Code<Result> = CompiledCode<Frame, Result>

export const { now, later, ask, map, map2, all, inTurn } = compiledCode<Frame>()

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
