/** Reads words: text, quotes, parameters, substitutions. */
import { decodeAnsiQuotes } from './ansi-quotes.js'
import type { Part, Statement } from './ast.js'
import { SyntaxFault } from './fault.js'
import { createInput, type Input, lineOf, nested, type PartsMode, readWord, skipContinuation } from './input.js'
import { findClosing } from './matching.js'
import { arithmeticMode, bracketArithmeticMode, doubleMode } from './modes.js'
import { readBracedParameter } from './parameters.js'
import { unexpectedEnd, unexpectedToken, unmatched, wantingMore } from './unexpected.js'

const alwaysSpecial = '\\\'"`$'
const groupStarters = '?*+@!'
const parameterName = /[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]/y

/** Reads parts until the mode's end, which is not taken. */
export function readParts(input: Input, mode: PartsMode): Part[] {
  const { text } = input
  const special = (mode.special ??= specialCharacters(mode))
  const parts: Part[] = []
  const start = input.at
  let plain = ''
  let level = 0
  let conditions = 0
  let inQuotes = false
  const flush = () => {
    if (plain !== '') parts.push({ type: mode.quoted ? 'quoted' : 'text', text: plain })
    plain = ''
  }
  const add = (part: Part) => {
    flush()
    parts.push(part)
  }
  while (input.at < text.length) {
    const from = input.at
    let at = from
    while (at < text.length && !isSpecial(special, text.charCodeAt(at))) at += 1
    if (at > from) {
      plain += text.slice(from, at)
      input.at = at
      continue
    }
    const character = text[at] as string
    if (character === '\\') {
      const escaped = readEscape(input, mode, plain)
      if (typeof escaped === 'string') plain += escaped
      else add(escaped)
    } else if (character === '$') {
      const part = readDollar(input, mode)
      if (part !== undefined) add(part)
      else {
        plain += '$'
        input.at += 1
      }
    } else if (character === '`') {
      add(readBackquotes(input, mode.quoted))
    } else if (character === "'" && mode.singleQuotes) {
      add(readSingleQuotes(input))
    } else if (character === "'" && mode.pairsQuotes) {
      if (!inQuotes && !text.includes("'", at + 1)) throw unmatched(input, "'", at)
      inQuotes = !inQuotes
      plain += character
      input.at += 1
    } else if (character === '"' && mode.doubleQuotes) {
      add(readDoubleQuotes(input))
    } else if (mode.isWord && level === 0 && (character === '<' || character === '>') && text[at + 1] === '(') {
      add(readProcess(input, character))
    } else if (mode.isWord && startsGroup(input)) {
      level += 1
      plain += text.slice(at, at + 2)
      input.at += 2
    } else if (level > 0 && (character === mode.open || character === '(')) {
      level += 1
      plain += character
      input.at += 1
    } else if (level > 0 && (character === mode.close || character === ')')) {
      level -= 1
      plain += character
      input.at += 1
    } else if (character === mode.open) {
      level += 1
      plain += character
      input.at += 1
    } else if (mode.conditional && level === 0 && character === '?') {
      conditions += 1
      plain += character
      input.at += 1
    } else if (conditions > 0 && character === ':') {
      conditions -= 1
      plain += character
      input.at += 1
    } else if (
      !inQuotes &&
      level === 0 &&
      mode.stops.includes(character) &&
      !(mode.startsWithStop && at === start && character !== '}')
    ) {
      break
    } else {
      plain += character
      input.at += 1
    }
  }
  if (mode.isWord && level > 0) throw unmatched(input, ')', start)
  flush()
  return parts
}

function isSpecial(special: Uint8Array, code: number): boolean {
  return code < 128 && special[code] === 1
}

function specialCharacters(mode: PartsMode): Uint8Array {
  const special = new Uint8Array(128)
  const all = [alwaysSpecial, mode.stops, mode.open ?? '', mode.close ?? '', mode.conditional ? '?:' : '']
  if (mode.isWord) all.push(groupStarters)
  for (const character of all.join('')) special[character.charCodeAt(0)] = 1
  return special
}

/** True at `?(` and the like: the start of an extended pattern. */
function startsGroup(input: Input): boolean {
  const { text, at } = input
  if (text[at + 1] !== '(' || !groupStarters.includes(text[at] as string)) return false
  return input.extglob === undefined || input.extglob()
}

function readEscape(input: Input, mode: PartsMode, before: string): string | Part {
  const { text, at } = input
  if (text[at + 1] === '\n') {
    skipContinuation(input)
    return ''
  }
  const code = text.codePointAt(at + 1)
  if (code === undefined) {
    input.at += 1
    return '\\'
  }
  const escaped = String.fromCodePoint(code)
  if (mode.escapes !== undefined && !mode.escapes.includes(escaped)) {
    input.at += 1
    return '\\'
  }
  input.at += 1 + escaped.length
  if (mode.isRegex && endsInBrackets(before)) return escaped
  return mode.quoted ? escaped : { type: 'quoted', text: escaped }
}

/** Whether a bracket expression is open at the end of a text. */
function endsInBrackets(text: string): boolean {
  return /\[\^?\]?[^\]]*$/.test(text.replace(/\[:\w+:\]/g, ''))
}

function readSingleQuotes(input: Input): Part {
  const end = input.text.indexOf("'", input.at + 1)
  if (end < 0) throw unmatched(input, "'", input.at)
  const text = input.text.slice(input.at + 1, end)
  input.at = end + 1
  return { type: 'quoted', text }
}

function readDoubleQuotes(input: Input): Part {
  const start = input.at
  input.at += 1
  const parts = nested(input, () => readParts(input, doubleMode))
  if (input.text[input.at] !== '"') throw unmatched(input, '"', start)
  input.at += 1
  return { type: 'double', parts }
}

function readAnsiQuotes(input: Input): Part {
  const { text } = input
  const start = input.at + 2
  let at = start
  while (at < text.length && text[at] !== "'") at += text[at] === '\\' ? 2 : 1
  if (at >= text.length) throw unmatched(input, "'", input.at)
  input.at = at + 1
  return { type: 'quoted', text: decodeAnsiQuotes(text.slice(start, at)) }
}

/** What begins with `$`; nothing when it is just that character. */
function readDollar(input: Input, mode: PartsMode): Part | undefined {
  const { text, at } = input
  switch (text[at + 1]) {
    case '(':
      return isArithmetic(input, at + 1) ? readArithmetic(input) : readSubstitution(input)
    case '{':
      return nested(input, () => readBracedParameter(input, mode))
    case '[':
      return readBracketArithmetic(input)
    case "'":
      return mode.singleQuotes && !mode.quoted ? readAnsiQuotes(input) : undefined
    case '"':
      if (!mode.doubleQuotes || (mode.quoted && mode.pairsQuotes)) return undefined
      input.at += 1
      return readDoubleQuotes(input)
  }
  parameterName.lastIndex = at + 1
  const [name] = parameterName.exec(text) ?? []
  if (name === undefined) return undefined
  input.at = at + 1 + name.length
  return { type: 'parameter', name, indirect: false, bare: true }
}

/** Whether the two brackets at `at` open an arithmetic expression: only then do two brackets close it. */
export function isArithmetic(input: Input, at: number): boolean {
  const { text } = input
  if (text[at] !== '(' || text[at + 1] !== '(') return false
  const end = findClosing(text, at + 2, '(', ')', input.closings)
  if (end < 0) throw unmatched(input, ')', at)
  return text[end + 1] === ')'
}

function readArithmetic(input: Input): Part {
  const start = input.at
  input.at += 3
  const expression = nested(input, () => readWord(input, arithmeticMode))
  if (!input.text.startsWith('))', input.at)) throw unmatched(input, ')', start)
  input.at += 2
  return { type: 'arithmetic', expression }
}

function readBracketArithmetic(input: Input): Part {
  const start = input.at
  input.at += 2
  const expression = nested(input, () => readWord(input, bracketArithmeticMode))
  if (input.text[input.at] !== ']') throw unmatched(input, ']', start)
  input.at += 1
  return { type: 'arithmetic', expression }
}

function readSubstitution(input: Input): Part {
  const { body, source } = readEnclosed(input)
  return { type: 'command', body, source }
}

function readProcess(input: Input, direction: '<' | '>'): Part {
  return { type: 'process', direction, ...readEnclosed(input) }
}

/** Commands between `$(`, `<(` or `>(` and `)`. Here-documents that begin in there end in there, if they can. */
function readEnclosed(input: Input): { body: Statement[]; source: string } {
  input.at += 2
  const start = input.at
  const outside = input.heredocs
  const wasEnclosed = input.isEnclosed
  input.heredocs = []
  input.isEnclosed = true
  const body = nested(input, () => readUpToBracket(input))
  const source = input.text.slice(start, input.at)
  input.at += 1
  input.heredocs = [...outside, ...input.heredocs]
  input.isEnclosed = wasEnclosed
  return { body, source }
}

function readUpToBracket(input: Input): Statement[] {
  try {
    const body = input.grammar.statements(input)
    if (input.text[input.at] === ')') return body
    if (input.at < input.text.length) throw unexpectedToken(input)
  } catch (error) {
    if (error instanceof SyntaxFault && (error.context !== undefined || error.inCondition)) error.inSubstitution = true
    throw error
  }
  throw wantingMore(new SyntaxFault("unexpected EOF while looking for matching `)'", unexpectedEnd(input).line))
}

/** The text of backquotes is parsed when it runs in bash, so an error in it is not one of the script. */
function readBackquotes(input: Input, inQuotes: boolean): Part {
  const { text } = input
  const start = input.at + 1
  let at = start
  while (at < text.length && text[at] !== '`') at += text[at] === '\\' ? 2 : 1
  if (at >= text.length) throw unmatched(input, '`', start)
  const source = text.slice(start, at).replace(inQuotes ? /\\([$`\\"])/g : /\\([$`\\])/g, '$1')
  const line = lineOf(input, start)
  input.at = at + 1
  const inner = createInput(source, input.grammar, line, input.depth)
  inner.extglob = input.extglob
  try {
    const body = nested(inner, () => inner.grammar.statements(inner))
    if (inner.at >= source.length) return { type: 'command', body, source }
    throw unexpectedToken(inner)
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    return { type: 'command', body: [], source, fault: error }
  }
}
