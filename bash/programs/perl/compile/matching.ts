/** `m//`, `s///`, `tr///`, `split` and patterns in variables. */
import { compileProgramRegex, type ProgramRegex, RegexError, type RegexMatch } from '../../../regex/index.js'
import type { Expr, Pattern } from '../syntax/ast.js'
import { PerlSyntaxError, Unsupported } from '../syntax/perl-error.js'
import { indexOf, textOf, truth } from '../values/numbers.js'
import { PerlDie } from '../values/perl-die.js'
import { translator } from '../values/translate.js'
import { no, RegexValue, Scalar, type Value } from '../values/values.js'
import { refuseWaiting } from './analysis.js'
import { type Code, type Frame, map, map2, now } from './code.js'
import type { Compiler } from './compiler.js'

type Match = Extract<Expr, { kind: 'match' }>
type Substitute = Extract<Expr, { kind: 'substitute' }>

const topic: Expr = { kind: 'global', sigil: '$', name: '_' }

export function patternText(compiler: Compiler, pattern: Pattern): Code<string> {
  if (pattern.source.kind === 'value') {
    const text = textOf(pattern.source.value)
    compileNow(text, pattern.flags)
    return now(() => text)
  }
  return map(compiler.scalar(pattern.source), textOf)
}

/** A pattern of the program: what is wrong with it is found before anything runs. */
function compileNow(source: string, flags: string): ProgramRegex {
  try {
    return compileProgramRegex(source, flags.replace(/[^imsx]/g, ''))
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    if (/supported/.test(error.message)) throw new Unsupported(withoutEnd(error.message))
    throw new PerlSyntaxError(`${error.message} in regex; marked by m/${source}/`, 1)
  }
}

function withoutEnd(message: string): string {
  return `the pattern: ${message.replace(/ (?:is|are) (?:not )?supported.*$/, '')}`
}

/** One that a run has made. */
function compileLater(source: string, flags: string): ProgramRegex {
  try {
    return compileProgramRegex(source, flags)
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    if (/supported/.test(error.message)) throw new Unsupported(withoutEnd(error.message))
    throw new PerlDie(`${error.message} in regex; marked by m/${source}/`)
  }
}

export function patternCode(
  compiler: Compiler,
  { source, flags: given }: Pattern,
  mayBeEmpty = false,
): Code<ProgramRegex> {
  const flags = given.replace(/[^imsx]/g, '')
  if (source.kind === 'value') {
    const text = textOf(source.value)
    if (text === '' && !mayBeEmpty) throw new Unsupported('an empty pattern')
    const regex = compileNow(text, flags)
    return now(() => regex)
  }
  let last: { text: string; regex: ProgramRegex } | undefined
  const value = source.kind === 'interpolated' && source.parts.length === 1 ? (source.parts[0] as Expr) : source
  return map(compiler.scalar(value), (given) => {
    const text = given instanceof RegexValue && flags === '' ? given.toText() : textOf(given)
    if (last?.text === text) return last.regex
    if (text === '' && !mayBeEmpty) throw new Unsupported('an empty pattern')
    const regex = compileLater(text, flags)
    last = { text, regex }
    return regex
  })
}

function execute(run: () => RegexMatch | undefined): RegexMatch | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof RegexError) throw new Unsupported('a pattern that takes this long')
    throw error
  }
}

export function matchScalar(compiler: Compiler, expr: Match): Code<Value> {
  const { runtime } = compiler
  const { flags } = expr.pattern
  const regex = patternCode(compiler, expr.pattern)
  const { isNegated } = expr
  if (!flags.includes('g')) {
    return map2(compiler.scalar(expr.target ?? topic), regex, (value, pattern) => {
      const text = textOf(value)
      const match = execute(() => pattern.exec(text, 0))
      if (match === undefined) return truth(isNegated)
      runtime.lastMatch = { text, match, regex: pattern }
      return truth(!isNegated)
    })
  }
  const keeps = flags.includes('c')
  return map2(compiler.cell(expr.target ?? topic), regex, (cell, pattern) => {
    const text = textOf(cell.value)
    const from = cell.pos ?? 0
    const isStuck = cell.pos !== undefined && cell.isEmptyAt
    const match =
      from > text.length ? undefined : execute(() => (isStuck ? pattern.execOn(text, from) : pattern.exec(text, from)))
    if (match === undefined) {
      if (!keeps) cell.pos = undefined
      return truth(isNegated)
    }
    cell.pos = match.end
    cell.isEmptyAt = match.end === match.start
    runtime.lastMatch = { text, match, regex: pattern }
    return truth(!isNegated)
  })
}

export function matchList(compiler: Compiler, expr: Match): Code<Value[]> {
  const { runtime } = compiler
  const regex = patternCode(compiler, expr.pattern)
  if (!expr.pattern.flags.includes('g')) {
    return map2(compiler.scalar(expr.target ?? topic), regex, (value, pattern) => {
      const text = textOf(value)
      const match = execute(() => pattern.exec(text, 0))
      if (match === undefined) return []
      runtime.lastMatch = { text, match, regex: pattern }
      return match.groups.length === 0 ? [1] : groupsOf(text, match)
    })
  }
  const keeps = expr.pattern.flags.includes('c')
  return map2(compiler.cell(expr.target ?? topic), regex, (cell, pattern) => {
    const text = textOf(cell.value)
    const found: Value[] = []
    let isStuck = cell.pos !== undefined && cell.isEmptyAt
    let from = cell.pos ?? 0
    for (;;) {
      runtime.io.step()
      const at = from
      const stuck = isStuck
      const match =
        at > text.length ? undefined : execute(() => (stuck ? pattern.execOn(text, at) : pattern.exec(text, at)))
      if (match === undefined) break
      runtime.lastMatch = { text, match, regex: pattern }
      if (match.groups.length === 0) found.push(text.slice(match.start, match.end))
      else for (const group of groupsOf(text, match)) found.push(group)
      from = match.end
      isStuck = match.end === match.start
      if (keeps) {
        cell.pos = from
        cell.isEmptyAt = isStuck
      }
    }
    if (!keeps) cell.pos = undefined
    return found
  })
}

export function groupsOf(text: string, { groups }: RegexMatch): Value[] {
  return groups.map((span) => (span === undefined ? undefined : text.slice(span[0], span[1])))
}

export function substituteCode(compiler: Compiler, expr: Substitute): Code<Value> {
  const { flags } = expr.pattern
  refuseWaiting(compiler, expr.by, 'the replacement of s///')
  const by = 'statements' in expr.by ? compiler.lastValue(expr.by) : compiler.scalar(expr.by)
  const replacement = by.now
  if (replacement === undefined) throw new Unsupported('waiting in the replacement of s///')
  const regex = patternCode(compiler, expr.pattern)
  const isGlobal = flags.includes('g')
  const returns = flags.includes('r')
  const target: Code<Scalar> = returns
    ? map(compiler.scalar(expr.target ?? topic), (value) => new Scalar(value))
    : compiler.cell(expr.target ?? topic)
  return map2(target, regex, (cell, pattern, frame) => {
    const text = textOf(cell.value)
    const { count, result } = substituted(compiler, text, pattern, isGlobal, replacement, frame)
    if (returns) return count === 0 ? text : result
    if (count > 0) cell.set(result)
    if (expr.isNegated) return truth(count === 0)
    return count === 0 ? no : count
  })
}

function substituted(
  { runtime }: Compiler,
  text: string,
  pattern: ProgramRegex,
  isGlobal: boolean,
  replacement: (frame: Frame) => Value,
  frame: Frame,
): { count: number; result: string } {
  let match = execute(() => pattern.exec(text, 0))
  if (match === undefined) return { count: 0, result: text }
  let result = ''
  let at = 0
  let count = 0
  while (match !== undefined) {
    count += 1
    const found: RegexMatch = match
    const last = { text, match: found, regex: pattern }
    runtime.lastMatch = last
    result += text.slice(at, found.start) + textOf(replacement(frame))
    runtime.lastMatch = last
    at = found.end
    if (!isGlobal || at > text.length) break
    runtime.io.step()
    match = execute(() => (found.end === found.start ? pattern.execOn(text, found.end) : pattern.exec(text, found.end)))
  }
  return { count, result: result + text.slice(at) }
}

export function translateCode(compiler: Compiler, expr: Extract<Expr, { kind: 'translate' }>): Code<Value> {
  const { flags } = expr.table
  const run = translator(expr.table)
  const target = expr.target ?? topic
  if (flags.includes('r')) return map(compiler.scalar(target), (value) => run(textOf(value)).text)
  return map(compiler.cell(target), (cell) => {
    const before = textOf(cell.value)
    const { text, count } = run(before)
    if (text !== before) cell.set(text)
    return expr.isNegated ? truth(count === 0) : count
  })
}

/** `split`: by a blank in quotes, by a pattern, or by the text of a value as a pattern. */
export function splitCode(compiler: Compiler, args: readonly Expr[], line: number): Code<Value[]> {
  const [by, of = topic, most] = args
  const text = map(compiler.scalar(of), textOf)
  const limit = most === undefined ? now(() => 0) : map(compiler.scalar(most), indexOf)
  const both = map2(text, limit, (subject, count) => ({ subject, count }))
  if (by === undefined || (by.kind === 'value' && by.value === ' ')) {
    return map(both, ({ subject, count }) => splitByBlanks(subject, count))
  }
  if (line < 0) throw new Unsupported('split here')
  let pattern: Pattern
  if (by.kind === 'match' && by.target === undefined) {
    const source = by.pattern.source
    const isCaret = source.kind === 'value' && source.value === '^'
    pattern = isCaret ? { source, flags: `${by.pattern.flags}m` } : by.pattern
  } else pattern = { source: by, flags: '' }
  if (by.kind !== 'match' && by.kind !== 'value' && by.kind !== 'regex') {
    // A value that is a blank splits as a blank in quotes does.
    const regex = patternCode(compiler, pattern, true)
    return map2(
      map2(compiler.scalar(by), regex, (value, made) => ({ value, made })),
      both,
      ({ value, made }, { subject, count }) =>
        value === ' ' ? splitByBlanks(subject, count) : splitBy(compiler, subject, made, count),
    )
  }
  return map2(patternCode(compiler, pattern, true), both, (regex, { subject, count }) =>
    splitBy(compiler, subject, regex, count),
  )
}

function splitByBlanks(given: string, limit: number): Value[] {
  const text = given.replace(/^[ \t\n\r\f\v]+/, '')
  if (text === '') return []
  const parts: Value[] = []
  let at = 0
  const blanks = /[ \t\n\r\f\v]+/g
  while (limit <= 0 || parts.length < limit - 1) {
    const found = blanks.exec(text)
    if (found === null) break
    parts.push(text.slice(at, found.index))
    at = blanks.lastIndex
  }
  parts.push(text.slice(at))
  return trimmed(parts, limit)
}

function splitBy({ runtime }: Compiler, text: string, regex: ProgramRegex, limit: number): Value[] {
  if (text === '') return []
  const parts: Value[] = []
  let at = 0
  let from = 0
  let fields = 0
  while (limit <= 0 || fields < limit - 1) {
    const start = from
    let match = start >= text.length ? undefined : execute(() => regex.exec(text, start))
    // A separator of no length does not stand at the beginning or the end of a part.
    if (match !== undefined && match.end === match.start && match.start <= at) {
      const place = at
      match = execute(() => regex.execOn(text, place))
      if (match !== undefined && match.end === match.start && match.start <= at) match = undefined
    }
    if (match === undefined) break
    runtime.io.step()
    const found = match
    parts.push(text.slice(at, found.start))
    fields += 1
    for (const group of groupsOf(text, found)) parts.push(group)
    at = found.end
    from = found.end
  }
  parts.push(text.slice(at))
  return trimmed(parts, limit)
}

function trimmed(parts: Value[], limit: number): Value[] {
  if (limit === 0) while (parts.length > 0 && (parts.at(-1) === '' || parts.at(-1) === undefined)) parts.pop()
  return parts
}
