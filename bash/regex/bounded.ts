/** The regular expression engine of the search, whose time is bounded. */
import { isFsError } from '../../src/errors.js'
import type { Pattern } from '../../src/search/patterns/regex/ast.js'
import { compile, type Regex } from '../../src/search/patterns/regex/compile.js'
import type { CloseOver } from '../../src/search/patterns/regex/required-literals.js'
import { messages, RegexError } from './regex-error.js'

export function compileBounded(pattern: Pattern, source: string, lines: boolean, closeOver?: CloseOver): Regex {
  try {
    return compile(pattern, { multiline: !lines, source, ...(closeOver && { closeOver }) })
  } catch (error) {
    if (isFsError(error, 'PATTERN_TOO_COMPLEX')) throw new RegexError(messages.tooBig)
    throw error
  }
}
