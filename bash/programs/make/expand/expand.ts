/** Expands references to variables and calls of functions. */
import { closingOf, patternOf, skipSpace } from '../characters.js'
import type { MakeFile } from '../files.js'
import { MakeError } from '../make-error.js'
import type { MakeFunction, MakeState } from '../state.js'
import type { Scope, Variable } from '../variables.js'
import { substitutePattern } from './substitute.js'
import { TextBuilder } from './text-builder.js'

/** Every so often the stack is left, which has room for fewer calls than variables may be nested. */
const callsPerStack = 40
const bytesPerCall = 2_000
/** A function that calls itself without an end is ended here. */
const deepest = 6_000

export async function expand(make: MakeState, text: string): Promise<string> {
  if (!text.includes('$')) return text
  make.io.step()
  make.io.account(bytesPerCall)
  if (make.expansions >= deepest) throw make.failExpanding('expansions are nested too deeply')
  make.expansions += 1
  if (make.expansions % callsPerStack === 0) await Promise.resolve()
  try {
    return await expandAll(make, text)
  } finally {
    make.expansions -= 1
    make.io.account(-bytesPerCall)
  }
}

/** With the variables of a target, and the place of its recipe. */
export async function expandFor(make: MakeState, text: string, file: MakeFile | undefined): Promise<string> {
  if (file === undefined) return expand(make, text)
  const { scope, reading } = make
  make.scope = file.variables ?? make.globalScope
  make.reading = file.recipe?.place.file === undefined ? undefined : file.recipe.place
  try {
    return await expand(make, text)
  } finally {
    make.scope = scope
    make.reading = reading
  }
}

async function expandAll(make: MakeState, text: string): Promise<string> {
  const out = new TextBuilder(make.io)
  let at = 0
  while (at < text.length) {
    const dollar = text.indexOf('$', at)
    if (dollar < 0) break
    out.add(text.slice(at, dollar))
    const next = text[dollar + 1]
    at = dollar + 2
    if (next === undefined || next === '$') out.add('$')
    else if (next === '(' || next === '{') {
      const found = await reference(make, text, dollar + 2, next)
      out.add(found.value)
      at = found.end
    } else {
      const character = String.fromCodePoint(text.codePointAt(dollar + 1) as number)
      out.add(await textOf(make, character))
      at = dollar + 1 + character.length
    }
  }
  out.add(text.slice(at))
  return out.finish()
}

/** `at` is behind the parenthesis. */
async function reference(
  make: MakeState,
  text: string,
  at: number,
  open: '(' | '{',
): Promise<{ value: string; end: number }> {
  const called = functionAt(make, text, at)
  if (called !== undefined) {
    const end = closingOf(text, called.at, open)
    const close = open === '(' ? ')' : '}'
    if (end < 0) {
      throw make.failExpanding(`unterminated call to function '${called.name}': missing '${close}'`)
    }
    return { value: await callFunction(make, called.name, text.slice(called.at, end), open), end: end + 1 }
  }
  const close = text.indexOf(open === '(' ? ')' : '}', at)
  if (close < 0) throw make.failExpanding('unterminated variable reference')
  const inner = text.slice(at, close)
  if (!inner.includes('$')) return { value: await named(make, inner), end: close + 1 }
  const end = closingOf(text, at, open)
  // What is not closed stands for what comes before the first closing one.
  if (end < 0) return { value: await named(make, inner), end: text.length }
  return { value: await named(make, await expand(make, text.slice(at, end))), end: end + 1 }
}

/** `NAME` or `NAME:FROM=TO`. */
async function named(make: MakeState, inner: string): Promise<string> {
  const colon = inner.indexOf(':')
  const equals = colon < 0 ? -1 : inner.indexOf('=', colon + 1)
  if (equals < 0) return textOf(make, inner)
  const variable = await found(make, inner.slice(0, colon))
  if (variable === undefined || variable.value === '') return ''
  const value = variable.isRecursive ? await expandVariable(make, variable) : variable.value
  const from = patternOf(inner.slice(colon + 1, equals))
  const to = inner.slice(equals + 1)
  if (from.percent >= 0) return substitutePattern(make.io, value, from, patternOf(to))
  return substitutePattern(make.io, value, { text: `%${from.text}`, percent: 0 }, { text: `%${to}`, percent: 0 })
}

async function textOf(make: MakeState, name: string): Promise<string> {
  const variable = await found(make, name)
  if (variable === undefined || (variable.value === '' && !variable.appends)) return ''
  return variable.isRecursive ? expandVariable(make, variable) : variable.value
}

async function found(make: MakeState, name: string): Promise<Variable | undefined> {
  const variable = make.lookup(name)
  if (variable === undefined) await warnUndefined(make, name)
  return variable
}

export async function warnUndefined(make: MakeState, name: string): Promise<void> {
  if (!make.options.warnsUndefined || ['MAKECMDGOALS', 'MAKE_RESTARTS', 'SHELL', 'IFS'].includes(name)) return
  await make.complain(`warning: undefined variable '${name}'`, make.reading)
}

/** The value of a recursive variable. */
export async function expandVariable(make: MakeState, variable: Variable, file?: MakeFile): Promise<string> {
  const { expanding, reading, scope } = make
  if (variable.place !== undefined) make.expanding = variable.place
  make.reading ??= variable.place
  try {
    if (variable.isExpanding) {
      if (variable.callsLeft <= 0) {
        throw new MakeError(
          `Recursive variable '${variable.name}' references itself (eventually)`,
          make.expanding ?? make.reading,
        )
      }
      variable.callsLeft -= 1
    }
    if (file !== undefined) make.scope = file.variables ?? make.globalScope
    variable.isExpanding = true
    if (variable.appends) return await appended(make, variable.name, make.scope, true)
    return await expand(make, variable.value)
  } finally {
    variable.isExpanding = false
    make.expanding = expanding
    make.reading = reading
    make.scope = scope
  }
}

/** The values of all sets that add to one another with `+=`, the uppermost first. */
async function appended(make: MakeState, name: string, scope: Scope | undefined, isLocal: boolean): Promise<string> {
  if (scope === undefined) return ''
  const nextLocal = isLocal && !scope.nextIsParent
  const variable = scope.set.get(name)
  if (variable === undefined || (!isLocal && variable.isPrivate)) return appended(make, name, scope.next, nextLocal)
  const above = variable.appends ? await appended(make, name, scope.next, nextLocal) : ''
  const own = variable.isRecursive ? await expand(make, variable.value) : variable.value
  return above === '' ? own : `${above} ${own}`
}

/** The function that is called at this place, and where its arguments begin. */
function functionAt(make: MakeState, text: string, at: number): { name: string; at: number } | undefined {
  const name = /[a-z-]+(?=[ \t\n\v\f\r])/y
  name.lastIndex = at
  const [found] = name.exec(text) ?? []
  if (found === undefined) return undefined
  return make.functions.has(found) ? { name: found, at: skipSpace(text, at + found.length) } : undefined
}

async function callFunction(make: MakeState, name: string, text: string, open: '(' | '{'): Promise<string> {
  const definition = make.functions.get(name) as MakeFunction
  const args = argumentsOf(text, open, definition.most)
  if (definition.isRaw) return invoke(make, name, definition, args)
  const expanded: string[] = []
  for (const one of args) expanded.push(await expand(make, one))
  return invoke(make, name, definition, expanded)
}

export async function invoke(
  make: MakeState,
  name: string,
  definition: MakeFunction,
  args: readonly string[],
): Promise<string> {
  if (args.length < definition.least) {
    throw make.failExpanding(`insufficient number of arguments (${args.length}) to function '${name}'`)
  }
  return definition.run(make, args)
}

function argumentsOf(text: string, open: '(' | '{', most: number): string[] {
  const args: string[] = []
  let at = 0
  while (most === 0 || args.length < most - 1) {
    const comma = nextComma(text, at, open)
    if (comma < 0) break
    args.push(text.slice(at, comma))
    at = comma + 1
  }
  args.push(text.slice(at))
  return args
}

function nextComma(text: string, from: number, open: '(' | '{'): number {
  for (let at = from; at < text.length; at += 1) {
    const character = text[at]
    if (character === ',') return at
    if (character !== open) continue
    const end = closingOf(text, at + 1, open)
    if (end < 0) return -1
    at = end
  }
  return -1
}
