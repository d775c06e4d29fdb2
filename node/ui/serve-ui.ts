/** Serves the page on real directories: files, history, and what every client does. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { isDialectName, loadDialect } from '../../src/dialects/registry.js'
import { type Asking, type FromMember, uiPaths, uiProtocol, uiQuery } from '../../src/engine/ui-protocol.js'
import type { ConnectionOptions } from '../../src/engine/workspace-engine.js'
import type { Dialect } from '../../src/tools/dialect.js'
import { withStructuredResults } from '../../src/tools/structured-results.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { refuseUpgrade } from '../serve/guarded-server.js'
import type { PageFiles } from '../serve/page-files.js'
import { requestTarget } from '../serve/request-target.js'
import { createAccess } from './access.js'
import { createHub, type Hub } from './hub.js'
import type { Member } from './member.js'
import { type PageSession, pageSession } from './page-session.js'
import { uiRoutes } from './routes.js'
import { type Socket, socketServer } from './sockets.js'

export interface UiOptions {
  workspace: Workspace
  /** What clients are served; the page starts with it. */
  dialect: Dialect
  /** The built page. */
  page: PageFiles
  /** The page may run commands. */
  shell: boolean
  /** Clients have to ask before they change something, unless the user says otherwise. */
  ask: boolean
  /** Tells servers that have not joined whether all clients have to ask. */
  announce?: (asking: Asking) => void
  /** This server itself. */
  member: Member
  /** How long a page may be away before its session ends; a minute unless given. */
  awayMs?: number
  onFault(fault: unknown): void
}

export interface Ui {
  readonly hub: Hub
  /** To serve with `guardedServer`. */
  readonly page: PageFiles
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** An address for a browser. It works once. */
  address(origin: string): string
  /** The key with which other servers of this user join. */
  readonly memberSecret: string
  close(): void
}

const maxPages = 32

export function serveUi(options: UiOptions): Ui {
  const { member, onFault, awayMs = 60_000 } = options
  const access = createAccess()
  const hub = createHub({ newClientsAsk: options.ask, ...(options.announce && { announce: options.announce }) })
  const sockets = socketServer()
  const sessions = new Map<string, PageSession>()
  const { shell: _, ...withoutShell } = options.workspace
  const workspace = options.shell ? options.workspace : withoutShell
  const leave = joinHere()

  function joinHere(): () => void {
    const ends: Array<() => void> = []
    const leaveHub = hub.join((receive) => {
      const link = member.join('own', receive)
      const unsubscribe = options.workspace.changes.subscribe((changed) => receive({ changed }))
      ends.push(unsubscribe, () => link.leave({ isWithdrawn: true }))
      return link.receive
    })
    return () => {
      for (const end of [leaveHub, ...ends]) end()
    }
  }

  async function dialectFor({ dialect: name, structured = false }: ConnectionOptions = {}): Promise<Dialect> {
    const chosen = name === undefined || name === options.dialect.name ? options.dialect : await dialectCalled(name)
    return structured ? withStructuredResults(chosen) : chosen
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname, query } = requestTarget(request.url) ?? {}
    const key = keyOf(request)
    if (pathname === uiPaths.socket && access.isKey(key)) {
      void sockets.accept(request, socket, head).then((opened) => connectPage(opened, query))
    } else if (pathname === uiPaths.member && access.isMemberSecret(key)) {
      void sockets.accept(request, socket, head).then(connectMember)
    } else refuseUpgrade(socket, '401 Unauthorized')
  }

  function connectPage(socket: Socket, query = new URLSearchParams()): void {
    const known = sessions.get(query.get('session') ?? '')
    if (known?.connect(socket, Number(query.get('received')), false)) return
    const id = randomBytes(18).toString('base64url')
    const session = pageSession({
      id,
      workspace,
      dialectFor,
      dialect: options.dialect.name,
      hub,
      awayMs,
      onFault,
      onEnd: () => sessions.delete(id),
    })
    sessions.set(id, session)
    const [oldest] = sessions.values()
    if (sessions.size > maxPages) oldest?.end()
    session.connect(socket, 0, true)
  }

  function connectMember(socket: Socket): void {
    const leaveHub = hub.join((receive) => {
      socket.onMessage((data) => receive(JSON.parse(Buffer.from(data).toString('utf8')) as FromMember))
      return (message) => socket.send(JSON.stringify(message))
    })
    socket.onClose(leaveHub)
  }

  return {
    hub,
    page: uiRoutes({
      access,
      page: options.page,
      valuesOf: (id) => sessions.get(id)?.values,
      *allValues() {
        for (const { values } of sessions.values()) yield values
      },
    }),
    upgrade,
    address: (origin) => `${origin}/?${uiQuery}#token=${access.newToken()}`,
    memberSecret: access.memberSecret,
    close() {
      leave()
      for (const session of [...sessions.values()]) session.end()
      sockets.close()
    },
  }
}

async function dialectCalled(name: string): Promise<Dialect> {
  if (!isDialectName(name)) throw new Error(`Unknown dialect ${name}`)
  return loadDialect(name)
}

/** Pages can't send headers with a WebSocket, so the key is the name of a subprotocol. */
function keyOf({ headers }: IncomingMessage): string {
  const names = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
  if (!names.includes(uiProtocol.name)) return ''
  return names.find((name) => name.startsWith(uiProtocol.key))?.slice(uiProtocol.key.length) ?? ''
}
