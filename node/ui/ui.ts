/** The page beside a server: everything that `--ui` and `polyfs ui` load. */
import { randomBytes } from 'node:crypto'
import { uiPaths } from '../../src/engine/ui-protocol.js'
import { errorResponse } from '../../src/mcp/http/error-response.js'
import type { Dialect } from '../../src/tools/dialect.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { guardedServer } from '../serve/guarded-server.js'
import type { PageFiles } from '../serve/page-files.js'
import { type PageWatch, pagesFolder, type WatchedServer } from '../serve/page-watch.js'
import { createMember, type Member } from './member.js'
import { openInBrowser } from './open-browser.js'
import { pageLinks } from './page-links.js'
import {
  type Announcement,
  announcePage,
  reachPage as overSockets,
  type ReachPage,
  removeGonePages,
} from './presence.js'
import { serveUi, type Ui } from './serve-ui.js'

export interface WatchedOptions {
  workspace: Workspace
  dialect: string
  over: 'stdio' | 'http'
  askMs: number
  /** Lists the files of the pages of other processes. */
  pages(): string[]
  /** How those are reached; over WebSockets unless given. */
  reachPage?: ReachPage
}

export type WatchedMember = WatchedServer & { readonly member: Member }

/** This server, as pages see it. */
export function watchedServer({
  workspace,
  askMs,
  pages,
  reachPage = overSockets,
  ...about
}: WatchedOptions): WatchedMember {
  const roots = workspace.fs.roots.map(({ path }) => path)
  const member = createMember({
    ...about,
    pid: process.pid,
    roots,
    askMs,
    pages: { hear: (signal) => links.hear(pages, signal), find: (signal) => links.find(pages(), signal) },
  })
  const links = pageLinks({ member, changes: workspace.changes, reachPage })
  return {
    watches: member.watches,
    begin: member.begin,
    meet: member.meet,
    part: member.part,
    member,
    joinPages: links.join,
  }
}

export interface PageOptions {
  workspace: Workspace
  dialect: Dialect
  page: PageFiles
  shell: boolean
  ask: boolean
  member: Member
  stateDirectories: readonly string[]
  /** Called with the name of the page's file before that file exists. */
  watch: Pick<PageWatch, 'ignore'>
  onFault(fault: unknown): void
}

export interface ServedPage {
  readonly ui: Ui
  /** Where the page is; it is announced to other servers, in place of pages that were killed. */
  listening(origin: string): Promise<void>
  /** Opens the page in a browser; false if there is none. */
  open(): boolean
  /** An address that works once. */
  address(): string
  close(): void
}

export function servedPage({ stateDirectories, watch, ...options }: PageOptions): ServedPage {
  let announced: Announcement | undefined
  const ui = serveUi({ ...options, announce: (asking) => announced?.update(asking) })
  const withdraw = () => announced?.withdraw()
  let at = ''
  return {
    ui,
    async listening(origin) {
      at = origin
      const url = `${reachable(origin).replace(/^http/, 'ws')}${uiPaths.member}`
      const name = `${process.pid}-${randomBytes(6).toString('hex')}.json`
      watch.ignore(name)
      announced = announcePage(stateDirectories, name, { url, secret: ui.memberSecret, asking: ui.hub.asking })
      process.once('exit', withdraw)
      await removeGonePages(stateDirectories)
    },
    address: () => ui.address(at),
    open() {
      const [first] = stateDirectories
      return first !== undefined && openInBrowser(ui.address(at), pagesFolder(first))
    },
    close() {
      withdraw()
      ui.close()
    },
  }
}

/** A server that listens on all addresses has a name of its own only where others connect to it. */
function reachable(origin: string): string {
  return origin.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

/** Serves only the page, on a free port of the loopback address. */
export async function servePageAlone(
  page: ServedPage,
  onFault: (fault: unknown) => void,
): Promise<() => Promise<void>> {
  const { ui } = page
  const nothing = async () =>
    errorResponse(404, -32000, 'Not found: this server has a page only; its client is on standard input')
  const { origin, close } = await guardedServer({ page: ui.page, upgrade: ui.upgrade, onFault }, nothing)
  await page.listening(origin)
  return close
}
