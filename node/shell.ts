/**
 * The machine's own shell. Without a sandbox commands are not confined by the workspace's roots: they can do what the server's user can.
 */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import type { Readable } from 'node:stream'
import { FsError } from '../src/errors.js'
import { fromErrno } from '../src/fs/errno.js'
import type { ExecRequest, ExecResult, Output, Shell } from '../src/shell/types.js'
import { type ConfinedProcess, channelsOf, superviseConfined } from './confined-process.js'
import { type DeathWatch, startDeathWatch } from './death-watch.js'
import { endNamespace, type FirstProcess, isRunning } from './first-process.js'
import { hideEnvironment } from './hidden-environment.js'
import { endGroup, markName, signalMarked, sweep } from './process-tree.js'
import type { Sandbox, Wrapped } from './sandbox.js'
import { parseState, stateChannel, tellingState } from './shell-state.js'

export interface NodeShellOptions {
  /** The host's path of a directory of the workspace. */
  hostPath: (virtual: string) => string
  /** The other way round; `undefined` for what is no part of the workspace. The same path unless given. */
  virtualPath?: (host: string) => string | undefined
  /** Where the variables commands may see come from. */
  env?: NodeJS.ProcessEnv
  /**
   * Before the first command, hides from other processes what commands may not see of this one's environment. For a program that is a server
   * and nothing else.
   */
  hidesEnvironment?: boolean
  /** What confines commands; closed with the shell. */
  sandbox?: Sandbox
  /** What reads commands, where that is a POSIX shell: bash if there is one, else sh, unless given. */
  program?: string
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

export function nodeShell(options: NodeShellOptions): Shell {
  const { hostPath, virtualPath = (host) => host, env = process.env, hidesEnvironment = false, sandbox } = options
  const server = randomBytes(8).toString('hex')
  const program = findShell(options.program)
  const posix = program !== 'cmd.exe'
  const usual = { ...commandEnvironment(env), ...sandbox?.env }
  let count = 0
  let watch: DeathWatch | undefined
  /** Of the sandboxes in which something may still be running. */
  let firsts: FirstProcess[] = []

  /** Not at every start: most run no command. */
  function prepare(): void {
    if (hidesEnvironment) hide()
    watch = startDeathWatch(`${server}.`)
  }

  function register(first: FirstProcess, begin: () => void): void {
    firsts = [...firsts.filter(isRunning), first]
    if (watch) watch.tell(firsts, begin)
    else begin()
  }

  return {
    kind: 'real',
    engine: `the shell of this computer (${program})${sandbox ? ` in ${sandbox.name}` : ''}`,
    capabilities: {
      sharesFiles: true,
      confined: sandbox !== undefined,
      recordsChanges: false,
      background: true,
      signals: posix,
      posix,
      separateStreams: true,
    },

    async exec(request) {
      const { command, reportState = false } = request
      if (count === 0) prepare()
      count += 1
      const mark = `${server}.${count}.`
      const script = posix && reportState ? tellingState(command, program.endsWith('bash') ? 'bash' : 'sh') : command
      const cwd = hostPath(request.cwd)
      const own = { ...usual, [markName]: mark }
      const { [markName]: _, ...variables } = request.env ?? {}
      const wrapped = sandbox?.wrap({ program, script, cwd, env: own, variables })
      const surroundings = {
        // Node knows how `cmd.exe` wants to be called.
        argv: posix ? (wrapped?.argv ?? [program, '-c', script]) : [command],
        cwd,
        mark,
        ...(sandbox && wrapped && { confined: { wrapped, register, program: sandbox.program } }),
        // What a variable says about loading programs is not for the wrapper.
        env: wrapped ? { [markName]: mark } : { ...own, ...variables },
      }
      const { told, ...result } = await run(request, surroundings)
      const left = told && parseState(told, own, virtualPath)
      return { ...result, ...(left && result.ended === 'exit' && { left }) }
    },

    async close() {
      for (const first of firsts) endNamespace(first)
      sweep(`${server}.`)
      watch?.close()
      sandbox?.close()
    },
  }
}

function hide(): void {
  try {
    hideEnvironment((name) => isInherited(name) || name === markName)
  } catch (error) {
    process.emitWarning(`commands can read this server's environment from /proc: ${(error as Error).message}`)
  }
}

function findShell(given: string | undefined): string {
  if (process.platform === 'win32') return 'cmd.exe'
  return given ?? (fs.existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh')
}

interface Surroundings {
  argv: string[]
  cwd: string
  mark: string
  env: Record<string, string>
  /** The program is that around the command, which would end at once when asked to. */
  confined?: {
    wrapped: Wrapped
    register: (first: FirstProcess, begin: () => void) => void
    program: string
  }
}

interface Ran extends ExecResult {
  /** What came over the channel for the state. */
  told?: Buffer
}

function run(request: ExecRequest, { argv, cwd, mark, env, confined }: Surroundings): Promise<Ran> {
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
      stdio: [
        stdin === undefined ? 'ignore' : 'pipe',
        'pipe',
        'pipe',
        request.reportState ? 'pipe' : 'ignore',
        ...channelsOf(confined?.wrapped),
      ],
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

function commandEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const known = Object.entries(env).filter(([name]) => isInherited(name))
  const own = Object.fromEntries(known.filter((pair): pair is [string, string] => pair[1] !== undefined))
  return { HOME: os.homedir(), ...own, TERM: 'dumb', GIT_TERMINAL_PROMPT: '0' }
}

function isInherited(name: string): boolean {
  return inherited.includes(name.toUpperCase()) || name.startsWith('LC_')
}
