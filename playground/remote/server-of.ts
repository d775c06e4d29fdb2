import { uiQuery } from '../../src/engine/ui-protocol.js'
import type { RemoteFiles } from '../../web/remote/remote.js'

/** True for a page that `polyfs ui` serves. */
export const isServerPage = new URLSearchParams(location.search).has(uiQuery)

/** Other programs change the directory too. */
const lookEveryMs = 3000

const opened = new WeakMap<object, RemoteFiles>()

/** Remembers the server behind the endpoint that the app uses. */
export function rememberServer(files: object, server: RemoteFiles): void {
  opened.set(files, server)
}

/** The server behind the files; undefined for a workspace of the browser. */
export function serverOf(files: object): RemoteFiles | undefined {
  return opened.get(files)
}

/** Calls `look` now and then while the page is visible, until the returned function is called. */
export function lookNowAndThen(look: () => void): () => void {
  const timer = setInterval(() => !document.hidden && look(), lookEveryMs)
  return () => clearInterval(timer)
}

/** The server does not let the page in. By its name: the connection is loaded only where there is a server. */
export function isNotAdmitted(error: unknown): boolean {
  return error instanceof Error && error.name === 'NotAdmitted'
}
