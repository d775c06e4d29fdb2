/**
 * The workspace behind an endpoint and the servers on it. It runs in the page or in a worker, with the same interface.
 * MCP is loaded for the first connection and zip support for the first archive, so that files can be shown sooner.
 */

import {
  type ConnectionOptions,
  type WorkspaceEngine,
  type WorkspaceEvents,
  workspaceEngine,
} from '../../src/engine/workspace-engine.js'
import { fromNodes, memory } from '../../src/fs/backends/memory.js'
import { readonly } from '../../src/fs/backends/readonly.js'
import type { Protection } from '../../src/fs/gate/protected-names.js'
import type { NetworkRule } from '../../src/network/rule.js'
import { allowVectorCode } from '../../src/search/bytes/kernels/kernels.js'
import type { Dialect } from '../../src/tools/dialect.js'
import { withStructuredResults } from '../../src/tools/structured-results.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Limits } from '../../src/workspace/limits.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { serveHttpRequests } from '../endpoint/http-over-port.js'
import { MessagePortTransport } from '../endpoint/message-port.js'
import { directoryHandle } from '../fs-access/fs-access.js'
import { type OpfsWorkspace, openOpfs } from '../opfs/opfs-workspace.js'
import { checkDialectName, dialectCalled } from './dialects.js'
import { emulatedShell } from './emulated-shell.js'
import type { FileSource } from './file-source.js'
import { networkOfPage } from './network-of-page.js'

export type {
  ConnectionOptions,
  ListedTool,
  TerminalOptions,
  TerminalResult,
  WorkspaceAbout,
} from '../../src/engine/workspace-engine.js'

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
  /** The address of the directory with what `node` needs to run on the browser's own engine. Default: `node` beside the page. */
  node?: string
  /** The address of the directory with what Python needs. Default: `python` beside the page. */
  python?: string
  /** The address of `sqlite3.wasm`. Default: beside the script that runs this. */
  sqlite?: string
  /** Lets git clone from servers that allow this page's origin, and from others through a proxy; with a rule, git and the shell what it allows. */
  network?: { corsProxy?: string; rule?: NetworkRule }
}

export interface EngineEvents extends WorkspaceEvents {
  /** Reports how much of a tree has been loaded into memory. */
  onProgress?: (progress: { files: number; bytes: number }) => void
  /**
   * Reports what the first `python3` of a page waits for: `loading` its files, `preparing` it for the first time in this browser, which takes
   * seconds, and that this has `ended`.
   */
  onPython?: (phase: 'loading' | 'preparing' | 'ended') => void
  /** Reports a failed write to the browser's storage, and other errors that no call returns. */
  onFault?: (fault: unknown) => void
  /** Reports that a write which had failed has succeeded on a retry. */
  onStored?: () => void
}

export interface Engine extends Omit<WorkspaceEngine, 'end'> {
  /** Serves MCP on a port until either end closes it. */
  serve(port: MessagePort, options?: ConnectionOptions): Promise<void>
  /** Answers HTTP requests that arrive through a port. */
  serveHttp(port: MessagePort, options?: ConnectionOptions): Promise<void>
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
  const { onFault } = events
  const closers = new Set<() => Promise<void>>()
  const { end, ...calls } = workspaceEngine(workspace, dialectFor, events)

  async function dialectFor({ dialect: named, structured = false }: ConnectionOptions = {}): Promise<Dialect> {
    const chosen = named ?? own
    const dialect = typeof chosen === 'string' ? await dialectCalled(chosen) : chosen
    return structured ? withStructuredResults(dialect) : dialect
  }

  async function served(connection?: ConnectionOptions) {
    return { workspace, dialect: await dialectFor(connection), ...(onFault && { onFault }) }
  }

  return {
    ...calls,
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
    mode: () => workspace.mode ?? 'memory',
    flush: async () => workspace.flush?.(),
    async close() {
      end()
      await Promise.all([...closers].map((close) => close()))
      await workspace.shell?.close()
      await workspace.close?.()
    },
  }
}

async function openSource({ source, ...options }: EngineOptions, events: EngineEvents): Promise<Opened> {
  const { dialect: _, vectorCode: __, shell = 'auto', network, node, python, sqlite, ...rest } = options
  const reached = network && networkOfPage(network)
  const places = {
    ...(node !== undefined && { node }),
    ...(python !== undefined && { python }),
    ...(sqlite !== undefined && { sqlite }),
  }
  const workspaceOptions = {
    ...rest,
    ...reached,
    ...(shell === 'auto' && { shell: emulatedShell(places) }),
  }
  if ('opfs' in source) {
    const { opfs: name, ...stored } = source
    return openOpfs(name, { ...workspaceOptions, ...stored, inMemory: events })
  }
  if ('memory' in source) return createWorkspace({ ...workspaceOptions, fs: memory(source.memory) })
  if ('snapshot' in source) return createWorkspace({ ...workspaceOptions, fs: fromNodes(source.snapshot, {}) })
  if ('zip' in source) {
    const { unpacked } = await import('../../src/archive/zip-fs.js')
    return createWorkspace({ ...workspaceOptions, fs: await unpacked(source.zip) })
  }
  const { directory, readOnly = false, caseSensitive = false } = source
  const fs = directoryHandle(directory, { caseSensitive })
  return createWorkspace({ ...workspaceOptions, fs: readOnly ? readonly(fs) : fs })
}
