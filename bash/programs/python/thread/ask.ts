/**
 * What needs the shell is written as generators: they stop at each question and go on with its answer. So it is the platform that says
 * how the engine waits meanwhile (`waiting.ts`).
 */
import type { WithBytes } from '../../threads/shared-memory.js'
import type { Answers } from '../wire.js'

type Answered<Name extends keyof Answers> =
  Awaited<ReturnType<Answers[Name]>> extends infer Result
    ? Result extends WithBytes<infer Value>
      ? { value: Value; bytes: Uint8Array<ArrayBuffer> }
      : Result
    : never

export interface Question {
  kind: 'ask'
  name: keyof Answers
  given: unknown[]
}

/** A function of the engine, in which Python may run. */
export interface Entry {
  kind: 'enter'
  name: string
  given: number[]
}

export type Asking<Result> = Generator<Question | Entry, Result, unknown>

/** Fails with `SystemFailure`. */
export function* ask<Name extends keyof Answers>(
  name: Name,
  ...given: Parameters<Answers[Name]>
): Asking<Answered<Name>> {
  return (yield { kind: 'ask', name, given }) as Answered<Name>
}

export function* enter(name: string, ...given: number[]): Asking<number> {
  return (yield { kind: 'enter', name, given }) as number
}

/** Of calls some ask and others answer at once. */
export function* settled<Result>(made: Result | Asking<Result>): Asking<Result> {
  return isAsking(made) ? yield* made : made
}

function isAsking<Result>(made: Result | Asking<Result>): made is Asking<Result> {
  return typeof made === 'object' && made !== null && Symbol.iterator in made && 'throw' in made
}
