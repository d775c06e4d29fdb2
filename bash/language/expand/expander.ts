/** What the expansion of a parameter needs of the expansion of words. */
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import type { Word } from '../syntax/ast.js'
import type { Segment, Sink } from './sinks.js'

export interface Expander {
  /** Without splitting. */
  text(shell: Shell, word: Word): Steps<string>
  /** The same, without tildes. */
  plain(shell: Shell, word: Word): Steps<string>
  /** The text of a word that is expanded without waiting. */
  quick(shell: Shell, word: Word): string | undefined
  /** The text of an expression. */
  arithmetic(shell: Shell, word: Word): Steps<string>
  /** Without splitting, and with what was quoted. */
  pattern(shell: Shell, word: Word): Steps<Segment[]>
  /** The word of `${x:-word}`, where the parameter stands. */
  emit(shell: Shell, word: Word, sink: Sink, quoted: boolean): Steps<void>
}
