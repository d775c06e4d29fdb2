import { resolve } from '../../fs/path.js'
import { printable } from '../../text/printable.js'
import type { Workspace } from '../../workspace.js'

/**
 * A path as replay takes it: every link followed, and checked for the right before anything is looked at. It is also the one that is
 * told. What is done to it is checked again when it is done.
 */
export async function allowed(path: string, right: 'read' | 'write', { fs, root }: Workspace): Promise<string> {
  const canonical = await locate(path, { fs, root })
  fs.authorize(canonical, right)
  return canonical
}

/** The path with every link followed; what it names need not exist. */
export function locate(path: string, { fs, root }: Pick<Workspace, 'fs' | 'root'>): Promise<string> {
  return fs.locate(fs.resolve(path, root))
}

/** The same for an entry that is to go: of a link both the place it leads to and its own must be allowed, and its own is told. */
export async function allowedEntry(path: string, workspace: Workspace): Promise<string> {
  const { fs, root } = workspace
  await allowed(path, 'write', workspace)
  const entry = await fs.locate(fs.resolve(path, root), 'keep')
  fs.authorize(entry, 'write')
  return entry
}

/** Paths are told as they are, absolute; those that could not be resolved, as far as their spelling goes. */
export function shown(path: string, { root }: Workspace): string {
  return printable(resolve(root, path))
}
