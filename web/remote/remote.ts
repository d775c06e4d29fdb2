/** The files of a computer in a page: the same interface as `serveFiles`, over a connection to `polyfs ui`. */
import { asError, connectRemote, type Methods } from '../../src/engine/remote-calls.js'
import type {
  Activity,
  CallDecision,
  CallSeen,
  ClientSeen,
  UiAbout,
  UiEvent,
  UiMethods,
} from '../../src/engine/ui-protocol.js'
import { endpointOf, type FileEndpoint } from '../endpoint/endpoint.js'
import type { EngineEvents } from '../engine/engine.js'
import type { RemoteEngine } from '../engine/remote-engine.js'
import { connectServer, type ServerPlace } from './connection.js'

export interface RemoteEvents extends Pick<EngineEvents, 'onChanged' | 'onFault' | 'onTerminalOutput'> {
  /** A client's call has begun, or has come further. */
  onCall?: (call: CallSeen) => void
  /** A server or a client has come or gone, or has to ask. */
  onPeople?: (people: Omit<Activity, 'calls'>) => void
  /** The server is reached, or not for the moment; calls wait until it is. */
  onState?: (isConnected: boolean) => void
}

/** The files, and the clients that work on them. */
export interface RemoteFiles extends FileEndpoint {
  about(): Promise<UiAbout>
  activity(): Promise<Activity>
  /** Makes a client ask before changes and commands; without a client, all of them and those to come. */
  setAsks(client: string | undefined, asks: boolean): Promise<void>
  decide(call: string, decision: CallDecision): Promise<void>
}

export async function connectFiles(place: ServerPlace, events: RemoteEvents = {}): Promise<RemoteFiles> {
  let settleEnded = (_reason: Error | undefined) => {}
  const ended = new Promise<Error | undefined>((resolve) => {
    settleEnded = resolve
  })
  const connection = connectServer(place, {
    onState: (isConnected) => events.onState?.(isConnected),
    onLost: stop,
  })
  const { remote, end } = connectRemote<Methods & UiMethods>(connection.channel)
  const ports = mcpPorts(remote)
  let people: Omit<Activity, 'calls'> = { servers: [], clients: [], newClientsAsk: false }
  connection.channel.addEventListener('message', ({ data }) => {
    if (isEvent(data)) report(data)
  })

  function report(event: UiEvent): void {
    if ('changed' in event) events.onChanged?.(event.changed)
    else if ('output' in event) events.onTerminalOutput?.(event.output)
    else if ('call' in event) events.onCall?.(event.call)
    else if ('people' in event) show(event.people)
    else if ('client' in event) show({ ...people, clients: withClient(people.clients, event.client) })
    else if ('forgotten' in event)
      show({ ...people, clients: people.clients.filter(({ id }) => id !== event.forgotten) })
    else if ('mcp' in event) ports.receive(event.mcp)
    else events.onFault?.(asError(event.fault))
  }

  function show(given: typeof people): void {
    people = given
    events.onPeople?.(people)
  }

  function stop(reason?: Error): void {
    connection.close()
    ports.close()
    end(reason ?? new Error('The connection is closed'))
    settleEnded(reason)
  }

  await connection.opened
  const engine: RemoteEngine = {
    serve: (port, options) => ports.open(port, options),
    serveHttp: async () => {
      throw new Error('Clients reach these files at the address that polyfs has printed')
    },
    listTools: (options) => remote.listTools(options),
    callTool: (name, args, options) => remote.callTool(name, args, options),
    cancelCall: (call) => remote.cancelCall(call),
    // Each name has its own types, which the compiler can't follow here.
    run: (name, input) => remote.run(name, input as never) as Promise<never>,
    about: () => remote.about(),
    terminal: (command, options) => remote.terminal(command, options),
    interrupt: () => remote.interrupt(),
    exportZip: () => remote.exportZip(),
    exportPatch: () => remote.exportPatch(),
    mode: async () => 'direct',
    flush: async () => {},
    close: async () => stop(),
    ended,
  }
  return {
    ...endpointOf(engine, 'server'),
    about: () => remote.about(),
    activity: () => remote.activity(),
    setAsks: (client, asks) => remote.setAsks(client, asks),
    decide: (call, decision) => remote.decide(call, decision),
  }
}

/** In its place if it is listed. */
function withClient(clients: readonly ClientSeen[], client: ClientSeen): ClientSeen[] {
  if (!clients.some(({ id }) => id === client.id)) return [...clients, client]
  return clients.map((each) => (each.id === client.id ? client : each))
}

/** MCP connections of the page, each a port at this end. */
function mcpPorts(remote: { mcpOpen: UiMethods['mcpOpen']; mcpSend(connection: number, message: unknown): unknown }) {
  const ports = new Map<number, MessagePort>()
  let count = 0
  return {
    async open(port: MessagePort, options?: Parameters<UiMethods['mcpOpen']>[1]): Promise<void> {
      count += 1
      const connection = count
      ports.set(connection, port)
      await remote.mcpOpen(connection, options)
      port.onmessage = ({ data }) => {
        if (data === null) ports.delete(connection)
        // The port is closed when the connection has ended.
        Promise.resolve(remote.mcpSend(connection, data)).catch(() => {})
      }
    },
    receive({ connection, message }: { connection: number; message: unknown }): void {
      ports.get(connection)?.postMessage(message)
      if (message === null) ports.delete(connection)
    },
    close(): void {
      for (const port of ports.values()) port.postMessage(null)
      ports.clear()
    },
  }
}

function isEvent(data: unknown): data is UiEvent {
  return typeof data === 'object' && data !== null && !('reply' in data)
}
