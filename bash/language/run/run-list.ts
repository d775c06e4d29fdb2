/** Lists of commands, and pipelines. */
import { pipe } from '../../io/streams.js'
import type { Command, Pipeline, Statement } from '../syntax/ast.js'
import { startJob } from './jobs.js'
import { runCommand } from './run-command.js'
import { failedCommand, runSimple } from './run-simple.js'
import { OpenFile } from './state/descriptors.js'
import type { Shell } from './state/shell.js'
import { drive, type Steps, wait } from './state/steps.js'
import { refuseTooMany, runSubshell } from './subshell.js'
import { timeReport } from './time-report.js'
import { announce, failed, runPendingTraps } from './traps.js'

/** Commands after which others, which run beside, have a turn. */
const turnLength = 500

export function* runStatements(shell: Shell, statements: readonly Statement[]): Steps<number> {
  let status = 0
  for (const statement of statements) {
    if (shell.options.noexec) return shell.status
    shell.step()
    const { session } = shell
    session.turns += 1
    if (session.concurrent > 0 && session.turns % turnLength === 0) yield session.clock.turn()
    const paused = shell.run.pause?.()
    if (paused !== undefined) yield paused
    status = isPlain(statement)
      ? yield* runOnly(shell, statement.first.commands[0] as Command)
      : yield* runStatement(shell, statement)
    if (shell.pendingTraps.length > 0) yield* runPendingTraps(shell)
  }
  return status
}

function* runStatement(shell: Shell, statement: Statement): Steps<number> {
  if (statement.background) {
    shell.status = yield* startInBackground(shell, statement)
    return shell.status
  }
  return yield* runAndOr(shell, statement)
}

function* startInBackground(shell: Shell, statement: Statement): Steps<number> {
  try {
    const { first, rest } = statement
    const [command, ...more] = first.commands
    const isSimple = rest.length === 0 && more.length === 0 && !first.negated && first.timed === undefined
    if (isSimple && command?.type === 'simple') {
      if (yield* announce(shell, command)) startJob(shell, statement, (child) => runSimple(child, command, true))
      return 0
    }
    startJob(shell, statement, (child) => {
      child.loops = 0
      if (more.length > 0 || command === undefined) return runAndOr(child, { ...statement, background: false })
      const own: Pipeline = { ...first, commands: [inside(command)] }
      return runAndOr(child, { ...statement, first: own, background: false })
    })
    return 0
  } catch (error) {
    return yield* failedCommand(shell, error)
  }
}

function* runAndOr(shell: Shell, { first, rest }: Statement): Steps<number> {
  if (rest.length === 0) return yield* runPipeline(shell, first)
  let status = yield* runIgnoring(shell, first)
  for (const [at, { operator, pipeline }] of rest.entries()) {
    if ((status === 0) !== (operator === '&&')) continue
    status = at === rest.length - 1 ? yield* runPipeline(shell, pipeline) : yield* runIgnoring(shell, pipeline)
  }
  return status
}

function* runIgnoring(shell: Shell, pipeline: Pipeline): Steps<number> {
  shell.ignoring += 1
  try {
    return yield* runPipeline(shell, pipeline)
  } finally {
    shell.ignoring -= 1
  }
}

function* runPipeline(shell: Shell, pipeline: Pipeline): Steps<number> {
  if (pipeline.timed !== undefined) return yield* runTimed(shell, pipeline)
  if (!pipeline.negated) return yield* runCommands(shell, pipeline, true)
  // As in bash, what runs inside only is exempt when the option was on before.
  const status = shell.options.errexit
    ? yield* runIgnoring(shell, { ...pipeline, negated: false })
    : yield* runCommands(shell, pipeline, false)
  shell.status = status === 0 ? 1 : 0
  return shell.status
}

function* runTimed(shell: Shell, { timed, ...pipeline }: Pipeline): Steps<number> {
  const start = shell.run.now()
  try {
    return yield* runPipeline(shell, pipeline)
  } finally {
    yield* shell.complain(timeReport(shell, shell.run.now() - start, timed === 'posix'))
  }
}

/** Commands that count for `set -e` themselves; others do by what they are made of. */
function counts({ type }: Command): boolean {
  return type === 'simple' || type === 'subshell' || type === 'arithmetic' || type === 'condition'
}

function* runCommands(shell: Shell, pipeline: Pipeline, isCounted: boolean): Steps<number> {
  const { commands } = pipeline
  const only = commands[0]
  if (only === undefined) return 0
  if (commands.length > 1) {
    shell.errorLine = commands[commands.length - 1]?.line ?? shell.line
    const status = yield* runAllPipes(shell, pipeline)
    shell.status = status
    if (status !== 0 && commands[commands.length - 1]?.type === 'subshell') yield* failed(shell, status)
    if (status !== 0 && isCounted) yield* failed(shell, status)
    return status
  }
  return yield* runOnly(shell, only, isCounted)
}

/** One command without anything around it: the most common statement. */
function isPlain({ first, rest, background }: Statement): boolean {
  return rest.length === 0 && !background && first.commands.length === 1 && !first.negated && first.timed === undefined
}

function* runOnly(shell: Shell, only: Command, isCounted = true): Steps<number> {
  const status = yield* runCommand(shell, only)
  shell.status = status
  if (!counts(only) && shell.unopened !== only) return status
  shell.unopened = undefined
  shell.pipeStatus = status === 0 ? allSucceeded : [status]
  if (status !== 0 && isCounted) yield* failed(shell, status)
  return status
}

const allSucceeded: readonly number[] = [0]

function* runAllPipes(shell: Shell, pipeline: Pipeline): Steps<number> {
  try {
    return yield* runPipes(shell, pipeline)
  } catch (error) {
    return yield* failedCommand(shell, error)
  }
}

/** All commands of a pipeline at the same time. */
function* runPipes(shell: Shell, { commands, pipesErrors }: Pipeline): Steps<number> {
  refuseTooMany(shell)
  const { session } = shell
  const sharing = shell.variables.sharing()
  const spawns = session.spawns
  const lastHere = shell.options.has('lastpipe') && !shell.options.has('monitor')
  const running: Array<number | Promise<number>> = []
  let input: OpenFile | undefined
  session.concurrent += 1
  let last: { input: OpenFile; command: Command } | undefined
  for (const [at, command] of commands.entries()) {
    const isLast = at === commands.length - 1
    const runs = command.type !== 'simple' || (yield* announce(shell, command))
    if (isLast && lastHere && input !== undefined) {
      last = { input, command }
      break
    }
    const child = shell.fork()
    if (input !== undefined) {
      child.descriptors.set(0, input)
      input.release()
    }
    if (!isLast) {
      const { reader, writer } = pipe()
      const output = new OpenFile({ writer })
      child.descriptors.set(1, output)
      if (pipesErrors[at]) child.descriptors.set(2, output)
      input = new OpenFile({ reader }).retain()
    }
    running.push(startElement(child, runs ? command : undefined))
  }
  try {
    const lastStatus = last === undefined ? [] : [yield* runLastHere(shell, last)]
    const statuses = [...((yield* wait(Promise.all(running))) as number[]), ...lastStatus]
    shell.pipeStatus = statuses
    shell.lastPipeline = { commands, statuses }
    if (session.spawns === spawns) shell.variables.unshare(sharing)
    if (!shell.options.pipefail) return statuses.at(-1) ?? 0
    return statuses.filter((status) => status !== 0).at(-1) ?? 0
  } finally {
    session.concurrent -= 1
  }
}

/** Nothing runs where a trap has refused the command. */
function startElement(child: Shell, command: Command | undefined): number | Promise<number> {
  const running = drive(runSubshell(child, () => runElement(child, command)))
  // The failure is seen by whoever waits for all; here it only must not count as unhandled.
  if (typeof running !== 'number') running.catch(() => {})
  return running
}

function* runElement(child: Shell, command: Command | undefined): Steps<number> {
  if (command === undefined) return 0
  if (command.type === 'simple') return yield* runCommand(child, command, true)
  child.loops = 0
  return yield* runCommand(child, inside(command))
}

/** A command for a shell of its own: a subshell needs no further one. */
function inside(command: Command): Command {
  return command.type === 'subshell' ? { ...command, type: 'group' } : command
}

/** `shopt -s lastpipe`: the last command runs in this shell. */
function* runLastHere(shell: Shell, { input, command }: { input: OpenFile; command: Command }): Steps<number> {
  const old = shell.descriptors.replace(0, input)
  input.release()
  try {
    return yield* runCommand(shell, command)
  } finally {
    shell.descriptors.restore(0, old)
  }
}
