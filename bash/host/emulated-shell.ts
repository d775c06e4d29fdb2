/** A shell without processes: an interpreter of bash in a worker, on the workspace's files. */
import { FsError, isFsError } from '../../src/errors.js'
import { limitBytes, roomFor } from '../../src/fs/backends/limit-bytes.js'
import { memory } from '../../src/fs/backends/memory.js'
import { isWithin } from '../../src/fs/path.js'
import type { FileSystem } from '../../src/fs/types.js'
import { sessionVariables } from '../../src/shell/session-variables.js'
import type { ExecRequest, ExecResult, Shell, ShellState } from '../../src/shell/types.js'
import { exists } from '../io/exists.js'
import type { HostPrograms } from '../io/host-programs.js'
import { defaultMemoryBytes } from '../worker/command-limits.js'
import { homeInScratch, standardEnvironment } from '../worker/environment.js'
import type { CommandWorkspace } from './command-files.js'
import { type CommandWorkers, commandWorkers, type WorkerSource } from './command-workers.js'
import { commitOrFail } from './commit-or-fail.js'

export interface EmulatedShellOptions {
  /**
   * Programs in addition to the shell's own, by name, such as `{ python: (args, io) => … }`. They run beside the
   * workspace, not in the worker: what they do is up to them.
   */
  programs?: HostPrograms
  /**
   * Limit for the bytes a command has written and not removed again when it ends. Scratch space is counted
   * separately. Default: 256 MB.
   */
  maxWrittenBytes?: number
  /** Memory limit of a command. Default: 512 MB. */
  maxMemoryBytes?: number
  /** How many commands run at once, in all workspaces of this shell; four of one client at most. Default: 32. */
  maxCommands?: number
  /**
   * How many workers stay warm between commands, for hosts that open and close many workspaces. They do not keep a
   * process alive. Default: one, until half a minute after the workspaces were closed.
   */
  workers?: number
  /**
   * The module that workers load, where it is not found beside this one: a path in Node; in a page its address, or that of a blob
   * that imports it from another origin.
   */
  worker?: string | URL
  /**
   * In a page: the address of the directory with what Python needs, see docs/emulated-shell.md. Default: `python` beside the page. In
   * Node the engine is found by the name of its package.
   */
  python?: string | URL
  /**
   * In a page: the address of the directory with what `node` needs to run on the browser's own engine, see docs/emulated-shell.md. Default: `node`
   * beside the page. Without it, `node` runs on an engine that is slower.
   */
  node?: string | URL
  /** In a page: the address of `sqlite3.wasm` of the package `@sqlite.org/sqlite-wasm`. Default: beside the page. */
  sqlite?: string | URL
  /** @internal How many statements of a command may run, unless the command has a limit of its own. Default: no limit. */
  maxStatements?: number
}

const defaultWrittenBytes = 256 << 20
const scratchBytes = 256 << 20
const maxLabel = 200
/** As Debian names the home of accounts that have none. */
const noHome = '/nonexistent'

/**
 * Creates shells for workspaces; they share workers. Commands see the workspace through its gate and reach nothing
 * else. Their writes are held back until they end, whether by themselves, by a timeout, an abort or a limit, and are
 * then committed as one change labelled with the command. If someone else changed the same files in the meantime,
 * nothing is committed and the result says so.
 */
export function emulatedShells(
  source: WorkerSource,
  options: EmulatedShellOptions = {},
): (workspace: CommandWorkspace) => Shell {
  const workers = commandWorkers(source, { maxBusy: options.maxCommands, warm: options.workers })
  return (workspace) => emulatedShell(workspace, { ...options, workers, nodeEngine: source.nodeEngine })
}

/** A page loads them with its first command. */
function loadParts() {
  return Promise.all([import('./command-files.js'), import('./run-command.js')])
}

/** Kept: to import them again for every command takes turns of the event loop. */
let parts: Awaited<ReturnType<typeof loadParts>> | undefined

interface ShellGiven extends Omit<EmulatedShellOptions, 'workers'> {
  workers: CommandWorkers
  nodeEngine: string | undefined
}

function emulatedShell(workspace: CommandWorkspace, options: ShellGiven): Shell {
  const { workers, nodeEngine } = options
  const { maxWrittenBytes = defaultWrittenBytes, maxMemoryBytes = defaultMemoryBytes } = options
  const { programs = {} } = options
  /** The time of the command that runs, when it has a clock of its own. */
  let commandMs: number | undefined
  const now = () => commandMs ?? workspace.now()
  let scratch: FileSystem | undefined
  /** Made with the first command: most forks of an episode run none. */
  /** The FIFOs in scratch space. */
  let pipes: readonly string[] = []

  function scratchSpace(): FileSystem {
    scratch ??= limitBytes(workspace.internals.scratch?.() ?? memory({}, { now }), roomFor(scratchBytes))
    return scratch
  }

  // In a workspace at `/` a directory `tmp` is the project's.
  const isAtTop = workspace.fs.roots.some(({ path }) => path === '/')
  const scratchPoint = isAtTop ? '/.tmp' : '/tmp'

  /** What scripts call scratch space. */
  async function shownScratch(): Promise<string> {
    return isAtTop && (await exists(workspace.fs, '/tmp')) ? scratchPoint : '/tmp'
  }

  const standardIn = (shownPoint: string) => ({
    ...standardEnvironment(shownPoint + homeInScratch),
    ...(isAtTop && { TMPDIR: shownPoint }),
  })
  const running = new Map<AbortController, Promise<ExecResult>>()

  async function scratchDirectory(path: string): Promise<string | undefined> {
    const isOther = workspace.fs.roots.some((root) => root.path !== '/' && isWithin(root.path, path))
    const shownPoint = await shownScratch()
    if (!isWithin(shownPoint, path) || isOther || (await exists(workspace.fs, scratchPoint))) return undefined
    try {
      const { kind } = await scratchSpace().stat(path.slice(shownPoint.length) || '/')
      return kind === 'directory' ? path : undefined
    } catch (error) {
      if (isFsError(error)) return undefined
      throw error
    }
  }

  /** Omits the directory when it is neither in the workspace nor in scratch space. */
  async function visibleState({ cwd, env }: ShellState): Promise<ShellState> {
    const state = { env: sessionVariables(env, standardIn(await shownScratch())) }
    if (cwd === undefined) return state
    try {
      return { ...state, cwd: (await scratchDirectory(cwd)) ?? (await workspace.fs.realPath(cwd)) }
    } catch (error) {
      if (isFsError(error)) return state
      throw error
    }
  }

  async function run(request: ExecRequest): Promise<ExecResult> {
    const maxBytes = maxWrittenBytes
    const onTime = (nowMs: number | undefined) => {
      commandMs = nowMs
      if (nowMs !== undefined) workspace.internals.moveClock?.(nowMs)
    }
    parts ??= await loadParts()
    const [{ commandFiles }, { runCommand }] = parts
    const shownPoint = await shownScratch()
    const files = await commandFiles(workspace, {
      scratch: scratchSpace(),
      scratchPoint,
      shownPoint,
      programs,
      maxBytes,
      onTime,
    })
    const env = { ...standardIn(shownPoint), ...(files.home === undefined && { HOME: noHome }), ...request.env }
    const { now, random } = workspace
    const maxStatements = request.maxStatements ?? options.maxStatements
    const given = {
      // The machine's own clock goes on while the command runs.
      ...(now !== Date.now && { nowMs: now() }),
      ...(random !== Math.random && { seed: Math.floor(random() * 2 ** 32) }),
      ...(maxStatements !== undefined && { maxStatements }),
    }
    const ran = await runCommand(
      { caller: workspace, ...request, ...given, maxMemoryBytes, env },
      {
        ...files,
        ...(workspace.network && { network: workspace.network }),
        ...(files.home !== undefined && { pipes: { directory: scratchPoint, paths: pipes } }),
      },
      workers,
    )
    pipes = ran.pipes ?? pipes
    commandMs = undefined
    if (ran.clockMs !== undefined) workspace.internals.moveClock?.(ran.clockMs)
    const commit = () => files.commit(request.command.slice(0, maxLabel))
    const { exitCode, record } = await commitOrFail(commit, ran)
    const { ended, left, stdout, stderr, pipeline, clockMs, byWallClock } = ran
    return {
      ended,
      ...(exitCode !== undefined && { exitCode }),
      ...(record && { record }),
      stdout: stdout.output(),
      stderr: stderr === stdout ? { bytes: new Uint8Array(), cut: false } : stderr.output(),
      ...(pipeline && { pipeline }),
      ...(left && { left: await visibleState(left) }),
      ...(clockMs !== undefined && { clockMs }),
      ...(byWallClock && { byWallClock }),
    }
  }

  return {
    kind: 'emulated',
    engine: 'an emulated bash that runs no programs of the machine',
    ...(nodeEngine !== undefined && { nodeEngine }),
    capabilities: {
      sharesFiles: true,
      confined: true,
      recordsChanges: true,
      background: false,
      signals: false,
      posix: true,
      separateStreams: true,
    },

    async exec(request) {
      if (request.signal?.aborted) throw new FsError('ABORTED', {})
      const stopper = new AbortController()
      const stop = () => stopper.abort()
      request.signal?.addEventListener('abort', stop, { once: true })
      const ran = run({ ...request, signal: stopper.signal })
      running.set(stopper, ran)
      try {
        return await ran
      } finally {
        running.delete(stopper)
        request.signal?.removeEventListener('abort', stop)
      }
    },

    scratchDirectory,

    /** Commands of other workspaces continue. */
    async close() {
      for (const stopper of running.keys()) stopper.abort()
      await Promise.allSettled(running.values())
      workers.rest()
    },
  }
}
