/** `polyfs eval run`. */
import { setMaxListeners } from 'node:events'
import path from 'node:path'
import { reasonOf } from '../../../harness/infra-error.js'
import { type EpisodeQueue, jobId, memoryQueue, workThrough } from '../../../harness/queue.js'
import { textReport } from '../../../harness/report/text.js'
import { skippedResult } from '../../../harness/run-episode.js'
import { type EpisodeJob, type EpisodeResult, isMissing, type RunSettings } from '../../../harness/run-types.js'
import type { Summary } from '../../../harness/statistics/summary.js'
import { printable } from '../../../src/text/printable.js'
import { shellQuoted } from '../../../src/text/shell-quoted.js'
import { version } from '../../../src/version.js'
import { terminalColumns } from '../../terminal/status-line.js'
import { UsageError } from '../../terminal/usage-error.js'
import type { EvalCommand, EvalPlace } from '../command.js'
import { type Progress, showProgress } from '../progress.js'
import { holdingRun } from '../results/hold-run.js'
import {
  createRunDirectory,
  hasRun,
  type RunDirectory,
  readRun,
  resumeRunDirectory,
  runFormat,
} from '../results/run-directory.js'
import { writeReports } from '../results/write-reports.js'
import { type EpisodeRunner, openRunner } from '../runner.js'
import { type EpisodeThreads, episodeThreads } from '../threads/episode-threads.js'
import { parseRunArguments, type RunArguments } from './run-arguments.js'
import { newSettings, resumedSettings } from './run-settings.js'

export { runHelp as help } from '../help.js'

const exitCodes = { belowRate: 1, missing: 3, interrupted: 130 }

export const run: EvalCommand = async (argv, place) => {
  const given = parseRunArguments(argv)
  const out = path.resolve(given.out ?? defaultDirectory(new Date()))
  const planned = await planRun(given, out, place)
  return holdingRun(out, async () => {
    // Another process may have begun the run, and ended, before this one held its directory.
    const isStale = given.resume && !planned.isResumed && hasRun(out)
    return runHeld(isStale ? await planRun(given, out, place) : planned, { given, out, place })
  })
}

/** What is to be run. Mistakes are found here, before anything is written. */
interface PlannedRun {
  /** There is a run to go on with. */
  isResumed: boolean
  settings: RunSettings
  runner: EpisodeRunner
}

async function planRun(given: RunArguments, out: string, { commandWorker }: EvalPlace): Promise<PlannedRun> {
  const isResumed = given.resume && hasRun(out)
  if (given.resume && !isResumed && given.given.suites === undefined) {
    throw new UsageError(`${out} has no run to go on with`)
  }
  const settings = isResumed ? resumedSettings(given.given, readRun(out).file, out) : newSettings(given.given)
  if (given.maxCost !== undefined && settings.agent === 'chat' && settings.prices === undefined) {
    throw new UsageError('--max-cost requires --price, what a million tokens of input and of output cost')
  }
  return { isResumed, settings, runner: await openRunner(settings, { commandWorker, parallel: given.parallel }) }
}

/** Resolves with the exit code. */
async function runHeld(
  { isResumed, settings, runner }: PlannedRun,
  { given, out, place }: { given: RunArguments; out: string; place: EvalPlace },
): Promise<number> {
  const directory = isResumed ? await resumeRunDirectory(out) : await newDirectory(out, settings, runner)
  const ended = await runAll({ given, settings, runner, directory, place }).finally(directory.close)
  if (ended === 'interrupted') {
    place.warn(`interrupted; go on with: polyfs eval run --resume --out ${quotedIfNeeded(out)}`)
    return exitCodes.interrupted
  }
  const summary = await writeReports(readRun(out))
  place.write(`${textReport(summary)}results    ${out}\n`)
  if (ended === 'too expensive') {
    place.warn(
      `the cost limit is reached; go on with a higher one: polyfs eval run --resume --out ${quotedIfNeeded(out)} --max-cost N`,
    )
  }
  return exitCode(summary, given, place)
}

function exitCode(summary: Summary, { failUnder }: RunArguments, { warn }: EvalPlace): number {
  const missing = summary.expected - summary.counted
  if (missing > 0) {
    warn(`${missing} of ${summary.expected} episodes have no result; --resume runs them again`)
    return exitCodes.missing
  }
  const rate = summary.passRate?.value ?? 0
  if (failUnder === undefined || rate >= failUnder) return 0
  warn(`the pass rate is ${rate.toFixed(3)}, below ${failUnder}`)
  return exitCodes.belowRate
}

function newDirectory(out: string, settings: RunSettings, runner: EpisodeRunner): Promise<RunDirectory> {
  const { tasks, agentName } = runner
  const startedAt = new Date().toISOString()
  return createRunDirectory(out, { format: runFormat, version, settings, tasks, agentName, startedAt })
}

interface Running {
  given: RunArguments
  settings: RunSettings
  runner: EpisodeRunner
  directory: RunDirectory
  place: EvalPlace
}

type RunEnd = 'complete' | 'too expensive' | 'interrupted'

async function runAll({ given, settings, runner, directory, place }: Running): Promise<RunEnd> {
  const all = jobsOf(settings, runner)
  const done = new Map(directory.results.map((result) => [jobId(result), result]))
  const left = all.filter((job) => isLeft(done.get(jobId(job))))
  const stop = new AbortController()
  const drain = new AbortController()
  // Every episode that runs has one.
  setMaxListeners(0, stop.signal, drain.signal)
  const progress = showProgress({
    total: all.length,
    done: all.length - left.length,
    columns: terminalColumns(),
    write: place.show,
  })
  let cost = directory.results.reduce((sum, { usage }) => sum + (usage.cost ?? 0), 0)
  const isTooExpensive = () => given.maxCost !== undefined && cost >= given.maxCost
  const count = ({ usage }: EpisodeResult) => {
    cost += usage.cost ?? 0
    if (isTooExpensive()) drain.abort()
  }
  const isShared = given.queue !== undefined
  const queue = await openQueue(given, settings, progress)
  // The workers of a shared queue take whatever is queued, so what waits is withdrawn.
  if (isShared) drain.signal.addEventListener('abort', () => void queue.close(), { once: true })
  const forget = onInterrupt(() => {
    stop.abort(new Error('interrupted'))
    drain.abort()
    void queue.close()
  })
  const onStrayError = (reason: string) => progress.say(`polyfs: an error that nobody handled: ${printable(reason)}`)
  const ignore = catchStrayErrors((error) => onStrayError(reasonOf(error)))
  try {
    for (const result of skippedResults(runner, settings, done)) await directory.record(result)
    await queue.add(left)
    if (isTooExpensive()) drain.abort()
    const working = work(isShared ? queue : reporting(queue, count), {
      given,
      settings,
      runner,
      place,
      onStrayError,
      signal: stop.signal,
      drain: drain.signal,
    })
    // Awaited below, when all results are there.
    working.catch(() => {})
    for await (const result of queue.results()) {
      await directory.record(result)
      progress.show(result)
      if (isShared) count(result)
    }
    await working
  } finally {
    progress.end()
    forget()
    ignore()
    await queue.close()
  }
  if (stop.signal.aborted) return 'interrupted'
  return drain.signal.aborted ? 'too expensive' : 'complete'
}

/** Reports each result before its worker takes the next job; until it is written, more would run. */
function reporting(queue: EpisodeQueue, onResult: (result: EpisodeResult) => void): EpisodeQueue {
  return {
    ...queue,
    async complete(taken, result) {
      const isFirst = await queue.complete(taken, result)
      if (isFirst) onResult(result)
      return isFirst
    },
  }
}

/** All tasks once, then all tasks again: a run that is cut short has something of every task. */
function jobsOf({ run: id, trials, seed }: RunSettings, { tasks, skipped, agentName }: EpisodeRunner): EpisodeJob[] {
  const trialNumbers = Array.from({ length: trials }, (_, index) => index + 1)
  return trialNumbers.flatMap((trial) =>
    tasks
      .filter((task) => !skipped.has(task))
      .map((task) => ({ run: id, task, agent: agentName, trial, seed: seed + trial - 1 })),
  )
}

function isLeft(result: EpisodeResult | undefined): boolean {
  return result === undefined || isMissing(result)
}

/** One for each task that can't be run and has none yet. */
function skippedResults(
  { skipped, agentName }: EpisodeRunner,
  { run: id, seed }: RunSettings,
  done: ReadonlyMap<string, EpisodeResult>,
): EpisodeResult[] {
  return [...skipped]
    .map(([task, reason]) => skippedResult({ run: id, task, agent: agentName, trial: 1, seed }, reason))
    .filter((result) => !done.has(jobId(result)))
}

async function openQueue(
  { queue: url }: RunArguments,
  settings: RunSettings,
  { say }: Progress,
): Promise<EpisodeQueue> {
  if (url === undefined) return memoryQueue()
  const { bullmqQueue } = await import('../bullmq-queue.js')
  try {
    return await bullmqQueue({ url, settings, warn: (line) => say(`polyfs: ${line}`) })
  } catch (error) {
    throw error instanceof Error ? new UsageError(error.message) : error
  }
}

interface Working extends Omit<Running, 'directory'> {
  onStrayError(reason: string): void
  signal: AbortSignal
  drain: AbortSignal
}

/** Runs what the queue has, in this thread or in others. Jobs of a shared queue are left to its workers. */
async function work(
  queue: EpisodeQueue,
  { given, settings, runner, place, onStrayError, signal, drain }: Working,
): Promise<void> {
  if (given.queue !== undefined) return
  const { parallel, threads: count } = given
  const options = { commandWorker: place.commandWorker, parallel: Math.ceil(parallel / Math.max(1, count)) }
  const threads: EpisodeThreads | undefined =
    count === 0
      ? undefined
      : episodeThreads({ count, workerFile: place.episodeWorker, settings, options, onStrayError })
  try {
    await workThrough(queue, (threads ?? runner).run, { parallel, signal, drain })
  } finally {
    await queue.close()
    await threads?.close()
  }
}

/** The first Ctrl-C ends the run in order, the second at once. */
function onInterrupt(stop: () => void): () => void {
  let isStopping = false
  const interrupt = () => {
    if (isStopping) process.exit(exitCodes.interrupted)
    isStopping = true
    stop()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, interrupt)
  return () => {
    for (const signal of signals) process.off(signal, interrupt)
  }
}

/** An agent that forgets to handle an error must not end the episodes of others. */
function catchStrayErrors(report: (error: unknown) => void): () => void {
  process.on('uncaughtException', report)
  process.on('unhandledRejection', report)
  return () => {
    process.off('uncaughtException', report)
    process.off('unhandledRejection', report)
  }
}

function defaultDirectory(now: Date): string {
  const [date = '', time = ''] = now.toISOString().split('T')
  return `polyfs-eval-${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}`
}

/** For a shell to paste. */
function quotedIfNeeded(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : shellQuoted(text)
}
