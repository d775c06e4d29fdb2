/** Calls of functions. */

import { redirect, restore, type Saved } from './redirect.js'
import { AbandonJump, ReturnJump } from './state/jumps.js'
import type { Shell, ShellFunction } from './state/shell.js'
import { driveLater, type Steps, wait } from './state/steps.js'
import { runTrap } from './traps.js'

const maxDepth = 1000
/** Calls that are nested in each other on one stack of the host. */
const callsPerStack = 40

/** `hasScope`: the assignments before the command are the first variables of the function. */
export function* callFunction(
  shell: Shell,
  found: ShellFunction,
  argv: readonly string[],
  hasScope = false,
): Steps<number> {
  const depth = (shell.frame?.depth ?? 0) + 1
  if (depth > maxDepth) {
    yield* shell.report(`${argv[0]}: maximum function nesting level exceeded (${maxDepth})`)
    throw new AbandonJump(1)
  }
  if (depth % callsPerStack !== 0) return yield* call(shell, found, argv, depth, hasScope)
  return yield* wait(driveLater(() => call(shell, found, argv, depth, hasScope)))
}

function* call(
  shell: Shell,
  found: ShellFunction,
  argv: readonly string[],
  depth: number,
  hasScope: boolean,
): Steps<number> {
  const { definition, source } = found
  const { frame, loops, line } = shell
  const [name = '', ...args] = argv
  const hidden = hideTraps(shell)
  if (hasScope) shell.variables.top.kind = 'function'
  else shell.variables.push('function')
  const restorePositional = shell.hidePositional(args)
  shell.frame = { name, source, line, kind: 'function', below: frame, depth }
  shell.loops = 0
  let saved: Saved | undefined
  try {
    if (definition.redirections.length > 0) saved = yield* redirect(shell, definition.redirections)
    if (shell.traps.size > 0 && shell.traps.has('DEBUG')) {
      shell.line = definition.line
      yield* runTrap(shell, 'DEBUG')
    }
    let status: number
    try {
      status = yield* shell.engine.runCommand(shell, definition.body)
    } catch (error) {
      if (!(error instanceof ReturnJump)) throw error
      status = error.status
    }
    if (shell.traps.has('RETURN')) yield* runTrap(shell, 'RETURN')
    return status
  } finally {
    if (saved !== undefined) restore(shell, saved)
    for (const [event, command] of hidden) if (!shell.traps.has(event)) shell.traps.set(event, command)
    if (!hasScope) shell.popScope()
    restorePositional()
    shell.frame = frame
    shell.loops = loops
    shell.line = line
  }
}

const noTraps: ReadonlyMap<string, string> = new Map()

/** Functions do not have the traps of their callers, unless options say so. Those that were hidden are returned. */
function hideTraps(shell: Shell): ReadonlyMap<string, string> {
  if (shell.traps.size === 0) return noTraps
  const hidden = new Map<string, string>()
  for (const event of ['DEBUG', 'RETURN', 'ERR']) {
    const command = shell.traps.get(event)
    if (command === undefined || shell.options.has(event === 'ERR' ? 'errtrace' : 'functrace')) continue
    hidden.set(event, command)
    shell.traps.delete(event)
  }
  return hidden
}
