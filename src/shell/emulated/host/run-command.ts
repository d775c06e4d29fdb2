/** One command in a worker, from the shell's side: serves its files, gathers its output, and ends it in time. */
import { FsError } from '../../../errors.js'
import type { ExecRequest, ExecResult, OutputChunk, ShellState } from '../../types.js'
import type { CommandToRun, FromWorker } from '../messages.js'
import { toWire } from '../worker/remote-files.js'
import type { CommandFiles } from './command-files.js'
import type { CommandWorker, CommandWorkers } from './command-workers.js'
import { type Collector, collector } from './output-collector.js'

export interface Ran {
  ended: ExecResult['ended']
  exitCode?: number
  stdout: Collector
  stderr: Collector
  /** As the command left it, with everything it exported. */
  left?: ShellState
}

/** Between asking a command to stop and ending its worker. */
const graceMs = 50
/** A worker that has not begun by then will not. */
const longestStartMs = 60_000
/** What a shell reports of a program that was killed for want of memory. */
const killedExitCode = 137

interface Done {
  /** The worker can run another command. */
  usable: boolean
  exitCode?: number
  left?: ShellState
}

/** Resolves when the command has ended and nothing it asked for is under way any more. */
export async function runCommand(
  request: ExecRequest & Pick<CommandToRun, 'env' | 'programs' | 'maxMemoryBytes'>,
  fs: CommandFiles['fs'],
  workers: CommandWorkers,
): Promise<Ran> {
  const { cwd, maxStreamBytes, onTooMuch = 'drop', signal, caller } = request
  const calledMs = Date.now()
  const streams = { stdout: collector(maxStreamBytes), stderr: collector(maxStreamBytes) }
  const asked = new Set<Promise<void>>()
  const timers: Array<ReturnType<typeof setTimeout>> = []
  let begun = false
  let open = true
  let ended: ExecResult['ended'] = 'exit'
  let settle: (done: Done) => void
  const whenDone = new Promise<Done>((resolve) => {
    settle = resolve
  })
  const worker = await workers.take({ caller, signal, patienceMs: request.timeoutMs / 2 })
  // Counted from the call: whoever gave the time waits no longer.
  const timeoutMs = Math.ceil(Math.max(request.timeoutMs / 2, request.timeoutMs - (Date.now() - calledMs)))

  function finish(done: Done): void {
    open = false
    settle(done)
  }

  function after(delayMs: number, then: () => void): void {
    timers.push(setTimeout(() => open && then(), delayMs))
  }

  /** Asks first, so that the worker can be used again; one that does not hear is ended. */
  function stop(reason: ExecResult['ended']): void {
    if (ended !== 'exit' || !open) return
    ended = reason
    worker.post({ kind: 'stop' })
    after(graceMs, () => finish({ usable: false }))
  }

  function take({ stream, bytes }: OutputChunk): void {
    const kept = streams[stream].add(bytes)
    const told = onTooMuch === 'tell' ? bytes : kept
    if (told.length > 0) request.onOutput?.({ stream, bytes: told })
    if (!streams[stream].cut || onTooMuch !== 'end' || ended !== 'exit') return
    ended = 'output-limit'
    finish({ usable: false })
  }

  function kill(reason: string): void {
    if (!open) return
    streams.stderr.note(`bash: killed: ${reason}\n`)
    finish({ usable: false, exitCode: killedExitCode })
  }

  const outOfMemory = `out of memory, a command may use ${request.maxMemoryBytes >> 20} MB`

  function onMessage(message: FromWorker): void {
    if (!open) return
    if (message.kind === 'output') take(message.chunk)
    else if (message.kind === 'begun') {
      begun = true
      after(timeoutMs, () => stop('timeout'))
    } else if (message.kind === 'call') {
      const one = answer(message, fs, worker).finally(() => asked.delete(one))
      asked.add(one)
    } else if (message.kind === 'out-of-memory') kill(outOfMemory)
    else {
      if (message.outOfTime && ended === 'exit') ended = 'timeout'
      finish({ usable: true, exitCode: message.exitCode, ...(message.left && { left: message.left }) })
    }
  }

  const onAbort = () => stop('aborted')
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()
  after(longestStartMs, () => begun || finish({ usable: false }))
  worker.onMessage(onMessage)
  worker.onLost((reason) => kill(reason === 'out of memory' ? outOfMemory : reason))
  const { command, env, programs, maxMemoryBytes, stdin = new Uint8Array(), reportState = false } = request
  worker.post({
    kind: 'run',
    run: { command, cwd, env, stdin, timeoutMs, reportState, maxMemoryBytes, programs, capabilities: fs.capabilities },
  })
  const { usable, exitCode, left } = await whenDone
  for (const timer of timers) clearTimeout(timer)
  signal?.removeEventListener('abort', onAbort)
  if (usable) workers.giveBack(worker)
  else workers.replace(worker)
  await Promise.all(asked)
  if (!begun && ended === 'exit') throw new FsError('UNSUPPORTED', { path: cwd, operation: 'shell' })
  if (ended !== 'exit') return { ended, ...streams }
  return { ended, ...streams, ...(exitCode !== undefined && { exitCode }), ...(left && { left }) }
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
