/** What a server says about its clients and their calls to the pages that watch it, and what it asks them. */
import { randomBytes } from 'node:crypto'
import type {
  CallDecision,
  CallSeen,
  ClientSeen,
  FromMember,
  ServerSeen,
  ToMember,
} from '../../src/engine/ui-protocol.js'
import type { ToolResult } from '../../src/tools/dialect.js'
import type { CallToWatch, CallWatcher, WatchedCall } from '../../src/tools/observed.js'
import type { ClientInfo, Session } from '../../src/workspace.js'
import { noteCall } from './note-call.js'
import { questions } from './questions.js'

export interface Member extends CallWatcher {
  readonly server: ServerSeen
  /** A client has introduced itself. */
  meet(client: ClientInfo, session: Session): void
  /** Reports to a page's server from now on; it learns what was seen so far first. */
  join(report: (message: FromMember) => void): MemberLink
}

export interface MemberLink {
  receive(message: ToMember): void
  /** The page's server is gone. Who had to ask it still has to ask. */
  leave(): void
}

export interface MemberOptions extends Omit<ServerSeen, 'id' | 'sinceMs'> {
  /** How long a call waits for the user. */
  askMs: number
}

/** How many calls are shown to a page that joins later. */
const maxCalls = 300
/** Longer arguments and answers are cut. */
const maxShown = 20_000
const maxPaths = 50

export function createMember({ askMs, ...about }: MemberOptions): Member {
  const server: ServerSeen = { ...about, id: newId(), sinceMs: Date.now() }
  const clients = new Map<string, ClientSeen>()
  const ids = new WeakMap<Session, Map<string, string>>()
  const calls = new Map<string, CallSeen>()
  const reports = new Set<(message: FromMember) => void>()
  const asking = questions(askMs)
  let newClientsAsk = false

  function tell(message: FromMember): void {
    for (const report of reports) report(message)
  }

  /** Clients that share a session are told apart by their names. */
  function clientOf({ name, version }: ClientInfo, session: Session): ClientSeen {
    const key = JSON.stringify([name, version])
    const known = ids.get(session) ?? new Map<string, string>()
    ids.set(session, known)
    const id = known.get(key) ?? newId()
    known.set(key, id)
    const found = clients.get(id)
    if (found !== undefined) return found
    const client: ClientSeen = {
      id,
      server: server.id,
      name,
      ...(version !== undefined && { version }),
      sinceMs: Date.now(),
      asks: newClientsAsk,
    }
    clients.set(id, client)
    tell({ client })
    return client
  }

  function setAsks(client: ClientSeen, asks: boolean): void {
    if (client.asks === asks) return
    const changed = { ...client, asks }
    clients.set(client.id, changed)
    tell({ client: changed })
  }

  function update(call: CallSeen): void {
    noteCall(calls, call, maxCalls)
    tell({ call })
  }

  function begin({ tool, kind, args, client, session }: CallToWatch): WatchedCall {
    const caller = clientOf(client ?? { name: 'unnamed' }, session ?? noSession)
    const startedMs = Date.now()
    const mustAsk = () => kind !== 'read' && clients.get(caller.id)?.asks === true
    let call: CallSeen = {
      id: newId(),
      client: caller.id,
      tool,
      kind,
      paths: [],
      args: cut(JSON.stringify(args) ?? ''),
      atMs: startedMs,
      state: mustAsk() ? 'waiting' : 'running',
    }
    const step = (changes: Partial<CallSeen>) => {
      call = { ...call, ...changes }
      update(call)
    }
    step({})
    return {
      async allowed(signal) {
        if (!mustAsk()) return undefined
        const decision = await asking.ask(call.id, { tool, hasPage: () => reports.size > 0, signal })
        if ('refused' in decision) step({ state: 'refused' })
        else step({ state: 'running' })
        return 'refused' in decision ? decision : undefined
      },
      path(path) {
        if (call.paths.includes(path) || call.paths.length >= maxPaths) return
        step({ paths: [...call.paths, path] })
      },
      changed: (id) => step({ changes: [...(call.changes ?? []), id].slice(-maxPaths) }),
      end(outcome, answer) {
        const state = call.state === 'refused' ? 'refused' : outcome
        step({ state, tookMs: Date.now() - startedMs, ...(answer && { answer: cut(textOf(answer)) }) })
      },
    }
  }

  return {
    server,
    // A client that has to ask is asked about when no page is open, too.
    get isWatching() {
      return reports.size > 0 || newClientsAsk || [...clients.values()].some(({ asks }) => asks)
    },
    begin,
    meet: (client, session) => void clientOf(client, session),
    join(report) {
      report({ server })
      for (const client of clients.values()) report({ client })
      for (const call of calls.values()) report({ call })
      reports.add(report)
      return {
        receive(message) {
          if ('decided' in message) return decide(message.decided)
          if (message.client === undefined) newClientsAsk = message.asks
          for (const client of [...clients.values()]) {
            if (message.client === undefined || message.client === client.id) setAsks(client, message.asks)
          }
        },
        leave() {
          reports.delete(report)
        },
      }
    },
  }

  function decide({ call, decision }: { call: string; decision: CallDecision }): void {
    asking.answer(call, decision)
  }
}

const noSession: Session = {}

function newId(): string {
  return randomBytes(9).toString('base64url')
}

function cut(text: string): string {
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`
}

function textOf({ content }: ToolResult): string {
  return content.map(({ text, type }) => text ?? `[${type}]`).join('\n')
}
