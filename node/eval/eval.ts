/** `polyfs eval`: runs suites of tasks and reports what came of it. Loaded only when it is used. */
import { TaskError } from '../../harness/tasks/task-error.js'
import { printable } from '../../src/text/printable.js'
import { UsageError } from '../terminal/usage-error.js'
import type { EvalCommand, EvalPlace } from './command.js'
import { asksForHelp } from './flags.js'
import { overview } from './help.js'
import { RunDirectoryError } from './results/run-directory-error.js'

interface Subcommand {
  help: string
  run: EvalCommand
}

/** Each is loaded on first use. */
const subcommands: Readonly<Record<string, () => Promise<Subcommand>>> = {
  run: () => import('./commands/run.js'),
  check: () => import('./commands/check.js'),
  rescore: () => import('./commands/rescore.js'),
  replay: () => import('./commands/replay.js'),
  report: () => import('./commands/report.js'),
  worker: () => import('./commands/worker.js'),
  serve: () => import('./commands/serve.js'),
}

const usageExitCode = 2

export async function evaluate(argv: readonly string[], place: EvalPlace): Promise<number> {
  const [name, ...rest] = argv
  if (name === undefined || name === '--help' || name === '-h') {
    place.write(overview)
    return name === undefined ? usageExitCode : 0
  }
  const load = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
  if (load === undefined) {
    place.warn(`no subcommand '${printable(name)}'; there is ${Object.keys(subcommands).join(', ')}`)
    return usageExitCode
  }
  const { run, help } = await load()
  if (asksForHelp(rest)) {
    place.write(help)
    return 0
  }
  try {
    return await run(rest, place)
  } catch (error) {
    if (error instanceof TaskError) place.show(`${error.message.split('\n').map(printable).join('\n')}\n`)
    const line = complaint(error, name)
    if (line === undefined) throw error
    // It may quote what others wrote.
    place.warn(printable(line))
    return usageExitCode
  }
}

/** `undefined` for what is not a mistake of the user's. */
function complaint(error: unknown, name: string): string | undefined {
  if (error instanceof UsageError) return `${error.message} (polyfs eval ${name} --help shows the options)`
  if (error instanceof RunDirectoryError) return error.message
  if (!(error instanceof TaskError)) return undefined
  const count = error.problems.length
  return `nothing was run: ${count === 1 ? 'a problem' : `${count} problems`} in the tasks`
}
