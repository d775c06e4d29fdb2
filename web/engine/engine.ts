/**
 * The workspace behind an endpoint and the servers on it. It runs in the page or in a worker, with the same interface.
 * MCP is loaded for the first connection and zip support for the first archive, so that files can be shown sooner.
 */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import { FsError } from '../../src/errors.js'
import { type MemoryTree, memory } from '../../src/fs/backends/memory.js'
import { readonly } from '../../src/fs/backends/readonly.js'
import type { Protection } from '../../src/fs/gate/protected-names.js'
import type { FileSystem } from '../../src/fs/types.js'
import { walk } from '../../src/fs/walk/walk.js'
import { fetchHttp } from '../../src/git/fetch-http.js'
import { allowVectorCode } from '../../src/search/bytes/kernels/kernels.js'
import { type ShellSession, shellSession } from '../../src/shell/session.js'
import type { ExecResult, Shell } from '../../src/shell/types.js'
import { callTool, type Dialect, describeTool, offeredTools, type ToolResult } from '../../src/tools/dialect.js'
import { withStructuredResults } from '../../src/tools/structured-results.js'
import { createWorkspace, type Limits, type Workspace } from '../../src/workspace.js'
import { serveHttpRequests } from '../endpoint/http-over-port.js'
import { MessagePortTransport } from '../endpoint/message-port.js'
import { directoryHandle } from '../fs-access/fs-access.js'
import { opfs } from '../opfs/opfs.js'
import { type OpfsWorkspace, openOpfs } from '../opfs/opfs-workspace.js'
import { checkDialectName, dialectCalled } from './dialects.js'
import { emulatedShell } from './emulated-shell.js'
import type { FileSource } from './file-source.js'
import { historyPatch } from './history-patch.js'
import { type OperationInput, type OperationName, type OperationResult, runOperation } from './operations.js'

/** Plain data, so that it can be sent to a worker. */
export interface EngineOptions {
  source: FileSource
  /** The default dialect; a connection may choose another. */
  dialect: string
  readOnly?: boolean
  protect?: Protection
  limits?: Partial<Limits>
  /** True searches with WebAssembly vector code, for pages without a Content Security Policy or with `wasm-unsafe-eval`. */
  vectorCode?: boolean
  /** `auto` (default) runs commands in an emulated bash, which can reach only the workspace's files. */
  shell?: 'auto' | 'none'
  /** Lets git clone from servers that allow this page's origin, and from others through a proxy. */
  network?: { corsProxy?: string }
}

export interface EngineEvents {
  /** Reports how much of a tree has been loaded into memory. */
  onProgress?: (progress: { files: number; bytes: number }) => void
  /** Reports a failed write to the browser's storage, and other errors that no call returns. */
  onFault?: (fault: unknown) => void
  /** Reports that a write which had failed has succeeded on a retry. */
  onStored?: () => void
  /** Reports every change, whoever made it. */
  onChanged?: (record: ChangeRecord) => void
  /** Reports what a command in the terminal writes, as it is written. Its result has all of it again. */
  onTerminalOutput?: (output: { stream: 'stdout' | 'stderr'; text: string }) => void
}

/** General facts about a workspace. */
export interface WorkspaceAbout {
  /** Relative paths are resolved against this. */
  root: string
  readOnly: boolean
  /** The engine that runs commands; absent where there is no shell. */
  shell?: { kind: Shell['kind']; engine: string }
  symlinks: boolean
  modeBits: boolean
}

export interface TerminalOptions {
  /** Errors become part of `stdout`, in the order in which all of it was written. */
  mergeStreams?: boolean
  /** Variables of the session, where this is its first command. */
  env?: Readonly<Record<string, string>>
}

/** The result of a command in the terminal. */
export interface TerminalResult {
  stdout: string
  stderr: string
  ended: ExecResult['ended']
  exitCode?: number
  /** The working directory of the next command. */
  cwd: string
}

export interface ConnectionOptions {
  /** The name of a dialect other than the endpoint's default. */
  dialect?: string
  /** Adds counts, hashes and cursors to every result as structured content; see `withStructuredResults`. */
  structured?: boolean
}

export interface ListedTool {
  name: string
  title: string
  description: string
  inputSchema: object
  annotations: { readOnlyHint: boolean; destructiveHint?: boolean }
}

export interface Engine {
  /** Serves MCP on a port until either end closes it. */
  serve(port: MessagePort, options?: ConnectionOptions): Promise<void>
  /** Answers HTTP requests that arrive through a port. */
  serveHttp(port: MessagePort, options?: ConnectionOptions): Promise<void>
  listTools(options?: ConnectionOptions): Promise<ListedTool[]>
  /** Calls a tool without MCP. Protocol errors are returned as results too. */
  callTool(name: string, args: unknown, options?: ConnectionOptions & { call?: number }): Promise<ToolResult>
  /** Aborts the call that was given this number. */
  cancelCall(call: number): void
  /** Runs an operation for the page's own code: neutral names in, a structured result out. */
  run<Name extends OperationName>(name: Name, input: OperationInput<Name>): Promise<OperationResult<Name>>
  about(): WorkspaceAbout
  /**
   * Runs a command in a session: it starts in the working directory where the last one ended. Fails with `UNSUPPORTED`
   * where there is no shell.
   */
  terminal(command: string, options?: TerminalOptions): Promise<TerminalResult>
  /** Aborts the command that runs in the terminal. */
  interrupt(): void
  /** The whole workspace as a zip archive. */
  exportZip(): Promise<Uint8Array>
  /** All changes since the history began, as a patch for `git apply`; binary files are listed and omitted. */
  exportPatch(): Promise<string>
  /** Where file calls go at the moment. */
  mode(): OpfsWorkspace['mode']
  flush(): Promise<void>
  close(): Promise<void>
}

export async function openEngine(options: EngineOptions, events: EngineEvents = {}): Promise<Engine> {
  checkDialectName(options.dialect)
  allowVectorCode(options.vectorCode ?? false)
  const opened = await openSource(options, events)
  return engineOn(opened, options.dialect, events)
}

/** A workspace that may need to be flushed and closed. */
export type Opened = Workspace & Partial<Pick<OpfsWorkspace, 'mode' | 'flush' | 'close'>>

/** `own` is the dialect of connections that name none: a name, or a dialect that is not in the list. */
export function engineOn(workspace: Opened, own: string | Dialect, events: EngineEvents = {}): Engine {
  const { onFault, onChanged, onTerminalOutput } = events
  const closers = new Set<() => Promise<void>>()
  const unsubscribe = onChanged && workspace.changes.subscribe(onChanged)
  const calls = new Map<number, AbortController>()
  let session: ShellSession | undefined
  let interrupt = new AbortController()

  async function served({ dialect: named, structured = false }: ConnectionOptions = {}) {
    const chosen = named ?? own
    const dialect = typeof chosen === 'string' ? await dialectCalled(chosen) : chosen
    return {
      workspace,
      dialect: structured ? withStructuredResults(dialect) : dialect,
      ...(onFault && { onFault }),
    }
  }

  return {
    async serve(port, connection) {
      const transport = new MessagePortTransport(port)
      const { serve } = await import('../../src/mcp/serve.js')
      const server = serve(transport, await served(connection))
      const close = () => server.close()
      closers.add(close)
      void transport.closed.then(() => closers.delete(close))
    },
    async serveHttp(port, connection) {
      const { httpHandler } = await import('../../src/mcp/serve.js')
      const { fetch, close } = httpHandler(await served(connection), { maxRequestBytes: 64_000_000 })
      const stop = serveHttpRequests(port, fetch)
      closers.add(async () => {
        stop()
        await close()
      })
    },
    async listTools(connection) {
      return offeredTools((await served(connection)).dialect, workspace).map(describeTool)
    },
    async callTool(name, args, { call, ...connection } = {}) {
      const controller = new AbortController()
      if (call !== undefined) calls.set(call, controller)
      const { signal } = controller
      try {
        const { dialect } = await served(connection)
        return await callTool(workspace, dialect, name, args, { signal, ...(onFault && { onFault }) })
      } catch (error) {
        return { content: [{ type: 'text', text: (error as Error).message }], isError: true }
      } finally {
        if (call !== undefined) calls.delete(call)
      }
    },
    cancelCall: (call) => calls.get(call)?.abort(),
    run: (name, input) => runOperation(workspace, name, input),
    about() {
      const { root, readOnly, shell, fs } = workspace
      const { symlinks, modeBits } = fs.capabilities
      return { root, readOnly, symlinks, modeBits, ...(shell && { shell: { kind: shell.kind, engine: shell.engine } }) }
    },
    async terminal(command, { mergeStreams = false, env = {} } = {}) {
      const { shell, root, limits } = workspace
      if (shell === undefined) throw new FsError('UNSUPPORTED', { path: root, operation: 'shell' })
      session ??= shellSession(shell, { cwd: root, env })
      interrupt = new AbortController()
      const { signal } = interrupt
      const timeoutMs = limits.maxCommandTimeoutMs
      const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
      const ran = await session.run({
        command,
        timeoutMs,
        maxStreamBytes: maxTerminalBytes,
        mergeStreams,
        signal,
        onOutput({ stream, bytes }) {
          const text = decoders[mergeStreams ? 'stdout' : stream].decode(bytes, { stream: true })
          onTerminalOutput?.({ stream, text })
        },
      })
      const { ended, exitCode } = ran
      return {
        stdout: decoder.decode(ran.stdout.bytes),
        stderr: decoder.decode(ran.stderr.bytes),
        ended,
        ...(exitCode !== undefined && { exitCode }),
        cwd: session.state.cwd,
      }
    },
    interrupt: () => interrupt.abort(),
    async exportZip() {
      const { exportZip } = await import('../../src/ops/archive/import-export-zip.js')
      return exportZip(workspace)
    },
    exportPatch: () => historyPatch(workspace),
    mode: () => workspace.mode ?? 'memory',
    flush: async () => workspace.flush?.(),
    async close() {
      unsubscribe?.()
      interrupt.abort()
      await Promise.all([...closers].map((close) => close()))
      await workspace.shell?.close()
      await workspace.close?.()
    },
  }
}

const decoder = new TextDecoder()

/** The limit for each output stream of a command in the terminal. */
const maxTerminalBytes = 1_000_000

async function openSource({ source, ...options }: EngineOptions, events: EngineEvents): Promise<Opened> {
  const { dialect: _, vectorCode: __, shell = 'auto', network, ...rest } = options
  const http = network && { http: fetchHttp({ ...network, fromPage: true }) }
  const workspaceOptions = { ...rest, ...http, ...(shell === 'auto' && { shell: emulatedShell() }) }
  if ('opfs' in source) {
    if (source.seed !== undefined) await seed(await opfs(source.opfs), source.seed)
    return openOpfs(source.opfs, { ...workspaceOptions, inMemory: events })
  }
  if ('memory' in source) return createWorkspace({ ...workspaceOptions, fs: memory(source.memory) })
  if ('zip' in source) {
    const { unpacked } = await import('../../src/archive/zip-fs.js')
    return createWorkspace({ ...workspaceOptions, fs: await unpacked(source.zip) })
  }
  const { directory, readOnly = false, caseSensitive = false } = source
  const fs = directoryHandle(directory, { caseSensitive })
  return createWorkspace({ ...workspaceOptions, fs: readOnly ? readonly(fs) : fs })
}

/** Fills an empty tree before the workspace exists, so the history does not record it. */
async function seed(fs: FileSystem, tree: MemoryTree): Promise<void> {
  if ((await fs.readDir('/')).length > 0) return
  const source = memory(tree)
  for await (const { path, kind } of walk(source, '/')) {
    if (kind === 'directory') await fs.makeDir(path)
    else await fs.writeFile(path, await source.readFile(path))
  }
}
