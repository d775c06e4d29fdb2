/** Subshells: `( … )`, elements of pipelines, substitutions and jobs. */
import type { Bytes } from '../../../src/fs/types.js'
import { BrokenPipe, concat, pipe } from '../../io/streams.js'
import type { Statement } from '../syntax/ast.js'
import { redirect } from './redirect.js'
import { OpenFile } from './state/descriptors.js'
import { AbandonJump, CommandFailure, ExitJump, KilledJump, LoopJump, ReturnJump } from './state/jumps.js'
import type { Shell } from './state/shell.js'
import { drive, type Steps, wait } from './state/steps.js'
import { runExitTrap } from './traps.js'

export const brokenPipeStatus = 141

/** Runs something in a subshell to its end, and closes what it had open. */
export function* runSubshell(child: Shell, start: () => Steps<number>): Steps<number> {
  try {
    let status: number
    try {
      status = yield* start()
    } catch (error) {
      status = statusOfJump(error)
    }
    return yield* runExitTrap(child, status)
  } catch (error) {
    if (error instanceof BrokenPipe) return brokenPipeStatus
    throw error
  } finally {
    child.end()
  }
}

/** The status of what leaves a shell; everything else is thrown on. */
export function statusOfJump(error: unknown): number {
  if (error instanceof ExitJump || error instanceof AbandonJump || error instanceof ReturnJump) return error.status
  if (error instanceof LoopJump) return 0
  throw error
}

/** A copy of the shell for something that the shell waits for, so that both need no copies of the variables later. */
export function* withFork<Result>(shell: Shell, run: (child: Shell) => Steps<Result>): Steps<Result> {
  const { session } = shell
  const sharing = shell.variables.sharing()
  const spawns = session.spawns
  const result = yield* run(shell.fork())
  if (session.spawns === spawns) shell.variables.unshare(sharing)
  return result
}

/** The output of `$(…)`. */
export function* capture(shell: Shell, body: readonly Statement[]): Steps<Bytes> {
  const chunks: Bytes[] = []
  let size = 0
  const file = new OpenFile({
    writer: {
      write(bytes) {
        chunks.push(bytes)
        size += bytes.length
        shell.run.account(bytes.length)
        return undefined
      },
      close: async () => {},
    },
  })
  try {
    shell.substitutionStatus = yield* withFork(shell, (child) => {
      child.descriptors.set(1, file)
      if (!child.options.has('inherit_errexit') && !child.options.has('posix')) child.options.set('errexit', false)
      child.traceDepth += 1
      return runSubshell(child, () => runCaptured(child, body))
    })
    shell.status = shell.substitutionStatus
    return concat(chunks)
  } finally {
    shell.run.account(-size)
  }
}

/** `$(< file)` is the file's content. */
function* runCaptured(child: Shell, body: readonly Statement[]): Steps<number> {
  const command = onlyCommand(body)
  if (command?.type !== 'simple' || command.words.length > 0 || command.assignments.length > 0) {
    return yield* child.engine.runStatements(child, body)
  }
  const [redirection, ...more] = command.redirections
  const isRead = redirection?.operator === '<' && (redirection.descriptor ?? 0) === 0 && more.length === 0
  if (!isRead || redirection === undefined) return yield* child.engine.runStatements(child, body)
  child.line = command.line
  try {
    yield* redirect(child, [redirection])
  } catch {
    // Fails again, with its message.
    return yield* child.engine.runStatements(child, body)
  }
  const reader = child.descriptors.get(0)?.reader
  for (let chunk = reader && (yield* wait(reader.read())); chunk; chunk = reader && (yield* wait(reader.read()))) {
    yield* child.write(1, chunk)
  }
  return 0
}

function onlyCommand(body: readonly Statement[]) {
  const [statement, ...more] = body
  if (statement === undefined || more.length > 0 || statement.rest.length > 0 || statement.background) return undefined
  const { first } = statement
  return first.commands.length === 1 && !first.negated ? first.commands[0] : undefined
}

const maxConcurrent = 250

/** Fails when too many commands run beside each other already. */
export function refuseTooMany({ session }: Shell): void {
  if (session.concurrent >= maxConcurrent) throw new CommandFailure('fork: Resource temporarily unavailable', 254)
}

/** Starts something that runs beside the shell; its end is waited for at the end of the script at the latest. */
export function startBeside(child: Shell, start: () => Steps<number>): Promise<number> {
  const { session } = child
  session.spawns += 1
  session.concurrent += 1
  const ended = Promise.resolve()
    .then(() => drive(runSubshell(child, start)))
    .catch((error: unknown) => {
      if (!(error instanceof KilledJump)) session.failure ??= { error }
      throw error
    })
    .finally(() => {
      session.concurrent -= 1
      session.background.delete(ended)
    })
  session.background.add(ended)
  // Whoever waits for it sees the failure; here it only must not count as unhandled.
  ended.catch(() => {})
  return ended
}

/** `<(…)` and `>(…)`: the path of a pipe to a command that runs beside. */
export function startProcess(shell: Shell, direction: '<' | '>', body: readonly Statement[]): string {
  refuseTooMany(shell)
  const child = shell.fork()
  child.traceDepth += 1
  const { reader, writer } = pipe()
  const [own, other] = direction === '<' ? [{ writer }, { reader }] : [{ reader }, { writer }]
  child.descriptors.set(direction === '<' ? 1 : 0, new OpenFile(own))
  const descriptor = shell.descriptors.freeFromAbove()
  shell.descriptors.set(descriptor, new OpenFile(other))
  const ended = startBeside(child, () => runCaptured(child, body))
  shell.lastBackground = child.pid
  shell.processes.push({ descriptor, ended: direction === '>' ? ended : Promise.resolve() })
  return `/dev/fd/${descriptor}`
}

/** Closes the process substitutions of a command, and waits for those that read its output. */
export function* endProcesses(shell: Shell, from: number): Steps<void> {
  for (const { descriptor, ended } of shell.processes.splice(from)) {
    if (shell.descriptors.close(descriptor)) yield ended
  }
}
