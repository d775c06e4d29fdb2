/** Everything behind an endpoint: the workspace and the servers on it. It runs in the page or in a worker, and is used the same way. */
import { callTool, type Dialect, offeredTools, type ToolResult } from '../src/dialects/dialect.js'
import { dialects } from '../src/dialects/index.js'
import { FsError } from '../src/errors.js'
import { memory } from '../src/fs/memory.js'
import type { Protection } from '../src/fs/protect.js'
import { readonly } from '../src/fs/readonly.js'
import { httpHandler, serve } from '../src/mcp/serve.js'
import { describeTool } from '../src/mcp/server.js'
import { createWorkspace, type Limits, type Workspace } from '../src/workspace.js'
import { directoryHandle } from './fs-access.js'
import { serveHttpRequests } from './http-over-port.js'
import { MessagePortTransport } from './message-port.js'
import { type OperationInput, type OperationName, type OperationResult, runOperation } from './operations.js'
import { type OpfsWorkspace, openOpfs } from './opfs-workspace.js'
import type { FileSource } from './source.js'

/** As data, so that it can be sent to a worker. */
export interface EngineOptions {
  source: FileSource
  /** The name of the tools' dialect; a connection may ask for another. */
  dialect: string
  readOnly?: boolean
  protect?: Protection
  limits?: Partial<Limits>
}

export interface EngineEvents {
  /** How much of a tree has been loaded into memory. */
  onProgress?: (progress: { files: number; bytes: number }) => void
  /** What can't be written to the browser's storage, and other faults that no call is told of. */
  onFault?: (fault: unknown) => void
}

/** What a connection is served. */
export interface ConnectionOptions {
  /** Another dialect than the endpoint's own, by name. */
  dialect?: string
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
  serve(port: MessagePort, options?: ConnectionOptions): void
  /** Answers the HTTP requests that come through a port. */
  serveHttp(port: MessagePort, options?: ConnectionOptions): void
  listTools(options?: ConnectionOptions): ListedTool[]
  /** Calls a tool without a protocol around it. Faults of protocol are results too. */
  callTool(name: string, args: unknown, options?: ConnectionOptions): Promise<ToolResult>
  /** Runs an operation as the page's own code does: neutral names in, a structured result out. */
  run<Name extends OperationName>(name: Name, input: OperationInput<Name>): Promise<OperationResult<Name>>
  /** Where file calls go right now. */
  mode(): OpfsWorkspace['mode']
  flush(): Promise<void>
  close(): Promise<void>
}

export async function openEngine(options: EngineOptions, events: EngineEvents = {}): Promise<Engine> {
  dialectCalled(options.dialect)
  const opened = await openSource(options, events)
  return engineOn(opened, options.dialect, events)
}

/** A workspace, and what has to be done besides using it. */
export type Opened = Workspace & Partial<Pick<OpfsWorkspace, 'mode' | 'flush' | 'close'>>

/** `own` is the dialect of connections that name none; one that is in no list can be given as it is. */
export function engineOn(workspace: Opened, own: string | Dialect, { onFault }: EngineEvents = {}): Engine {
  const closers = new Set<() => Promise<void>>()

  function served({ dialect }: ConnectionOptions = {}) {
    const chosen = dialect ?? own
    return {
      workspace,
      dialect: typeof chosen === 'string' ? dialectCalled(chosen) : chosen,
      ...(onFault && { onFault }),
    }
  }

  return {
    serve(port, connection) {
      const transport = new MessagePortTransport(port)
      const server = serve(transport, served(connection))
      const close = () => server.close()
      closers.add(close)
      void transport.closed.then(() => closers.delete(close))
    },
    serveHttp(port, connection) {
      const { fetch, close } = httpHandler(served(connection), { maxRequestBytes: 64_000_000 })
      const stop = serveHttpRequests(port, fetch)
      closers.add(async () => {
        stop()
        await close()
      })
    },
    listTools: (connection) => offeredTools(served(connection).dialect, workspace).map(describeTool),
    async callTool(name, args, connection) {
      try {
        return await callTool(workspace, served(connection).dialect, name, args, onFault ? { onFault } : {})
      } catch (error) {
        return { content: [{ type: 'text', text: (error as Error).message }], isError: true }
      }
    },
    run: (name, input) => runOperation(workspace, name, input),
    mode: () => workspace.mode ?? 'memory',
    flush: async () => workspace.flush?.(),
    async close() {
      await Promise.all([...closers].map((close) => close()))
      await workspace.shell?.close()
      await workspace.close?.()
    },
  }
}

async function openSource({ source, ...options }: EngineOptions, events: EngineEvents): Promise<Opened> {
  const { dialect: _, ...given } = options
  if ('opfs' in source) return openOpfs(source.opfs, { ...given, inMemory: events })
  if ('memory' in source) return createWorkspace({ ...given, fs: memory(source.memory) })
  const { directory, readOnly = false, caseSensitive = false } = source
  const fs = directoryHandle(directory, { caseSensitive })
  return createWorkspace({ ...given, fs: readOnly ? readonly(fs) : fs })
}

function dialectCalled(name: string): Dialect {
  const dialect = dialects[name]
  if (dialect !== undefined) return dialect
  const known = Object.keys(dialects).join(', ')
  const message = `There is no dialect called ${name}; there are ${known}`
  throw new FsError('INVALID_INPUT', { issues: [{ at: ['dialect'], kind: 'not-allowed', expected: known, message }] })
}
