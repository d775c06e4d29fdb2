/** Traps. */
import type { Command } from '../syntax/ast.js'
import { AbandonJump, ExitJump, ReturnJump } from './state/jumps.js'
import type { Shell } from './state/shell.js'
import type { Steps } from './state/steps.js'

/** Runs the `EXIT` trap, if there is one, and returns the shell's status. */
export function* runExitTrap(shell: Shell, status: number): Steps<number> {
  const command = shell.traps.get('EXIT')
  if (command === undefined || command === '') return status
  shell.traps.delete('EXIT')
  shell.status = status
  shell.ignoring = 0
  shell.inTrap.add('EXIT')
  shell.line = 1
  try {
    yield* shell.engine.runText(shell, command)
    return status
  } catch (error) {
    if (error instanceof ExitJump || error instanceof AbandonJump) return error.status
    throw error
  }
}

/** Events of commands, whose traps have the lines of those commands. The lines of other traps begin at 1. */
const ofCommands: ReadonlySet<string> = new Set(['DEBUG', 'ERR', 'RETURN'])

/** Runs the trap of an event and keeps `$?`. Returns the trap's own status. */
export function* runTrap(shell: Shell, event: string): Steps<number> {
  const command = shell.traps.get(event)
  if (command === undefined || command === '' || shell.inTrap.has(event)) return 0
  const { status, pipeStatus, line } = shell
  shell.inTrap.add(event)
  shell.traceDepth += 1
  if (!ofCommands.has(event)) shell.line = 1
  try {
    return yield* shell.engine.runText(shell, command)
  } finally {
    shell.inTrap.delete(event)
    shell.traceDepth -= 1
    shell.status = status
    shell.pipeStatus = pipeStatus
    shell.line = line
  }
}

/** Before a command runs: the trap of `DEBUG`. False when the command must not run. */
export function* announce(shell: Shell, command: Command | string): Steps<boolean> {
  const isObject = typeof command === 'object'
  if (isObject) {
    shell.line = command.line
    shell.errorLine = command.line
  }
  if (shell.inTrap.size === 0) shell.command = command
  if (shell.traps.size === 0 || !shell.traps.has('DEBUG') || shell.inTrap.has('DEBUG')) return true
  const result = yield* runTrap(shell, 'DEBUG')
  if (result === 0 || !shell.options.has('extdebug')) return true
  if (result === 2 && shell.frame !== undefined) throw new ReturnJump(shell.status)
  return false
}

/** After a command failed where failures count: the `ERR` trap, and the end under `set -e`. */
export function* failed(shell: Shell, status: number): Steps<void> {
  if (shell.ignoring > 0) return
  if (shell.traps.has('ERR')) {
    const { line } = shell
    shell.status = status
    shell.line = shell.errorLine
    yield* runTrap(shell, 'ERR')
    shell.line = line
  }
  if (shell.options.errexit) throw new ExitJump(status)
}

/** The traps of signals that came while a command ran. */
export function* runPendingTraps(shell: Shell): Steps<void> {
  for (let signal = shell.pendingTraps.shift(); signal !== undefined; signal = shell.pendingTraps.shift()) {
    yield* runTrap(shell, signal)
  }
}
