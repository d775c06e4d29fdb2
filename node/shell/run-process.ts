/** One process and its streams, from its start to its end, whoever brings that about. */
import type { Readable } from 'node:stream'
import { FsError } from '../../src/errors.js'
import { fromErrno } from '../../src/fs/errno.js'
import type { ExecRequest, ExecResult, Output } from '../../src/shell/types.js'
import { coverInherited } from './inherited-descriptors.js'
import type { ProcessIdentity } from './process-identity.js'
import { endGroup, signalMarked, sweep } from './process-tree.js'
import { type ConfinedProcess, channelsOf, superviseConfined } from './sandbox/confined-process.js'
import type { Wrapped } from './sandbox/sandbox.js'
import { stateChannel } from './shell-state.js'

/** After the shell has ended, its last output may still be on its way. */
const drainMs = 100

export type Cover = Parameters<typeof coverInherited>[1]

export interface Surroundings {
  argv: string[]
  cwd: string
  mark: string
  cover: Cover
  env: Record<string, string>
  /** The program is that around the command, which would end at once when asked to. */
  confined?: {
    wrapped: Wrapped
    register: (first: ProcessIdentity, begin: () => void) => void
    program: string
  }
}

export interface Ran extends ExecResult {
  /** What came over the channel for the state. */
  told?: Buffer
}

export function run(request: ExecRequest, { argv, cwd, mark, cover, env, confined }: Surroundings): Promise<Ran> {
  const { timeoutMs, graceMs = 0, maxStreamBytes, onTooMuch = 'drop', signal, stdin, onOutput } = request
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new FsError('ABORTED', {}))
    const [program = '', ...args] = argv
    // A group of its own, so that all of it can be ended at once. Without input, a command that asks gets an end of file.
    const child = process.getBuiltinModule('node:child_process').spawn(program, args, {
      shell: process.platform === 'win32',
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
      endGroup(child, 'SIGKILL')
      inside?.end()
      sweep(mark)
    }

    function collect(name: 'stdout' | 'stderr', stream: Readable | null) {
      const kept = keepFirst(maxStreamBytes)
      stream?.on('data', (chunk: Buffer) => {
        const fits = kept.add(chunk)
        const told = onTooMuch === 'tell' ? chunk : fits
        if (told.length > 0) onOutput?.({ stream: name, bytes: new Uint8Array(told) })
        if (fits.length < chunk.length && onTooMuch === 'end') end('output-limit')
      })
      stream?.on('error', () => {})
      return kept
    }

    const stdout = collect('stdout', child.stdout)
    const stderr = collect('stderr', child.stderr)
    const channel = child.stdio[stateChannel] as Readable | null | undefined
    const told = keepFirst(maxStateBytes)
    channel?.on('data', (chunk: Buffer) => told.add(chunk))
    channel?.on('error', () => {})
    // A command need not read what it is given.
    child.stdin?.on('error', () => {})
    if (stdin !== undefined) child.stdin?.end(Buffer.from(stdin))

    function settle(): void {
      clearTimeout(deadline)
      clearTimeout(grace)
      signal?.removeEventListener('abort', onAbort)
      // Whoever still holds the pipes, such as a server left in the background, keeps running without us.
      for (const stream of [child.stdin, child.stdout, child.stderr, channel]) stream?.destroy()
      // The shell may have gone when it was asked to, and left others that did not.
      if (ended !== 'exit') endAll()
      const result = {
        ended,
        ...(exit?.code != null && { exitCode: exit.code }),
        ...(exit?.signal != null && { signal: exit.signal }),
        stdout: stdout.output(),
        stderr: stderr.output(),
        ...(request.reportState && !told.output().cut && { told: Buffer.from(told.output().bytes) }),
      }
      resolve(inside && ended === 'exit' && exit?.code != null ? startedOrNot(inside, result, request.cwd) : result)
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

/** Where the wrapper failed it says why in place of the command. */
async function startedOrNot<Result extends ExecResult>(inside: ConfinedProcess, result: Result, path: string) {
  if (await inside.wasStarted()) return result
  const [line = ''] = new TextDecoder().decode(result.stderr.bytes).split('\n')
  throw new FsError('IO', { path, detail: `the sandbox could not be set up (${line})` })
}

/** A directory and variables that are longer are not kept. */
const maxStateBytes = 512 * 1024

/** Keeps the first bytes; `add` tells what of a chunk was among them. */
function keepFirst(maxBytes: number): { add(chunk: Buffer): Buffer; output(): Output } {
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
