/** Collects what all servers on the same files report, for the pages, and passes on what the user wants. */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import type {
  Activity,
  Asking,
  CallDecision,
  CallSeen,
  FromMember,
  ToMember,
  UiEvent,
} from '../../src/engine/ui-protocol.js'
import { noteCall } from './note-call.js'

export interface HubOptions {
  newClientsAsk?: boolean
  /** Called before anybody learns whether all clients have to ask: servers that have not joined learn it only from this. */
  announce?: (asking: Asking) => void
}

export interface Hub {
  /** A server joins: `connect` gets what takes its messages, and returns what sends it some. The returned function ends it. */
  join(connect: (receive: (message: FromMember) => void) => (message: ToMember) => void): () => void
  /** A page gets all events from now on, until the returned function is called. */
  watch(send: (event: UiEvent) => void): () => void
  activity(): Activity
  /** Whether all clients and those to come have to ask. */
  readonly asking: Asking
  /** For one client, or for all and those to come. Fails, and changes nothing, where other servers can't be informed. */
  setAsks(client: string | undefined, asks: boolean): void
  decide(call: string, decision: CallDecision): void
}

const maxCalls = 500
/** Another server may report a change that this one has seen. */
const maxRecords = 200

export function createHub({ newClientsAsk = false, announce = () => {} }: HubOptions = {}): Hub {
  const members = new Set<(message: ToMember) => void>()
  /** A server that has joined again is not gone when its earlier connection ends. */
  const joined = new Map<string, object>()
  const servers = new Map<string, Activity['servers'][number]>()
  const clients = new Map<string, Activity['clients'][number]>()
  const calls = new Map<string, CallSeen>()
  const pages = new Set<(event: UiEvent) => void>()
  const seen = new Set<string>()
  let switchedOn = newClientsAsk ? 1 : 0
  let asking: Asking = newClientsAsk ? switchedOn : null

  function tell(event: UiEvent): void {
    for (const send of pages) send(event)
  }

  function people(): Omit<Activity, 'calls'> {
    return { servers: [...servers.values()], clients: [...clients.values()], newClientsAsk: asking !== null }
  }

  function tellPeople(): void {
    tell({ people: people() })
  }

  function passOn(record: ChangeRecord): void {
    if (seen.has(record.id)) return
    seen.add(record.id)
    const [oldest] = seen
    if (seen.size > maxRecords && oldest !== undefined) seen.delete(oldest)
    tell({ changed: record })
  }

  function update(call: CallSeen): void {
    noteCall(calls, call, maxCalls)
    tell({ call })
  }

  /** What it did stays listed. */
  function forgetClient(client: string): void {
    clients.delete(client)
    for (const call of [...calls.values()]) {
      if (call.client === client && isOpen(call)) update({ ...call, state: 'cancelled' })
    }
  }

  /** Its clients are gone with it. */
  function forgetServer(server: string): void {
    joined.delete(server)
    servers.delete(server)
    for (const { id, server: of } of [...clients.values()]) if (of === server) forgetClient(id)
    tellPeople()
  }

  return {
    join(connect) {
      let server: string | undefined
      const send = connect(receive)
      members.add(send)
      send({ joined: asking })

      function receive(message: FromMember): void {
        if ('changed' in message) passOn(message.changed)
        else if ('call' in message) update(message.call)
        else if ('client' in message) {
          clients.set(message.client.id, message.client)
          tell(message)
        } else if ('forgotten' in message) {
          forgetClient(message.forgotten)
          tell(message)
        } else {
          server = message.server.id
          joined.set(server, send)
          servers.set(server, message.server)
          tellPeople()
        }
      }

      return () => {
        members.delete(send)
        if (server !== undefined && joined.get(server) === send) forgetServer(server)
      }
    },
    watch(send) {
      pages.add(send)
      send({ people: people() })
      return () => pages.delete(send)
    },
    activity: () => ({ ...people(), calls: [...calls.values()] }),
    get asking() {
      return asking
    },
    setAsks(client, asks) {
      if (client !== undefined) return tellMembers({ client, asks })
      if (asks) switchedOn += 1
      const wanted = asks ? switchedOn : null
      announce(wanted)
      asking = wanted
      tellMembers({ all: asking })
      tellPeople()
    },
    decide: (call, decision) => tellMembers({ decided: { call, decision } }),
  }

  function tellMembers(message: ToMember): void {
    for (const send of members) send(message)
  }
}

function isOpen({ state }: CallSeen): boolean {
  return state === 'waiting' || state === 'running'
}
