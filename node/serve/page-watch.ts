/** Lets a page of `polyfs ui` watch this server, once there is one. Until then nothing of that is loaded. */
import fs from 'node:fs'
import path from 'node:path'
import type { CallWatcher } from '../../src/tools/observed.js'
import type { ClientInfo, Session } from '../../src/workspace/workspace.js'

/** What is loaded with the first page. */
export interface WatchedServer extends CallWatcher {
  meet(client: ClientInfo, session: Session): void
  part(session: Session): void
  /** Joins the pages that these files describe, and leaves all others. */
  joinPages(files: readonly string[]): void
}

export interface PageWatch extends CallWatcher {
  /** A client has introduced itself. */
  meet(client: ClientInfo, session: Session): void
  /** A client has disconnected. */
  part(session: Session): void
  /** Watches from now on, whether or not there is a page. */
  load(): Promise<WatchedServer>
  /** The page with this file is this server's own, to which it reports directly. */
  ignore(name: string): void
  close(): void
}

/** Clients that introduced themselves before there was a page. */
const maxMet = 100

/** The folder of a state directory in which servers of pages have a file each. */
export function pagesFolder(stateDirectory: string): string {
  return path.join(stateDirectory, 'ui')
}

/** True for the name of such a file. */
export function isPageFile(name: string): boolean {
  return name.endsWith('.json')
}

/** Looks for pages in the state directories of the roots. `open` gets what lists the files of all pages but its own. */
export function pageWatch(
  stateDirectories: readonly string[],
  open: (pages: () => string[]) => Promise<WatchedServer>,
): PageWatch {
  const folders = stateDirectories.map(pagesFolder)
  const own = new Set<string>()
  const watchers: fs.FSWatcher[] = []
  const met: { client: ClientInfo; session: Session }[] = []
  let loading: Promise<WatchedServer> | undefined
  let loaded: WatchedServer | undefined
  let isOver = false

  function load(): Promise<WatchedServer> {
    loading ??= open(pages).then((server) => {
      loaded = server
      for (const { client, session } of met) server.meet(client, session)
      met.length = 0
      return server
    })
    return loading
  }

  function pages(): string[] {
    return folders.flatMap((folder) => filesIn(folder).filter((file) => !own.has(path.basename(file))))
  }

  /** True when there is a page. */
  function look(): boolean {
    const files = isOver ? [] : pages()
    if (loaded !== undefined) loaded.joinPages(files)
    else if (files.length > 0) void load().then((server) => server.joinPages(files), ignoreFailure)
    return files.length > 0
  }

  function lookNow(): void {
    try {
      look()
    } catch {
      // A call that may have to be allowed looks again, and fails.
    }
  }

  for (const folder of folders) {
    try {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
      watchers.push(fs.watch(folder, { persistent: false }, lookNow).on('error', () => {}))
    } catch {
      // Without a watch, pages are found with the next call that changes something.
    }
  }
  lookNow()

  function watches(kind: 'read'): boolean
  function watches(kind: 'read' | 'write' | 'command'): boolean | Promise<boolean>
  function watches(kind: 'read' | 'write' | 'command'): boolean | Promise<boolean> {
    // The page may have opened at this moment, and the user may have to allow the call.
    const hasPage = kind !== 'read' && look()
    if (loaded !== undefined) return hasPage || loaded.watches('read')
    return hasPage && load().then(() => true)
  }

  return {
    watches,
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
    part(session) {
      if (loaded !== undefined) return loaded.part(session)
      met.splice(0, met.length, ...met.filter((one) => one.session !== session))
    },
    load,
    ignore: (name) => void own.add(name),
    close() {
      isOver = true
      for (const watcher of watchers) watcher.close()
    },
  }
}

/** A call that needs a page's answer gets the failure itself. */
function ignoreFailure(): void {}

/** Fails when it can't be known. */
function filesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).flatMap((name) => (isPageFile(name) ? path.join(folder, name) : []))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}
