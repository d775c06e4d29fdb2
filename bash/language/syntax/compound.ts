/** Reads compound commands. */
import { expandAliases, expandNext } from './aliases.js'
import type { Case, Command, If, Statement, Word } from './ast.js'
import { readCondition } from './conditions.js'
import { takeNewline } from './heredocs.js'
import {
  type Input,
  isMeta,
  lineOf,
  peekOperator,
  peekReserved,
  readWord,
  skipBlanks,
  startsWith,
  take,
  takeReserved,
} from './input.js'
import { arithmeticForMode, arithmeticMode, wordMode } from './modes.js'
import { isArithmetic } from './parts.js'
import { unexpectedEnd, unexpectedToken } from './unexpected.js'

const starters = new Set(['{', 'if', 'while', 'until', 'for', 'select', 'case', '[['])

export function isCompoundStart(input: Input): boolean {
  if (startsWith(input, '(')) return true
  const word = peekReserved(input)
  return word !== undefined && starters.has(word)
}

/** Reads the compound command that is next, without its redirections. */
export function readCompound(input: Input): Command {
  const line = lineOf(input)
  if (startsWith(input, '('))
    return isArithmetic(input, input.at) ? readArithmetic(input, line) : readSubshell(input, line)
  const word = peekReserved(input) as string
  input.at += word.length
  switch (word) {
    case '{':
      return { type: 'group', body: readBody(input, '}'), redirections: [], line }
    case 'if':
      return readIf(input, line)
    case 'while':
    case 'until': {
      const condition = readBody(input, 'do')
      return {
        type: 'while',
        until: word === 'until',
        condition,
        body: readBody(input, 'done'),
        redirections: [],
        line,
      }
    }
    case 'for':
    case 'select':
      return readFor(input, word, line)
    case 'case':
      return readCase(input, line)
    default:
      return readCondition(input, line)
  }
}

/** Statements, at least one, and the reserved word that ends them. */
function readBody(input: Input, end: string): Statement[] {
  const body = readSome(input)
  if (!takeReserved(input, end)) throw unexpectedToken(input)
  return body
}

function readSome(input: Input): Statement[] {
  const body = input.grammar.statements(input)
  if (body.length === 0) throw unexpectedToken(input)
  return body
}

function readArithmetic(input: Input, line: number): Command {
  input.at += 2
  const expression = readWord(input, arithmeticMode)
  if (!take(input, '))')) throw unexpectedToken(input)
  return { type: 'arithmetic', expression, redirections: [], line }
}

function readSubshell(input: Input, line: number): Command {
  input.at += 1
  const body = readSome(input)
  if (!take(input, ')')) throw unexpectedToken(input)
  return { type: 'subshell', body, redirections: [], line }
}

function readIf(input: Input, line: number): If {
  const clauses: If['clauses'] = []
  for (;;) {
    const condition = readBody(input, 'then')
    const body = readSome(input)
    clauses.push({ condition, body })
    if (takeReserved(input, 'fi')) return { type: 'if', clauses, redirections: [], line }
    if (takeReserved(input, 'else')) {
      return { type: 'if', clauses, otherwise: readBody(input, 'fi'), redirections: [], line }
    }
    if (!takeReserved(input, 'elif')) throw unexpectedToken(input)
  }
}

function skipLines(input: Input): void {
  for (skipBlanks(input); input.text[input.at] === '\n'; skipBlanks(input)) takeNewline(input)
}

function readFor(input: Input, type: 'for' | 'select', line: number): Command {
  expandNext(input)
  if (type === 'for' && startsWith(input, '((')) return readArithmeticFor(input, line)
  const name = readWord(input, wordMode).source
  if (name === '') throw unexpectedToken(input)
  expandNext(input)
  const isBare = startsWith(input, ';')
  if (isBare) input.at += 1
  skipLines(input)
  let words: Word[] | undefined
  if (!isBare && takeReserved(input, 'in')) {
    words = readWords(input)
    if (!startsWith(input, ';') && !startsWith(input, '\n')) throw unexpectedToken(input)
    if (startsWith(input, ';')) input.at += 1
    skipLines(input)
  }
  return { type, name, ...(words && { words }), body: readLoopBody(input), redirections: [], line }
}

function readWords(input: Input): Word[] {
  const words: Word[] = []
  for (;;) {
    expandNext(input)
    const start = input.at
    const word = readWord(input, wordMode)
    if (input.at === start) return words
    words.push(word)
  }
}

/** `do … done` or `{ … }`. */
function readLoopBody(input: Input): Statement[] {
  expandAliases(input)
  if (takeReserved(input, 'do')) return readBody(input, 'done')
  if (takeReserved(input, '{')) return readBody(input, '}')
  throw unexpectedToken(input)
}

function readArithmeticFor(input: Input, line: number): Command {
  input.at += 2
  const init = readForPart(input, ';')
  const condition = readForPart(input, ';')
  const step = readForPart(input, '))')
  skipBlanks(input)
  take(input, ';')
  skipLines(input)
  return { type: 'arithmetic-for', init, condition, step, body: readLoopBody(input), redirections: [], line }
}

function readForPart(input: Input, end: string): Word {
  const part = readWord(input, arithmeticForMode)
  if (!take(input, end)) throw unexpectedToken(input)
  return part
}

function readCase(input: Input, line: number): Case {
  skipBlanks(input)
  const start = input.at
  const subject = readWord(input, wordMode)
  if (input.at === start) throw unexpectedToken(input)
  skipLines(input)
  if (!takeReserved(input, 'in')) throw unexpectedToken(input)
  const items: Case['items'] = []
  for (;;) {
    skipLines(input)
    if (takeReserved(input, 'esac')) return { type: 'case', subject, items, redirections: [], line }
    if (input.at >= input.text.length) throw unexpectedEnd(input)
    const item = readCaseItem(input)
    items.push(item)
    if (item.end === undefined) {
      item.end = ';;'
      if (!takeReserved(input, 'esac')) throw unexpectedToken(input)
      return { type: 'case', subject, items, redirections: [], line }
    }
  }
}

type CaseItem = Case['items'][number]

/** One item; without an end it is the last. */
function readCaseItem(input: Input): CaseItem {
  take(input, '(')
  const patterns = readPatterns(input)
  const body = input.grammar.statements(input)
  skipBlanks(input)
  const operator = peekOperator(input)
  const isEnd = operator === ';;' || operator === ';&' || operator === ';;&'
  if (isEnd) input.at += operator.length
  return { patterns, body, end: (isEnd ? operator : undefined) as CaseItem['end'] }
}

function readPatterns(input: Input): Word[] {
  const patterns: Word[] = []
  for (;;) {
    skipBlanks(input)
    if (isMeta(input.text[input.at])) throw unexpectedToken(input)
    patterns.push(readWord(input, wordMode))
    skipBlanks(input)
    if (take(input, ')')) return patterns
    if (!take(input, '|')) throw unexpectedToken(input)
  }
}
