import { FsError } from '../../src/errors.js'
import { relative } from '../../src/fs/path.js'
import type { Bytes } from '../../src/fs/types.js'
import type { ExecRequest, ExecResult, Shell } from '../../src/shell/types.js'
import { joinBytes } from '../../src/text/join-bytes.js'
import type { RunningContainer, RunningProcess, Terminal } from './api.js'
import { stateReports } from './shell-state.js'
import { terminalText } from './terminal-text.js'

export interface ContainerShell extends Shell {
  /** Sets the terminal size of running and later programs. */
  resize(terminal: Terminal): void
}

/** Wide, so that the terminal does not break lines. */
const defaultTerminal: Terminal = { cols: 500, rows: 50 }

/** The control character for the end of input. */
const endOfInput = '\x04'

/** How long to wait for output of a process that was ended. */
const drainMs = 1000

/** A shell that does not answer a probe in this time does not support it. */
const probeTimeoutMs = 20_000

/**
 * Runs commands in a container, each in its own `jsh` on a terminal. Output and errors are one stream of text; bytes
 * that are not UTF-8 are lost.
 */
export function containerShell(container: Pick<RunningContainer, 'spawn' | 'fs' | 'workdir'>): ContainerShell {
  const running = new Set<RunningProcess>()
  const states = stateReports(container, (command) =>
    run({ command, cwd: '/', timeoutMs: probeTimeoutMs, maxStreamBytes: 1000 }),
  )
  let terminal = defaultTerminal

  async function start({ command, cwd, env }: ExecRequest): Promise<RunningProcess> {
    try {
      const process = await container.spawn('jsh', ['-c', command], {
        cwd: relative('/', cwd),
        terminal,
        ...(env && { env: { ...env } }),
      })
      running.add(process)
      return process
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error)
      throw new FsError('IO', { path: cwd, detail }, { cause: error })
    }
  }

  async function run(request: ExecRequest): Promise<ExecResult> {
    const process = await start(request)
    try {
      return await runToEnd(process, request)
    } finally {
      running.delete(process)
    }
  }

  return {
    kind: 'webcontainer',
    engine: 'jsh in a WebContainer',
    capabilities: {
      sharesFiles: true,
      confined: false,
      recordsChanges: false,
      background: false,
      signals: false,
      // `jsh` supports only part of POSIX.
      posix: false,
      separateStreams: false,
    },

    async exec(request) {
      const { command, signal, reportState = false } = request
      if (signal?.aborted) throw new FsError('ABORTED', {})
      if (!reportState) return run(request)
      return states.reported(command, signal, (script) => run({ ...request, command: script }))
    },

    resize(given) {
      terminal = given
      for (const process of running) process.resize(given)
    },

    async close() {
      for (const process of running) process.kill()
      running.clear()
    },
  }
}

async function runToEnd(process: RunningProcess, request: ExecRequest): Promise<ExecResult> {
  const { timeoutMs, maxStreamBytes, onOutputLimit = 'drop', signal, onOutput } = request
  let ended: ExecResult['ended'] = 'exit'
  let release = () => {}
  const wasEnded = new Promise<void>((resolve) => {
    release = resolve
  })

  function end(reason: ExecResult['ended']): void {
    if (ended !== 'exit') return
    ended = reason
    process.kill()
    release()
  }

  const pieces: Bytes[] = []
  let collectedBytes = 0
  let cut = false

  function collect(text: string): void {
    if (text === '' || (ended !== 'exit' && cut)) return
    const bytes = new TextEncoder().encode(text)
    const fits = bytes.subarray(0, Math.max(0, maxStreamBytes - collectedBytes))
    if (fits.length > 0) pieces.push(fits)
    collectedBytes += fits.length
    const reported = onOutputLimit === 'report' ? bytes : fits
    if (reported.length > 0) onOutput?.({ stream: 'stdout', bytes: reported })
    if (fits.length === bytes.length) return
    cut = true
    if (onOutputLimit === 'end') end('output-limit')
  }

  const deadline = setTimeout(() => end('timeout'), timeoutMs)
  const onAbort = () => end('aborted')
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()
  const output = readAll(process, collect)
  void feed(process, request.stdin)
  try {
    // A killed process may never report its exit.
    const exitCode = await Promise.race([process.exit, wasEnded.then(() => undefined)])
    await Promise.race([output, ...(ended === 'exit' ? [] : [pause(drainMs)])])
    const stdout = { bytes: joinBytes(pieces), cut }
    const isOwn = ended === 'exit' && exitCode !== undefined
    return { ended, ...(isOwn && { exitCode }), stdout, stderr: { bytes: new Uint8Array(), cut: false } }
  } finally {
    clearTimeout(deadline)
    signal?.removeEventListener('abort', onAbort)
  }
}

async function readAll(process: RunningProcess, collect: (text: string) => void): Promise<void> {
  const text = terminalText()
  const reader = process.output.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) collect(text.push(next.value))
  collect(text.end())
}

/** Writes the input and its end: the terminal takes the end mark once at the beginning of a line, and twice elsewhere. */
async function feed(process: RunningProcess, stdin: Bytes = new Uint8Array()): Promise<void> {
  const text = new TextDecoder().decode(stdin)
  const writer = process.input.getWriter()
  const mark = text === '' || text.endsWith('\n') ? endOfInput : endOfInput + endOfInput
  await writer.write(text + mark).catch(() => {
    // The process has ended and does not read its input.
  })
  writer.releaseLock()
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
