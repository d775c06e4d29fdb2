/** Runs one command in a worker, on the host side: serves its files, collects its output and ends it in time. */
import { FsError } from '../../src/errors.js'
import type { Bytes } from '../../src/fs/types.js'
import type { Network } from '../../src/network/types.js'
import type { ExecRequest, ExecResult, OutputChunk, PipelineCommand, ShellState } from '../../src/shell/types.js'
import { patienceMs } from '../worker/command-limits.js'
import type { CommandToRun, FileAnswer, FileCall, FromWorker } from '../worker/messages.js'
import { ownBuffers, packed } from '../worker/packed-answers.js'
import { toWire } from '../worker/remote-files.js'
import type { CommandFiles } from './command-files.js'
import { commandNetwork } from './command-network.js'
import type { CommandWorkers } from './command-workers.js'
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
  /** The FIFOs that are kept. */
  pipes?: string[]
  /** The time at its end by a clock of its own. */
  clockMs?: number
  /** Ended by the machine's clock, though its own was not over. */
  byWallClock?: true
  /** It did not reach its end, whatever ended it. */
  isKilled: boolean
  /** Adds a message of our own to its errors. */
  note(text: string): void
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
  isKilled?: boolean
  exitCode?: number
  pipeline?: readonly PipelineCommand[]
  left?: ShellState
  pipes?: string[]
  clockMs?: number
}

/** Resolves when the command has ended and none of its requests is pending. */
export async function runCommand(
  request: ExecRequest & Pick<CommandToRun, 'env' | 'maxMemoryBytes' | 'nowMs' | 'seed'>,
  files: Pick<CommandFiles, 'fs' | 'programs' | 'scratch' | 'setTime'> & {
    network?: Network
    pipes?: CommandToRun['pipes']
  },
  workers: CommandWorkers,
): Promise<Ran> {
  const { fs, programs } = files
  const { cwd, maxStreamBytes, onOutputLimit = 'drop', signal, caller } = request
  const calledMs = performance.now()
  const stdout = collector(maxStreamBytes)
  const streams = { stdout, stderr: request.mergeStreams ? stdout : collector(maxStreamBytes) }
  const pending = new Set<Promise<void>>()
  const timers: Array<ReturnType<typeof setTimeout>> = []
  /** Programs of the host that run, with what receives their input. */
  const inputs = new Map<number, (bytes: Bytes | undefined) => void>()
  /** For programs of the host; made with the first of them, as most commands call none. */
  let ending: AbortController | undefined
  const isVirtual = request.nowMs !== undefined
  const network = files.network && commandNetwork(files.network)
  /** Of a command with a clock of its own: what it asked for, one after the other. */
  let lastAsked: Promise<void> = Promise.resolve()
  /** Ends the turn of a program that waits for input. */
  const rests = new Map<number, () => void>()
  let begun = false
  /** When its time is over. A timer is late where the thread is busy, as with what the command asks for. */
  let endsMs = Infinity
  let open = true
  let ended: ExecResult['ended'] = 'exit'
  let byWallClock = false as boolean
  let settle: (done: Done) => void
  const whenDone = new Promise<Done>((resolve) => {
    settle = resolve
  })
  const worker = await workers.take({ caller, signal, patienceMs: request.timeoutMs / 2 })
  // Counted from the call, because its caller waits no longer than that.
  const waitedMs = isVirtual ? 0 : performance.now() - calledMs
  const timeoutMs = Math.ceil(Math.max(request.timeoutMs / 2, request.timeoutMs - waitedMs))

  function finish(done: Done): void {
    open = false
    ending?.abort()
    for (const give of inputs.values()) give(undefined)
    for (const rest of rests.values()) rest()
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

  function outOfTime(): void {
    if (ended === 'exit') byWallClock = isVirtual
    stop('timeout')
  }

  function collect({ stream, bytes }: OutputChunk): void {
    const fits = streams[stream].add(bytes)
    const reported = onOutputLimit === 'report' ? bytes : fits
    if (reported.length > 0) request.onOutput?.({ stream, bytes: reported })
    if (!streams[stream].cut || onOutputLimit !== 'end' || ended !== 'exit') return
    ended = 'output-limit'
    finish({ usable: false })
  }

  /** Of any length, and reported like any output. */
  function note(text: string): void {
    const bytes = streams.stderr.note(text)
    request.onOutput?.({ stream: 'stderr', bytes })
  }

  function kill(reason: string): void {
    if (!open) return
    note(`bash: killed: ${reason}\n`)
    finish({ usable: false, isKilled: true, exitCode: killedExitCode })
  }

  async function serveProgram({ call, program }: FromWorker & { kind: 'program' }): Promise<void> {
    ending ??= new AbortController()
    if (!open) ending.abort()
    const status = await runHostProgram(programs, program, {
      signal: ending.signal,
      read() {
        if (!open) return Promise.resolve(undefined)
        worker.post({ kind: 'pull', call })
        rests.get(call)?.()
        return new Promise((resolve) => inputs.set(call, resolve))
      },
      write: (chunk) => open && worker.post({ kind: 'push', call, chunk }),
    })
    inputs.delete(call)
    if (open) worker.post({ kind: 'answer', call, value: status })
    rests.get(call)?.()
    rests.delete(call)
  }

  async function exchange({ call, request, nowMs }: FromWorker & { kind: 'exchange' }): Promise<void> {
    if (isVirtual) files.setTime(nowMs)
    ending ??= new AbortController()
    if (!open) ending.abort()
    const value = await network?.exchange(request, { signal: ending.signal })
    if (open) worker.post({ kind: 'answer', call, value })
  }

  /** Does what the command asked for: at once, or after what it asked for before. */
  function serve(work: () => Promise<void>): void {
    lastAsked = isVirtual ? lastAsked.then(work) : work()
    const one = lastAsked.finally(() => pending.delete(one))
    pending.add(one)
  }

  /** The calls of a command with a clock of its own. */
  async function inTurn(calls: readonly FileCall[]): Promise<FileAnswer[]> {
    const answers: FileAnswer[] = []
    for (const call of calls) {
      files.setTime(call.nowMs)
      answers.push(await answer(call))
    }
    return answers
  }

  /** A promise only where the answer is one. */
  function answer({ call, method, given }: FileCall): FileAnswer | Promise<FileAnswer> {
    const failed = (error: unknown) => ({ call, error: toWire(error) })
    try {
      const operation = fs[method] as ((...given: unknown[]) => unknown) | undefined
      if (operation === undefined) throw new FsError('UNSUPPORTED', { path: '/', operation: method })
      const value = operation(...given)
      return value instanceof Promise ? value.then((value) => ({ call, value }), failed) : { call, value }
    } catch (error) {
      return failed(error)
    }
  }

  /** Resolves when the program waits for input or has ended. */
  function untilItRests(call: number): Promise<void> {
    return new Promise((resolve) => rests.set(call, resolve))
  }

  function startProgram(message: FromWorker & { kind: 'program' }): void {
    serve(() => {
      if (!isVirtual) return serveProgram(message)
      files.setTime(message.nowMs)
      const resting = untilItRests(message.call)
      const one = serveProgram(message).finally(() => pending.delete(one))
      pending.add(one)
      return resting
    })
  }

  function giveInput({ call, bytes }: FromWorker & { kind: 'input' }): void {
    if (!isVirtual) {
      inputs.get(call)?.(bytes)
      return
    }
    serve(async () => {
      if (!rests.has(call)) return
      const resting = untilItRests(call)
      inputs.get(call)?.(bytes)
      await resting
    })
  }

  function end({
    exitCode,
    left,
    pipeline,
    pipes,
    nowMs,
    stopped,
    isKilled,
    isSpent,
  }: FromWorker & { kind: 'done' }): void {
    const isOver = stopped !== undefined && stopped !== 'aborted'
    if (isOver && ended === 'exit') {
      ended = stopped === 'statement-limit' ? stopped : 'timeout'
      byWallClock = stopped === 'wall-clock'
    }
    finish({
      usable: !isSpent,
      exitCode,
      ...(isKilled && { isKilled }),
      ...(left && { left }),
      ...(pipes && { pipes }),
      ...(pipeline && { pipeline }),
      ...(nowMs !== undefined && { clockMs: nowMs }),
    })
  }

  const outOfMemory = `out of memory, a command may use ${request.maxMemoryBytes >> 20} MB`

  function onMessage(message: FromWorker): void {
    if (!open) return
    if (performance.now() > endsMs) outOfTime()
    if (message.kind === 'output') collect(message.chunk)
    else if (message.kind === 'begun') {
      begun = true
      // By its own clock a command ends itself.
      const restMs = isVirtual ? patienceMs(timeoutMs) : timeoutMs
      endsMs = performance.now() + restMs
      after(restMs, outOfTime)
    } else if (message.kind === 'calls') {
      serve(async () => {
        const { calls } = message
        const all = packed(isVirtual ? await inTurn(calls) : await Promise.all(calls.map(answer)))
        worker.post({ kind: 'answers', ...all }, ownBuffers(all))
      })
    } else if (message.kind === 'program') startProgram(message)
    else if (message.kind === 'input') giveInput(message)
    else if (message.kind === 'exchange') serve(() => exchange(message))
    else end(message)
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
      ...(request.maxStatements !== undefined && { maxStatements: request.maxStatements }),
      ...(request.seed !== undefined && { seed: request.seed }),
      ...(files.scratch !== undefined && { scratch: files.scratch }),
      ...(files.pipes && { pipes: files.pipes }),
      programs: Object.keys(programs),
      ...(network && { network: network.allowed }),
      capabilities: fs.capabilities,
    },
  })
  const { usable, exitCode, left, pipeline, pipes, clockMs, isKilled = ended !== 'exit' } = await whenDone
  for (const timer of timers) clearTimeout(timer)
  signal?.removeEventListener('abort', onAbort)
  if (!usable) workers.replace(worker)
  await Promise.all(pending)
  if (usable) workers.giveBack(worker)
  if (!begun && ended === 'exit') throw new FsError('UNSUPPORTED', { path: cwd, operation: 'shell' })
  const timed = {
    ...(pipes && { pipes }),
    ...(clockMs !== undefined && { clockMs }),
    ...(byWallClock && { byWallClock: true as const }),
  }
  const always = { ...streams, isKilled, note, ...timed }
  if (ended !== 'exit') return { ended, ...always }
  return {
    ended,
    ...always,
    ...(exitCode !== undefined && { exitCode }),
    ...(left && { left }),
    ...(pipeline && { pipeline }),
  }
}
