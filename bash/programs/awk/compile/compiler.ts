/** What the parts of the compiler need of each other. */

import { ProgramError } from '../../program-error.js'
import type { Runtime } from '../run/runtime.js'
import type { SourceLine } from '../syntax/awk-error.js'
import type { ArrayRef, Expr, NameRef } from '../syntax/syntax.js'
import type { AwkArray } from '../values/array.js'
import type { Key, Scalar } from '../values/values.js'
import type { Analysis } from './analysis.js'
import type { Code, Frame } from './code.js'

/** What a name stands for. */
export type Place = { kind: 'local' | 'global'; slot: number; name: string } | { kind: 'special'; name: string }

export interface CompiledFunction {
  name: string
  parameters: string[]
  /** Set when all functions are compiled. */
  call(frame: Frame): Scalar | Promise<Scalar>
  waits: boolean
}

export type BuiltinCall = Extract<Expr, { kind: 'builtin' }>

/** A function whose name stands where a variable does. */
export function notAVariable(name: string, where: SourceLine): ProgramError {
  return new ProgramError(
    `${where}: error: function \`${name}' called with space between name and \`(',\nor used as a variable or an array`,
    1,
  )
}

export interface Compiler {
  readonly runtime: Runtime
  readonly analysis: Analysis
  readonly functions: ReadonlyMap<string, CompiledFunction>
  /** The next record of the program's input. */
  readMainRecord(): Promise<string | undefined>
  place(name: NameRef): Place
  value(expression: Expr): Code<Scalar>
  number(expression: Expr): Code<number>
  text(expression: Expr): Code<string>
  test(expression: Expr): Code<boolean>
  /** The source of a regular expression: literal, or the text of a value. */
  regexSource(expression: Expr): Code<string>
  /** The subscripts of an element as one. */
  key(keys: readonly Expr[]): Code<Key>
  array(reference: ArrayRef): Code<AwkArray>
  /** An argument that has to be an array. */
  arrayArgument(argument: Expr, name: string): Code<AwkArray>
}
