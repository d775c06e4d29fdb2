/** The parser of scripts. */

import type { Script, Statement, Word } from './ast.js'
import { readLine, readStatements } from './commands.js'
import { SyntaxFault } from './fault.js'
import { parseHeredocText, readHeredocs } from './heredocs.js'
import { createInput, type Grammar, type Input, readWord } from './input.js'
import { arithmeticMode, operandMode, promptMode, wordMode } from './modes.js'
import { readParts } from './parts.js'
import { unexpectedToken } from './unexpected.js'

export { SyntaxFault }

const grammar: Grammar = { statements: readStatements, parts: readParts }

export interface ParserOptions {
  /** The line of the first character. Default: 1. */
  firstLine?: number
  /** Whether `shopt -s extglob` is on. Without it extended patterns are always read. */
  extglob?(): boolean
  /** The value of an alias. Default: there are none. */
  alias?(name: string): string | undefined
}

export interface Parser {
  /** The statements of the next line and of the lines that belong to it; nothing at the end. Throws a `SyntaxFault`. */
  next(): Statement[] | undefined
  /** At the end: whether the text ended in the body of a here-document, or with a line that is to be continued. */
  isOpen(): boolean
}

/** Parses line by line, since bash runs a script up to the line with an error. */
export function createParser(source: string, options: ParserOptions = {}): Parser {
  const input = createInput(source, grammar, options.firstLine)
  input.extglob = options.extglob
  if (options.alias !== undefined) input.aliases = { lookUp: options.alias, expansions: [], expandsNext: false }
  return {
    next() {
      const start = input.at
      const statements = readLineOrSkip(input)
      if (input.heredocs.length > 0) readHeredocs(input)
      const first = statements?.[0]
      if (first !== undefined) first.source = input.text.slice(start, input.at).replace(/\n$/, '')
      return statements
    },
    isOpen: () => input.isOpen,
  }
}

/** After a fault in an array the next line is read on. */
function readLineOrSkip(input: Input): Statement[] | undefined {
  try {
    return readLine(input)
  } catch (error) {
    if (error instanceof SyntaxFault && error.inArray) {
      const end = input.text.indexOf('\n', input.at)
      input.at = end < 0 ? input.text.length : end + 1
      input.heredocs = []
      input.depth = 0
      input.isEnclosed = false
    }
    throw error
  }
}

/** Parses all of a script. */
export function parseScript(source: string, options: ParserOptions = {}): Script {
  const parser = createParser(source, options)
  const statements: Statement[] = []
  for (let line = parser.next(); line !== undefined; line = parser.next()) statements.push(...line)
  return { statements }
}

/** A prompt, whose own escapes are replaced already. */
export function parsePrompt(text: string): Word {
  return parseHeredocText(text, grammar, 1, 0, promptMode)
}

/** Text as one word with quotes, blanks included, such as the subscript of an array or the value of an assignment. */
export function parseWord(text: string): Word {
  const input = createInput(text, grammar)
  return readWord(input, { ...operandMode, stops: '' })
}

/** Text as an arithmetic expression. */
export function parseArithmeticText(text: string): Word {
  const input = createInput(text, grammar)
  return readWord(input, { ...arithmeticMode, stops: '' })
}

/** The words of a line without operators, such as the elements of an array that are written in a string. */
export function parseWords(text: string): Word[] {
  const input = createInput(text, grammar)
  const words: Word[] = []
  for (;;) {
    while (/[ \t\n]/.test(text[input.at] ?? '')) input.at += 1
    if (input.at >= text.length) return words
    const start = input.at
    words.push(readWord(input, wordMode))
    if (input.at === start) throw unexpectedToken(input)
  }
}
