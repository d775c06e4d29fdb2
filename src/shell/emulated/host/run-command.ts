/** Runs one command in a worker, on the host side: serves its files, collects its output and ends it in time. */
import { FsError } from '../../../errors.js'
import type { Bytes } from '../../../fs/types.js'
import type { ExecRequest, ExecResult, OutputChunk, PipelineCommand, ShellState } from '../../types.js'
import type { CommandToRun, FromWorker } from '../messages.js'
import { toWire } from '../worker/remote-files.js'
import type { CommandFiles } from './command-files.js'
import type { CommandWorker, CommandWorkers } from './command-workers.js'
import { type Collector, collector } from './output-collector.js'
import { runHostProgram } from './run-host-program.js'

export interface Ran {
  ended: ExecResult['ended']
  exitCode?: number
  stdout: Collector
  /** The same as `stdout` where they are merged. */
  stderr: Collector
  pipeline?: readonly PipelineCommand[]
  /** The final state, with all exported variables. */
  left?: ShellState
}

/** Time between asking a command to stop and ending its worker. */
const graceMs = 50
/** A worker that takes longer to start has failed. */
const maxStartMs = 60_000
/** The exit code a shell reports for a program killed for lack of memory. */
const killedExitCode = 137

interface Done {
  /** True when the worker can run another command. */
  usable: boolean
  exitCode?: number
  pipeline?: readonly PipelineCommand[]
  left?: ShellState
}

/** Resolves when the command has ended and none of its requests is pending. */
export async function runCommand(
  request: ExecRequest & Pick<CommandToRun, 'env' | 'maxMemoryBytes' | 'nowMs' | 'seed'>,
  files: Pick<CommandFiles, 'fs' | 'programs' | 'scratch'>,
  workers: CommandWorkers,
): Promise<Ran> {
  const { fs, programs } = files
  const { cwd, maxStreamBytes, onOutputLimit = 'drop', signal, caller } = request
  const calledMs = Date.now()
  const stdout = collector(maxStreamBytes)
  const streams = { stdout, stderr: request.mergeStreams ? stdout : collector(maxStreamBytes) }
  const pending = new Set<Promise<void>>()
  const timers: Array<ReturnType<typeof setTimeout>> = []
  /** Programs of the host that run, with what receives their input. */
  const inputs = new Map<number, (bytes: Bytes | undefined) => void>()
  const ending = new AbortController()
  let begun = false
  let open = true
  let ended: ExecResult['ended'] = 'exit'
  let settle: (done: Done) => void
  const whenDone = new Promise<Done>((resolve) => {
    settle = resolve
  })
  const worker = await workers.take({ caller, signal, patienceMs: request.timeoutMs / 2 })
  // Counted from the call, because its caller waits no longer than that.
  const timeoutMs = Math.ceil(Math.max(request.timeoutMs / 2, request.timeoutMs - (Date.now() - calledMs)))

  function finish(done: Done): void {
    open = false
    ending.abort()
    for (const give of inputs.values()) give(undefined)
    settle(done)
  }

  function after(delayMs: number, then: () => void): void {
    timers.push(setTimeout(() => open && then(), delayMs))
  }

  /** Asks first, so that the worker can be reused; one that does not react is ended. */
  function stop(reason: ExecResult['ended']): void {
    if (ended !== 'exit' || !open) return
    ended = reason
    worker.post({ kind: 'stop' })
    after(graceMs, () => finish({ usable: false }))
  }

  function collect({ stream, bytes }: OutputChunk): void {
    const fits = streams[stream].add(bytes)
    const reported = onOutputLimit === 'report' ? bytes : fits
    if (reported.length > 0) request.onOutput?.({ stream, bytes: reported })
    if (!streams[stream].cut || onOutputLimit !== 'end' || ended !== 'exit') return
    ended = 'output-limit'
    finish({ usable: false })
  }

  function kill(reason: string): void {
    if (!open) return
    streams.stderr.note(`bash: killed: ${reason}\n`)
    finish({ usable: false, exitCode: killedExitCode })
  }

  async function serveProgram({ call, program }: FromWorker & { kind: 'program' }): Promise<void> {
    const status = await runHostProgram(programs, program, {
      signal: ending.signal,
      read() {
        if (!open) return Promise.resolve(undefined)
        worker.post({ kind: 'pull', call })
        return new Promise((resolve) => inputs.set(call, resolve))
      },
      write: (chunk) => open && worker.post({ kind: 'push', call, chunk }),
    })
    inputs.delete(call)
    if (open) worker.post({ kind: 'answer', call, value: status })
  }

  const outOfMemory = `out of memory, a command may use ${request.maxMemoryBytes >> 20} MB`

  function onMessage(message: FromWorker): void {
    if (!open) return
    if (message.kind === 'output') collect(message.chunk)
    else if (message.kind === 'begun') {
      begun = true
      after(timeoutMs, () => stop('timeout'))
    } else if (message.kind === 'call') {
      const one = answer(message, fs, worker).finally(() => pending.delete(one))
      pending.add(one)
    } else if (message.kind === 'program') {
      const one = serveProgram(message).finally(() => pending.delete(one))
      pending.add(one)
    } else if (message.kind === 'input') inputs.get(message.call)?.(message.bytes)
    else {
      if (message.outOfTime && ended === 'exit') ended = 'timeout'
      const { exitCode, left, pipeline } = message
      finish({ usable: true, exitCode, ...(left && { left }), ...(pipeline && { pipeline }) })
    }
  }

  const onAbort = () => stop('aborted')
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()
  after(maxStartMs, () => begun || finish({ usable: false }))
  worker.onMessage(onMessage)
  worker.onLost((reason) => kill(reason === 'out of memory' ? outOfMemory : reason))
  const { command, env, maxMemoryBytes, stdin = new Uint8Array(), reportState = false } = request
  worker.post({
    kind: 'run',
    run: {
      command,
      cwd,
      env,
      stdin,
      timeoutMs,
      reportState,
      maxMemoryBytes,
      ...(request.nowMs !== undefined && { nowMs: request.nowMs }),
      ...(request.seed !== undefined && { seed: request.seed }),
      ...(files.scratch !== undefined && { scratch: files.scratch }),
      programs: Object.keys(programs),
      capabilities: fs.capabilities,
    },
  })
  const { usable, exitCode, left, pipeline } = await whenDone
  for (const timer of timers) clearTimeout(timer)
  signal?.removeEventListener('abort', onAbort)
  if (usable) workers.giveBack(worker)
  else workers.replace(worker)
  await Promise.all(pending)
  if (!begun && ended === 'exit') throw new FsError('UNSUPPORTED', { path: cwd, operation: 'shell' })
  if (ended !== 'exit') return { ended, ...streams }
  return {
    ended,
    ...streams,
    ...(exitCode !== undefined && { exitCode }),
    ...(left && { left }),
    ...(pipeline && { pipeline }),
  }
}

async function answer(
  { call, method, given }: FromWorker & { kind: 'call' },
  fs: CommandFiles['fs'],
  worker: CommandWorker,
): Promise<void> {
  try {
    const operation = fs[method] as ((...given: unknown[]) => Promise<unknown>) | undefined
    if (operation === undefined) throw new FsError('UNSUPPORTED', { path: '/', operation: method })
    worker.post({ kind: 'answer', call, value: await operation(...given) })
  } catch (error) {
    worker.post({ kind: 'failure', call, error: toWire(error) })
  }
}
