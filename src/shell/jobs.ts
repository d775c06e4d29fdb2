/** Runs commands in the background: they are started, polled and stopped. */
import { FsError } from '../errors.js'
import type { ExecRequest, ExecResult, OutputChunk, Shell } from './types.js'

export interface Jobs {
  /** Fails with `TOO_MANY_OPEN` when too many jobs are running. */
  start(request: JobRequest): Job
  /** The output since the last poll; `undefined` for an unknown job, or one that is no longer stored. */
  poll(id: string): JobNews | undefined
  /** Ends a job and waits until it has ended. */
  stop(id: string): Promise<JobNews | undefined>
  /** Oldest first. */
  list(): Job[]
  /** Ends all jobs and accepts no more. */
  close(): Promise<void>
}

export interface JobRequest extends Pick<ExecRequest, 'command' | 'cwd' | 'env' | 'stdin' | 'graceMs'> {
  /** Default: one day. */
  timeoutMs?: number
}

export interface Job {
  readonly id: string
  readonly command: string
  readonly cwd: string
  readonly state: JobState
}

export type JobState =
  | { name: 'running' }
  | ({ name: 'ended' } & Pick<ExecResult, 'ended' | 'exitCode' | 'signal'>)
  /** The job could not be started. */
  | { name: 'failed'; error: unknown }

export interface JobNews {
  job: Job
  output: OutputChunk[]
  /** Bytes of earlier output that were dropped before they were polled. */
  missedBytes: number
}

export interface JobLimits {
  maxRunning: number
  /** How many jobs are stored; beyond it, the oldest ended ones are dropped. */
  maxRetained: number
  /** How much unpolled output of a job is stored; older output is dropped. */
  maxOutputBytes: number
}

const dayMs = 24 * 60 * 60 * 1000

/** Jobs on any shell. Where the shell reports output only at the end, so does a job. */
export function createJobs(shell: Shell, given: Partial<JobLimits> = {}): Jobs {
  const limits: JobLimits = { maxRunning: 16, maxRetained: 64, maxOutputBytes: 1024 * 1024, ...given }
  const jobs = new Map<string, Running>()
  let count = 0
  let closed = false

  function dropOldest(): void {
    const over = [...jobs.values()].filter(({ state }) => state.name !== 'running')
    for (const { id } of over.slice(0, Math.max(0, jobs.size - limits.maxRetained))) jobs.delete(id)
  }

  function news(job: Running): JobNews {
    return { job: describe(job), ...job.output.take() }
  }

  async function stop(id: string): Promise<JobNews | undefined> {
    const job = jobs.get(id)
    if (job === undefined) return undefined
    job.abort.abort()
    await job.over
    return news(job)
  }

  return {
    start(request) {
      const running = [...jobs.values()].filter(({ state }) => state.name === 'running').length
      if (closed || running >= limits.maxRunning) throw new FsError('TOO_MANY_OPEN', { path: request.cwd })
      count += 1
      const job = begin(shell, `job-${count}`, request, limits.maxOutputBytes)
      jobs.set(job.id, job)
      dropOldest()
      return describe(job)
    },
    poll(id) {
      const job = jobs.get(id)
      return job && news(job)
    },
    stop,
    list: () => [...jobs.values()].map(describe),
    async close() {
      closed = true
      await Promise.all([...jobs.keys()].map(stop))
    },
  }
}

interface Running {
  id: string
  command: string
  cwd: string
  state: JobState
  abort: AbortController
  output: Backlog
  over: Promise<void>
}

function begin(shell: Shell, id: string, request: JobRequest, maxOutputBytes: number): Running {
  const { command, cwd } = request
  const abort = new AbortController()
  const output = backlog(maxOutputBytes)
  let hasReported = false
  const executed = shell.exec({
    timeoutMs: dayMs,
    ...request,
    maxStreamBytes: maxOutputBytes,
    onOutputLimit: 'report',
    signal: abort.signal,
    onOutput(chunk) {
      hasReported = true
      output.add(chunk)
    },
  })
  const job: Running = { id, command, cwd, state: { name: 'running' }, abort, output, over: Promise.resolve() }
  job.over = executed.then(
    ({ ended, exitCode, signal, stdout, stderr }) => {
      if (!hasReported) {
        output.add({ stream: 'stdout', bytes: stdout.bytes })
        output.add({ stream: 'stderr', bytes: stderr.bytes })
      }
      job.state = {
        name: 'ended',
        ended,
        ...(exitCode !== undefined && { exitCode }),
        ...(signal !== undefined && { signal }),
      }
    },
    (error: unknown) => {
      job.state = { name: 'failed', error }
    },
  )
  return job
}

function describe({ id, command, cwd, state }: Running): Job {
  return { id, command, cwd, state }
}

interface Backlog {
  add(chunk: OutputChunk): void
  take(): { output: OutputChunk[]; missedBytes: number }
}

/** Stores chunks until they are taken. Beyond the limit the oldest are dropped. */
function backlog(maxBytes: number): Backlog {
  let chunks: OutputChunk[] = []
  let size = 0
  let missedBytes = 0
  return {
    add({ stream, bytes }) {
      if (bytes.length === 0) return
      const latest = bytes.subarray(Math.max(0, bytes.length - maxBytes))
      missedBytes += bytes.length - latest.length
      chunks.push({ stream, bytes: latest.slice() })
      size += latest.length
      while (size > maxBytes) {
        const oldest = chunks[0]?.bytes.length ?? 0
        chunks.shift()
        size -= oldest
        missedBytes += oldest
      }
    },
    take() {
      const taken = { output: chunks, missedBytes }
      chunks = []
      size = 0
      missedBytes = 0
      return taken
    },
  }
}
