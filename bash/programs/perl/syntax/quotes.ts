/** Quoted text: its delimiters, and the variables and escapes in it. */
import type { Container, Expr, Pattern } from './ast.js'
import type { ParserState } from './parser-state.js'
import { asExpression, unchecked, variableNamed } from './variables.js'
import { checkSlice, warn } from './warnings.js'

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' }

/** Takes the text from an opening delimiter to its end. Escaped delimiters lose their backslash, unless it is a pattern. */
export function takeDelimited(state: ParserState, isPattern = false): { text: string; delimiter: string } {
  const { text } = state
  const open = text[state.at]
  if (open === undefined) state.fail()
  const close = closing[open] ?? open
  let result = ''
  let depth = 1
  const start = state.at
  for (let at = state.at + 1; at < text.length; at += 1) {
    const character = text[at] as string
    if (character === '\n' && state.skips.has(at)) state.refuse('a here-document before quoted text of several lines')
    if (character === '\\') {
      const next = text[at + 1] ?? ''
      result += !isPattern && (next === open || next === close) ? next : character + next
      at += 1
      continue
    }
    if (character === close && (close === open || --depth === 0)) {
      state.at = at + 1
      return { text: result, delimiter: open }
    }
    if (character === open && close !== open) depth += 1
    result += character
  }
  state.at = start
  return state.fail(`Can't find string terminator '${close}' anywhere before EOF`)
}

export function isBracket(delimiter: string): boolean {
  return delimiter in closing
}

/** `'...'`: only backslashes before backslashes go. */
export function plainText(text: string): string {
  return text.replace(/\\\\/g, '\\')
}

export function patternOf(state: ParserState, text: string, delimiter: string, flags: string): Pattern {
  const source: Expr = delimiter === "'" ? { kind: 'value', value: text } : interpolate(state, text, true)
  return { source, flags }
}

interface Group {
  /** The function that its text goes through: `uc`, `quotemeta` and so on. */
  name: string
  parts: Expr[]
}

const caseLetters: Readonly<Record<string, string>> = {
  U: 'uc',
  L: 'lc',
  Q: 'quotemeta',
  u: 'ucfirst',
  l: 'lcfirst',
}

/** The parts of a string or a pattern with variables. */
export function interpolate(state: ParserState, text: string, isPattern = false): Expr {
  const inner = state.inner(text)
  const groups: Group[] = [{ name: '', parts: [] }]
  let plain = ''

  const flush = () => {
    if (plain !== '') groups.at(-1)?.parts.push({ kind: 'value', value: plain })
    plain = ''
  }
  const closeGroup = () => {
    flush()
    const { name, parts } = groups.pop() as Group
    groups.at(-1)?.parts.push({ kind: 'function', name, args: [joined(parts)], line: inner.line })
  }
  const changeCase = (letter: string) => {
    flush()
    if (letter === 'E') {
      if (groups.length > 1) closeGroup()
      return
    }
    const last = groups.at(-1)?.name
    const name = caseLetters[letter] as string
    if ((name === 'uc' || name === 'lc') && (last === 'uc' || last === 'lc')) closeGroup()
    if (
      (name === 'ucfirst' || name === 'lcfirst') &&
      (last === 'uc' || last === 'lc') &&
      groups.at(-1)?.parts.length === 0
    ) {
      groups.splice(-1, 0, { name, parts: [] })
      return
    }
    groups.push({ name, parts: [] })
  }

  while (inner.at < text.length) {
    const character = text[inner.at] as string
    if (character === '\\') {
      const letter = text[inner.at + 1] ?? ''
      if (/[ULQEul]/.test(letter)) {
        inner.at += 2
        changeCase(letter)
      } else if (letter === 'F') state.refuse('\\F')
      else if (isPattern) {
        plain += character + letter
        inner.at += 2
      } else plain += takeEscape(inner)
      continue
    }
    if (character === '$' || character === '@') {
      const variable = takeVariable(inner, isPattern)
      if (variable !== undefined) {
        flush()
        groups.at(-1)?.parts.push(variable)
        continue
      }
    }
    if (isPattern && character === '(' && /^\(\?\??\{/.test(text.slice(inner.at, inner.at + 4))) {
      state.refuse('code in a pattern')
    }
    plain += character
    inner.at += 1
  }
  while (groups.length > 1) closeGroup()
  flush()
  return joined((groups[0] as Group).parts)
}

function joined(parts: Expr[]): Expr {
  const [first] = parts
  if (first === undefined) return { kind: 'value', value: '' }
  if (parts.length === 1 && first.kind === 'value') return first
  return { kind: 'interpolated', parts }
}

const controls: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  e: '\x1b',
  f: '\f',
  b: '\b',
}

function takeEscape(state: ParserState): string {
  const found = state.match(
    /\\(?:x\{\s*([0-9a-fA-F_]*)\s*\}|x([0-9a-fA-F]{0,2})|o\{([0-7]+)\}|([0-7]{1,3})|c([\s\S])|N([\s\S]?)|([\s\S]))/y,
  )
  if (found === undefined) {
    state.at += 1
    return '\\'
  }
  state.at += found[0].length
  const [, wide, hex, braced, octal, control, named, other = ''] = found
  if (named !== undefined) state.refuse('\\N')
  if (control !== undefined) return String.fromCharCode(control.toUpperCase().charCodeAt(0) ^ 64)
  const digits = wide ?? hex
  const code = digits !== undefined ? Number.parseInt(digits || '0', 16) : Number.parseInt(braced ?? octal ?? '', 8)
  if (Number.isNaN(code)) {
    if (/[A-Za-z]/.test(other) && controls[other] === undefined)
      warn(state, 'misc', `Unrecognized escape \\${other} passed through`)
    return controls[other] ?? other
  }
  if (code > 255) state.refuse('a character beyond \\xff')
  return String.fromCharCode(code)
}

/** A variable in a text with its subscripts; undefined when the sign stands for itself. */
function takeVariable(state: ParserState, isPattern: boolean): Expr | undefined {
  const { text } = state
  const sigil = text[state.at] as '$' | '@'
  const rest = text.slice(state.at + 1, state.at + 40)
  if (sigil === '@') {
    if (!/^(?:[A-Za-z_{]|::|\$[\w{$])/.test(rest) && (isPattern || !/^[-+]/.test(rest))) return undefined
  } else {
    if (rest === '' || (isPattern && /^[()|\s]/.test(rest))) {
      if (isPattern) return undefined
      state.fail('Final $ should be \\$ or $name')
    }
    if (isPattern && !/^(?:[\w{&:]|\$[\w{$]|#[\w{$]|\+\{)/.test(rest)) {
      state.refuse(`the variable $${rest[0]} in a pattern`)
    }
    if (!isPattern && /^\s/.test(rest)) state.refuse('$ before a blank in a string')
  }
  state.at += 1
  if (sigil === '$' && rest.startsWith('#') && /^#[{$\w]/.test(rest)) {
    state.at += 1
    return { kind: 'last-index', of: takeBase(state, '@') }
  }
  if (sigil === '@') return arrayIn(state)
  return subscripts(state, isPattern)
}

function takeBase(state: ParserState, sigil: '$' | '@' | '%'): Container {
  return variableNamed(state, sigil, true)
}

function arrayIn(state: ParserState): Expr {
  const start = state.at
  const { text } = state
  unchecked(state, '@', true)
  const next = text[state.at]
  if (next === '{') {
    const end = state.at
    state.at = start
    const of = takeBase(state, '%')
    state.at = end
    const list = inside(state)
    checkSlice(state, of, '{', [list])
    return { kind: 'joined', list: { kind: 'hash-slice', of, list } }
  }
  state.at = start
  const base = takeBase(state, '@')
  if (next !== '[') return { kind: 'joined', list: base }
  const list = inside(state)
  checkSlice(state, base, '[', [list])
  return { kind: 'joined', list: { kind: 'slice', of: base, list } }
}

/** The code between the brackets here. */
function inside(state: ParserState): Expr {
  const { text } = takeDelimited(state, true)
  const inner = state.inner(text)
  const list = inner.grammar.expression(inner)
  if (!inner.isAtEnd()) inner.fail()
  return list
}

export function takeKey(state: ParserState): Expr {
  const plain = state.match(/\{\s*(-?[A-Za-z_]\w*)\s*\}/y)
  if (plain !== undefined) {
    state.at += plain[0].length
    return { kind: 'value', value: plain[1] }
  }
  return inside(state)
}

function isSubscript(state: ParserState, isPattern: boolean): '[' | '{' | undefined {
  const rest = state.text.slice(state.at)
  if (rest.startsWith('[')) {
    if (/^\[(?:-?\d+|\$\w+|\$#\w+|\$\w+\s*[-+]\s*\d+)\]/.test(rest)) return '['
    if (isPattern) state.refuse('a variable before [ in a pattern')
    // As in "$x[text]", which perl takes for an element too.
    return '['
  }
  if (!rest.startsWith('{') || (isPattern && /^\{\s*\d*\s*,?\s*\d*\s*\}/.test(rest))) return undefined
  return '{'
}

function subscripts(state: ParserState, isPattern: boolean): Expr {
  const start = state.at
  const special = state.match(/&|[1-9][0-9]*(?![0-9])/y)
  let result: Expr
  unchecked(state, '$', true)
  const afterBase = state.at
  const kind = special === undefined ? isSubscript(state, isPattern) : undefined
  if (kind !== undefined) {
    state.at = start
    const of = takeBase(state, kind === '[' ? '@' : '%')
    state.at = afterBase
    result =
      kind === '[' ? { kind: 'element', of, index: inside(state) } : { kind: 'hash-element', of, key: takeKey(state) }
  } else {
    state.at = start
    result = asExpression(takeBase(state, '$'))
  }
  for (let isFirst = kind === undefined; ; isFirst = false) {
    const arrow = /^->[[{]/.test(state.text.slice(state.at, state.at + 3))
    if (!arrow && isFirst) return result
    const before = state.at
    if (arrow) state.at += 2
    if (arrow && isPattern && state.text[state.at] === '[' && !/^\[-?[\d$]/.test(state.text.slice(state.at))) {
      state.refuse('a variable before [ in a pattern')
    }
    const next = isSubscript(state, isPattern)
    if (next === undefined) {
      state.at = before
      return result
    }
    result =
      next === '['
        ? { kind: 'element', of: { kind: 'deref', sigil: '@', of: result }, index: inside(state) }
        : { kind: 'hash-element', of: { kind: 'deref', sigil: '%', of: result }, key: takeKey(state) }
  }
}
