/** What a compiled regular expression does. */
import type { Literals } from '../../src/search/patterns/regex/required-literals.js'
import type { PosixSyntax } from './syntax.js'

export interface RegexMatch {
  start: number
  end: number
  /** The groups from 1 on, at index 0 and so on; undefined when a group took no part. */
  groups: Array<[number, number] | undefined>
}

export interface ShellRegex {
  /** The number of groups. */
  readonly groups: number
  /** The leftmost, longest match that starts at `from` or later. Text before `from` counts for `^` and `\b`. */
  exec(text: string, from?: number): RegexMatch | undefined
  test(text: string, from?: number): boolean
  /** Texts of which every match contains one, when there are any. */
  readonly literals: Literals | undefined
  /**
   * A global RegExp that finds in this text what `exec` finds, one match after the other, with the same groups; undefined
   * when there is none, as for patterns that can match nothing. It is shared: set `lastIndex` before use.
   */
  globalFor(text: string): RegExp | undefined
  /** Such as `stray \ before t`. */
  readonly warnings: readonly string[]
}

export interface RegexOptions {
  syntax: PosixSyntax | 'perl'
  ignoreCase?: boolean
  /** `^` and `$` match at line feeds too, which `.` and negated sets do not match. */
  newline?: boolean
  /** The texts are lines: they contain no line feed. */
  lines?: boolean
  /** False: `groups` stays empty, which is faster. */
  captures?: boolean
  /** Bytes that are not UTF-8 are characters, as in the locale C. */
  bytes?: boolean
}
