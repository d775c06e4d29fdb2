/** A page's server on a real directory, and pages that connect to it from Node. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { WebSocket as NodeWebSocket } from 'ws'
import { serveHttp } from '../../../node/serve/http.js'
import type { PageFiles } from '../../../node/serve/page-files.js'
import { createMember, type Member } from '../../../node/ui/member.js'
import { serveUi, type Ui } from '../../../node/ui/serve-ui.js'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import type { Activity, CallSeen } from '../../../src/engine/ui-protocol.js'
import { observed } from '../../../src/tools/observed.js'
import { enterServer } from '../../../web/remote/connection.js'
import { connectFiles, type RemoteEvents, type RemoteFiles } from '../../../web/remote/remote.js'
import { temporaryDirectory } from '../cli/run-cli.js'

export interface UiSite {
  origin: string
  url: string
  root: string
  state: string
  ui: Ui
  member: Member
  faults: unknown[]
  /** A token that was not used yet. */
  token(): string
  close(): Promise<void>
}

export interface UiSiteOptions {
  shell?: boolean
  ask?: boolean
  askMs?: number
  awayMs?: number
  port?: number
  page?: PageFiles
}

export async function uiSite(options: UiSiteOptions = {}): Promise<UiSite> {
  const { shell = false, ask = false, askMs = 60_000, awayMs, port = 0, page = async () => false } = options
  const base = await temporaryDirectory()
  const [root, state] = [join(base, 'project'), join(base, 'state')]
  await mkdir(root)
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], { stateDirectory: state })
  const faults: unknown[] = []
  const onFault = (fault: unknown) => void faults.push(fault)
  const member = createMember({ pid: process.pid, dialect: 'polyfs', over: 'http', roots: [root], askMs })
  const ui = serveUi({
    workspace,
    dialect: polyfs,
    page,
    shell,
    ask,
    member,
    onFault,
    ...(awayMs !== undefined && { awayMs }),
  })
  const server = await serveHttp({
    workspace,
    dialect: observed(polyfs, member),
    onClient: member.meet,
    onClientGone: member.part,
    page: ui.page,
    upgrade: ui.upgrade,
    port,
    onFault,
  })
  const origin = new URL(server.url).origin
  let isOpen = true
  const site: UiSite = {
    origin,
    url: server.url,
    root,
    state,
    ui,
    member,
    faults,
    token: () => new URLSearchParams(new URL(ui.address(origin)).hash.slice(1)).get('token') ?? '',
    async close() {
      if (!isOpen) return
      isOpen = false
      ui.close()
      await server.close()
      workspace.close()
    },
  }
  onTestFinished(() => site.close())
  return site
}

export interface Page extends RemoteFiles {
  key: string
  calls: Map<string, CallSeen>
  people: Array<Omit<Activity, 'calls'>>
  changed: string[][]
  states: boolean[]
  /** The connections it made. */
  sockets: NodeWebSocket[]
}

/** Opens a page as a browser does. */
export async function openPage(site: Pick<UiSite, 'origin' | 'token'>, events: RemoteEvents = {}): Promise<Page> {
  return connectPage(site.origin, await enterServer(site.origin, site.token()), events)
}

export async function connectPage(origin: string, key: string, events: RemoteEvents = {}): Promise<Page> {
  const seen = {
    calls: new Map<string, CallSeen>(),
    people: [] as Array<Omit<Activity, 'calls'>>,
    changed: [] as string[][],
    states: [] as boolean[],
    sockets: [] as NodeWebSocket[],
  }
  const files = await connectFiles(
    {
      server: origin,
      key,
      openSocket(url, protocols) {
        const socket = new NodeWebSocket(url, protocols, { origin })
        seen.sockets.push(socket)
        return socket as never
      },
    },
    {
      onCall: (call) => void seen.calls.set(call.id, call),
      onPeople: (people) => void seen.people.push(people),
      onChanged: ({ steps }) => void seen.changed.push(steps.map(({ path }) => path)),
      onState: (isConnected) => void seen.states.push(isConnected),
      ...events,
    },
  )
  onTestFinished(() => files.close())
  return { ...files, ...seen, key }
}
