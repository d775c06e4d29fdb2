/** Runs a script. */

import { machineClock } from '../../io/command-clock.js'
import { throughScratch } from '../../io/scratch-names.js'
import { layered } from '../../programs/program-table.js'
import { builtinPrograms } from '../builtins/as-programs.js'
import { arithmetic } from '../expand/arithmetic.js'
import type { ScriptResult, ScriptRun } from '../host.js'
import type { Command } from '../syntax/ast.js'
import { engine } from './engine.js'
import { printCommand } from './print-command.js'
import { runWhole, shellProgramNames } from './shell-program.js'
import { Descriptors, OpenFile } from './state/descriptors.js'
import { initialVariables } from './state/initial-variables.js'
import { KilledJump } from './state/jumps.js'
import { type Session, Shell } from './state/shell.js'
import { drive } from './state/steps.js'

const firstPid = 1000
const ownPrograms = new Map([...builtinPrograms, ...shellProgramNames].map((program) => [program.name, program]))

export async function runScript(run: ScriptRun): Promise<ScriptResult> {
  const session: Session = {
    run,
    clock: run.clock ?? machineClock,
    programs: layered(ownPrograms, run.programs),
    engine,
    arithmetic,
    startMs: run.now(),
    nextPid: firstPid,
    background: new Set(),
    hinted: false,
    concurrent: 0,
    spawns: 0,
    turns: 0,
  }
  const descriptors = new Descriptors()
  descriptors.set(0, new OpenFile({ reader: run.stdin, keepOpen: true }))
  descriptors.set(1, new OpenFile({ writer: run.stdout, keepOpen: true }))
  descriptors.set(2, new OpenFile({ writer: run.stderr, keepOpen: true }))
  const shell = new Shell(session, descriptors, firstPid)
  shell.name = run.name ?? 'bash'
  shell.setPositional(run.args ?? [])
  shell.cwd = throughScratch(run.cwd, run.scratch)
  initialVariables(shell, new Map(Object.entries(run.env)))
  shell.variables.set('BASH_EXECUTION_STRING', { text: run.source })
  const exitCode = await runToEnd(shell, run.source)
  const pipeline = lastPipeline(shell)
  const env = Object.fromEntries(shell.variables.environment())
  return { exitCode, cwd: shell.directory, env, ...(pipeline && { pipeline }) }
}

/** Undefined where another command ran after the last pipeline. */
function lastPipeline({ lastPipeline: last, pipeStatus }: Shell): ScriptResult['pipeline'] {
  if (last?.statuses !== pipeStatus) return undefined
  return last.statuses.map((exitCode, at) => ({ command: shownCommand(last.commands[at]), exitCode }))
}

const maxShownUnits = 100

/** The first line of a command. */
function shownCommand(command: Command | undefined): string {
  const [line = ''] = command === undefined ? [] : printCommand(command).split('\n')
  return line.length <= maxShownUnits ? line : `${line.slice(0, maxShownUnits)}…`
}

/** The script, and then what it left in the background. */
async function runToEnd(shell: Shell, source: string): Promise<number> {
  const status = await drive(runWhole(shell, source, `${shell.name}: -c`))
  for (const job of shell.jobs) job.forget?.()
  while (shell.session.background.size > 0) {
    await Promise.all([...shell.session.background].map((job) => job.catch(throwUnlessKilled)))
  }
  shell.end()
  if (shell.session.failure !== undefined) throw shell.session.failure.error
  return status
}

function throwUnlessKilled(error: unknown): void {
  if (!(error instanceof KilledJump)) throw error
}
