/** The interface between the interpreter and its builtins. */
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import type { Assignment } from '../syntax/ast.js'

/** How a builtin was called. */
export interface BuiltinCall {
  /** As it was named. */
  name: string
  /** Arguments that are arrays, such as `a=(…)` of `declare`, by their place. */
  arrays?: ReadonlyMap<number, Assignment>
}

export type BuiltinRun = (shell: Shell, args: readonly string[], call: BuiltinCall) => number | Steps<number>

export type Builtins = Readonly<Record<string, BuiltinRun>>

/** Writes `bash: line 1: name: message` and returns the status. */
export function* fail(shell: Shell, call: BuiltinCall, message: string, status = 1): Steps<number> {
  yield* shell.report(`${call.name}: ${message}`)
  return status
}

/** A wrong option, with the usage. */
export function* wrongOption(shell: Shell, call: BuiltinCall, option: string, usage: string): Steps<number> {
  yield* shell.report(`${call.name}: ${option}: invalid option`)
  yield* shell.complain(`${call.name}: usage: ${usage}\n`)
  return 2
}

/** The flags before the operands, as single letters; `takesValue` lists those with an argument. */
export function parseFlags(
  args: readonly string[],
  letters: string,
  takesValue = '',
): { flags: Map<string, string>; rest: readonly string[]; wrong?: string; missing?: string } {
  const flags = new Map<string, string>()
  let at = 0
  for (; at < args.length; at += 1) {
    const arg = args[at] as string
    if (arg === '--') return { flags, rest: args.slice(at + 1) }
    if (!arg.startsWith('-') || arg === '-') break
    for (let letter = 1; letter < arg.length; letter += 1) {
      const name = arg[letter] as string
      if (takesValue.includes(name)) {
        const attached = arg.slice(letter + 1)
        const value = attached !== '' ? attached : args[at + 1]
        if (value === undefined) return { flags, rest: [], missing: `-${name}` }
        if (attached === '') at += 1
        flags.set(name, value)
        break
      }
      if (!letters.includes(name)) return { flags, rest: [], wrong: `-${name}` }
      flags.set(name, '')
    }
  }
  return { flags, rest: args.slice(at) }
}
