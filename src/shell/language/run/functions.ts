/** Calls of functions. */
import { AbandonJump, ReturnJump } from './jumps.js'
import { redirect, restore, type Saved } from './redirect.js'
import type { Shell, ShellFunction } from './shell.js'
import { driveLater, type Steps, wait } from './steps.js'
import { runTrap } from './traps.js'

const maxDepth = 1000
/** Calls that are nested in each other on one stack of the host. */
const callsPerStack = 40

export function* callFunction(shell: Shell, found: ShellFunction, argv: readonly string[]): Steps<number> {
  const depth = (shell.frame?.depth ?? 0) + 1
  if (depth > maxDepth) {
    yield* shell.report(`${argv[0]}: maximum function nesting level exceeded (${maxDepth})`)
    throw new AbandonJump(1)
  }
  if (depth % callsPerStack !== 0) return yield* call(shell, found, argv, depth)
  return yield* wait(driveLater(() => call(shell, found, argv, depth)))
}

function* call(shell: Shell, found: ShellFunction, argv: readonly string[], depth: number): Steps<number> {
  const { definition, source } = found
  const { positional, frame, loops, line } = shell
  const [name = '', ...args] = argv
  shell.variables.push('function')
  shell.positional = args
  shell.frame = { name, source, line, kind: 'function', below: frame, depth }
  shell.loops = 0
  let saved: Saved | undefined
  try {
    if (definition.redirections.length > 0) saved = yield* redirect(shell, definition.redirections)
    let status: number
    try {
      status = yield* shell.engine.runCommand(shell, definition.body)
    } catch (error) {
      if (!(error instanceof ReturnJump)) throw error
      status = error.status
    }
    if (shell.traps.has('RETURN') && shell.options.has('functrace')) yield* runTrap(shell, 'RETURN')
    return status
  } finally {
    if (saved !== undefined) restore(shell, saved)
    shell.variables.pop()
    shell.positional = positional
    shell.frame = frame
    shell.loops = loops
    shell.line = line
  }
}
