/** Collects what all servers on the same files report, for the pages, and passes on what the user wants. */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import type { Activity, CallDecision, CallSeen, FromMember, ToMember, UiEvent } from '../../src/engine/ui-protocol.js'
import { noteCall } from './note-call.js'

export interface Hub {
  /** A server joins. */
  join(send: (message: ToMember) => void): { receive(message: FromMember): void; leave(): void }
  /** A page gets all events from now on, until the returned function is called. */
  watch(send: (event: UiEvent) => void): () => void
  activity(): Activity
  /** For one client, or for all and those to come. */
  setAsks(client: string | undefined, asks: boolean): void
  decide(call: string, decision: CallDecision): void
}

const maxCalls = 500
/** Another server may report a change that this one has seen. */
const maxRecords = 200

export function createHub({ newClientsAsk: asksFirst = false } = {}): Hub {
  const members = new Map<object, { send(message: ToMember): void; server?: string }>()
  const servers = new Map<string, Activity['servers'][number]>()
  const clients = new Map<string, Activity['clients'][number]>()
  const calls = new Map<string, CallSeen>()
  const pages = new Set<(event: UiEvent) => void>()
  const seen = new Set<string>()
  let newClientsAsk = asksFirst

  function tell(event: UiEvent): void {
    for (const send of pages) send(event)
  }

  function people(): Omit<Activity, 'calls'> {
    return { servers: [...servers.values()], clients: [...clients.values()], newClientsAsk }
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

  /** Its clients are gone with it; what they did stays listed. */
  function forget(server: string | undefined): void {
    if (server === undefined) return
    servers.delete(server)
    for (const { id, server: of } of [...clients.values()]) {
      if (of !== server) continue
      clients.delete(id)
      for (const call of [...calls.values()]) {
        if (call.client === id && isOpen(call)) update({ ...call, state: 'cancelled' })
      }
    }
    tell({ people: people() })
  }

  return {
    join(send) {
      const key = {}
      const member: { send(message: ToMember): void; server?: string } = { send }
      members.set(key, member)
      if (newClientsAsk) send({ asks: true })
      return {
        receive(message) {
          if ('changed' in message) return passOn(message.changed)
          if ('call' in message) return update(message.call)
          if ('server' in message) {
            member.server = message.server.id
            servers.set(message.server.id, message.server)
          } else clients.set(message.client.id, message.client)
          tell({ people: people() })
        },
        leave() {
          members.delete(key)
          forget(member.server)
        },
      }
    },
    watch(send) {
      pages.add(send)
      return () => pages.delete(send)
    },
    activity: () => ({ ...people(), calls: [...calls.values()] }),
    setAsks(client, asks) {
      if (client === undefined) newClientsAsk = asks
      for (const { send } of members.values()) send({ asks, ...(client !== undefined && { client }) })
      tell({ people: people() })
    },
    decide(call, decision) {
      for (const { send } of members.values()) send({ decided: { call, decision } })
    },
  }
}

function isOpen({ state }: CallSeen): boolean {
  return state === 'waiting' || state === 'running'
}
