import { RegexError } from './regex-error.js'
import type { ShellRegex } from './types.js'

export interface PerlOptions {
  ignoreCase: boolean
  newline: boolean
  lines: boolean
}

export function compilePerl(_source: string, _options: PerlOptions): ShellRegex {
  throw new RegexError('Perl regular expressions are not supported by this shell')
}
