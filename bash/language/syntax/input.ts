/** The text that is parsed, the place in it, and what all parts of the parser do with it. */
import type { Part, Redirection, Statement, Word } from './ast.js'
import { SyntaxFault } from './fault.js'

/** A here-document whose body follows after the end of the line. */
export interface PendingHeredoc {
  redirection: Redirection
  delimiter: string
  quoted: boolean
  stripsTabs: boolean
}

/** The parts of the grammar that refer to each other. */
export interface Grammar {
  /** Commands up to a `)`, a reserved word that ends them, or the end of the text. */
  statements(input: Input): Statement[]
  /** The pieces of a word, up to where the mode ends. */
  parts(input: Input, mode: PartsMode): Part[]
}

/** How a stretch of text is read as parts of a word. */
export interface PartsMode {
  /** As in double quotes: text is taken as it is. */
  quoted: boolean
  /** The characters that a backslash escapes; absent: all. */
  escapes?: string
  singleQuotes: boolean
  doubleQuotes: boolean
  /** Characters at which the text ends. */
  stops: string
  /** Brackets that are counted; inside of them nothing stops. */
  open?: string
  close?: string
  /** Counts `?` and `:`, so that the `:` of a condition does not stop. */
  conditional?: boolean
  /** `<(…)` and `?(…)` are part of the text. */
  isWord?: boolean
  /** Inside of brackets a backslash does not quote. */
  isRegex?: boolean
  /** Single quotes are text, but come in pairs, and nothing stops between them. */
  pairsQuotes?: boolean
  /** A stop character as the very first does not stop. */
  startsWithStop?: boolean
  /** Filled in at the first use: which ASCII characters need a look. */
  special?: Uint8Array
}

/** A value that is being read: in there its name stands for itself. */
interface Expansion {
  name: string
  /** Where it ends in the text. */
  end: number
  /** It ends in a blank: the next word may be an alias too. */
  expandsNext: boolean
}

/** The aliases of a text that is read. */
export interface AliasReader {
  lookUp(name: string): string | undefined
  expansions: Expansion[]
  expandsNext: boolean
}

export interface Input {
  /** Changes where aliases are replaced, which is never inside of a word. */
  text: string
  at: number
  readonly firstLine: number
  readonly grammar: Grammar
  depth: number
  heredocs: PendingHeredoc[]
  /** Inside of `$(…)`, `<(…)` or `>(…)`. */
  isEnclosed: boolean
  /** The text ends in the body of a here-document, or with a line that is to be continued. */
  isOpen: boolean
  /** Offsets of line ends, computed when first needed. */
  lineEnds: number[] | undefined
  extglob: (() => boolean) | undefined
  /** Undefined where no aliases are replaced. */
  aliases: AliasReader | undefined
  /** Where brackets are closed, so that nested ones are searched once. */
  readonly closings: Map<number, number>
}

/** Deeper scripts would overflow the stack of the parser or of the interpreter. */
const deepest = 200
const longestReserved = 'function'.length

export function createInput(text: string, grammar: Grammar, firstLine = 1, depth = 0): Input {
  const closings = new Map<number, number>()
  return {
    text,
    at: 0,
    firstLine,
    grammar,
    depth,
    heredocs: [],
    isEnclosed: false,
    isOpen: false,
    lineEnds: undefined,
    extglob: undefined,
    aliases: undefined,
    closings,
  }
}

/** Runs `parse` one level deeper. */
export function nested<Result>(input: Input, parse: () => Result): Result {
  input.depth += 1
  if (input.depth > deepest) throw new SyntaxFault('commands are nested too deeply', lineOf(input))
  const result = parse()
  input.depth -= 1
  return result
}

export function lineOf(input: Input, at = input.at): number {
  const ends = lineEndsOf(input)
  let low = 0
  let high = ends.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ends[middle] as number) < at) low = middle + 1
    else high = middle
  }
  return input.firstLine + low
}

export function lineEndsOf(input: Input): number[] {
  input.lineEnds ??= findLineEnds(input.text)
  return input.lineEnds
}

function findLineEnds(text: string): number[] {
  const ends: number[] = []
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends.push(at)
  return ends
}

const metacharacters = new Set([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')'])

/** True for a character that ends a word, and for the end of the text. */
export function isMeta(character: string | undefined): boolean {
  return character === undefined || character === '' || metacharacters.has(character)
}

/** Skips blanks, continued lines and a comment. */
export function skipBlanks(input: Input): void {
  const { text } = input
  for (;;) {
    const character = text[input.at]
    if (character === ' ' || character === '\t') input.at += 1
    else if (character === '\\' && text[input.at + 1] === '\n') skipContinuation(input)
    else break
  }
  if (text[input.at] !== '#') return
  const end = text.indexOf('\n', input.at)
  input.at = end < 0 ? text.length : end
}

/** Skips a backslash and the newline after it. */
export function skipContinuation(input: Input): void {
  input.at += 2
  if (input.at >= input.text.length) input.isOpen = true
}

export function startsWith(input: Input, token: string): boolean {
  return input.text.startsWith(token, input.at)
}

/** Takes `token` if it is next. */
export function take(input: Input, token: string): boolean {
  if (!startsWith(input, token)) return false
  input.at += token.length
  return true
}

/** The reserved word or plain lower-case word that is next, if it is a whole word. */
export function peekReserved(input: Input): string | undefined {
  const { text, at } = input
  let end = at
  while (isLowerCase(text.charCodeAt(end))) end += 1
  if (end === at) {
    const first = text[at]
    if (first === '{' || first === '}' || first === '!') end += 1
    else if (text.startsWith('[[', at) || text.startsWith(']]', at)) end += 2
    else return undefined
  }
  return end - at <= longestReserved && isMeta(text[end]) ? text.slice(at, end) : undefined
}

function isLowerCase(code: number): boolean {
  return code >= 97 && code <= 122
}

export function takeReserved(input: Input, word: string): boolean {
  if (peekReserved(input) !== word) return false
  input.at += word.length
  return true
}

const operator = /;;&|;;|;&|&&|&>>|&>|\|\||\|&|<<<|<<-|<<|<&|<>|>>|>&|>\||[;&|<>()]/y

/** The operator that is next. */
export function peekOperator(input: Input): string | undefined {
  operator.lastIndex = input.at
  return operator.exec(input.text)?.[0]
}

export function emptyWord(): Word {
  return { type: 'word', parts: [], source: '' }
}

/** A word read in a mode. */
export function readWord(input: Input, mode: PartsMode): Word {
  const start = input.at
  const parts = input.grammar.parts(input, mode)
  return { type: 'word', parts, source: input.text.slice(start, input.at) }
}

/** The text of a word that has no expansions and no quotes. */
export function plainText(word: Word): string | undefined {
  if (word.parts.length !== 1) return undefined
  const part = word.parts[0] as Part
  return part.type === 'text' ? part.text : undefined
}
