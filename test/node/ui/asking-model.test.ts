/** Random interleavings of clients, pages and the messages between them, against a model of what docs/ui.md promises. */
import { expect, test } from 'vitest'
import type { CallSeen, ToMember } from '../../../src/engine/ui-protocol.js'
import { type Random, randomFrom } from '../../core/search/generated-trees.js'
import { scaled, seeded } from '../../scale.js'
import { temporaryDirectory } from '../cli/run-cli.js'
import { type Connection, type SimulatedPage, type SimulatedServer, type World, world } from './asking-world.js'

/** How long a call waits at most; short, because the last ones of a round wait so long for a page that hangs. */
const askMs = 400

interface Pending {
  server: SimulatedServer
  /** At every moment since it began, the client had to ask. */
  hadToAsk: boolean
}

/** What is true of all that has happened, in the plainest words. */
function model() {
  /** Pages that ask for all, by their id; those that were killed too, until another is opened. */
  const asking = new Set<string>()
  /** Clients for which the user has asked a server not to ask. */
  const exempt = new Set<SimulatedServer>()
  /** Those that were exempt when a page switched asking on, until they have heard it. */
  const toHear = new Map<string, Set<SimulatedServer>>()
  const allowed = new Set<string>()
  const denied = new Set<string>()
  const pending = new Map<string, Pending>()
  const wrong: string[] = []

  /** A message that lets clients off arrives some time. */
  const letsOff = (message: ToMember) =>
    ('client' in message && !message.asks) ||
    ('all' in message && message.all === null) ||
    ('joined' in message && message.joined === null)

  /** The page shows that the client has to ask, and nothing that would change it is on its way. */
  function isShown({ isOpen, page, toPage, server }: Connection): boolean {
    const isUpToDate = isOpen && page.state === 'serving' && toPage.length === 0
    return isUpToDate && page.hub.activity().clients.some(({ name, asks }) => asks && name === server.client)
  }

  function hasToAsk(server: SimulatedServer, { connections }: World): boolean {
    const own = connections.filter((connection) => connection.server === server)
    if (own.some(({ toServer }) => toServer.some(({ message }) => letsOff(message)))) return false
    return (asking.size > 0 && !exempt.has(server)) || own.some(isShown)
  }

  return {
    asking,
    switchOn({ id }: SimulatedPage) {
      asking.add(id)
      toHear.set(id, new Set([...(toHear.get(id) ?? []), ...exempt]))
      exempt.clear()
    },
    /** The page has ended or was unchecked. What it asked for and nobody has heard is void. */
    takeBack({ id }: SimulatedPage) {
      asking.delete(id)
      for (const server of toHear.get(id) ?? []) exempt.add(server)
      toHear.delete(id)
    },
    delivered(server: SimulatedServer, message: ToMember, { id }: SimulatedPage) {
      const all = 'all' in message ? message.all : 'joined' in message ? message.joined : null
      if (all !== null) toHear.get(id)?.delete(server)
      if ('client' in message && !message.asks) exempt.add(server)
    },
    allowed,
    denied,
    pending,
    wrong,
    hasToAsk,
    look(all: World) {
      for (const call of pending.values()) call.hadToAsk &&= hasToAsk(call.server, all)
    },
    landed(marker: string) {
      if (pending.get(marker)?.hadToAsk && !allowed.has(marker)) wrong.push(`${marker} ran unasked`)
      if (denied.has(marker) && !allowed.has(marker)) wrong.push(`${marker} ran although it was denied`)
    },
  }
}

async function round(random: Random, stateDirectory: string): Promise<{ wrong: string[]; answers: string[] }> {
  const known = model()
  const running = new Set<Promise<void>>()
  const answers: string[] = []
  const all = world({
    stateDirectory,
    random,
    askMs,
    onLanded: known.landed,
    onDelivered: known.delivered,
  })
  const serving = () => all.pages.filter(({ state }) => state === 'serving')
  const one = <Item>(items: readonly Item[]): Item | undefined => items[random(items.length)]
  let count = 0

  function call(server: SimulatedServer, tool: string): void {
    count += 1
    const marker = `${tool} ${count} of ${server.client}`
    if (tool !== 'read_file') known.pending.set(marker, { server, hadToAsk: known.hasToAsk(server, all) })
    const cancel = random(12) === 0 ? new AbortController() : undefined
    if (cancel) setImmediate(() => cancel.abort())
    const ended = all
      .call(server, tool, marker, cancel?.signal)
      .then(
        (answer) => answer,
        (error: Error) => error.message,
      )
      .then((answer) => {
        known.pending.delete(marker)
        answers.push(answer)
        running.delete(ended)
      })
    running.add(ended)
  }

  function waitingOn({ hub }: SimulatedPage): CallSeen[] {
    return hub.activity().calls.filter(({ state }) => state === 'waiting')
  }

  function decide(): void {
    const page = one(serving())
    const waiting = page && one(waitingOn(page))
    if (page === undefined || waiting === undefined) return
    const allow = random(2) === 0
    const { marker } = JSON.parse(waiting.args) as { marker: string }
    ;(allow ? known.allowed : known.denied).add(marker)
    page.hub.decide(waiting.id, { allow })
  }

  function askAll(page: SimulatedPage | undefined, asks: boolean): void {
    if (page === undefined) return
    if (asks) known.switchOn(page)
    else known.takeBack(page)
    page.hub.setAsks(undefined, asks)
  }

  function startPage(asks: boolean): void {
    for (const page of all.pages) if (page.state === 'killed') known.takeBack(page)
    const page = all.startPage(asks)
    if (asks) known.switchOn(page)
  }

  function startServer(): void {
    if (all.servers.length > 3) return
    const server = all.startServer()
    // Clients send calls with their first message.
    for (let calls = random(4); calls > 0; calls -= 1) call(server, one(['write_file', 'bash', 'read_file']) ?? '')
  }

  const userEvents: Array<[number, () => void]> = [
    [12, decide],
    [2, () => serving().length < 2 && startPage(random(3) > 0)],
    [2, startServer],
    [3, () => askAll(one(serving()), random(3) > 0)],
    [
      2,
      // Before any server has heard of it.
      () => {
        askAll(one(serving()), true)
        for (const server of all.servers) call(server, 'bash')
      },
    ],
    [
      3,
      () => {
        const page = one(serving())
        const client = page && one(page.hub.activity().clients)
        if (client) page.hub.setAsks(client.id, random(2) === 0)
      },
    ],
    [
      1,
      () => {
        const page = one(all.pages.filter(({ state }) => state === 'serving' || state === 'hung'))
        if (page === undefined) return
        const how = random(2) === 0 ? 'killed' : 'ended'
        if (how === 'ended') known.takeBack(page)
        all.endPage(page, how)
      },
    ],
    [
      1,
      () => {
        const page = one(serving())
        if (page) page.state = 'hung'
      },
    ],
    [2, resume],
    [2, () => one(all.connections)?.cut()],
    [
      14,
      () => {
        const server = one(all.servers)
        if (server) call(server, one(['write_file', 'bash', 'read_file']) ?? '')
      },
    ],
  ]

  function resume(): void {
    for (const page of all.pages) if (page.state === 'hung') page.state = 'serving'
  }

  function userActs(): void {
    let at = random(userEvents.reduce((sum, [weight]) => sum + weight, 0))
    for (const [weight, act] of userEvents) {
      at -= weight
      if (at >= 0) continue
      act()
      return
    }
  }

  startPage(random(4) > 0)
  startServer()
  for (let steps = 0; steps < 120; steps += 1) {
    if (random(3) === 0) userActs()
    else all.step()
    known.look(all)
    for (let turns = random(3); turns > 0; turns -= 1) await nextTurn()
  }
  // Every call is answered, also if a page hangs on.
  if (random(2) === 0) resume()
  while (running.size > 0) {
    decide()
    all.step()
    known.look(all)
    await nextTurn()
  }
  all.close()
  return { wrong: known.wrong, answers }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

test('while a client has to ask, nothing runs that was not allowed, and every call is answered', async () => {
  const rounds = scaled(1000)
  const all: string[] = []
  for (let next = 0; next < rounds; ) {
    const seeds = Array.from({ length: Math.min(8, rounds - next) }, () => seeded(1000 + next++))
    const results = await Promise.all(
      seeds.map(async (seed) => ({ seed, ...(await round(randomFrom(seed), await temporaryDirectory())) })),
    )
    for (const { seed, wrong, answers } of results) {
      expect(wrong, `seed ${seed}`).toEqual([])
      all.push(...answers)
    }
  }
  // All that can become of a call has come about.
  const kinds = [
    /^done$/,
    /did not allow/,
    /nobody answered/,
    /without being stopped/,
    /no page is open/,
    /does not answer/,
  ]
  for (const kind of kinds) expect(all.filter((answer) => kind.test(answer)).length, String(kind)).toBeGreaterThan(0)
  expect(all.filter((answer) => !kinds.some((kind) => kind.test(answer)) && !/abort|cancel/i.test(answer))).toEqual([])
}, 240_000)
