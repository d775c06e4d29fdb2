/** Perl's regular expressions. */
import { firstMatchRegex } from './first-match.js'
import { parsePerl } from './perl-parse.js'
import type { ShellRegex } from './types.js'

export interface PerlOptions {
  ignoreCase: boolean
  newline: boolean
  lines: boolean
}

export function compilePerl(source: string, { ignoreCase, newline, lines }: PerlOptions): ShellRegex {
  return firstMatchRegex(parsePerl(source, { ignoreCase, multiline: newline || lines }), source, lines)
}
