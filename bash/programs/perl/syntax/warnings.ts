/** Warnings that are found while a program is parsed. */
import type { Container, Expr } from './ast.js'
import { isOn } from './categories.js'
import type { ParserState } from './parser-state.js'

/** Prints it before the program runs. */
export function warn(state: ParserState, category: string, text: string, line = state.line): void {
  if (isOn(state.shared.warnings, category)) state.shared.warned.push({ text, line })
}

/** Of an `if` and the like: an assignment of a constant was meant to compare. */
export function checkCondition(state: ParserState, test: Expr, line = state.line): void {
  if (test.kind !== 'assign' || test.operator !== '' || test.value.kind !== 'value') return
  const { target } = test
  if (target.kind === 'list' || ('sigil' in target && target.sigil !== '$')) return
  if (target.kind === 'my' && (target.isList || target.variables[0]?.sigil !== '$')) return
  warn(state, 'syntax', 'Found = in conditional, should be ==', line)
}

/** `@x[0]` for `$x[0]`. */
export function checkSlice(state: ParserState, of: Container, sign: '[' | '{', list: readonly Expr[]): void {
  const [only] = list
  if (!isOn(state.shared.warnings, 'syntax') || list.length !== 1 || only === undefined || of.kind === 'deref') return
  const isVariable = 'sigil' in only && only.sigil === '$'
  if (only.kind !== 'value' && !isVariable) return
  const inner = only.kind !== 'value' ? '...' : typeof only.value === 'string' ? `"${only.value}"` : String(only.value)
  const place = `${of.name}${sign}${inner}${sign === '[' ? ']' : '}'}`
  state.shared.slices.push({ text: `Scalar value @${place} better written as $${place}`, line: state.line })
}

/** `print (...) + 1` takes the parentheses alone. As perl does, it looks at the text only. */
export function checkParentheses(state: ParserState, name: string): void {
  const { text } = state
  if (!text.startsWith(' (', state.at)) return
  let at = state.at + 2
  for (let level = 1; at < text.length && level > 0; at += 1) {
    if (text[at] === '(') level += 1
    else if (text[at] === ')') level -= 1
  }
  const next = /\S/.exec(text.slice(at))?.[0]
  if (next !== undefined && ';&/|})]oairuwef!='.includes(next)) return
  warn(state, 'syntax', `${name} (...) interpreted as function`)
}

export function checkWords(state: ParserState, text: string, line: number): void {
  const marks = [
    { sign: ',', message: 'Possible attempt to separate words with commas' },
    { sign: '#', message: 'Possible attempt to put comments in qw() list' },
  ]
  const found = marks.filter(({ sign }) => text.includes(sign))
  found.sort((one, two) => text.indexOf(one.sign) - text.indexOf(two.sign))
  for (const { message } of found) warn(state, 'qw', message, line)
}

/** Notes a global name; perl warns of those that occur once. */
export function mention(state: ParserState, name: string, sigil: string): void {
  const { shared } = state
  if (shared.uncounted > 0) return
  const known = shared.globals.get(name)
  if (known === undefined) shared.globals.set(name, { count: 1, line: state.line, sigils: sigil })
  else {
    known.count += 1
    known.sigils += sigil
  }
}

const known = new Set(['_', 'a', 'b', '0', 'ARGV', 'ENV', 'STDIN', 'STDOUT', 'STDERR', 'ARGVOUT', '^O', '^W'])

export function checkOnce(state: ParserState): void {
  const { globals, subs, ours } = state.shared
  if (!isOn(state.shared.warnings, 'once')) return
  const found = [...globals].filter(
    ([name, { count }]) =>
      count === 1 && /^[A-Za-z_]/.test(name) && !known.has(name) && !subs.has(name) && !ours.has(name),
  )
  // Perl prints them in the order of its table of names.
  if (found.length > 1)
    state.refuse(`the warnings of several names that occur once (${found.map(([name]) => name).join(', ')})`)
  for (const [name, { line }] of found) warn(state, 'once', `Name "main::${name}" used only once: possible typo`, line)
}
