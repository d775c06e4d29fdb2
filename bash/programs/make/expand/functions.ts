/** The functions of make by name, and those that are about variables and about make itself. */
import { endOfWord, skipSpace, stripped } from '../characters.js'
import { readText } from '../read/makefile.js'
import type { MakeFunction, MakeState } from '../state.js'
import { newVariable } from '../variables.js'
import { expand, invoke, warnUndefined } from './expand.js'
import { fileFunctions } from './file-functions.js'
import { nameFunctions } from './name-functions.js'
import { runShell } from './shell.js'
import { TextBuilder } from './text-builder.js'
import { wordFunctions } from './word-functions.js'

/** Real make's own bound. */
const mostCalls = 32_767

const ownFunctions: Readonly<Record<string, MakeFunction>> = {
  foreach: { least: 3, most: 3, isRaw: true, run: forEach },
  if: { least: 2, most: 3, isRaw: true, run: choose },
  or: { least: 1, most: 0, isRaw: true, run: either },
  and: { least: 1, most: 0, isRaw: true, run: all },
  call: { least: 1, most: 0, run: call },
  origin: { least: 0, most: 1, run: (make, [name = '']) => make.lookup(name)?.origin ?? 'undefined' },
  flavor: { least: 0, most: 1, run: flavor },
  value: { least: 0, most: 1, run: (make, [name = '']) => make.lookup(name)?.value ?? '' },
  eval: { least: 0, most: 1, run: (make, [text = '']) => runEval(make, text) },
  shell: { least: 0, most: 1, run: (make, [command = '']) => runShell(make, command) },
  info: { least: 0, most: 1, run: inform },
  warning: { least: 0, most: 1, run: warn },
  error: {
    least: 0,
    most: 1,
    run(make, [message = '']) {
      throw make.fail(message)
    },
  },
}

export const makeFunctions: ReadonlyMap<string, MakeFunction> = new Map<string, MakeFunction>(
  Object.entries({ ...ownFunctions, ...wordFunctions, ...nameFunctions, ...fileFunctions }),
)

async function forEach(make: MakeState, [name = '', list = '', body = '']: readonly string[]): Promise<string> {
  const variable = newVariable(await expand(make, name), '', 'automatic', false)
  const words = (await expand(make, list)).match(/[^ \t\n\v\f\r]+/g) ?? []
  const { scope } = make
  make.scope = { set: new Map([[stripped(variable.name), variable]]), next: scope, nextIsParent: false }
  const out = new TextBuilder(make.io)
  try {
    for (const [index, word] of words.entries()) {
      variable.value = word
      if (index > 0) out.add(' ')
      out.add(await expand(make, body))
    }
  } finally {
    make.scope = scope
  }
  return out.finish()
}

async function choose(make: MakeState, [condition = '', yes = '', no = '']: readonly string[]): Promise<string> {
  const isTrue = (await expand(make, stripped(condition))) !== ''
  return expand(make, isTrue ? yes : no)
}

async function either(make: MakeState, args: readonly string[]): Promise<string> {
  for (const one of args) {
    const value = await expand(make, stripped(one))
    if (value !== '') return value
  }
  return ''
}

async function all(make: MakeState, args: readonly string[]): Promise<string> {
  let value = ''
  for (const one of args) {
    value = await expand(make, stripped(one))
    if (value === '') return ''
  }
  return value
}

/** `$(call NAME,...)`: a function of make, or a variable with `$(1)` and so on. */
async function call(make: MakeState, args: readonly string[]): Promise<string> {
  const given = args[0] ?? ''
  const start = skipSpace(given, 0)
  const name = given.slice(start, endOfWord(given, start))
  if (name === '') return ''
  const own = make.functions.get(name)
  if (own !== undefined) return invoke(make, name, own, args.slice(1))
  const variable = make.lookup(name)
  if (variable === undefined) await warnUndefined(make, name)
  if (variable === undefined || variable.value === '') return ''
  const { scope, callArguments } = make
  const set = new Map<string, ReturnType<typeof newVariable>>()
  // Empty ones hide the arguments of a call around this one.
  for (let index = 0; index < Math.max(args.length, callArguments); index += 1) {
    const value = index === 0 ? name : (args[index] ?? '')
    set.set(`${index}`, newVariable(`${index}`, value, 'automatic', false))
  }
  make.scope = { set, next: scope, nextIsParent: false }
  make.callArguments = Math.max(args.length, callArguments)
  variable.callsLeft = mostCalls
  try {
    return await expand(make, `$(${name})`)
  } finally {
    variable.callsLeft = 0
    make.scope = scope
    make.callArguments = callArguments
  }
}

function flavor(make: MakeState, [name = '']: readonly string[]): string {
  const variable = make.lookup(name)
  if (variable === undefined) return 'undefined'
  return variable.isRecursive ? 'recursive' : 'simple'
}

async function inform(make: MakeState, [message = '']: readonly string[]): Promise<string> {
  await make.say(`${message}\n`)
  return ''
}

async function warn(make: MakeState, [message = '']: readonly string[]): Promise<string> {
  await make.complain(message, make.reading)
  return ''
}

/** Its text is read as a makefile, here and now. */
async function runEval(make: MakeState, text: string): Promise<string> {
  const { scope } = make
  await readText(make, text, make.reading ?? { file: undefined, line: 1, offset: 0 })
  make.scope = scope
  return ''
}
