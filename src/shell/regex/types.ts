/** What a compiled regular expression does. */
import type { Regex } from '../../search/patterns/regex/compile.js'
import type { Literals } from '../../search/patterns/regex/required-literals.js'
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
  /** Finds in a text of many lines what it finds in each, where that is safe; see `Regex.native`. */
  readonly native: Regex['native']
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
}
