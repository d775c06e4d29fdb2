/** `polyfs eval rescore`: old traces, scored with the tasks as they are now. */
import path from 'node:path'
import { InfraError, reasonOf } from '../../../harness/infra-error.js'
import { counted } from '../../../harness/report/format.js'
import { type Verdict, verdictOf } from '../../../harness/run-episode.js'
import type { EpisodeResult } from '../../../harness/run-types.js'
import { scoreRun } from '../../../harness/tasks/score-run.js'
import { ReplayError, replayTrace } from '../../../harness/trace/replay.js'
import { parseTrace } from '../../../harness/trace/trace.js'
import type { Task, TraceEnd, TraceEvent } from '../../../harness/types.js'
import { printable } from '../../../src/text/printable.js'
import type { WorkspaceOptions } from '../../../src/workspace/workspace-options.js'
import { terminalStatus } from '../../terminal/status-line.js'
import { UsageError } from '../../terminal/usage-error.js'
import type { EvalCommand } from '../command.js'
import { parseFlags } from '../flags.js'
import { tasksOf } from '../recorded-tasks.js'
import { readRun, readTrace, resultLine } from '../results/run-directory.js'
import { writeWhole } from '../results/write-whole.js'
import { sharedShell } from '../runner.js'

export { rescoreHelp as help } from '../help.js'

/** The file that rescored results are in. */
export const rescoredName = 'rescored.jsonl'

export const run: EvalCommand = async (argv, { write, warn, commandWorker }) => {
  const { values, positionals } = parseFlags(argv, { suite: 'string', out: 'string' })
  const [directory, ...more] = positionals
  if (directory === undefined || more.length > 0)
    throw new UsageError("'polyfs eval rescore' takes the directory of a run")
  const { results } = readRun(directory)
  const tasks = await tasksOf(directory, values.suite)
  const shells = {
    emulated: sharedShell({ commandWorker, parallel: 1 }),
    real: onFirstUse(() => sharedShell({ commandWorker, parallel: 1, tier: 'real' })),
  }
  const rescored: EpisodeResult[] = []
  const status = terminalStatus()
  let changed = 0
  for (const before of results) {
    status.show(`${rescored.length}/${results.length}  scoring ${printable(before.task)} #${before.trial}`)
    const after = await rescore(before, { directory, task: tasks.get(before.task), shells })
    rescored.push(after)
    if (before.outcome === after.outcome && before.value === after.value) continue
    changed += 1
    status.erase()
    write(`${printable(before.task)} #${before.trial}  ${shown(before)} -> ${shown(after)}\n`)
  }
  status.erase()
  const out = values.out ?? path.join(directory, rescoredName)
  await writeWhole(out, rescored.map(resultLine).join(''))
  const lost = rescored.filter(
    ({ outcome }, index) => outcome === 'infra' && results[index]?.outcome !== 'infra',
  ).length
  write(`${counted(rescored.length, 'result')}, ${changed} changed, in ${out}\n`)
  if (lost === 0) return 0
  warn(`${counted(lost, 'trace')} could not be scored again; the reasons are in ${out}`)
  return 3
}

interface Rescoring {
  directory: string
  task: Task | undefined
  shells: { emulated: Shells; real: () => Shells }
}

type Shells = NonNullable<WorkspaceOptions['shell']>

/** A result without a finished episode stays as it is: there is nothing to score. */
async function rescore(before: EpisodeResult, { directory, task, shells }: Rescoring): Promise<EpisodeResult> {
  if (before.outcome === 'skipped' || before.outcome === 'agent-error') return before
  const text = await readTrace(directory, before)
  if (text === undefined) return before.outcome === 'infra' ? before : unscored(before, 'its trace is missing')
  try {
    const trace = parseTrace(text)
    const end = trace.events.filter(isEnd).at(-1)
    if (end?.outcome !== 'finished' && end?.outcome !== 'budget') {
      return before.outcome === 'infra' ? before : unscored(before, 'its trace is incomplete')
    }
    if (task === undefined) return unscored(before, 'there is no such task in the suite')
    return {
      ...withoutVerdict(before),
      ...(await verdict(trace, end, task, trace.header.tier === 'real' ? shells.real() : shells.emulated)),
    }
  } catch (error) {
    if (error instanceof ReplayError) return unscored(before, `call ${error.step} gives another result now`)
    return unscored(before, reasonOf(error))
  }
}

async function verdict(
  trace: ReturnType<typeof parseTrace>,
  end: TraceEnd,
  task: Task,
  shared: Shells,
): Promise<Verdict> {
  const { shell = shared, env } = task.options ?? {}
  const episode = await replayTrace(trace, { files: task.files, shell, ...(env && { env }) })
  try {
    const judgement = await scoreRun({ episode, task, trace: episode.trace, answer: end.answer ?? '' })
    return verdictOf({ outcome: end.outcome, ...(end.reason !== undefined && { reason: end.reason }), judgement })
  } catch (error) {
    if (!(error instanceof InfraError)) throw error
    return verdictOf({ outcome: end.outcome, unscored: reasonOf(error) })
  } finally {
    await episode.close()
  }
}

function unscored(before: EpisodeResult, reason: string): EpisodeResult {
  return { ...withoutVerdict(before), outcome: 'infra', scores: [], reason }
}

function withoutVerdict({ value: _, reason: __, ...rest }: EpisodeResult): EpisodeResult {
  return rest
}

function isEnd(event: TraceEvent): event is TraceEnd {
  return event.type === 'end'
}

function shown({ outcome, value }: EpisodeResult): string {
  return value === undefined || outcome === 'passed' ? outcome : `${outcome} ${value.toFixed(2)}`
}

function onFirstUse<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}
