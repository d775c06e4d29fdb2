import type { OperationInput, OperationName, OperationResult } from '../../src/engine/operations.js'
import type { Protection } from '../../src/fs/gate/protected-names.js'
import type { FileSystem } from '../../src/fs/types.js'
import type { NetworkRule } from '../../src/network/rule.js'
import type { Dialect, ToolResult } from '../../src/tools/dialect.js'
import type { Limits } from '../../src/workspace/limits.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import type {
  ConnectionOptions,
  EngineEvents,
  ListedTool,
  TerminalOptions,
  TerminalResult,
  WorkspaceAbout,
} from '../engine/engine.js'
import { type FileSource, sourceOf } from '../engine/file-source.js'
import { openRemoteEngine, type RemoteEngine } from '../engine/remote-engine.js'
import { MessagePortTransport } from './message-port.js'
import { offerToServiceWorker, type ServiceWorkerEndpoint, type ServiceWorkerOptions } from './service-worker-client.js'
import { exposeTools, type WebMcpOptions } from './webmcp.js'

export type ServeFilesOptions = EngineEvents & {
  /** The name of a dialect, or a dialect of your own, which then runs in the page. Default: `polyfs`. */
  dialect?: string | Dialect
  /** Starts the worker, for bundlers that do not find it themselves; false runs everything in the page. */
  worker?: (() => Worker) | false
} & (FilesToServe | { workspace: Workspace })

export interface FilesToServe {
  /** From `opfs` or `openDirectory`, or a description of what to open: both are opened in a worker. Any other is served from the page. */
  fs: FileSystem | FileSource
  readOnly?: boolean
  protect?: Protection
  limits?: Partial<Limits>
  /** True enables the WebAssembly search kernels, for pages without a policy or with `wasm-unsafe-eval`. */
  vectorCode?: boolean
  /** `auto` (default) runs commands in an emulated bash, which reaches only these files. */
  shell?: 'auto' | 'none'
  /** The address of the directory with what `node` needs to run on the browser's own engine, see docs/emulated-shell.md. Default: `node` beside the page. */
  node?: string
  /** The address of the directory with what `python3` needs, see docs/emulated-shell.md. Default: `python` beside the page. */
  python?: string
  /** The address of `sqlite3.wasm` of the package `@sqlite.org/sqlite-wasm`. Default: beside the page. */
  sqlite?: string
  /**
   * Allows git clone from servers that allow this page's origin, and from others through a proxy. With a `rule`, all of git and the programs of the
   * emulated bash reach what it allows, and nothing else.
   */
  network?: { corsProxy?: string; rule?: NetworkRule }
}

export interface FileEndpoint {
  /** A new connection, for a client in this page: `await client.connect(files.connect())`. */
  connect(options?: ConnectionOptions): MessagePortTransport
  /** The same as a port, to transfer to a worker, an iframe or another window. Its holder may use the files. */
  port(options?: ConnectionOptions): MessagePort
  /** Answers HTTP requests to a path of this site, for agents that need a URL. */
  serviceWorker(path: string, options?: ServiceWorkerOptions): Promise<ServiceWorkerEndpoint>
  /** Registers the tools with the browser's own agent; false if the browser has none. */
  exposeWebMCP(options?: WebMcpOptions): Promise<boolean>
  listTools(options?: ConnectionOptions): Promise<ListedTool[]>
  callTool(name: string, args?: unknown, options?: ConnectionOptions & { signal?: AbortSignal }): Promise<ToolResult>
  /** Runs an operation for the page itself: neutral names in, a structured result out, no agent and no protocol. */
  run<Name extends OperationName>(name: Name, input: OperationInput<Name>): Promise<OperationResult<Name>>
  about(): Promise<WorkspaceAbout>
  /** Runs a command for the page itself, as in one terminal: each starts in the directory where the last one ended. */
  terminal(command: string, options?: TerminalOptions): Promise<TerminalResult>
  /** Ends the command that runs in the terminal. */
  interrupt(): Promise<void>
  /** Everything in the workspace as a zip archive. */
  exportZip(): Promise<Uint8Array>
  /** The changes as a patch for `git apply`. */
  exportPatch(): Promise<string>
  /** Where file calls go: to memory, or to the browser's storage because another tab has the files open too. */
  mode(): Promise<'memory' | 'direct'>
  /** `worker` keeps the page responsive whatever the tools do; `server` for files of a computer, behind a connection. */
  readonly runsIn: 'worker' | 'page' | 'server'
  /** Fulfilled when all changes so far are stored durably. */
  flush(): Promise<void>
  /** Ends all connections, and accepts no new ones. */
  close(): Promise<void>
  /** Fulfilled when it is closed, or with the reason when the worker fails: open it again, and everything written is there. */
  readonly ended: Promise<Error | undefined>
}

/** An MCP server in the page. Every connection has a server and a port of its own; the files are shared. */
export async function serveFiles(options: ServeFilesOptions): Promise<FileEndpoint> {
  const source = 'workspace' in options ? undefined : sourceFor(options.fs)
  const { dialect = 'polyfs' } = options
  const inWorker = source !== undefined && typeof dialect === 'string' && options.worker !== false
  const engine = await (inWorker ? inWorkerThread(options, source, dialect) : inPage(options, dialect))
  return endpointOf(engine, inWorker ? 'worker' : 'page')
}

/** What a page can do with an engine, wherever it runs. */
export function endpointOf(engine: RemoteEngine, runsIn: FileEndpoint['runsIn']): FileEndpoint {
  const servers = new AbortController()
  let closed = false
  let calls = 0

  function port(connection?: ConnectionOptions): MessagePort {
    if (closed) throw new Error('The endpoint is closed')
    const { port1, port2 } = new MessageChannel()
    // The client sees a connection that can't be served as a closed port.
    engine.serve(port1, connection).catch(() => port1.close())
    return port2
  }

  return {
    port,
    connect: (connection) => new MessagePortTransport(port(connection)),
    serviceWorker: (path, given) => offerToServiceWorker(engine, path, { signal: servers.signal, ...given }),
    exposeWebMCP: (given) => exposeTools(engine, { signal: servers.signal, ...given }),
    listTools: (connection) => engine.listTools(connection),
    async callTool(name, args = {}, { signal, ...connection } = {}) {
      signal?.throwIfAborted()
      calls += 1
      const call = calls
      const cancel = () => void engine.cancelCall(call)
      signal?.addEventListener('abort', cancel, { once: true })
      return engine
        .callTool(name, args, { ...connection, call })
        .finally(() => signal?.removeEventListener('abort', cancel))
    },
    // Each name has its own input type, which the compiler can't follow here.
    run: (name, input) => engine.run(name, input as never) as Promise<never>,
    about: () => engine.about(),
    terminal: (command, given = {}) => engine.terminal(command, given),
    interrupt: () => engine.interrupt(),
    exportZip: () => engine.exportZip(),
    exportPatch: () => engine.exportPatch(),
    mode: () => engine.mode(),
    runsIn,
    flush: () => engine.flush(),
    async close() {
      closed = true
      servers.abort()
      await engine.close()
    },
    ended: engine.ended,
  }
}

function sourceFor(fs: FileSystem | FileSource): FileSource | undefined {
  return 'capabilities' in fs ? sourceOf(fs) : fs
}

/** The worker has another address. */
function besidePage(sqlite = 'sqlite3.wasm'): string {
  return new URL(sqlite, typeof document === 'undefined' ? location.href : document.baseURI).href
}

function inWorkerThread(options: ServeFilesOptions, source: FileSource, dialect: string): Promise<RemoteEngine> {
  const { worker, onProgress, onFault, onStored, onChanged, onTerminalOutput, onPython, ...rest } = options
  const { readOnly, protect, limits, shell, node, python, sqlite, vectorCode, network } = rest as FilesToServe
  const events = {
    ...(onProgress && { onProgress }),
    ...(onFault && { onFault }),
    ...(onStored && { onStored }),
    ...(onChanged && { onChanged }),
    ...(onTerminalOutput && { onTerminalOutput }),
    ...(onPython && { onPython }),
  }
  const given = {
    source,
    dialect,
    ...(readOnly !== undefined && { readOnly }),
    ...(protect && { protect }),
    ...(limits && { limits }),
    ...(shell !== undefined && { shell }),
    ...(node !== undefined && { node }),
    ...(python !== undefined && { python }),
    sqlite: besidePage(sqlite),
    ...(vectorCode !== undefined && { vectorCode }),
    ...(network && { network }),
  }
  return openRemoteEngine(given, events, worker || undefined)
}

/** The same calls in this thread. The engine is loaded only here: a page whose files are in a worker does not need it. */
async function inPage(options: ServeFilesOptions, dialect: string | Dialect): Promise<RemoteEngine> {
  const { engineOn, openEngine } = await import('../engine/engine.js')
  const engine = await openInPage()
  let settleEnded = () => {}
  const ended = new Promise<undefined>((resolve) => {
    settleEnded = () => resolve(undefined)
  })
  return {
    serve: (...given) => engine.serve(...given),
    serveHttp: (...given) => engine.serveHttp(...given),
    listTools: (...given) => engine.listTools(...given),
    callTool: (...given) => engine.callTool(...given),
    cancelCall: async (call) => engine.cancelCall(call),
    run: (...given) => engine.run(...given),
    about: async () => engine.about(),
    terminal: (...given) => engine.terminal(...given),
    interrupt: async () => engine.interrupt(),
    exportZip: () => engine.exportZip(),
    exportPatch: () => engine.exportPatch(),
    mode: async () => engine.mode(),
    flush: () => engine.flush(),
    close: () => engine.close().finally(settleEnded),
    ended,
  }

  async function openInPage() {
    if ('workspace' in options) return engineOn(options.workspace, dialect, options)
    const source = sourceFor(options.fs)
    if (source !== undefined && typeof dialect === 'string') return openEngine({ ...options, source, dialect }, options)
    const [{ createWorkspace }, { emulatedShell }, { networkOfPage }] = await Promise.all([
      import('../../src/workspace/create-workspace.js'),
      import('../engine/emulated-shell.js'),
      import('../engine/network-of-page.js'),
    ])
    const { shell = 'auto', network, node, python, sqlite, ...given } = options
    const fs = options.fs as FileSystem
    const reached = network && networkOfPage(network)
    const places = {
      ...(node !== undefined && { node }),
      ...(python !== undefined && { python }),
      ...(sqlite !== undefined && { sqlite }),
    }
    return engineOn(
      createWorkspace({ ...given, ...reached, fs, ...(shell === 'auto' && { shell: emulatedShell(places) }) }),
      dialect,
      options,
    )
  }
}
