/** Traps. */
import { AbandonJump, ExitJump } from './state/jumps.js'
import type { Shell } from './state/shell.js'
import type { Steps } from './state/steps.js'

/** Runs the `EXIT` trap, if there is one, and returns the shell's status. */
export function* runExitTrap(shell: Shell, status: number): Steps<number> {
  const command = shell.traps.get('EXIT')
  if (command === undefined || command === '') return status
  shell.traps.delete('EXIT')
  shell.status = status
  shell.ignoring = 0
  try {
    yield* shell.engine.runText(shell, command)
    return status
  } catch (error) {
    if (error instanceof ExitJump || error instanceof AbandonJump) return error.status
    throw error
  }
}

/** Runs the trap of an event and keeps `$?`. */
export function* runTrap(shell: Shell, event: string): Steps<void> {
  const command = shell.traps.get(event)
  if (command === undefined || command === '' || shell.inTrap.has(event)) return
  const { status, pipeStatus } = shell
  shell.inTrap.add(event)
  try {
    yield* shell.engine.runText(shell, command)
  } finally {
    shell.inTrap.delete(event)
    shell.status = status
    shell.pipeStatus = pipeStatus
  }
}

/** After a command failed where failures count: the `ERR` trap, and the end under `set -e`. */
export function* failed(shell: Shell, status: number): Steps<void> {
  if (shell.ignoring > 0) return
  if (shell.traps.has('ERR')) {
    shell.status = status
    yield* runTrap(shell, 'ERR')
  }
  if (shell.options.errexit) throw new ExitJump(status)
}

/** The traps of signals that came while a command ran. */
export function* runPendingTraps(shell: Shell): Steps<void> {
  for (let signal = shell.pendingTraps.shift(); signal !== undefined; signal = shell.pendingTraps.shift()) {
    yield* runTrap(shell, signal)
  }
}
