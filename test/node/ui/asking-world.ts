/**
 * Pages, servers and clients in one process, where every message between them arrives when `step` chooses. Real are the files by which pages are
 * found, what watches them, both ends of each connection, and the dialect's wrapper; the sockets between and the tools are not.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pagesFolder, pageWatch } from '../../../node/serve/page-watch.js'
import { createHub, type Hub } from '../../../node/ui/hub.js'
import { type Announcement, announcePage, type Presence } from '../../../node/ui/presence.js'
import type { Socket } from '../../../node/ui/sockets.js'
import { watchedServer } from '../../../node/ui/ui.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import type { FromMember, ToMember } from '../../../src/engine/ui-protocol.js'
import { memory } from '../../../src/fs/backends/memory.js'
import type { Dialect } from '../../../src/tools/dialect.js'
import { overrideTool, text } from '../../../src/tools/make-tool.js'
import { observed } from '../../../src/tools/observed.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Session } from '../../../src/workspace/workspace.js'
import type { Random } from '../../core/search/generated-trees.js'

type Queue = Array<() => void>

export interface Connection {
  page: SimulatedPage
  server: SimulatedServer
  toPage: Queue
  toServer: Array<{ message: ToMember; deliver(): void }>
  isOpen: boolean
  cut(): void
}

export interface SimulatedPage {
  id: string
  hub: Hub
  state: 'serving' | 'hung' | 'killed' | 'ended'
  announcement: Announcement
}

export interface SimulatedServer {
  /** The name of its only client. */
  client: string
  session: Session
  dialect: Dialect
  close(): void
}

export interface WorldOptions {
  stateDirectory: string
  random: Random
  askMs: number
  /** A changing call runs. */
  onLanded(marker: string): void
  /** A server gets a message from a page. */
  onDelivered(server: SimulatedServer, message: ToMember, page: SimulatedPage): void
}

export type World = ReturnType<typeof world>

export function world({ stateDirectory, random, askMs, onLanded, onDelivered }: WorldOptions) {
  mkdirSync(pagesFolder(stateDirectory), { recursive: true })
  const pages: SimulatedPage[] = []
  const servers: SimulatedServer[] = []
  const connections: Connection[] = []
  /** What happens at some time, in any order. */
  const events: Queue = []
  const workspace = createWorkspace({ fs: memory({}) })

  function startPage(asks: boolean): SimulatedPage {
    const id = `page-${pages.length}`
    const hub: Hub = createHub({ newClientsAsk: asks, announce: (asking) => announcement.update(asking) })
    const place = { url: `ws://${id}/ui/member`, secret: id, asking: hub.asking }
    const announcement = announcePage([stateDirectory], `${id}.json`, place)
    const page: SimulatedPage = { id, hub, state: 'serving', announcement }
    pages.push(page)
    // As a new page does with those that were killed.
    for (const old of pages) if (old.state === 'killed') old.announcement.withdraw()
    return page
  }

  function endPage(page: SimulatedPage, how: 'killed' | 'ended'): void {
    page.state = how
    if (how === 'ended') page.announcement.withdraw()
    for (const connection of connections) if (connection.page === page) connection.cut()
  }

  function startServer(): SimulatedServer {
    const client = `client-${servers.length}`
    const watch = pageWatch([stateDirectory], async (listed) => {
      await new Promise<void>((resolve) => void events.push(resolve))
      return watchedServer({
        workspace,
        dialect: 'polyfs',
        over: 'stdio',
        askMs,
        pages: listed,
        reachPage: (presence) => reach(server, presence),
      })
    })
    const tools = polyfs.tools.map((tool) =>
      overrideTool(tool, {
        async call(args) {
          if (tool.name !== 'read_file') onLanded((args as { marker: string }).marker)
          return text('done')
        },
      }),
    )
    const dialect = observed({ ...polyfs, tools }, watch)
    const server: SimulatedServer = { client, session: {}, dialect, close: watch.close }
    servers.push(server)
    watch.meet({ name: client }, server.session)
    return server
  }

  function reach(server: SimulatedServer, { secret }: Presence): Promise<Socket | 'gone' | 'silent'> {
    return new Promise((resolve) => {
      events.push(() => {
        const page = pages.find(({ id }) => id === secret)
        if (page === undefined || page.state === 'killed' || page.state === 'ended') resolve('gone')
        else resolve(page.state === 'hung' ? 'silent' : connect(server, page))
      })
    })
  }

  function connect(server: SimulatedServer, page: SimulatedPage): Socket {
    const early: ToMember[] = []
    const closed: Array<() => void> = []
    let listen: ((data: Uint8Array, isText: boolean) => void | Promise<void>) | undefined
    let receive = (_message: FromMember) => {}

    function give(message: ToMember): void {
      if (listen === undefined) return void early.push(message)
      onDelivered(server, message, page)
      void listen(Buffer.from(JSON.stringify(message)), true)
    }

    const connection: Connection = {
      page,
      server,
      toPage: [],
      toServer: [],
      isOpen: true,
      cut() {
        if (!connection.isOpen) return
        connection.isOpen = false
        connection.toPage.length = 0
        // What was sent before may still arrive.
        if (random(2) === 0) connection.toServer.length = 0
        events.push(() => {
          connection.toServer.length = 0
          for (const run of closed) run()
        })
        events.push(leave)
      },
    }
    connections.push(connection)
    const leave = page.hub.join((take) => {
      receive = take
      return (message) => {
        if (connection.isOpen) connection.toServer.push({ message, deliver: () => give(message) })
      }
    })
    return {
      send(data) {
        if (connection.isOpen) connection.toPage.push(() => receive(JSON.parse(String(data)) as FromMember))
      },
      close: connection.cut,
      onMessage(listener) {
        listen = listener
        for (const message of early.splice(0)) give(message)
      },
      onClose: (run) => void closed.push(run),
    }
  }

  /** Lets one thing happen; false when nothing can. */
  function step(): boolean {
    const possible = [
      ...(events.length > 0 ? [() => events.splice(random(events.length), 1)[0]?.()] : []),
      ...connections.flatMap(({ page, toPage, toServer }) => [
        ...(toPage.length > 0 && page.state === 'serving' ? [() => toPage.shift()?.()] : []),
        ...(toServer.length > 0 ? [() => toServer.shift()?.deliver()] : []),
      ]),
    ]
    possible[random(possible.length)]?.()
    return possible.length > 0
  }

  return {
    pages,
    servers,
    connections,
    startPage,
    endPage,
    startServer,
    step,
    /** A call of a client; its answer's text. */
    async call(server: SimulatedServer, tool: string, marker: string, signal?: AbortSignal): Promise<string> {
      const found = server.dialect.tools.find(({ name }) => name === tool)
      if (found === undefined) throw new Error(`No tool ${tool}`)
      const { client: name, session } = server
      const context = { client: { name }, session, ...(signal && { signal }) }
      const { content } = await found.call({ marker }, workspace, context)
      return content.map((part) => part.text).join('')
    },
    close() {
      for (const server of servers) server.close()
      for (const page of pages) endPage(page, 'ended')
      while (step());
    },
    folder: join(stateDirectory, 'ui'),
  }
}
