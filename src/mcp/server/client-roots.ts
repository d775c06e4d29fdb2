import type { Server } from '@modelcontextprotocol/server'
import { isFsError } from '../../errors.js'
import type { Workspace } from '../../workspace/workspace.js'

/** A client that does not answer within this time has no roots. */
const timeoutMs = 5_000

/**
 * The workspace of a connection, narrowed to the roots that its client announces. Roots outside of it are ignored; if all are outside, the
 * whole workspace is used. The newest protocol revision has no roots.
 */
export function clientRoots(server: Server, workspace: Workspace): () => Promise<Workspace> {
  let narrowed: Promise<Workspace> = Promise.resolve(workspace)

  async function narrow(): Promise<Workspace> {
    if (server.getClientCapabilities()?.roots === undefined) return workspace
    const announced = await server.listRoots(undefined, { timeout: timeoutMs }).catch(() => ({ roots: [] }))
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
    // The next tool call reports the error.
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

/** The path of a `file:` URI on this machine. */
function pathOf(uri: string): string | undefined {
  const [, path] = /^file:\/\/(?:localhost)?(\/.*)$/i.exec(uri) ?? []
  try {
    return path === undefined ? undefined : decodeURIComponent(path)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
