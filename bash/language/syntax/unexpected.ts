/** The errors of tokens that are in the wrong place, and of what has no end. */
import { SyntaxFault } from './fault.js'
import { type Input, lineOf, peekOperator, readWord, skipBlanks } from './input.js'
import { wordMode } from './modes.js'

/** The error for the token that is next. */
export function unexpectedToken(input: Input): SyntaxFault {
  skipBlanks(input)
  const { text, at } = input
  if (at >= text.length) return unexpectedEnd(input)
  const line = lineOf(input)
  return new SyntaxFault(`syntax error near unexpected token \`${tokenText(input)}'`, line, lineText(text, at))
}

/** The error for a line that ends too early, also where the text ends. */
export function unexpectedNewline(input: Input): SyntaxFault {
  const { text, at } = input
  if (at < text.length) return unexpectedToken(input)
  return new SyntaxFault("syntax error near unexpected token `newline'", lineOf(input), lineText(text, at))
}

export function unexpectedEnd(input: Input): SyntaxFault {
  const { text } = input
  const line = lineOf(input, text.length) + (text.endsWith('\n') ? 0 : 1)
  return wantingMore(new SyntaxFault('syntax error: unexpected end of file', line))
}

export function unmatched(input: Input, closing: string, from: number): SyntaxFault {
  return wantingMore(new SyntaxFault(`unexpected EOF while looking for matching \`${closing}'`, lineOf(input, from)))
}

/** Marks the error of a text that ended too early. */
export function wantingMore(fault: SyntaxFault): SyntaxFault {
  fault.wantsMore = true
  return fault
}

function tokenText(input: Input): string {
  if (input.text[input.at] === '\n') return 'newline'
  const found = peekOperator(input)
  if (found !== undefined) return found
  return readWord(input, wordMode).source
}

function lineText(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1
  const end = text.indexOf('\n', at)
  return text.slice(start, end < 0 ? text.length : end)
}
