/** One open page: its calls, its terminal and its MCP connections, over as many connections as it takes. */
import { expose, faultOf, type Methods } from '../../src/engine/remote-calls.js'
import { resumableChannel } from '../../src/engine/resumable-channel.js'
import type { UiEvent, UiMethods } from '../../src/engine/ui-protocol.js'
import { decodeMessage, encodeMessage, storedIn } from '../../src/engine/wire.js'
import { type ConnectionOptions, workspaceEngine } from '../../src/engine/workspace-engine.js'
import type { Transport, TransportMessage } from '../../src/mcp/serve.js'
import type { Dialect } from '../../src/tools/dialect.js'
import { version } from '../../src/version.js'
import { onBehalfOf } from '../../src/workspace/on-behalf-of.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import type { Hub } from './hub.js'
import { type LargeValues, largeValues } from './large-values.js'
import type { Socket } from './sockets.js'

export interface PageSession {
  readonly id: string
  readonly values: LargeValues
  /** Continues over a connection; false if the page has not seen what this session has sent. */
  connect(socket: Socket, theirs: number, isNew: boolean): boolean
  end(): void
}

export interface PageSessionOptions {
  id: string
  /** Without a shell where the page may not run commands. */
  workspace: Workspace
  dialectFor(connection: ConnectionOptions | undefined): Promise<Dialect>
  /** The name of the dialect that the page starts with. */
  dialect: string
  hub: Hub
  /** How long a page may be away. */
  awayMs: number
  onFault(fault: unknown): void
  onEnd(): void
}

/** What waits for a page that is away, or does not read. */
const maxHeldBytes = 64 * 1024 * 1024
const maxLargeBytes = 512 * 1024 * 1024
const maxMcpConnections = 64

/** The name of the user's own changes in the history. */
const user = { name: 'polyfs ui', version }

export function pageSession(options: PageSessionOptions): PageSession {
  const { id, hub, dialectFor, onFault } = options
  const workspace = onBehalfOf(options.workspace, user)
  const values = largeValues(maxLargeBytes)
  const channel = resumableChannel({
    encode: (message) => encodeMessage(message, values.put),
    decode: (bytes) => decodeMessage(bytes, new Map(storedIn(bytes).map((name) => [name, taken(name)]))),
    onLost: end,
    maxHeldBytes,
  })
  const send = (event: UiEvent) => channel.postMessage(event, [])
  const engine = workspaceEngine(workspace, dialectFor, {
    onFault: (fault) => {
      onFault(fault)
      send({ fault: faultOf(fault) })
    },
    onTerminalOutput: (output) => send({ output }),
  })
  const connections = new Map<number, Tunnel>()
  const stopWatching = hub.watch(send)
  let away: NodeJS.Timeout | undefined
  let socket: Socket | undefined
  let isOver = false

  function taken(name: string): Uint8Array {
    const value = values.take(name)
    if (value === undefined) throw new Error('An unknown value')
    return value
  }

  const { end: endEngine, about, ...calls } = engine
  const methods: UiMethods = {
    ...calls,
    about: () => ({
      ...about(),
      roots: workspace.fs.roots.map(({ path, access }) => ({ path, access })),
      dialect: options.dialect,
      version,
    }),
    async mcpOpen(connection, given) {
      if (connections.size >= maxMcpConnections || connections.has(connection)) throw new Error('Too many connections')
      const opened = tunnel((message) => send({ mcp: { connection, message } }))
      connections.set(connection, opened)
      const { serve } = await import('../../src/mcp/serve.js')
      serve(opened.transport, { workspace, dialect: await dialectFor(given), onFault })
    },
    mcpSend(connection, message) {
      const opened = connections.get(connection)
      if (message === null) connections.delete(connection)
      opened?.receive(message)
    },
    activity: () => hub.activity(),
    setAsks: (client, asks) => hub.setAsks(client, asks),
    decide: (call, decision) => hub.decide(call, decision),
  }
  expose(channel, methods as Methods)

  function end(): void {
    if (isOver) return
    isOver = true
    clearTimeout(away)
    stopWatching()
    endEngine()
    for (const { receive } of connections.values()) receive(null)
    connections.clear()
    values.clear()
    socket?.close()
    options.onEnd()
  }

  return {
    id,
    values,
    connect(next, theirs, isNew) {
      if (isOver) return false
      clearTimeout(away)
      const link = { send: next.send, close: () => next.close() }
      next.send(JSON.stringify({ session: id, received: channel.received, isNew }))
      try {
        channel.attach(link, theirs)
      } catch {
        end()
        return false
      }
      socket = next
      next.onMessage((data, isText) => {
        if (isText) throw new Error('Frames are binary')
        return channel.receive(data)
      })
      next.onClose(() => {
        channel.detach(link)
        if (socket !== next || isOver) return
        away = setTimeout(end, options.awayMs).unref()
      })
      return true
    },
    end,
  }
}

interface Tunnel {
  transport: Transport
  /** Null ends it. */
  receive(message: unknown): void
}

/** An MCP connection inside the page's own. */
function tunnel(send: (message: unknown) => void): Tunnel {
  let isOpen = true
  const transport: Transport = {
    start: async () => {},
    async send(message) {
      if (isOpen) send(message)
    },
    async close() {
      if (!isOpen) return
      isOpen = false
      send(null)
      transport.onclose?.()
    },
  }
  return {
    transport,
    receive(message) {
      if (message === null) {
        isOpen = false
        transport.onclose?.()
      } else if (isOpen && isMessage(message)) transport.onmessage?.(message)
    },
  }
}

function isMessage(message: unknown): message is TransportMessage {
  return typeof message === 'object' && message !== null && 'jsonrpc' in message && message.jsonrpc === '2.0'
}
