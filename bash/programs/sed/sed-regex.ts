/** Regular expressions as sed writes them: with escapes for characters, which the C library does not know. */
import type { TextLocale } from '../../io/locale.js'
import { compileRegex, RegexError, type ShellRegex } from '../../regex/index.js'
import { characterEscape } from './escapes.js'
import type { ScriptReader } from './script-reader.js'

export interface SedRegexOptions {
  extended: boolean
  ignoreCase: boolean
  multiline: boolean
  nullData: boolean
  posix: boolean
  locale: TextLocale
}

/** Undefined for an empty regex, which stands for the last one used. */
export function sedRegex(
  reader: ScriptReader,
  source: string,
  { extended, ignoreCase, multiline, nullData, posix, locale }: SedRegexOptions,
): ShellRegex | undefined {
  if (source === '') {
    if (ignoreCase || multiline) reader.fail('cannot specify modifiers on empty regexp')
    return undefined
  }
  try {
    return compileRegex(locale.text(withCharacters(source, posix)), {
      syntax: posix ? (extended ? 'extended-posix' : 'basic-posix') : extended ? 'sed-extended' : 'basic',
      ignoreCase,
      newline: multiline && !nullData,
      bytes: locale.isBytes,
    })
  } catch (error) {
    if (error instanceof RegexError) reader.fail(error.message)
    throw error
  }
}

/** Replaces escapes such as `\t` and `\x41`, in brackets too unless POSIX counts. What they stand for can be an operator. */
function withCharacters(source: string, posix: boolean): string {
  let result = ''
  for (let at = 0; at < source.length; at += 1) {
    if (source[at] !== '\\') {
      result += source[at]
      continue
    }
    const found = characterEscape(source, at + 1)
    if ((found === undefined || posix) && bracketContains(result)) {
      result += '\\'
      continue
    }
    result += found?.character ?? `\\${source[at + 1] ?? ''}`
    at = found === undefined ? at + 1 : found.next - 1
  }
  return result
}

/** Whether a bracket expression is open at the end of the text. There a backslash is a character. */
function bracketContains(text: string): boolean {
  const closed = text.replace(/\\[\s\S]|\[\^?\]?(?:\[(?:\.[\s\S]*?\.|:[\s\S]*?:|=[\s\S]*?=)\]|[^\]])*\]/g, '')
  return closed.includes('[')
}
