/** The machine's own shell. Commands are not confined by the workspace's roots: they can do what the server's user can. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import { FsError } from '../src/errors.js'
import { fromErrno } from '../src/fs/errno.js'
import type { ExecRequest, ExecResult, Output, Shell } from '../src/shell/types.js'

export interface NodeShellOptions {
  /** The host's path of a directory of the workspace. */
  hostPath: (virtual: string) => string
  /** Where the variables commands may see come from. */
  env?: NodeJS.ProcessEnv
}

/** What a command may see of the server's environment. Anything else, keys and tokens above all, stays with the server. */
const inherited = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SYSTEMROOT',
]

/** After the shell has ended, its last output may still be on its way. */
const drainMs = 100
/** Marks every process that a command starts, however it detaches itself. */
const markName = 'POLYFS_COMMAND'

export function nodeShell({ hostPath, env = process.env }: NodeShellOptions): Shell {
  const server = randomBytes(8).toString('hex')
  let count = 0

  return {
    kind: 'real',
    engine:
      process.platform === 'win32' ? 'the shell of this computer (cmd.exe)' : 'the shell of this computer (/bin/sh)',
    capabilities: {
      sharesFiles: true,
      confined: false,
      recordsChanges: false,
      background: true,
      signals: process.platform !== 'win32',
      posix: process.platform !== 'win32',
      separateStreams: true,
    },

    exec(request) {
      count += 1
      const mark = `${server}.${count}.`
      return run(request, { cwd: hostPath(request.cwd), mark, env: { ...commandEnvironment(env), ...request.env } })
    },

    async close() {
      sweep(`${server}.`)
    },
  }
}

interface Surroundings {
  cwd: string
  mark: string
  env: Record<string, string>
}

function run(request: ExecRequest, { cwd, mark, env }: Surroundings): Promise<ExecResult> {
  const { command, timeoutMs, graceMs = 0, maxStreamBytes, onTooMuch = 'drop', signal } = request
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new FsError('ABORTED', {}))
    // A group of its own, so that all of it can be ended at once. Nothing to read: a command that asks gets an end of file.
    const child = spawn(command, {
      shell: true,
      cwd,
      env: { ...env, [markName]: mark },
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    const stdout = collector(maxStreamBytes)
    const stderr = collector(maxStreamBytes)
    let ended: ExecResult['ended'] = 'exit'
    let exit: { code: number | null; signal: NodeJS.Signals | null } | undefined

    const deadline = setTimeout(() => end('timeout'), timeoutMs)
    const onAbort = () => end('aborted')
    signal?.addEventListener('abort', onAbort, { once: true })

    function end(reason: ExecResult['ended']): void {
      if (ended !== 'exit' || exit !== undefined) return
      ended = reason
      if (graceMs > 0 && reason !== 'output-limit') {
        endGroup(child, 'SIGTERM')
        setTimeout(endAll, graceMs).unref()
      } else endAll()
    }

    function endAll(): void {
      endGroup(child, 'SIGKILL')
      sweep(mark)
    }

    function settle(): void {
      clearTimeout(deadline)
      signal?.removeEventListener('abort', onAbort)
      // Whoever still holds the pipes, such as a server left in the background, keeps running without us.
      child.stdout.destroy()
      child.stderr.destroy()
      if (ended !== 'exit') sweep(mark)
      resolve({
        ended,
        ...(exit?.code != null && { exitCode: exit.code }),
        ...(exit?.signal != null && { signal: exit.signal }),
        stdout: stdout.output(),
        stderr: stderr.output(),
      })
    }

    for (const [stream, collected] of [
      [child.stdout, stdout],
      [child.stderr, stderr],
    ] as const) {
      stream.on('data', (chunk: Buffer) => {
        if (!collected.add(chunk) && onTooMuch === 'end') end('output-limit')
      })
      stream.on('error', () => {})
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

/** Keeps the first bytes; false once there are more. */
function collector(maxBytes: number): { add(chunk: Buffer): boolean; output(): Output } {
  const chunks: Buffer[] = []
  let size = 0
  let cut = false
  return {
    add(chunk) {
      const room = maxBytes - size
      if (chunk.length > room) cut = true
      if (room > 0) {
        chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
        size += Math.min(room, chunk.length)
      }
      return !cut
    },
    output: () => ({ bytes: new Uint8Array(Buffer.concat(chunks)), cut }),
  }
}

function commandEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const known = Object.entries(env).filter(([name]) => inherited.includes(name.toUpperCase()) || name.startsWith('LC_'))
  const own = Object.fromEntries(known.filter((pair): pair is [string, string] => pair[1] !== undefined))
  return { HOME: os.homedir(), ...own, TERM: 'dumb', GIT_TERMINAL_PROMPT: '0' }
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

/** Ends what left its group: the mark stays in the environment of every descendant. Only Linux shows environments. */
function sweep(mark: string): void {
  if (process.platform !== 'linux') return
  const marked = Buffer.from(`${markName}=${mark}`)
  for (const pid of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
    try {
      if (fs.readFileSync(`/proc/${pid}/environ`).includes(marked)) process.kill(Number(pid), 'SIGKILL')
    } catch (error) {
      // Gone, or another user's.
      if (!isGone(error)) throw error
    }
  }
}

function isGone(error: unknown): boolean {
  const codes = ['ESRCH', 'ENOENT', 'EACCES', 'EPERM']
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
