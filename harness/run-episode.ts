/** Runs one episode from its beginning to its scores. */
import type { WorkspaceOptions } from '../src/workspace/workspace-options.js'
import { openEpisode } from './episode/episode.js'
import { InfraError, reasonOf } from './infra-error.js'
import type { EpisodeJob, EpisodeResult, EpisodeUsage } from './run-types.js'
import { scoreRun } from './tasks/score-run.js'
import type { Budget, Episode, EpisodeAgent, FaultSchedule, Task, TraceEnd, TraceEvent } from './types.js'

export interface RunEpisodeOptions {
  task: Task
  agent: EpisodeAgent
  job: EpisodeJob
  /** Replaces what the task allows. */
  budget?: Partial<Budget>
  /** Replaces what the task says. */
  maxBytes?: number
  /** Beside those of the task, which come first. */
  faults?: FaultSchedule
  /** For tasks without a shell of their own. */
  shell?: WorkspaceOptions['shell']
  /** How often it is run again after `infra`. Default: 2. */
  retries?: number
  /** The safety net for tasks that have none of their own: what takes longer is `infra`. Default: an hour. */
  maxWallMs?: number
  /** Gives the episode up: then there is no result, and `runEpisode` throws. */
  signal?: AbortSignal
}

const defaultRetries = 2
const defaultWallMs = 3_600_000
/** A longer timer would fire at once. */
const longestTimerMs = 2 ** 31 - 1
/** So often an agent may be found making calls after its answer. */
const maxLateCalls = 1000

/** Never throws because of the task, the agent or the scorers: their failures are outcomes. The result has the trace of the last attempt. */
export async function runEpisode(options: RunEpisodeOptions): Promise<EpisodeResult> {
  const { retries = defaultRetries, signal } = options
  for (let attempts = 1; ; attempts += 1) {
    const result = await attempt(options)
    signal?.throwIfAborted()
    if (result.outcome !== 'infra' || attempts > retries) return { ...result, attempts }
  }
}

/** The result of a task that can't be run. */
export function skippedResult(job: EpisodeJob, reason: string): EpisodeResult {
  return { ...job, outcome: 'skipped', scores: [], reason, usage: usageOf([]), attempts: 0, wallMs: 0 }
}

/** The result of a job that could not even begin. */
export function infraResult(job: EpisodeJob, reason: string): EpisodeResult {
  return { ...job, outcome: 'infra', scores: [], reason, usage: usageOf([]), attempts: 1, wallMs: 0 }
}

async function attempt(options: RunEpisodeOptions): Promise<EpisodeResult> {
  const { task, agent, job, budget, maxBytes, faults, shell } = options
  const began = performance.now()
  const given = task.options ?? {}
  let episode: Episode
  try {
    episode = await openEpisode({
      files: task.files,
      task: task.id,
      ...(shell && { shell }),
      ...given,
      ...(faults && given.faults === undefined && { faults }),
      ...(maxBytes !== undefined && { maxBytes }),
      seed: job.seed,
      budget: { ...given.budget, ...budget },
    })
  } catch (error) {
    return { ...infraResult(job, `the episode could not be opened: ${reasonOf(error)}`), wallMs: since(began) }
  }
  let final: Episode | undefined
  try {
    const ended = undisturbed(await runAgent(episode, agent, options), episode)
    const isOver = ended.outcome === 'finished' || ended.outcome === 'budget'
    if (isOver) final = await forkWhenIdle(episode)
    const judged = isOver ? await judge(final, task, ended) : ended
    const { trace } = final ?? episode
    trace.add({ ...endOf(judged), wallMs: since(began) })
    return {
      ...job,
      ...verdictOf(judged),
      usage: usageOf(trace.events),
      ...(trace.header.tier && { tier: trace.header.tier }),
      transcriptHash: trace.transcriptHash(),
      attempts: 1,
      wallMs: since(began),
      trace: trace.toJsonl(),
    }
  } finally {
    // A shell that can't be ended must not hide the result.
    await Promise.allSettled([episode.close(), final?.close()])
  }
}

/**
 * What the agent left, with a trace of its own: whatever the agent does after its answer changes neither. Calls that it did not wait for are
 * finished first. `undefined` when it does not stop making calls.
 */
async function forkWhenIdle(episode: Episode): Promise<Episode | undefined> {
  for (let tries = 0; tries < maxLateCalls; tries += 1) {
    // A call that was just made has not reached the episode yet.
    await new Promise<void>((resume) => setTimeout(resume, 1))
    await episode.idle()
    try {
      return episode.fork()
    } catch {
      // Another call has come meanwhile.
    }
  }
  return undefined
}

/** How the agent's part ended, and what came of judging it. */
interface Ended {
  outcome: TraceEnd['outcome']
  reason?: string
  answer: string
  judgement?: Awaited<ReturnType<typeof scoreRun>>
  /** Why there is no judgement. */
  unscored?: string
}

async function runAgent(episode: Episode, agent: EpisodeAgent, options: RunEpisodeOptions): Promise<Ended> {
  const { task, signal, maxWallMs = defaultWallMs } = options
  const stop = new AbortController()
  const abort = () => stop.abort(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  const limitMs = Math.min(task.timeoutMs ?? maxWallMs, longestTimerMs)
  const timer = setTimeout(() => stop.abort(new InfraError(`it took longer than ${limitMs / 1000} s`)), limitMs)
  try {
    const work = { episode, instruction: task.instruction, signal: stop.signal, task }
    const { answer } = await Promise.race([agent.run(work), aborted(stop.signal)])
    return { outcome: exhaustedOutcome(episode), ...exhaustedReason(episode), answer: answerOf(answer) }
  } catch (error) {
    if (stop.signal.aborted) return { outcome: 'infra', reason: reasonOf(stop.signal.reason), answer: '' }
    if (error instanceof InfraError) return { outcome: 'infra', reason: reasonOf(error), answer: '' }
    // Many agents give up with an error when their calls are refused.
    if (episode.exhausted !== undefined) return { outcome: 'budget', ...exhaustedReason(episode), answer: '' }
    return { outcome: 'agent-error', reason: reasonOf(error), answer: '' }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** What the machine disturbed would end in another way when it is run again, so it says nothing about the agent. */
function undisturbed(ended: Ended, { disturbed }: Episode): Ended {
  return disturbed === undefined ? ended : { outcome: 'infra', reason: disturbed, answer: '' }
}

/** An agent that ignores its signal is left behind: nothing it does later counts. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}

/** The user's own agents may answer anything. */
function answerOf(answer: unknown): string {
  return typeof answer === 'string' ? answer : ''
}

function exhaustedOutcome({ exhausted }: Episode): 'finished' | 'budget' {
  return exhausted === undefined ? 'finished' : 'budget'
}

function exhaustedReason({ exhausted }: Episode): { reason?: string } {
  if (exhausted === undefined) return {}
  return { reason: exhausted === 'memory' ? 'its memory is used up' : `the budget of ${exhausted} is used up` }
}

/** What an agent left when its budget ended is scored too: it may have been done. */
async function judge(episode: Episode | undefined, task: Task, ended: Ended): Promise<Ended> {
  const { answer } = ended
  if (episode === undefined)
    return { outcome: 'agent-error', reason: 'it went on making calls after its answer', answer }
  try {
    const judgement = await scoreRun({ episode, task, trace: episode.trace, answer })
    return { ...ended, judgement }
  } catch (error) {
    return { ...ended, unscored: reasonOf(error) }
  }
}

function endOf({ outcome, reason, answer }: Ended): TraceEnd {
  return { type: 'end', outcome, ...(reason !== undefined && { reason }), ...(answer !== '' && { answer }) }
}

/** What a result says of a judgement. `outcome` is how the agent's part ended. */
export function verdictOf({ outcome, reason, judgement, unscored }: Omit<Ended, 'answer'>): Verdict {
  if (unscored !== undefined) return { outcome: 'infra', scores: [], reason: unscored }
  const because = reason === undefined ? {} : { reason }
  if (outcome === 'infra') return { outcome, scores: [], ...because }
  if (judgement === undefined) return { outcome: 'agent-error', value: 0, scores: [], ...because }
  const { value, scores } = judgement
  if (value === 1) return { outcome: 'passed', value, scores }
  if (outcome === 'budget') return { outcome, value, scores, ...because }
  return { outcome: 'failed', value, scores, reason: failureOf(scores) }
}

export type Verdict = Pick<EpisodeResult, 'outcome' | 'value' | 'scores' | 'reason'>

/** The first score below 1. */
function failureOf(scores: EpisodeResult['scores']): string {
  const low = scores.find(({ value }) => value < 1)
  return low === undefined ? 'nothing was scored' : `${low.name}: ${low.reason}`
}

/** Counted from a trace. */
export function usageOf(events: readonly TraceEvent[]): EpisodeUsage {
  const usage: EpisodeUsage = { calls: 0, failedCalls: 0, turns: 0, inputTokens: 0, outputTokens: 0 }
  for (const event of events) {
    if (event.type === 'call') {
      usage.calls += 1
      if ('protocolError' in event.result || event.result.isError === true) usage.failedCalls += 1
    }
    if (event.type !== 'message' || event.role !== 'assistant') continue
    usage.turns += 1
    usage.inputTokens += event.usage?.inputTokens ?? 0
    usage.outputTokens += event.usage?.outputTokens ?? 0
    const { cachedTokens, cost } = event.usage ?? {}
    if (cachedTokens !== undefined) usage.cachedTokens = (usage.cachedTokens ?? 0) + cachedTokens
    if (cost !== undefined) usage.cost = (usage.cost ?? 0) + cost
  }
  return usage
}

function since(began: number): number {
  return Math.round(performance.now() - began)
}
