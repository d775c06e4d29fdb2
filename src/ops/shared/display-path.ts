import { isWithin, relative } from '../../fs/path.js'
import { printable } from '../../text/printable.js'
import type { Workspace } from '../../workspace.js'

/** A path for people: relative to the workspace root; one outside, or not resolved, as given. */
export function displayPath(path: string, { root }: Workspace): string {
  if (!path.startsWith('/') || !isWithin(root, path)) return printable(path)
  return printable(relative(root, path)) || '.'
}
