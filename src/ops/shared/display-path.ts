import { isWithin, relative } from '../../fs/path.js'
import { printable } from '../../text/printable.js'
import type { Workspace } from '../../workspace/workspace.js'

/** A path for people: relative to the workspace root; one outside, or not resolved, as given. */
export function displayPath(path: string, workspace: Workspace): string {
  const { root } = workspace
  if (!path.startsWith('/') || !isWithin(root, path)) return shownPath(path, workspace)
  return printable(relative(root, path)) || '.'
}

/** An absolute path as the host writes it; one that is relative, or not resolved, as given. */
export function shownPath(path: string, { fs }: Pick<Workspace, 'fs'>): string {
  return printable(fs.show(path))
}
