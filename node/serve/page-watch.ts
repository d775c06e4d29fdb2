/** Lets a page of `polyfs ui` watch this server, once there is one. Until then nothing of that is loaded. */
import fs from 'node:fs'
import path from 'node:path'
import type { CallWatcher } from '../../src/tools/observed.js'
import type { ClientInfo, Session } from '../../src/workspace.js'

/** What is loaded with the first page. */
export interface WatchedServer extends CallWatcher {
  meet(client: ClientInfo, session: Session): void
  /** Reports to the page's server that the file describes, until that ends. */
  joinPage(file: string): Promise<void>
}

export interface PageWatch extends CallWatcher {
  /** A client has introduced itself. */
  meet(client: ClientInfo, session: Session): void
  /** Watches from now on, whether or not there is a page. */
  load(): Promise<WatchedServer>
  close(): void
}

/** Clients that introduced themselves before there was a page. */
const maxMet = 100

/** The folder of a state directory in which servers of pages have a file each. */
export function pagesFolder(stateDirectory: string): string {
  return path.join(stateDirectory, 'ui')
}

/** Looks for pages in the state directories of the roots. */
export function pageWatch(stateDirectories: readonly string[], open: () => Promise<WatchedServer>): PageWatch {
  const joined = new Set<string>()
  const watchers: fs.FSWatcher[] = []
  const met: { client: ClientInfo; session: Session }[] = []
  let loading: Promise<WatchedServer> | undefined
  let loaded: WatchedServer | undefined
  let isOver = false

  function load(): Promise<WatchedServer> {
    loading ??= open().then((server) => {
      loaded = server
      for (const { client, session } of met) server.meet(client, session)
      met.length = 0
      return server
    })
    return loading
  }

  function look(folder: string): void {
    for (const name of filesIn(folder)) {
      const file = path.join(folder, name)
      // This process has a page of its own, to which it reports directly.
      if (isOver || joined.has(file) || name.startsWith(`${process.pid}-`)) continue
      joined.add(file)
      // A file that can't be read, or a page that is gone, is no failure of this server.
      void load()
        .then((server) => server.joinPage(file))
        .catch(() => {})
        .then(() => joined.delete(file))
    }
  }

  for (const folder of stateDirectories.map(pagesFolder)) {
    try {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
      watchers.push(fs.watch(folder, { persistent: false }, () => look(folder)).on('error', () => {}))
    } catch {
      // Without a watch, only pages that are open already are found.
    }
    look(folder)
  }

  return {
    get isWatching() {
      return loaded?.isWatching ?? false
    },
    begin(call) {
      // Only called while it watches.
      if (loaded === undefined) throw new Error('Nobody watches')
      return loaded.begin(call)
    },
    meet(client, session) {
      if (loaded !== undefined) return loaded.meet(client, session)
      met.push({ client, session })
      if (met.length > maxMet) met.shift()
    },
    load,
    close() {
      isOver = true
      for (const watcher of watchers) watcher.close()
    },
  }
}

function filesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    return []
  }
}
