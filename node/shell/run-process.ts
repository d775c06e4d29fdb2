/** Runs one process with its streams until it ends or is ended. */
import type { Readable } from 'node:stream'
import { FsError } from '../../src/errors.js'
import { fromErrno } from '../../src/fs/errno.js'
import type { ExecRequest, ExecResult, Output } from '../../src/shell/types.js'
import { type Cover, coverInherited } from './inherited-descriptors.js'
import type { ProcessIdentity } from './process-identity.js'
import { endGroup, isGroupLeft, signalMarked, sweep } from './process-tree.js'
import type { Wrapped } from './sandbox/confined-command.js'
import { type ConfinedProcess, channelsOf, superviseConfined } from './sandbox/confined-process.js'
import { stateChannel } from './shell-state.js'

/** How long to wait for the last output after the shell has ended. */
const drainMs = 100

export interface Execution {
  argv: string[]
  cwd: string
  mark: string
  cover: Cover
  env: Record<string, string>
  /** Node builds the command line for `cmd.exe`. */
  usesCmd?: boolean
  /** `program` is the wrapper around the command; it must not get `SIGTERM`, because it would end immediately. */
  confined?: {
    wrapped: Wrapped
    register: (first: ProcessIdentity, begin: () => void) => void
    program: string
  }
}

export interface Ran extends ExecResult {
  /** The data of the state channel. */
  stateReport?: Buffer
}

export function run(
  request: ExecRequest,
  { argv, cwd, mark, cover, env, usesCmd = false, confined }: Execution,
): Promise<Ran> {
  const { timeoutMs, graceMs = 0, maxStreamBytes, onOutputLimit = 'drop', signal, stdin, onOutput } = request
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new FsError('ABORTED', {}))
    const [program = '', ...args] = argv
    // In its own process group, so that all of it can be ended together. Without input, a command that reads gets an
    // end of file.
    const child = process.getBuiltinModule('node:child_process').spawn(program, args, {
      shell: usesCmd,
      cwd,
      env,
      detached: process.platform !== 'win32',
      stdio: coverInherited(
        [
          stdin === undefined ? 'ignore' : 'pipe',
          'pipe',
          'pipe',
          request.reportState ? 'pipe' : 'ignore',
          ...channelsOf(confined?.wrapped),
        ],
        cover,
      ),
      windowsHide: true,
    })
    confined?.wrapped.started?.()
    const inside: ConfinedProcess | undefined =
      confined && superviseConfined(child, confined.wrapped, confined.register)
    let ended: ExecResult['ended'] = 'exit'
    let exit: { code: number | null; signal: NodeJS.Signals | null } | undefined

    let grace: NodeJS.Timeout | undefined
    const deadline = setTimeout(() => end('timeout'), timeoutMs)
    const onAbort = () => end('aborted')
    signal?.addEventListener('abort', onAbort, { once: true })

    function end(reason: ExecResult['ended']): void {
      if (ended !== 'exit' || exit !== undefined) return
      ended = reason
      if (graceMs > 0 && reason !== 'output-limit') {
        if (confined === undefined) endGroup(child, 'SIGTERM')
        else signalMarked(mark, 'SIGTERM', confined.program)
        grace = setTimeout(endAll, graceMs)
      } else endAll()
    }

    function endAll(): void {
      // A wrapper that holds the mounts ends by itself once they were read.
      if (confined?.wrapped.whenEnded === undefined) endGroup(child, 'SIGKILL')
      inside?.end()
      sweep(mark)
    }

    function collect(name: 'stdout' | 'stderr', stream: Readable | null, collected = firstBytes(maxStreamBytes)) {
      stream?.on('data', (chunk: Buffer) => {
        const fits = collected.add(chunk)
        const reported = onOutputLimit === 'report' ? chunk : fits
        if (reported.length > 0) onOutput?.({ stream: name, bytes: new Uint8Array(reported) })
        if (fits.length < chunk.length && onOutputLimit === 'end') end('output-limit')
      })
      stream?.on('error', () => {})
      return collected
    }

    const stdout = collect('stdout', child.stdout)
    // Where one pipe has both, only the wrapper around the command writes to the other.
    const stderr = collect('stderr', child.stderr, request.mergeStreams ? stdout : undefined)
    const channel = child.stdio[stateChannel] as Readable | null | undefined
    const stateReport = firstBytes(maxStateBytes)
    channel?.on('data', (chunk: Buffer) => stateReport.add(chunk))
    channel?.on('error', () => {})
    // The command may not read its input.
    child.stdin?.on('error', () => {})
    if (stdin !== undefined) child.stdin?.end(Buffer.from(stdin))

    function settle(): void {
      clearTimeout(deadline)
      clearTimeout(grace)
      signal?.removeEventListener('abort', onAbort)
      // A background process that still holds the pipes continues to run.
      for (const stream of [child.stdin, child.stdout, child.stderr, channel]) stream?.destroy()
      // The shell may have ended on request while its children did not.
      if (ended !== 'exit') endAll()
      // So may the wrapper, if somebody has killed it.
      else if (confined?.wrapped.whenEnded !== undefined) inside?.end()
      const result = {
        ended,
        ...(exit?.code != null && { exitCode: exit.code }),
        ...(exit?.signal != null && { signal: exit.signal }),
        // The wrapper around a confined command ends all of it.
        ...(ended === 'exit' && confined === undefined && isGroupLeft(child) && { leavesProcesses: true }),
        stdout: stdout.output(),
        stderr: stderr === stdout ? { bytes: new Uint8Array(), cut: false } : stderr.output(),
        ...(request.reportState &&
          !stateReport.output().cut && { stateReport: Buffer.from(stateReport.output().bytes) }),
      }
      resolve(
        inside && ended === 'exit' && exit?.code != null ? failUnlessStarted(inside, result, request.cwd) : result,
      )
    }

    child.once('error', (error) => {
      clearTimeout(deadline)
      signal?.removeEventListener('abort', onAbort)
      reject(fromErrno(error, request.cwd))
    })
    child.once('exit', (code, killedBy) => {
      exit = { code, signal: killedBy }
      const drained = setTimeout(settle, drainMs)
      child.once('close', () => {
        clearTimeout(drained)
        settle()
      })
    })
  })
}

/** When the wrapper fails, its error output replaces that of the command. */
async function failUnlessStarted<Result extends ExecResult>(inside: ConfinedProcess, result: Result, path: string) {
  if (await inside.wasStarted()) return result
  const { stdout, stderr } = result
  const [line = ''] = new TextDecoder().decode(stderr.bytes.length > 0 ? stderr.bytes : stdout.bytes).split('\n')
  throw new FsError('IO', { path, detail: `the sandbox could not be set up (${line})` })
}

/** A longer report of directory and variables is dropped. */
const maxStateBytes = 512 * 1024

/** Collects the first bytes; `add` returns the part of a chunk that was collected. */
function firstBytes(maxBytes: number): { add(chunk: Buffer): Buffer; output(): Output } {
  const chunks: Buffer[] = []
  let room = maxBytes
  let cut = false
  return {
    add(chunk) {
      const fits = chunk.subarray(0, room)
      if (fits.length < chunk.length) cut = true
      room -= fits.length
      if (fits.length > 0) chunks.push(fits)
      return fits
    },
    output: () => ({ bytes: new Uint8Array(Buffer.concat(chunks)), cut }),
  }
}
