/** The bounded engine of the search. */
import { isFsError } from '../../errors.js'
import type { Pattern } from '../../search/patterns/regex/ast.js'
import { compile, type Regex } from '../../search/patterns/regex/compile.js'
import { messages, RegexError } from './regex-error.js'

export function compileBounded(pattern: Pattern, source: string, lines: boolean): Regex {
  try {
    return compile(pattern, { multiline: !lines, source })
  } catch (error) {
    if (isFsError(error, 'PATTERN_TOO_COMPLEX')) throw new RegexError(messages.tooBig)
    throw error
  }
}
