/** A bash by itself: a session on a file system, for programs that need neither tools nor a history. */
import type { Bytes, FileSystem } from '../src/fs/types.js'
import type { Network } from '../src/network/types.js'
import { shellSession } from '../src/shell/session.js'
import type { ExecResult, Shell } from '../src/shell/types.js'
import { createWorkspace } from '../src/workspace/create-workspace.js'
import type { Workspace } from '../src/workspace/workspace.js'
import type { EmulatedShellOptions } from './host/emulated-shell.js'

export interface BashOptions extends EmulatedShellOptions {
  /** The tree that commands see. They reach nothing else. */
  fs: FileSystem
  /** Where the first command starts. Default: `/`. */
  cwd?: string
  /** Exported variables of the first command, in addition to those of every command. */
  env?: Readonly<Record<string, string>>
  /** The clock, in milliseconds. With one of its own a command gives the same results whenever it is repeated. Default: `Date.now`. */
  now?: () => number
  /** What programs may reach, from `nodeNetwork` or `fetchNetwork`. Default: nothing. */
  network?: Network
  /** Numbers from 0 to 1, for `$RANDOM` and everything else that is random. Default: `Math.random`. */
  random?: () => number
}

export interface BashRunOptions {
  stdin?: string | Bytes
  /** Default: two minutes. */
  timeoutMs?: number
  /** How many bytes of each stream are returned; the rest is dropped. Default: 16 MB. */
  maxOutputBytes?: number
  signal?: AbortSignal
}

export interface BashResult {
  /** As bash reports it: 124 after a timeout, 130 after an abort. */
  exitCode: number
  ended: ExecResult['ended']
  /** Output as text; bytes that are not UTF-8 are replaced. */
  stdout: string
  stderr: string
  /** The same as bytes. */
  stdoutBytes: Bytes
  stderrBytes: Bytes
  /** More was written than is returned. */
  cut: boolean
}

export interface Bash {
  /**
   * Runs a script where the last one ended, with the variables it exported; scripts run one after the other. What it changed is in the
   * file system when it has ended, all of it or, if it could not be saved, nothing. A script that fails is a result, not an error.
   */
  exec(script: string, options?: BashRunOptions): Promise<BashResult>
  /** The directory of the next script. */
  readonly cwd: string
  /** The variables exported so far. */
  readonly env: Readonly<Record<string, string>>
  /** Ends running scripts, and the workers if nothing else uses them. */
  close(): Promise<void>
}

const defaultTimeoutMs = 120_000
const defaultOutputBytes = 16_000_000
const statusAtEnd = { exit: 1, timeout: 124, aborted: 130, 'output-limit': 137, 'statement-limit': 137 }

/** `makeShell` makes the shells of the platform. */
export function bashOn(
  makeShell: (options: EmulatedShellOptions) => (workspace: Workspace) => Shell,
  { fs, cwd = '/', env = {}, now, random, network, ...options }: BashOptions,
): Bash {
  const shell = makeShell(options)(
    createWorkspace({
      fs,
      watchCommands: false,
      // Nobody could undo anything.
      limits: { maxHistoryBytes: 0, maxUndoBytes: 0 },
      ...(now && { now }),
      ...(random && { random }),
      ...(network && { network }),
    }),
  )
  const session = shellSession(shell, { cwd, env })

  return {
    get cwd() {
      return session.state.cwd
    },
    get env() {
      return session.state.env
    },
    async exec(script, { stdin, timeoutMs = defaultTimeoutMs, maxOutputBytes = defaultOutputBytes, signal } = {}) {
      const { ended, exitCode, stdout, stderr } = await session.run({
        command: script,
        timeoutMs,
        maxStreamBytes: maxOutputBytes,
        onOutputLimit: 'drop',
        ...(stdin !== undefined && { stdin: typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin }),
        ...(signal && { signal }),
      })
      return {
        exitCode: exitCode ?? statusAtEnd[ended],
        ended,
        stdout: new TextDecoder().decode(stdout.bytes),
        stderr: new TextDecoder().decode(stderr.bytes),
        stdoutBytes: stdout.bytes,
        stderrBytes: stderr.bytes,
        cut: stdout.cut || stderr.cut,
      }
    },
    close: () => shell.close(),
  }
}
