/** What each client reads and changes, as it happens, and the calls that wait for the user. */
import './clients.css'
import type { Activity, CallSeen, ClientSeen } from '../../src/engine/ui-protocol.js'
import type { App } from '../page/app.js'
import { emptyState, h } from '../page/dom.js'
import { callElement } from './call-row.js'
import { serverOf } from './server-of.js'
import { waitingCall } from './waiting-call.js'

/** Older calls are not listed. */
const maxRows = 200
/** Beyond it only the names of clients that are there are kept. */
const maxNames = 1000

export function clientsPanel(app: App): HTMLElement {
  const rows = new Map<string, HTMLElement>()
  const waiting = new Map<string, HTMLElement>()
  let people: Omit<Activity, 'calls'> = { servers: [], clients: [], newClientsAsk: false }
  /** Those that are gone too: their calls are still listed. */
  const names = new Map<string, string>()
  const questions = h('div', { class: 'waiting-calls', 'aria-live': 'polite' })
  const list = h('ul', { class: 'clients', 'aria-label': 'Clients' })
  const calls = h('ol', { class: 'calls', 'aria-label': 'Calls, newest first' })
  const nothing = emptyState(
    'No calls yet',
    'Start a client that uses this directory through polyfs. What it reads and changes is shown here as it happens.',
  )
  const askAll = h('input', { type: 'checkbox' })
  askAll.addEventListener('change', () => setAsks(undefined, askAll.checked))
  const follow = h('input', { type: 'checkbox' })
  const title = document.title

  app.on('opened', () => void load())
  app.on('people', show)
  app.on('call', (call) => {
    update(call)
    const [path] = call.paths
    if (follow.checked && call.state === 'done' && call.changes?.length && path !== undefined)
      app.emit('show', { path })
  })
  app.on('link', (isConnected) => isConnected && void load())

  async function load(): Promise<void> {
    const server = serverOf(app.workspace.files)
    const activity = server && (await app.attempt('read what clients did', () => server.activity()))
    if (activity === undefined) return
    const { calls: known, ...rest } = activity
    show(rest)
    rows.clear()
    calls.replaceChildren()
    for (const id of waiting.keys()) if (!known.some((call) => call.id === id && call.state === 'waiting')) settle(id)
    for (const call of known) update(call)
  }

  function setAsks(client: string | undefined, asks: boolean): void {
    const server = serverOf(app.workspace.files)
    if (server) void app.attempt('change who has to ask', () => server.setAsks(client, asks))
  }

  function show(given: Omit<Activity, 'calls'>): void {
    people = given
    askAll.checked = people.newClientsAsk
    for (const client of people.clients) names.set(client.id, nameOf(client))
    list.replaceChildren(...people.clients.map(clientElement))
    list.hidden = people.clients.length === 0
  }

  function isListed(client: string): boolean {
    return people.clients.some(({ id }) => id === client)
  }

  function clientElement(client: ClientSeen): HTMLElement {
    const server = people.servers.find(({ id }) => id === client.server)
    const ask = h('input', { type: 'checkbox' })
    ask.checked = client.asks
    ask.addEventListener('change', () => setAsks(client.id, ask.checked))
    return h(
      'li',
      {},
      h('strong', {}, nameOf(client)),
      h('span', { class: 'where' }, server ? `${server.dialect} over ${server.over}, process ${server.pid}` : ''),
      h('label', { class: 'inline' }, ask, 'asks before changes'),
    )
  }

  function update(call: CallSeen): void {
    nothing.hidden = true
    const row = callElement(app, call, names.get(call.client) ?? 'a client', rows.get(call.id))
    const known = rows.get(call.id)
    rows.set(call.id, row)
    if (known === undefined) calls.prepend(row)
    else if (known !== row) known.replaceWith(row)
    const [oldest] = rows
    if (rows.size > maxRows && oldest !== undefined) {
      oldest[1].remove()
      rows.delete(oldest[0])
    }
    if (names.size > maxNames) for (const id of names.keys()) if (!isListed(id)) names.delete(id)
    if (call.state !== 'waiting') settle(call.id)
    else if (!waiting.has(call.id)) ask(call)
  }

  function ask(call: CallSeen): void {
    const element = waitingCall(app, call, names.get(call.client) ?? 'A client', (decision) => {
      settle(call.id)
      const server = serverOf(app.workspace.files)
      if (server) void app.attempt('answer the client', () => server.decide(call.id, decision))
    })
    waiting.set(call.id, element)
    questions.append(element)
    app.emit('panel', 'clients')
    announce()
  }

  function settle(id: string): void {
    waiting.get(id)?.remove()
    if (waiting.delete(id)) announce()
  }

  /** Seen in the browser's tab bar, too. */
  function announce(): void {
    const plain = document.title.replace(/^\(\d+ waiting\) /, '') || title
    document.title = waiting.size === 0 ? plain : `(${waiting.size} waiting) ${plain}`
  }

  void load()
  return h(
    'section',
    { class: 'panel clients-panel', 'aria-label': 'Clients' },
    h(
      'div',
      { class: 'toolbar' },
      h('label', { class: 'inline' }, askAll, 'All clients ask before changes and commands'),
      h('label', { class: 'inline' }, follow, 'Show what is changed in the editor'),
    ),
    questions,
    list,
    nothing,
    calls,
  )
}

function nameOf({ name, version }: ClientSeen): string {
  return version === undefined ? name : `${name} ${version}`
}
