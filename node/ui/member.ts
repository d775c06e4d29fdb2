/** What a server says about its clients and their calls to the pages that watch it, and what it asks them. */
import { randomBytes } from 'node:crypto'
import type { Asking, CallSeen, FromMember, ServerSeen, ToMember } from '../../src/engine/ui-protocol.js'
import { FsError } from '../../src/errors.js'
import type { ToolResult } from '../../src/tools/dialect.js'
import type { CallToWatch, CallWatcher, WatchedCall } from '../../src/tools/observed.js'
import type { ClientInfo, Session } from '../../src/workspace/workspace.js'
import { clientsSeen } from './clients-seen.js'
import { noteCall } from './note-call.js'
import { questions, type Unheard, unheard } from './questions.js'

export interface Member extends CallWatcher {
  readonly server: ServerSeen
  /** A client has introduced itself. */
  meet(client: ClientInfo, session: Session): void
  /** A client has disconnected. */
  part(session: Session): void
  /** Reports to a page's server from now on, beginning with what was seen so far, as soon as that has answered. */
  join(page: string, report: (message: FromMember) => void): MemberLink
}

export interface MemberLink {
  receive(message: ToMember): void
  /** What the page's server has last said about all clients; undefined before it has answered. */
  readonly heard: Asking | undefined
  /** The page's server is gone. Who had to ask it still has to ask; those to come only until it `isWithdrawn`, because the user has ended it. */
  leave(options: { isWithdrawn: boolean }): void
}

export interface MemberOptions extends Omit<ServerSeen, 'id' | 'sinceMs'> {
  /** How long a call waits for the user. */
  askMs: number
  /** Those of other processes, if there can be any. */
  pages?: PagesToHear
}

export interface PagesToHear {
  /**
   * Waits until every page that asks has said so here, and has not been set to ask again since. Fulfilled with the first that can't be heard: it
   * was killed, or did not answer before the signal has aborted.
   */
  hear(signal: AbortSignal): Promise<Unheard | undefined>
  /** Waits until a page has joined, or none can be reached, at most until the signal aborts. */
  find(signal: AbortSignal): Promise<void>
}

/** A call that may have to be allowed. */
interface Wish {
  call: string
  tool: string
  client: string
  signal: AbortSignal | undefined
  /** Called when the user can answer, which may be at once. */
  wait(): void
  evenIfTrusted: boolean
}

/** How many calls are shown to a page that joins later. */
const maxCalls = 300
/** Longer arguments and answers are cut. */
const maxShown = 20_000
const maxPaths = 50

export function createMember({ askMs, pages, ...about }: MemberOptions): Member {
  const server: ServerSeen = { ...about, id: newId(), sinceMs: Date.now() }
  const calls = new Map<string, CallSeen>()
  const reports = new Set<(message: FromMember) => void>()
  const asking = questions(askMs)
  /** What each page wants of all clients. It stays when the page's server is gone, unless the user has ended that. */
  const wanted = new Map<string, Asking>()
  const newClientsAsk = () => [...wanted.values()].some((asks) => asks !== null)
  const clients = clientsSeen({ server: server.id, newClientsAsk, tell })

  function tell(message: FromMember): void {
    for (const report of reports) report(message)
  }

  function update(call: CallSeen): void {
    noteCall(calls, call, maxCalls)
    tell({ call })
  }

  /** Why a call may not run, once that is known; undefined when it may. */
  async function refusalOf({
    call,
    tool,
    client,
    signal,
    wait,
    evenIfTrusted,
  }: Wish): Promise<{ refused: string } | undefined> {
    const { until, clear } = deadline(askMs, signal)
    const isCancelled = () => signal?.aborted === true
    const hasPage = () => reports.size > 0
    try {
      const missed = await pages?.hear(until)
      if (isCancelled()) throw new FsError('ABORTED', {})
      if (missed !== undefined) return { refused: unheard(tool, missed) }
      if (!evenIfTrusted && !clients.asks(client)) return undefined
      if (!hasPage()) await pages?.find(until)
      if (!hasPage() && !isCancelled()) return { refused: unheard(tool) }
      const answer = asking.ask(call, { tool, hasPage, until, isCancelled })
      wait()
      const decision = await answer
      return 'refused' in decision ? decision : undefined
    } finally {
      clear()
    }
  }

  function begin({ tool, kind, args, client, session }: CallToWatch): WatchedCall {
    const caller = clients.meet(client ?? { name: 'unnamed' }, session ?? noSession)
    const endCalling = clients.calling(caller)
    const startedMs = Date.now()
    let isAllowed = false
    let call: CallSeen = {
      id: newId(),
      client: caller,
      tool,
      kind,
      paths: [],
      args: cut(JSON.stringify(args) ?? ''),
      atMs: startedMs,
      state: 'running',
    }
    const step = (changes: Partial<CallSeen>) => {
      call = { ...call, ...changes }
      update(call)
    }
    // Others are shown when it is known whether they have to wait.
    if (kind === 'read') step({})
    return {
      async allowed(signal, { evenIfTrusted } = { evenIfTrusted: false }) {
        if (kind === 'read' && !evenIfTrusted) return undefined
        // One yes is for the whole call.
        if (isAllowed) return undefined
        let isAsked = false
        const wait = () => {
          isAsked = true
          step({ state: 'waiting' })
        }
        const refused = await refusalOf({ call: call.id, tool, client: caller, signal, wait, evenIfTrusted })
        step({ state: refused === undefined ? 'running' : 'refused' })
        isAllowed = isAsked && refused === undefined
        return refused
      },
      path(path) {
        if (call.paths.includes(path) || call.paths.length >= maxPaths) return
        step({ paths: [...call.paths, path] })
      },
      changed: (id) => step({ changes: [...(call.changes ?? []), id].slice(-maxPaths) }),
      end(outcome, answer) {
        endCalling()
        const state = call.state === 'refused' ? 'refused' : outcome
        step({ state, tookMs: Date.now() - startedMs, ...(answer && { answer: cut(textOf(answer)) }) })
      },
    }
  }

  function join(page: string, report: (message: FromMember) => void): MemberLink {
    let heard: Asking | undefined

    /** Who had to ask because of another page still has to. */
    function wantOfAll(next: Asking, isSwitched: boolean): void {
      const before = wanted.get(page) ?? null
      heard = next
      wanted.set(page, next)
      if (next === before && !isSwitched) return
      if (next === null && newClientsAsk()) return
      for (const { id } of clients.all()) clients.setAsks(id, next !== null)
    }

    function introduce(): void {
      report({ server })
      for (const client of clients.all()) report({ client })
      for (const call of calls.values()) report({ call })
      reports.add(report)
    }

    return {
      get heard() {
        return heard
      },
      receive(message) {
        if ('joined' in message) {
          wantOfAll(message.joined, false)
          introduce()
        } else if ('all' in message) wantOfAll(message.all, true)
        else if ('decided' in message) asking.answer(message.decided.call, message.decided.decision)
        else clients.setAsks(message.client, message.asks)
      },
      leave({ isWithdrawn }) {
        reports.delete(report)
        if (isWithdrawn) wanted.delete(page)
      },
    }
  }

  return {
    server,
    // A client that has to ask is asked about when no page is open, too.
    watches: () => reports.size > 0 || newClientsAsk() || clients.all().some(({ asks }) => asks),
    begin,
    meet: (client, session) => void clients.meet(client, session),
    part: clients.part,
    join,
  }
}

const noSession: Session = {}

/** Aborts after this time, or with the signal. */
function deadline(ms: number, signal: AbortSignal | undefined): { until: AbortSignal; clear(): void } {
  const controller = new AbortController()
  const end = () => controller.abort()
  const timer = setTimeout(end, ms)
  if (signal?.aborted) end()
  signal?.addEventListener('abort', end, { once: true })
  return {
    until: controller.signal,
    clear() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
    },
  }
}

function newId(): string {
  return randomBytes(9).toString('base64url')
}

function cut(text: string): string {
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`
}

function textOf({ content }: ToolResult): string {
  return content.map(({ text, type }) => text ?? `[${type}]`).join('\n')
}
