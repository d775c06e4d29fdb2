import { printable } from '../../text/printable.js'
import type { Workspace } from '../../workspace/workspace.js'

/**
 * A path with every link followed, checked for access before anything is read. Results show it in this form. The gate checks it again when
 * it is used.
 */
export async function allowed(path: string, right: 'read' | 'write', { fs, root }: Workspace): Promise<string> {
  const canonical = await locate(path, { fs, root })
  fs.authorize(canonical, right)
  return canonical
}

/** The path with every link followed; it need not exist. */
export function locate(path: string, { fs, root }: Pick<Workspace, 'fs' | 'root'>): Promise<string> {
  return fs.locate(fs.resolve(path, root))
}

/** The same for an entry that is moved or deleted: of a link, both its target and its own path must be allowed. Returns its own path. */
export async function allowedEntry(path: string, workspace: Workspace): Promise<string> {
  const { fs, root } = workspace
  await allowed(path, 'write', workspace)
  const entry = await fs.locate(fs.resolve(path, root), 'keep')
  fs.authorize(entry, 'write')
  return entry
}

/** Paths are printed in full; those that could not be resolved, as far as their spelling allows. */
export function displayPath(path: string, { fs, root }: Workspace): string {
  return printable(fs.showFull(path, root))
}
