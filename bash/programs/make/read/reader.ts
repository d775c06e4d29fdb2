/** What is known while a makefile is read. */
import type { MakeState } from '../state.js'
import type { Conditional } from './conditionals.js'
import type { LineReader } from './lines.js'
import type { WaitingRule } from './record-rule.js'

export interface Reader {
  readonly make: MakeState
  readonly lines: LineReader
  readonly conditionals: Conditional[]
  /** A rule whose recipe may go on. */
  waiting: WaitingRule | undefined
  /** The lines of a rule without targets are passed over. */
  hasNoTargets: boolean
  /** Within a `define` that does not count. */
  ignoresDefinition: boolean
}
