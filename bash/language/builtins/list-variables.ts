/** Lists variables and functions, as `declare`, `export`, `readonly`, `local` and `set` do. */
import { declarationOf, literalOf } from '../expand/declaration.js'
import { quoteIfNeeded } from '../expand/quote.js'
import { findVariable } from '../expand/variable-access.js'
import { printFunction } from '../run/print-command.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import type { Attributes, Variable } from '../run/state/variables.js'
import { type BuiltinCall, fail } from './builtin.js'

export function* listVariables(
  shell: Shell,
  flags: ReadonlySet<string>,
  attributes: Partial<Record<keyof Attributes, boolean>>,
  call: BuiltinCall,
): Steps<number> {
  if (call.name !== 'local' && flags.size === 0 && Object.keys(attributes).length === 0) return yield* listAll(shell)
  const wanted = Object.entries(attributes) as Array<[keyof Attributes, boolean]>
  const names =
    call.name === 'local' ? [...(shell.variables.functionScope()?.table.keys() ?? [])].sort() : shell.variables.names()
  let text = ''
  for (const name of names) {
    const variable = findVariable(shell, name)
    if (variable === undefined || (call.name === 'local' && !variable.local)) continue
    if (wanted.some(([key, on]) => on && !variable[key])) continue
    if (flags.has('a') && variable.list === undefined) continue
    if (flags.has('A') && variable.map === undefined) continue

    text += `${declarationOf(name, variable)}\n`
  }
  yield* shell.write(1, text)
  return 0
}

/** Variables whose values are computed, which bash does not list before they are asked for. */
const unlisted: ReadonlySet<string> = new Set(
  'BASHPID BASH_COMMAND BASH_SUBSHELL EPOCHREALTIME EPOCHSECONDS FUNCNAME LINENO RANDOM SECONDS SRANDOM'.split(' '),
)

/** What `set` and `declare` list without options: variables, and then functions. */
export function* listAll(shell: Shell): Steps<number> {
  const names = shell.variables.names().filter((name) => !unlisted.has(name))
  const lines = names.map((name) => plainLine(name, findVariable(shell, name) ?? {}))
  const functions = [...shell.functions]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, { definition }]) => printFunction(name, definition.body, definition.redirections))
  yield* shell.write(1, [...lines, ...(shell.options.has('posix') ? [] : functions)].join(''))
  return 0
}

/** As `set` and `declare` without options list a variable. */
function plainLine(name: string, variable: Variable): string {
  if (variable.list !== undefined || variable.map !== undefined) {
    const literal = literalOf(variable)
    return literal === undefined ? '' : `${name}=${literal}\n`
  }
  return variable.text === undefined ? '' : `${name}=${quoteIfNeeded(variable.text)}\n`
}

export function* printVariables(shell: Shell, names: readonly string[], call: BuiltinCall): Steps<number> {
  let status = 0
  for (const name of names) {
    const variable = findVariable(shell, name)
    const isHidden = call.name === 'local' && !variable?.local
    if (variable === undefined || isHidden) status = yield* fail(shell, call, `${name}: not found`)
    else yield* shell.write(1, `${declarationOf(name, variable)}\n`)
  }
  return status
}

export function* declareFunctions(
  shell: Shell,
  names: readonly string[],
  flags: ReadonlySet<string>,
  call: BuiltinCall,
): Steps<number> {
  let status = 0
  const isListing = names.length === 0
  for (const name of isListing ? [...shell.functions.keys()].sort() : names) {
    const found = shell.functions.get(name)
    if (isListing && ((flags.has('x') && !found?.exported) || (flags.has('r') && !found?.readonly))) continue
    if (found === undefined) {
      if (call.name !== 'declare' && call.name !== 'typeset')
        yield* shell.report(`${call.name}: ${name}: not a function`)
      status = 1
      continue
    }
    if (call.name === 'export' && !isListing) shell.setFunction(name, { ...found, exported: !flags.has('n') })
    else if ((call.name === 'readonly' || flags.has('r')) && !isListing)
      shell.setFunction(name, { ...found, readonly: true })
    else if (flags.has('x') && !isListing) shell.setFunction(name, { ...found, exported: true })
    else {
      const letters = `f${found.readonly ? 'r' : ''}${found.exported ? 'x' : ''}`
      const attributes = `declare -${letters} ${name}\n`
      if (flags.has('F')) yield* shell.write(1, isListing || flags.has('p') ? attributes : `${name}\n`)
      else yield* shell.write(1, printFunction(name, found.definition.body, found.definition.redirections))
      if ((isListing || flags.has('p')) && !flags.has('F') && letters !== 'f') yield* shell.write(1, attributes)
    }
  }
  return status
}
