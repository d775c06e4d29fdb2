/** Reads lists, pipelines and simple commands. */
import { expandAliases, expandNext } from './aliases.js'
import { readAssignment } from './assignments.js'
import type { Command, FunctionDefinition, Pipeline, Simple, Statement, Word } from './ast.js'
import { isCompoundStart, readCompound } from './compound.js'
import { takeNewline } from './heredocs.js'
import {
  type Input,
  isMeta,
  lineOf,
  nested,
  peekOperator,
  peekReserved,
  plainText,
  readWord,
  skipBlanks,
  startsWith,
  take,
  takeReserved,
} from './input.js'
import { wordMode } from './modes.js'
import { readRedirection } from './redirections.js'
import { unexpectedToken } from './unexpected.js'

const closers = new Set(['then', 'do', 'done', 'fi', 'elif', 'else', 'esac', '}'])
const declarations = new Set(['declare', 'typeset', 'local', 'export', 'readonly'])

/** Reads statements up to what can only end them; the caller checks what that is. */
export function readStatements(input: Input): Statement[] {
  const statements: Statement[] = []
  for (;;) {
    skipToCommand(input)
    if (atListEnd(input)) return statements
    const statement = readStatement(input)
    statements.push(statement)
    if (!takeSeparator(input, statement)) return statements
  }
}

/** Reads the statements of one line, and of the lines that belong to it. Nothing at the end of the text. */
export function readLine(input: Input): Statement[] | undefined {
  skipToCommand(input)
  if (input.at >= input.text.length) return undefined
  const statements: Statement[] = []
  for (;;) {
    if (atListEnd(input)) throw unexpectedToken(input)
    const statement = readStatement(input)
    statements.push(statement)
    const isSeparated = takeOperator(input, statement)
    skipBlanks(input)
    if (input.at >= input.text.length) return statements
    if (input.text[input.at] === '\n') {
      takeNewline(input)
      return statements
    }
    if (!isSeparated) throw unexpectedToken(input)
    expandAliases(input)
  }
}

/** Skips to where a command begins, or what is instead of one. */
export function skipToCommand(input: Input): void {
  skipLines(input)
  if (input.aliases === undefined) return
  expandAliases(input)
  // The value may begin with the end of a line.
  skipLines(input)
}

function skipLines(input: Input): void {
  for (skipBlanks(input); input.text[input.at] === '\n'; skipBlanks(input)) takeNewline(input)
}

function atListEnd(input: Input): boolean {
  if (input.at >= input.text.length || startsWith(input, ')') || startsWith(input, ';;') || startsWith(input, ';&')) {
    return true
  }
  const word = peekReserved(input)
  return word !== undefined && closers.has(word)
}

/** Takes `;`, `&` or a newline after a statement. */
function takeSeparator(input: Input, statement: Statement): boolean {
  if (takeOperator(input, statement)) return true
  if (input.text[input.at] !== '\n') return false
  takeNewline(input)
  return true
}

/** Takes `;` or `&` after a statement. */
function takeOperator(input: Input, statement: Statement): boolean {
  skipBlanks(input)
  const operator = peekOperator(input)
  if (operator !== '&' && operator !== ';') return false
  statement.background = operator === '&'
  input.at += 1
  return true
}

function readStatement(input: Input): Statement {
  const line = lineOf(input)
  const statement: Statement = { first: readPipeline(input), rest: [], background: false, line }
  for (;;) {
    skipBlanks(input)
    const operator = peekOperator(input)
    if (operator !== '&&' && operator !== '||') return statement
    input.at += 2
    skipToCommand(input)
    statement.rest.push({ operator, pipeline: readPipeline(input) })
  }
}

function readPipeline(input: Input): Pipeline {
  const pipeline: Pipeline = { negated: false, commands: [], pipesErrors: [] }
  const isBare = readPipelinePrefix(input, pipeline)
  if (isBare) return pipeline
  for (;;) {
    pipeline.commands.push(nested(input, () => readCommand(input)))
    skipBlanks(input)
    const operator = peekOperator(input)
    pipeline.pipesErrors.push(operator === '|&')
    if (operator !== '|' && operator !== '|&') return pipeline
    input.at += operator.length
    skipToCommand(input)
  }
}

/** Reads `!` and `time`. True when no command follows, as `time` alone. */
function readPipelinePrefix(input: Input, pipeline: Pipeline): boolean {
  let hasPrefix = false
  for (;;) {
    const negates = peekReserved(input) === '!' && !(startsWith(input, '!(') && input.extglob?.())
    if (negates) {
      input.at += 1
      pipeline.negated = !pipeline.negated
    } else if (takeReserved(input, 'time')) {
      skipBlanks(input)
      pipeline.timed = 'bash'
      if (startsWith(input, '-p') && isMeta(input.text[input.at + 2])) {
        input.at += 2
        pipeline.timed = 'posix'
      }
    } else break
    hasPrefix = true
    expandAliases(input)
  }
  if (!hasPrefix) return false
  const next = input.text[input.at]
  return next === undefined || next === '\n' || next === ';' || next === ')'
}

function readCommand(input: Input): Command {
  if (takeReserved(input, 'coproc')) return readCoprocess(input)
  if (isCompoundStart(input)) return withRedirections(input, readCompound(input))
  if (takeReserved(input, 'function')) return readFunction(input)
  const word = peekReserved(input)
  const negates = word === '!' && !startsWith(input, '!(')
  if (atListEnd(input) || word === 'in' || word === ']]' || negates) throw unexpectedToken(input)
  return readSimple(input)
}

function withRedirections(input: Input, command: Command): Command {
  for (;;) {
    skipBlanks(input)
    const redirection = readRedirection(input)
    if (redirection === undefined) return command
    command.redirections.push(redirection)
  }
}

function readCoprocess(input: Input): Command {
  const line = lineOf(input)
  skipBlanks(input)
  if (isCompoundStart(input)) {
    return { type: 'coprocess', body: withRedirections(input, readCompound(input)), redirections: [], line }
  }
  const start = input.at
  const name = plainText(readWord(input, wordMode))
  skipBlanks(input)
  if (name !== undefined && isCompoundStart(input)) {
    return { type: 'coprocess', name, body: withRedirections(input, readCompound(input)), redirections: [], line }
  }
  input.at = start
  return { type: 'coprocess', body: readSimple(input), redirections: [], line }
}

/** Reads after `function`. */
function readFunction(input: Input): FunctionDefinition {
  const start = input.at - 'function'.length
  const line = lineOf(input, start)
  skipBlanks(input)
  const nameStart = input.at
  readWord(input, wordMode)
  const name = input.text.slice(nameStart, input.at)
  if (name === '') throw unexpectedToken(input)
  skipBlanks(input)
  if (startsWith(input, '(')) {
    const bracket = input.at
    input.at += 1
    skipBlanks(input)
    if (!take(input, ')')) input.at = bracket
  }
  return readFunctionBody(input, name, start, line)
}

function readFunctionBody(input: Input, name: string, start: number, line: number): FunctionDefinition {
  skipLines(input)
  if (!isCompoundStart(input)) throw unexpectedToken(input)
  const body = withRedirections(input, readCompound(input))
  return { type: 'function', name, body, source: input.text.slice(start, input.at), redirections: [], line }
}

/** `let x=(1+2)` */
const letArray = /^[A-Za-z_]\w*\+?=\(/

/** A simple command, or a function definition `name() …`. */
function readSimple(input: Input): Command {
  const start = input.at
  const command: Simple = { type: 'simple', assignments: [], words: [], redirections: [], line: 0 }
  let declares = false
  let isLet = false
  // As in bash, the line of a command is the one that its second token ends on.
  let count = 0
  for (;;) {
    if (count === 2 && command.line === 0) command.line = lineOf(input)
    count += 1
    if (count > 1 && command.words.length === 0) expandAliases(input)
    else expandNext(input)
    const redirection = readRedirection(input)
    if (redirection !== undefined) {
      if (count === 2) command.line = redirection.line
      command.redirections.push(redirection)
      continue
    }
    const isFirst = command.words.length === 0
    const assignment =
      isFirst || declares || (isLet && letArray.test(input.text.slice(input.at, input.at + 100)))
        ? readAssignment(input, !isFirst)
        : undefined
    if (assignment !== undefined) {
      const { assignments, words } = command
      if (words.length === 0) assignments.push(assignment)
      else words.push(assignment)
      continue
    }
    const word = readArgument(input)
    if (word === undefined) break
    const name = plainText(word)
    command.words.push(word)
    if (command.words.length > 1) continue
    declares = name !== undefined && declarations.has(name)
    isLet = name === 'let'
    const isOnly = command.assignments.length === 0 && command.redirections.length === 0
    if (isOnly && takesEmptyBrackets(input)) return readFunctionBody(input, word.source, start, lineOf(input, start))
  }
  if (startsWith(input, '(')) throw unexpectedToken(input)
  if (input.at === start || isEmpty(command)) throw unexpectedToken(input)
  if (command.line === 0) command.line = lineOf(input)
  return command
}

function isEmpty({ assignments, words, redirections }: Simple): boolean {
  return assignments.length === 0 && words.length === 0 && redirections.length === 0
}

function readArgument(input: Input): Word | undefined {
  const start = input.at
  const word = readWord(input, wordMode)
  return input.at === start ? undefined : word
}

/** Takes the `()` of a function definition. */
function takesEmptyBrackets(input: Input): boolean {
  const start = input.at
  skipBlanks(input)
  if (!take(input, '(')) {
    input.at = start
    return false
  }
  skipBlanks(input)
  if (take(input, ')')) return true
  throw unexpectedToken(input)
}
