/**
 * Everything behind an endpoint: the workspace and the servers on it. It runs in the page or in a worker, and is used the same way.
 * The protocol is loaded for the first connection, and archives for the first zip file: files can be shown before.
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

/** As data, so that it can be sent to a worker. */
export interface EngineOptions {
  source: FileSource
  /** The name of the tools' dialect; a connection may ask for another. */
  dialect: string
  readOnly?: boolean
  protect?: Protection
  limits?: Partial<Limits>
  /** True searches with vector code, for pages whose policy has `wasm-unsafe-eval`, or that have none. */
  vectorCode?: boolean
  /** `auto` (default) runs commands on the strongest engine that shares the files: here an emulated bash, which reaches nothing else. */
  shell?: 'auto' | 'none'
  /** Lets git clone from servers that allow this page's origin, and from others through a proxy. */
  network?: { corsProxy?: string }
}

export interface EngineEvents {
  /** How much of a tree has been loaded into memory. */
  onProgress?: (progress: { files: number; bytes: number }) => void
  /** What can't be written to the browser's storage, and other faults that no call is told of. */
  onFault?: (fault: unknown) => void
  /** What could not be written to the browser's storage has been after all. */
  onStored?: () => void
  /** Every change that is made, whoever makes it. */
  onChanged?: (record: ChangeRecord) => void
}

/** What there is to know of a workspace before using it. */
export interface WorkspaceAbout {
  /** Relative paths count from here. */
  root: string
  readOnly: boolean
  /** What commands run on, where there is a shell. */
  shell?: { kind: Shell['kind']; engine: string }
  symlinks: boolean
  modeBits: boolean
}

/** What a command in the terminal has done. */
export interface TerminalResult {
  stdout: string
  stderr: string
  ended: ExecResult['ended']
  exitCode?: number
  /** Where the next one begins. */
  cwd: string
}

/** What a connection is served. */
export interface ConnectionOptions {
  /** Another dialect than the endpoint's own, by name. */
  dialect?: string
  /** Counts, hashes and cursors of every result as structured content; see `withStructuredResults`. */
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
  /** Answers the HTTP requests that come through a port. */
  serveHttp(port: MessagePort, options?: ConnectionOptions): Promise<void>
  listTools(options?: ConnectionOptions): Promise<ListedTool[]>
  /** Calls a tool without a protocol around it. Faults of protocol are results too. */
  callTool(name: string, args: unknown, options?: ConnectionOptions): Promise<ToolResult>
  /** Runs an operation as the page's own code does: neutral names in, a structured result out. */
  run<Name extends OperationName>(name: Name, input: OperationInput<Name>): Promise<OperationResult<Name>>
  about(): WorkspaceAbout
  /** Runs a command as in one terminal: it begins where the last one ended. Fails with `UNSUPPORTED` where there is no shell. */
  terminal(command: string): Promise<TerminalResult>
  /** Ends the command that runs in the terminal. */
  interrupt(): void
  /** Everything in the workspace as a zip archive. */
  exportZip(): Promise<Uint8Array>
  /** What was changed since the history begins, as a patch for `git apply`; binary files are named and left out. */
  exportPatch(): Promise<string>
  /** Where file calls go right now. */
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

/** A workspace, and what has to be done besides using it. */
export type Opened = Workspace & Partial<Pick<OpfsWorkspace, 'mode' | 'flush' | 'close'>>

/** `own` is the dialect of connections that name none; one that is in no list can be given as it is. */
export function engineOn(workspace: Opened, own: string | Dialect, { onFault, onChanged }: EngineEvents = {}): Engine {
  const closers = new Set<() => Promise<void>>()
  const unsubscribe = onChanged && workspace.changes.subscribe(onChanged)
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
    async callTool(name, args, connection) {
      try {
        return await callTool(workspace, (await served(connection)).dialect, name, args, onFault ? { onFault } : {})
      } catch (error) {
        return { content: [{ type: 'text', text: (error as Error).message }], isError: true }
      }
    },
    run: (name, input) => runOperation(workspace, name, input),
    about() {
      const { root, readOnly, shell, fs } = workspace
      const { symlinks, modeBits } = fs.capabilities
      return { root, readOnly, symlinks, modeBits, ...(shell && { shell: { kind: shell.kind, engine: shell.engine } }) }
    },
    async terminal(command) {
      const { shell, root, limits } = workspace
      if (shell === undefined) throw new FsError('UNSUPPORTED', { path: root, operation: 'shell' })
      session ??= shellSession(shell, { cwd: root })
      interrupt = new AbortController()
      const { signal } = interrupt
      const timeoutMs = limits.maxCommandTimeoutMs
      const ran = await session.run({ command, timeoutMs, maxStreamBytes: terminalBytes, signal })
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

/** Of each stream of a command in the terminal. */
const terminalBytes = 1_000_000

async function openSource({ source, ...options }: EngineOptions, events: EngineEvents): Promise<Opened> {
  const { dialect: _, vectorCode: __, shell = 'auto', network, ...rest } = options
  const http = network && { http: fetchHttp({ ...network, fromPage: true }) }
  const given = { ...rest, ...http, ...(shell === 'auto' && { shell: emulatedShell() }) }
  if ('opfs' in source) {
    if (source.seed !== undefined) await seed(await opfs(source.opfs), source.seed)
    return openOpfs(source.opfs, { ...given, inMemory: events })
  }
  if ('memory' in source) return createWorkspace({ ...given, fs: memory(source.memory) })
  if ('zip' in source) {
    const { unpacked } = await import('../../src/archive/zip-fs.js')
    return createWorkspace({ ...given, fs: await unpacked(source.zip) })
  }
  const { directory, readOnly = false, caseSensitive = false } = source
  const fs = directoryHandle(directory, { caseSensitive })
  return createWorkspace({ ...given, fs: readOnly ? readonly(fs) : fs })
}

/** Before anything has happened, so it is no change. */
async function seed(fs: FileSystem, tree: MemoryTree): Promise<void> {
  if ((await fs.readDir('/')).length > 0) return
  const planted = memory(tree)
  for await (const { path, kind } of walk(planted, '/')) {
    if (kind === 'directory') await fs.makeDir(path)
    else await fs.writeFile(path, await planted.readFile(path))
  }
}
