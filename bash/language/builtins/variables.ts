/** `unset`, `shift`, `set`, `shopt` and `let`. */
import { ArithmeticFault } from '../arithmetic/expression.js'
import { calculateRaw } from '../expand/arithmetic.js'
import { ignoredNames } from '../expand/file-names.js'
import { assignText, parseTarget, targetOf, unsetVariable } from '../expand/variable-access.js'
import { CommandFailure } from '../run/state/jumps.js'
import { setOptions, shoptNames, unsupportedSetOptions, unsupportedShopts } from '../run/state/options.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import { type BuiltinCall, type Builtins, fail, parseFlags, wrongOption } from './builtin.js'
import { refuseMore } from './flow.js'
import { listAll } from './list-variables.js'

export const variableBuiltins: Builtins = {
  unset,
  shift,
  set,
  shopt,
  *let(shell, args, call) {
    if (args.length === 0) return yield* fail(shell, call, 'expression expected')
    let value: number | bigint = 0
    for (const arg of args) {
      try {
        value = calculateRaw(shell, arg)
      } catch (error) {
        if (!(error instanceof ArithmeticFault)) throw error
        return yield* fail(shell, call, error.message)
      }
    }
    return value === 0 ? 1 : 0
  },
}

function* unset(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const { flags, rest, wrong } = parseFlags(args, 'fvn')
  if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, 'unset [-f] [-v] [-n] [name ...]')
  let status = 0
  for (const arg of rest) {
    if (flags.has('f')) {
      if (yield* removeFunction(shell, arg, call)) status = 1
      continue
    }
    const target = parseTarget(arg)
    if (target === undefined && !flags.has('v') && !flags.has('n')) {
      shell.setFunction(arg, undefined)
      continue
    }
    if (target === undefined) {
      status = yield* fail(shell, call, `\`${arg}': not a valid identifier`)
      continue
    }
    try {
      const isFunction = !flags.has('v') && shell.variables.get(target.name) === undefined && shell.functions.has(arg)
      if (isFunction) {
        if (yield* removeFunction(shell, arg, call)) status = 1
      } else unsetVariable(shell, targetOf(shell, arg) ?? target, flags.has('n'))
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error
      status = yield* fail(shell, call, error.message)
    }
  }
  return status
}

/** True when it can't be removed. */
function* removeFunction(shell: Shell, name: string, call: BuiltinCall): Steps<boolean> {
  if (shell.functions.get(name)?.readonly) {
    yield* fail(shell, call, `${name}: cannot unset: readonly function`)
    return true
  }
  shell.setFunction(name, undefined)
  return false
}

function* shift(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const [given = '1'] = args[0] === '--' ? args.slice(1) : args
  if (!/^[-+]?\d+$/.test(given)) return yield* fail(shell, call, `${given}: numeric argument required`)
  yield* refuseMore(shell, args, call)
  const count = Number(given)
  if (count < 0) return yield* fail(shell, call, `${given}: shift count out of range`)
  if (count > shell.positional.length) {
    if (shell.options.has('shift_verbose')) yield* shell.report(`shift: ${given}: shift count out of range`)
    return 1
  }
  shell.setPositional(shell.positional.slice(count))
  return 0
}

function* set(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  if (args.length === 0) {
    return yield* listAll(shell)
  }
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] as string
    if (arg === '--') {
      shell.setPositional(args.slice(at + 1))
      return 0
    }
    if (arg === '+') continue
    if (arg === '-') {
      shell.options.set('xtrace', false)
      shell.options.set('verbose', false)
      if (at + 1 < args.length) shell.setPositional(args.slice(at + 1))
      return 0
    }
    if (!/^[-+]/.test(arg)) {
      shell.setPositional(args.slice(at))
      return 0
    }
    const isOn = arg.startsWith('-')
    for (const letter of arg.slice(1)) {
      if (letter === 'o') {
        const name = args[at + 1]
        if (name === undefined || /^[-+]/.test(name)) {
          yield* listOptions(shell, isOn)
          continue
        }
        at += 1
        const status = yield* setOption(shell, call, name, isOn)
        if (status !== 0) return status
        continue
      }
      const [name] = setOptions.find(([, known]) => known === letter) ?? []
      if (name === undefined) {
        return yield* wrongOption(
          shell,
          call,
          `${arg[0]}${letter}`,
          'set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]',
        )
      }
      const status = yield* setOption(shell, call, name, isOn)
      if (status !== 0) return status
    }
  }
  return 0
}

function* setOption(shell: Shell, call: BuiltinCall, name: string, isOn: boolean): Steps<number> {
  if (!setOptions.some(([known]) => known === name)) {
    yield* shell.report(`${call.name}: ${name}: invalid option name`)
    return 2
  }
  if (isOn && unsupportedSetOptions.has(name)) {
    return yield* fail(shell, call, `option '${name}' is not supported by this shell`, 2)
  }
  shell.options.set(name, isOn)
  if (name === 'posix') {
    if (isOn) assignText(shell, 'POSIXLY_CORRECT', 'y')
    else shell.variables.delete('POSIXLY_CORRECT')
    shell.options.set('expand_aliases', isOn)
  }
  return 0
}

function* listOptions(shell: Shell, isTable: boolean): Steps<void> {
  const lines = setOptions.map(([name]) => {
    const isOn = shell.options.has(name)
    return isTable ? `${name.padEnd(15)}\t${isOn ? 'on' : 'off'}\n` : `set ${isOn ? '-' : '+'}o ${name}\n`
  })
  yield* shell.write(1, lines.join(''))
}

function* shopt(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const { flags, rest, wrong } = parseFlags(args, 'suqpo')
  if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, 'shopt [-pqsu] [-o] [optname ...]')
  ignoredNames(shell)
  if (flags.has('s') && flags.has('u'))
    return yield* fail(shell, call, 'cannot set and unset shell options simultaneously')
  const known = flags.has('o') ? setOptions.map(([name]) => name) : shoptNames
  const changes = flags.has('s') || flags.has('u')
  let status = 0
  const names = rest.length > 0 ? rest : known.filter((name) => !changes || shell.options.has(name) === flags.has('s'))
  for (const name of names) {
    if (!known.includes(name)) {
      status = yield* fail(shell, call, `${name}: invalid ${flags.has('o') ? '' : 'shell '}option name`)
      continue
    }
    if (flags.has('s') && unsupportedShopts.has(name)) {
      status = yield* fail(shell, call, `option '${name}' is not supported by this shell`, 2)
      continue
    }
    if (changes && rest.length > 0) {
      shell.options.set(name, flags.has('s'))
      continue
    }
    const isOn = shell.options.has(name)
    if (!isOn && rest.length > 0) status = 1
    if (flags.has('q')) continue
    if (flags.has('p'))
      yield* shell.write(
        1,
        flags.has('o') ? `set ${isOn ? '-' : '+'}o ${name}\n` : `shopt ${isOn ? '-s' : '-u'} ${name}\n`,
      )
    else yield* shell.write(1, `${name.padEnd(15)}\t${isOn ? 'on' : 'off'}\n`)
  }
  return status
}
