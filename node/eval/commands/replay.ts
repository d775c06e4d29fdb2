/** `polyfs eval replay`. */
import { readFileSync, statSync } from 'node:fs'
import { reasonOf } from '../../../harness/infra-error.js'
import { counted } from '../../../harness/report/format.js'
import { ReplayError, replayTrace } from '../../../harness/trace/replay.js'
import { type ParsedTrace, parseTrace } from '../../../harness/trace/trace.js'
import type { Episode, EpisodeChange } from '../../../harness/types.js'
import { printable } from '../../../src/text/printable.js'
import { UsageError } from '../../terminal/usage-error.js'
import type { EvalCommand } from '../command.js'
import { parseFlags, wholeNumber } from '../flags.js'
import { runOf, tasksOf } from '../recorded-tasks.js'
import { sharedShell } from '../runner.js'

export { replayHelp as help } from '../help.js'

export const run: EvalCommand = async (argv, { write, warn, commandWorker }) => {
  const { values, positionals } = parseFlags(argv, { until: 'string', suite: 'string' })
  const [file, ...more] = positionals
  if (file === undefined || more.length > 0) throw new UsageError("'polyfs eval replay' takes one trace")
  const until = values.until === undefined ? undefined : wholeNumber('until', values.until, 0)
  const trace = readTraceFile(file)
  const task = (await tasksOf(runOf(file, values.suite), values.suite)).get(trace.header.task ?? '')
  if (task === undefined) throw new UsageError(`there is no task ${JSON.stringify(trace.header.task)} in the suite`)
  if (trace.truncated) warn('the last line of the trace is incomplete and is left out')
  const shell =
    task.options?.shell ??
    sharedShell({ commandWorker, parallel: 1, ...(trace.header.tier && { tier: trace.header.tier }) })
  const env = task.options?.env
  let episode: Episode
  try {
    episode = await replayTrace(trace, {
      files: task.files,
      shell,
      ...(env && { env }),
      ...(until !== undefined && { until }),
    })
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError)
      throw new UsageError(`${file}: it can't be replayed: ${error.message}`)
    if (!(error instanceof ReplayError)) throw error
    write(`${printableLines(error.message)}\n`)
    return 1
  }
  const repeated = episode.trace.events.filter(({ type }) => type === 'call').length
  const all = trace.events.filter(({ type }) => type === 'call').length
  write(`${repeated} of ${counted(all, 'call')} repeated, all as recorded\n`)
  for (const change of await episode.changes()) write(`${changeLine(change)}\n`)
  write(`state ${await episode.stateHash()}\n`)
  await episode.close()
  return 0
}

function readTraceFile(file: string): ParsedTrace {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`no such file: ${file}`)
  try {
    return parseTrace(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`${file}: ${reasonOf(error)}`)
  }
}

function changeLine({ path, change, from, kind }: EpisodeChange): string {
  const what = kind === 'file' ? '' : ` (${kind})`
  return `${change.padEnd(8)} ${from === undefined ? '' : `${printable(from)} -> `}${printable(path)}${what}`
}

function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}
