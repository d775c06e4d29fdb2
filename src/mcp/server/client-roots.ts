import type { Server } from '@modelcontextprotocol/server'
import { isFsError } from '../../errors.js'
import type { Workspace } from '../../workspace.js'

/** A client that does not answer is one without roots. */
const patienceMs = 5_000

/**
 * What a connection may reach: the workspace, narrowed to the roots that its client announces. Those that lie outside are passed over, and
 * where none lies inside nothing is narrowed. The newest protocol has no such announcements.
 */
export function clientRoots(server: Server, workspace: Workspace): () => Promise<Workspace> {
  let narrowed: Promise<Workspace> = Promise.resolve(workspace)

  async function narrow(): Promise<Workspace> {
    if (server.getClientCapabilities()?.roots === undefined) return workspace
    const announced = await server.listRoots(undefined, { timeout: patienceMs }).catch(() => ({ roots: [] }))
    const inside: string[] = []
    for (const { uri } of announced.roots) {
      const path = pathOf(uri)
      if (path !== undefined && (await isInside(workspace, path))) inside.push(path)
    }
    const [first, ...rest] = inside
    return first === undefined ? workspace : workspace.narrow([first, ...rest])
  }

  const renew = () => {
    narrowed = narrow()
    // Whoever calls a tool hears of it.
    narrowed.catch(() => {})
  }
  server.oninitialized = renew
  server.setNotificationHandler('notifications/roots/list_changed', renew)
  return () => narrowed
}

async function isInside({ fs, root }: Workspace, path: string): Promise<boolean> {
  try {
    const real = await fs.realPath(fs.resolve(path, root))
    return (await fs.stat(real)).kind === 'directory'
  } catch (error) {
    if (isFsError(error)) return false
    throw error
  }
}

/** The path of a `file:` address of this machine. */
function pathOf(uri: string): string | undefined {
  const [, path] = /^file:\/\/(?:localhost)?(\/.*)$/i.exec(uri) ?? []
  try {
    return path === undefined ? undefined : decodeURIComponent(path)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
