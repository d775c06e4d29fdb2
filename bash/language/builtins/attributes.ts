/** `export` and `readonly`. */
import { assignArray } from '../expand/assign.js'
import { quoteTraced } from '../expand/quote.js'
import { assignText, namePattern, resolveReference } from '../expand/variable-access.js'
import { ReadonlyFailure } from '../run/state/jumps.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import type { Attributes } from '../run/state/variables.js'
import { trace } from '../run/trace.js'
import { type BuiltinCall, parseFlags, wrongOption } from './builtin.js'
import { declareFunctions, listVariables } from './list-variables.js'

export interface Declaration {
  /** Attributes to set and to remove. */
  attributes: Partial<Record<keyof Attributes, boolean>>
  kind: 'list' | 'map' | undefined
  /** `+a` and `+A`, which are not possible. */
  removes: 'list' | 'map' | undefined
  isGlobal: boolean
  inherits: boolean
}

/** Declares all arguments from a place on. */
export type DeclareEach = (
  shell: Shell,
  args: readonly string[],
  from: number,
  call: BuiltinCall,
  declaration: Declaration,
) => Steps<number>

export function exportVariables(
  shell: Shell,
  args: readonly string[],
  call: BuiltinCall,
  declareEach: DeclareEach,
): Steps<number> {
  const usage = 'export [-fn] [name[=value] ...] or export -p'
  return setAttribute(shell, args, call, { attribute: 'exported', letters: 'fnpaA', usage, declareEach })
}

export function readonlyVariables(
  shell: Shell,
  args: readonly string[],
  call: BuiltinCall,
  declareEach: DeclareEach,
): Steps<number> {
  const usage = 'readonly [-aAf] [name[=value] ...] or readonly -p'
  return setAttribute(shell, args, call, { attribute: 'readonly', letters: 'aAfp', usage, declareEach })
}

interface Kind {
  attribute: 'exported' | 'readonly'
  letters: string
  usage: string
  declareEach: DeclareEach
}

function* setAttribute(shell: Shell, args: readonly string[], call: BuiltinCall, kind: Kind): Steps<number> {
  const { flags, rest, wrong } = parseFlags(args, kind.letters)
  if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, kind.usage)
  const names = new Set(flags.keys())
  if (names.has('f')) return yield* declareFunctions(shell, rest, names, call)
  if (rest.length === 0) return yield* listVariables(shell, names, { [kind.attribute]: true }, call)
  let status = 0
  for (const [index, arg] of rest.entries()) {
    const at = args.length - rest.length + index
    const failed = yield* setOne(shell, arg, at, call, { ...kind, flags: names })
    if (failed) status = 1
  }
  return status
}

/** True when it failed, and the message is printed. */
function* setOne(
  shell: Shell,
  arg: string,
  at: number,
  call: BuiltinCall,
  { attribute, flags, declareEach }: Kind & { flags: ReadonlySet<string> },
): Steps<boolean> {
  const array = call.arrays?.get(at)
  const [, given = '', operator, value = ''] = /^([^=]*?)(\+?=)(.*)$/s.exec(arg) ?? [arg, arg]
  const isAssigned = operator !== undefined || array !== undefined
  if (!namePattern.test(given)) {
    yield* shell.report(`${call.name}: \`${given}': not a valid identifier`)
    return true
  }
  if (isAssigned && (flags.has('a') || flags.has('A'))) {
    const one = { ...call, arrays: new Map(array === undefined ? [] : [[0, array]]) }
    const kind = flags.has('a') ? ('list' as const) : ('map' as const)
    const declaration = { attributes: {}, kind, removes: undefined, isGlobal: true, inherits: false }
    if ((yield* declareEach(shell, [arg], 0, one, declaration)) !== 0) return true
  } else if (isAssigned) {
    try {
      const appends = operator === '+=' || array?.appends === true
      if (array?.value.type === 'array') yield* assignArray(shell, given, array.value, { appends })
      else assignText(shell, given, value, { appends })
      if (shell.options.xtrace) yield* trace(shell, `${given}${appends ? '+' : ''}=${quoteTraced(value)}`)
    } catch (error) {
      if (!(error instanceof ReadonlyFailure)) throw error
      yield* shell.report(`${call.name}: ${error.message}`)
      return true
    }
  }
  mark(shell, given, attribute, !(attribute === 'exported' && flags.has('n')))
  return false
}

function mark(shell: Shell, given: string, attribute: 'exported' | 'readonly', isOn: boolean): void {
  const { variables } = shell
  const hidden = variables.temporary(given)
  // `x=1 export x` sets the variable that stays.
  if (hidden?.text !== undefined) assignText(shell, given, hidden.text)
  const { name } = resolveReference(shell, given)
  const scope = variables.scopeOf(name)
  const { [attribute]: _before, ...variable } = scope.table.get(name) ?? {}
  if (scope.table.has(name) || isOn) variables.set(name, { ...variable, ...(isOn && { [attribute]: true }) }, scope)
}
