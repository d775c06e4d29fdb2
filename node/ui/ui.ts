/** The page beside a server: everything that `--ui` and `polyfs ui` load. */
import { errorResponse } from '../../src/mcp/http/error-response.js'
import type { Dialect } from '../../src/tools/dialect.js'
import type { Workspace } from '../../src/workspace.js'
import { guardedServer } from '../serve/guarded-server.js'
import type { PageFiles } from '../serve/page-files.js'
import { pagesFolder, type WatchedServer } from '../serve/page-watch.js'
import { createMember, type Member } from './member.js'
import { openInBrowser } from './open-browser.js'
import { announcePage, joinPage } from './presence.js'
import { serveUi, type Ui } from './serve-ui.js'

export interface WatchedOptions {
  workspace: Workspace
  dialect: string
  over: 'stdio' | 'http'
  askMs: number
}

export type WatchedMember = WatchedServer & { readonly member: Member }

/** This server, as pages see it. */
export function watchedServer({ workspace, askMs, ...about }: WatchedOptions): WatchedMember {
  const roots = workspace.fs.roots.map(({ path }) => path)
  const member = createMember({ ...about, pid: process.pid, roots, askMs })
  return {
    get isWatching() {
      return member.isWatching
    },
    begin: member.begin,
    meet: member.meet,
    member,
    joinPage: (file) => joinPage(member, workspace, file),
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
  onFault(fault: unknown): void
}

export interface ServedPage {
  readonly ui: Ui
  /** Where the page is; it is announced to other servers. */
  listening(origin: string): void
  /** Opens the page in a browser; false if there is none. */
  open(): boolean
  /** An address that works once. */
  address(): string
  close(): void
}

export function servedPage({ stateDirectories, ...options }: PageOptions): ServedPage {
  const ui = serveUi(options)
  let at = ''
  let withdraw = () => {}
  return {
    ui,
    listening(origin) {
      at = origin
      const url = `${origin.replace(/^http/, 'ws')}/ui/member`
      withdraw = announcePage(stateDirectories, { url, secret: ui.memberSecret })
      process.once('exit', withdraw)
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

/** Serves only the page, on a free port of the loopback address. */
export async function servePageAlone(
  page: ServedPage,
  onFault: (fault: unknown) => void,
): Promise<() => Promise<void>> {
  const { ui } = page
  const nothing = async () =>
    errorResponse(404, -32000, 'Not found: this server has a page only; its client is on standard input')
  const { origin, close } = await guardedServer({ page: ui.page, upgrade: ui.upgrade, onFault }, nothing)
  page.listening(origin)
  return close
}
