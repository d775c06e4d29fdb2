/** Compiled programs: functions that give every output to a callback. */

import type { Json } from '../values.js'
import type { Owned } from './owned.js'

export type Emit = (value: Json) => void
export type PathEmit = (path: Json[], value: Json) => void

export interface Code {
  run(input: Json, env: Env | undefined, emit: Emit): void
  /** As `run`, but outputs come with their paths in the input, which itself is at `path`. */
  paths(path: Json[], input: Json, env: Env | undefined, emit: PathEmit): void
  /** As `run`, but outputs are made one by one when they are asked for. Of code that may have many. */
  stream?(input: Json, env: Env | undefined): Iterable<Json>
  /** As `run`, for an input that the caller forgets: its owned containers may be changed in place. */
  update?(input: Json, env: Env | undefined, owned: Owned, emit: Emit): void
}

/** Bindings, the last one first: values of variables, functions and labels. */
export interface Env {
  readonly bound: Json | Closure | Label
  readonly next: Env | undefined
}

export class Closure {
  env: Env | undefined
  constructor(
    readonly code: Code,
    env: Env | undefined,
  ) {
    this.env = env
  }
}

export class Label {}

/** Leaves the label. */
export class Break extends Error {
  constructor(readonly label: Label) {
    super('break')
  }
}

/** What programs get from outside. */
export interface JqContext {
  step(): void
  /** Counts memory that is held, or given back. What is left after an input is given back then. */
  account(bytes: number): void
  now(): number
  timeZone: string | undefined
  env: Json
  named: ReadonlyMap<string, Json>
  args: Json
  /** The next input; undefined at the end. */
  nextInput(): Json | undefined
  inputName(): Json
  inputLine(): number
  writeError(text: string): void
}

/** Ends the program with a status. */
export class Halt extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}
