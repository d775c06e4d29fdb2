/** What the parts of the compiler need of each other. */
import type { Runtime } from '../run/runtime.js'
import type { Block, Container, Expr, Statement, Sub } from '../syntax/ast.js'
import type { PerlArray, PerlHash, Scalar, Value } from '../values/values.js'
import type { Code, Frame, Want, Went } from './code.js'

export type Call = (args: PerlArray, want: Want) => Value[] | Promise<Value[]>

export interface Compiler {
  readonly runtime: Runtime
  /** Of the main program: subs with names see its variables. */
  readonly main: Frame
  scalar(expr: Expr): Code<Value>
  list(expr: Expr): Code<Value[]>
  /** Variables themselves, so that what is done to them is done to the program's. */
  cells(expr: Expr): Code<Scalar[]>
  /** A variable to change; made if it is not there. */
  cell(expr: Expr): Code<Scalar>
  /** `makes`: it is made of an undefined value. */
  array(container: Container, makes: boolean): Code<PerlArray>
  hash(container: Container, makes: boolean): Code<PerlHash>
  block(block: Block): Code<Went>
  /** Of a loop: a match in it holds until the loop ends. */
  loopBody(block: Block): Code<Went>
  statement(statement: Statement): Code<Went>
  /** The value of a block's last statement. */
  lastValue(block: Block): Code<Value>
  lastList(block: Block): Code<Value[]>
  sub(sub: Sub): (frame: Frame) => Call
  named(name: string): Call
  /** Whether running it can have to wait. */
  waits(part: unknown): boolean
}

export function isContainer(expr: Expr): expr is Container {
  return expr.kind === 'lexical' || expr.kind === 'global' || expr.kind === 'deref'
}

export function isPlural(expr: Expr): boolean {
  return isContainer(expr) && expr.sigil !== '$'
}

/** Whether an assignment to it takes a list. */
export function takesList(target: Expr): boolean {
  switch (target.kind) {
    case 'list':
    case 'slice':
    case 'hash-slice':
      return true
    case 'my':
      return target.isList || target.variables[0]?.sigil !== '$'
    case 'local':
      return takesList(target.target)
    default:
      return isPlural(target)
  }
}
