/** Regular expressions as sed writes them: with escapes for characters, which the C library does not know. */
import { compileRegex, RegexError, type ShellRegex } from '../../regex/index.js'
import { characterEscape } from './escapes.js'
import type { ScriptReader } from './script-reader.js'

export interface SedRegexOptions {
  extended: boolean
  ignoreCase: boolean
  multiline: boolean
}

/** Undefined for an empty regex, which stands for the last one used. */
export function sedRegex(
  reader: ScriptReader,
  source: string,
  { extended, ignoreCase, multiline }: SedRegexOptions,
): ShellRegex | undefined {
  if (source === '') {
    if (ignoreCase || multiline) reader.fail('no previous regular expression')
    return undefined
  }
  try {
    return compileRegex(withCharacters(source, extended), {
      syntax: extended ? 'sed-extended' : 'basic',
      ignoreCase,
      newline: multiline,
    })
  } catch (error) {
    if (error instanceof RegexError) reader.fail(error.message)
    throw error
  }
}

/** Replaces escapes such as `\t` and `\x41`. What they stand for is a plain character, never an operator. */
function withCharacters(source: string, extended: boolean): string {
  const special = extended ? /^[.[\]*^$\\+?(){}|]$/ : /^[.[\]*^$\\]$/
  let result = ''
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at] as string
    const end = character === '[' ? bracketEnd(source, at) : undefined
    if (end !== undefined) {
      result += `[${bracketCharacters(source.slice(at + 1, end))}]`
      at = end
      continue
    }
    if (character !== '\\') {
      result += character
      continue
    }
    const found = characterEscape(source, at + 1)
    if (found === undefined) {
      result += character + (source[at + 1] ?? '')
      at += 1
      continue
    }
    result += special.test(found.character) ? `\\${found.character}` : found.character
    at = found.next - 1
  }
  return result
}

function bracketCharacters(text: string): string {
  let result = ''
  for (let at = 0; at < text.length; at += 1) {
    const found = text[at] === '\\' ? characterEscape(text, at + 1) : undefined
    // A bracket would end the expression, and a backslash is one anyway.
    const isPlain = found !== undefined && !/^[\]^\\-]$/.test(found.character)
    result += isPlain ? found.character : (text[at] as string)
    if (isPlain) at = found.next - 1
  }
  return result
}

/** The place of the `]` that ends the bracket expression. */
function bracketEnd(source: string, start: number): number | undefined {
  const [found] = /^\[\^?\]?(?:\[(?:\.[\s\S]*?\.|:[\s\S]*?:|=[\s\S]*?=)\]|[^\]])*\]/.exec(source.slice(start)) ?? []
  return found === undefined ? undefined : start + found.length - 1
}
