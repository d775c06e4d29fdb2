/** What operators stand between: variables, numbers, quotes, calls. */
import { codesOf } from '../values/translate.js'
import type { Container, Expr, Sigil, Translation, Variable } from './ast.js'
import { functionCall } from './calls.js'
import type { ParserState } from './parser-state.js'
import { interpolate, isBracket, patternOf, plainText, takeDelimited, takeKey } from './quotes.js'
import { asExpression, unchecked, variableNamed } from './variables.js'
import { checkSlice, checkWords, mention, warn } from './warnings.js'

type Bound = Extract<Expr, { kind: 'match' | 'substitute' | 'translate' }>

/** Whether it works on the text on the left of `=~`. */
export function readsPattern(expr: Expr): expr is Bound {
  return (expr.kind === 'match' || expr.kind === 'substitute' || expr.kind === 'translate') && expr.target === undefined
}

export function term(state: ParserState): Expr {
  return postfix(state, primary(state))
}

function primary(state: ParserState): Expr {
  state.skip()
  const { text } = state
  const next = text[state.at]
  switch (next) {
    case undefined:
      return state.fail()
    case '$':
    case '@':
    case '%':
    case '&':
      return variable(state, next)
    case '(':
      return parenthesis(state)
    case '[':
      state.at += 1
      return { kind: 'array', items: itemsUntil(state, ']') }
    case '{':
      state.at += 1
      return { kind: 'hash', items: itemsUntil(state, '}') }
    case '"':
      return interpolate(state, takeDelimited(state).text)
    case "'":
      return { kind: 'value', value: plainText(takeDelimited(state).text) }
    case '`':
      return command(state, takeDelimited(state))
    case '/':
      return match(state, takeDelimited(state, true))
    case '<':
      return angle(state)
  }
  if (/[0-9.]/.test(next)) return number(state)
  const word = state.word()
  return word === undefined ? state.fail() : named(state, word)
}

function itemsUntil(state: ParserState, end: string): Expr[] {
  if (state.take(end)) return []
  const all = state.grammar.expression(state)
  state.expect(end)
  return all.kind === 'list' ? all.items : [all]
}

function parenthesis(state: ParserState): Expr {
  state.at += 1
  const items = itemsUntil(state, ')')
  const list: Expr = { kind: 'list', items }
  if (!state.sees('[')) return list
  state.at += 1
  return { kind: 'list-slice', from: list, list: { kind: 'list', items: itemsUntil(state, ']') } }
}

function number(state: ParserState): Expr {
  const based = state.match(/0[xX]([0-9a-fA-F_]+)|0[bB]([01_]+)|0([0-7_]+)(?![.\d])/y)
  if (based !== undefined) {
    const [all, hex, bits, octal] = based
    state.at += all.length
    const prefix = hex !== undefined ? '0x' : bits !== undefined ? '0b' : '0o'
    const value = BigInt(prefix + (hex ?? bits ?? octal ?? '').replaceAll('_', ''))
    if (value >= 1n << 64n) state.refuse('a number beyond 64 bits')
    return { kind: 'value', value: value < 1_000_000_000_000_000n ? Number(value) : value }
  }
  const found = state.match(/(?:\d[\d_]*(?:\.(?!\.)[\d_]*)?|\.\d[\d_]*)(?:[eE][-+]?\d+)?/y)
  if (found === undefined) return state.fail()
  state.at += found[0].length
  if (/^\d+\.\d+\.\d/.test(state.text.slice(state.at - found[0].length))) state.refuse('a version string')
  const digits = found[0].replaceAll('_', '')
  if (/^\d{16,}$/.test(digits)) {
    const value = BigInt(digits)
    if (value < 1n << 64n) return { kind: 'value', value }
  }
  if (/^\d{16}$/.test(digits)) return { kind: 'value', value: BigInt(digits) }
  return { kind: 'value', value: Number(digits) }
}

function variable(state: ParserState, sign: '$' | '@' | '%' | '&'): Expr {
  const { text } = state
  if (sign === '&') return subCall(state)
  if (sign === '$' && /^\$#(?:[{$]|\w)/.test(text.slice(state.at, state.at + 3))) {
    state.at += 2
    return { kind: 'last-index', of: variableNamed(state, '@') }
  }
  const start = state.at + 1
  state.at = start
  unchecked(state, sign)
  const next = text[state.at]
  const again = (sigil: Sigil): Container => {
    const end = state.at
    state.at = start
    const of = variableNamed(state, sigil)
    state.at = end
    return of
  }
  if (sign === '$') {
    if (state.sees('[')) {
      const of = again('@')
      state.at += 1
      return { kind: 'element', of, index: indexIn(state) }
    }
    if (state.sees('{')) return { kind: 'hash-element', of: again('%'), key: keyIn(state) }
    return asExpression(again('$'))
  }
  if (next === '[') {
    if (sign === '%') state.refuse('a slice of pairs of an array')
    const of = again('@')
    state.at += 1
    const items = itemsUntil(state, ']')
    checkSlice(state, of, '[', items)
    return { kind: 'slice', of, list: { kind: 'list', items } }
  }
  if (next === '{') {
    const of = again('%')
    state.at += 1
    const items = itemsUntil(state, '}')
    if (sign === '@') checkSlice(state, of, '{', items)
    const list: Expr = { kind: 'list', items }
    return sign === '@' ? { kind: 'hash-slice', of, list } : { kind: 'pair-slice', of, list }
  }
  return again(sign)
}

function indexIn(state: ParserState): Expr {
  const index = state.grammar.expression(state)
  state.expect(']')
  return index
}

function keyIn(state: ParserState): Expr {
  const plain = state.match(/\{\s*(-?[A-Za-z_]\w*)\s*\}/y)
  if (plain !== undefined) return takeKey(state)
  state.at += 1
  const key = state.grammar.expression(state)
  state.expect('}')
  if (key.kind === 'list' && key.items.length > 1) state.refuse('a key of several values')
  return key
}

function postfix(state: ParserState, start: Expr): Expr {
  let result = start
  for (;;) {
    const arrow = state.takeMatch(/->/y)
    if (arrow === undefined && !isSubscripted(result)) return result
    state.skip()
    const next = state.text[state.at]
    if (next === '[') {
      state.at += 1
      result = { kind: 'element', of: { kind: 'deref', sigil: '@', of: result }, index: indexIn(state) }
    } else if (next === '{') {
      result = { kind: 'hash-element', of: { kind: 'deref', sigil: '%', of: result }, key: keyIn(state) }
    } else if (next === '(' && (arrow !== undefined || isSubscripted(result))) {
      const { line } = state
      state.at += 1
      result = { kind: 'call-value', of: result, args: itemsUntil(state, ')'), line }
    } else if (arrow === undefined) return result
    else if (state.takeMatch(/@\*/y)) result = { kind: 'deref', sigil: '@', of: result }
    else if (state.takeMatch(/%\*/y)) result = { kind: 'deref', sigil: '%', of: result }
    else if (state.takeMatch(/\$\*/y)) result = { kind: 'deref', sigil: '$', of: result }
    else state.refuse('a call of a method')
  }
}

function isSubscripted({ kind }: Expr): boolean {
  return kind === 'element' || kind === 'hash-element' || kind === 'call-value'
}

/** `&name(...)`, `&$code(...)`, and `\&name` without a call. */
function subCall(state: ParserState): Expr {
  const { line } = state
  state.at += 1
  const isReferred = /\\\s*$/.test(state.text.slice(0, state.at - 1))
  const name = state.word()
  if (name !== undefined) {
    state.at += name.length
    state.shared.called.push({ name, line })
    if (isReferred || /\bdefined\s*\(?\s*$/.test(state.text.slice(0, state.at - name.length - 1))) {
      if (!isReferred) state.refuse('defined of a sub')
      return { kind: 'sub-reference', name }
    }
    if (!state.take('(')) return { kind: 'call', name, args: [], keepsArgs: true, line }
    return { kind: 'call', name, args: itemsUntil(state, ')'), keepsArgs: false, line }
  }
  if (state.text[state.at] !== '$') state.fail()
  state.at += 1
  const of = variableNamed(state, '$')
  if (!state.take('(')) return state.refuse('a call of a reference with the arguments of its caller')
  return { kind: 'call-value', of, args: itemsUntil(state, ')'), line }
}

function angle(state: ParserState): Expr {
  const { line } = state
  const here = state.match(/<<(~?)(?:"([^"\n]*)"|'([^'\n]*)'|([A-Za-z_]\w*))/y)
  if (here !== undefined) {
    state.at += here[0].length
    const text = state.hereText(here[2] ?? here[3] ?? here[4] ?? '', here[1] === '~')
    return here[3] === undefined ? interpolate(state, text) : { kind: 'value', value: text }
  }
  const found = state.match(/<(?:(\$?)(\w*)|<>)>/y)
  if (found === undefined) return state.refuse('a list of files by a pattern in < >')
  state.at += found[0].length
  const [, sign, name = ''] = found
  if (sign !== '$') {
    mention(state, name, '*')
    return { kind: 'read-line', handle: { kind: 'named', name: name === 'ARGV' ? '' : name }, line }
  }
  const value = state.inner(`$${name}`)
  value.at = 1
  return { kind: 'read-line', handle: { kind: 'value', value: variableNamed(value, '$') }, line }
}

const quotes = new Set(['q', 'qq', 'qw', 'qx', 'm', 'qr', 's', 'tr', 'y'])

function named(state: ParserState, word: string): Expr {
  if (state.match(/\w+\s*=>/y) !== undefined) {
    state.at += word.length
    return { kind: 'value', value: word }
  }
  if (quotes.has(word) && state.match(/\w+\s*=[^=~>]/y) === undefined) {
    const after = state.match(/[a-z]+(?:\s+(?=[^\s\w#=,;)])|(?=[^\s\w,;)])|\s+(?=[^\W\d])(?=\b$))/y)
    if (after !== undefined) {
      state.at += after[0].length
      return quoteLike(state, word)
    }
  }
  if (word === 'my' || word === 'our' || word === 'local' || word === 'state') return declaration(state, word)
  return functionCall(state, word)
}

function quoteLike(state: ParserState, word: string): Expr {
  switch (word) {
    case 'q':
      return { kind: 'value', value: plainText(takeDelimited(state).text) }
    case 'qq':
      return interpolate(state, takeDelimited(state).text)
    case 'qw': {
      const { line } = state
      const { text } = takeDelimited(state)
      checkWords(state, text, line)
      const items = text.split(/\s+/).filter((item) => item !== '')
      const list: Expr = { kind: 'list', items: items.map((value) => ({ kind: 'value', value: plainText(value) })) }
      if (!state.sees('[')) return list
      state.at += 1
      return { kind: 'list-slice', from: list, list: { kind: 'list', items: itemsUntil(state, ']') } }
    }
    case 'qx':
      return command(state, takeDelimited(state))
    case 'm':
      return match(state, takeDelimited(state, true))
    case 'qr': {
      const { text, delimiter } = takeDelimited(state, true)
      return { kind: 'regex', pattern: patternOf(state, text, delimiter, flagsIn(state, 'imsx')) }
    }
    case 's':
      return substitution(state)
    default:
      return translation(state)
  }
}

/** The letters after a pattern; `a` and `o` change nothing here. */
function flagsIn(state: ParserState, known: string): string {
  const letters = state.match(/[a-zA-Z]*/y)?.[0] ?? ''
  for (const letter of letters) {
    if (!known.includes(letter) && letter !== 'o' && letter !== 'a') state.refuse(`the modifier ${letter} of a pattern`)
  }
  if (/x.*x|e.*e|a.*a/.test(letters)) state.refuse(`the modifiers ${letters} of a pattern`)
  state.at += letters.length
  return letters.replace(/[oa]/g, '')
}

function match(state: ParserState, { text, delimiter }: { text: string; delimiter: string }): Expr {
  const { line } = state
  const flags = flagsIn(state, 'imsxgc')
  if (flags.includes('c') && !flags.includes('g')) warn(state, 'regexp', 'Use of /c modifier is meaningless without /g')
  if (text === '') {
    // The last pattern that matched, in perl: an empty one is wanted by `split` alone.
    return {
      kind: 'match',
      target: undefined,
      pattern: { source: { kind: 'value', value: '' }, flags },
      isNegated: false,
      line,
    }
  }
  return { kind: 'match', target: undefined, pattern: patternOf(state, text, delimiter, flags), isNegated: false, line }
}

function secondPart(state: ParserState, delimiter: string): { text: string; delimiter: string } {
  if (!isBracket(delimiter)) {
    state.at -= 1
    return takeDelimited(state)
  }
  state.skip()
  return takeDelimited(state)
}

function substitution(state: ParserState): Expr {
  const { line } = state
  const first = takeDelimited(state, true)
  const from = state.at
  const second = secondPart(state, first.delimiter)
  const flags = flagsIn(state, 'imsxger')
  if (first.text === '') state.refuse('an empty pattern')
  const pattern = patternOf(state, first.text, first.delimiter, flags)
  let by: Extract<Expr, { kind: 'substitute' }>['by']
  if (flags.includes('e')) {
    // Without the removal of backslashes before delimiters there is nothing but code.
    const inner = state.inner(`{${second.text}\n}`)
    if (from < 0) inner.fail()
    by = inner.grammar.block(inner)
    if (!inner.isAtEnd()) inner.fail()
  } else {
    by =
      second.delimiter === "'"
        ? { kind: 'value', value: second.text }
        : interpolate(state, withDollars(state, second.text))
  }
  return { kind: 'substitute', target: undefined, pattern, by, line, isNegated: false }
}

/** In a replacement, `\\1` is `$1`. */
function withDollars(state: ParserState, text: string): string {
  return text.replace(/\\(?:([1-9])(?![0-9])|[\s\S])/g, (all, digit: string | undefined) => {
    if (digit === undefined) return all
    warn(state, 'syntax', `\\${digit} better written as $${digit}`)
    return `$${digit}`
  })
}

function translation(state: ParserState): Expr {
  const first = takeDelimited(state)
  const second = secondPart(state, first.delimiter)
  const flags = state.match(/[a-z]*/y)?.[0] ?? ''
  if (/[^cdsr]/.test(flags)) state.refuse(`the modifiers ${flags} of tr`)
  state.at += flags.length
  const table = { from: first.text, to: second.text, flags }
  checkTranslation(state, table)
  return { kind: 'translate', target: undefined, table, isNegated: false }
}

function checkTranslation(state: ParserState, { from, to, flags }: Translation): void {
  if (state.shared.warnings === undefined || flags.includes('c')) return
  const [search, by] = [codesOf(from).length, codesOf(to).length]
  if (flags.includes('d') && by >= search) warn(state, 'misc', 'Useless use of /d modifier in transliteration operator')
  if (by > search) warn(state, 'misc', 'Replacement list is longer than search list')
}

function command(state: ParserState, { text, delimiter }: { text: string; delimiter: string }): Expr {
  const { line } = state
  const value: Expr = delimiter === "'" ? { kind: 'value', value: text } : interpolate(state, text)
  return { kind: 'function', name: 'qx', args: [value], line }
}

function declaration(state: ParserState, word: string): Expr {
  if (word === 'state') state.refuse('state')
  state.at += word.length
  if (word === 'local') {
    const target = term(state)
    for (const block of state.blocks.slice(-1)) block.hasLocal = true
    return { kind: 'local', target: checkedLocal(state, target) }
  }
  const variables: Variable[] = []
  const names: string[] = []
  const one = () => {
    const found = state.takeMatch(/([$@%])([A-Za-z_]\w*)/y)
    if (found === undefined) return state.fail()
    const [, sigil, name = ''] = found
    if (name === '_' && word === 'my') state.fail(`Can't use global ${sigil}_ in "my"`)
    names.push(name)
    variables.push(
      word === 'our'
        ? { kind: 'global', sigil: sigil as Sigil, name, isDeclared: true }
        : state.scope.newLexical(sigil as Sigil, name),
    )
    if (word === 'our') state.shared.ours.add(name)
    checkHidden(state, word, sigil as Sigil, name, names.slice(0, -1))
  }
  const isList = state.take('(')
  if (isList) {
    while (!state.take(')')) {
      if (state.takeWord('undef')) state.refuse('undef in a declaration')
      one()
      state.take(',')
    }
  } else one()
  for (const [index, variable] of variables.entries()) state.scope.declareLater(variable, names[index] as string)
  if (word === 'our') {
    const list: Expr = { kind: 'list', items: variables }
    return isList ? list : (variables[0] as Variable)
  }
  return { kind: 'my', variables, isList }
}

function checkHidden(state: ParserState, word: string, sigil: Sigil, name: string, before: readonly string[]): void {
  const hidden = state.scope.declaredHere(sigil, name)
  const where = before.includes(name) ? 'statement' : 'scope'
  if (hidden === undefined && where === 'scope') return
  const what = word === 'our' && hidden?.kind === 'global' ? 'redeclared' : `masks earlier declaration in same ${where}`
  warn(state, 'shadow', `"${word}" variable ${sigil}${name} ${what}`)
}

function checkedLocal(state: ParserState, target: Expr): Expr {
  const ok = (one: Expr): boolean =>
    (one.kind === 'global' && !'.&!@0'.includes(one.name)) || one.kind === 'element' || one.kind === 'hash-element'
  if (target.kind === 'list' ? target.items.every(ok) : ok(target)) return target
  return state.refuse('local of this')
}
