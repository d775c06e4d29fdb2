/** Directories in the tree that polyfs created. */
import type { Workspace } from '../../workspace/workspace.js'

/** Stores long output in a workspace that has no other place for it; never part of the project. */
export const spillDirectory = '.polyfs'

/** Directories in the tree that polyfs created. */
export function ownDirectories({ output }: Workspace): string[] {
  return output === undefined ? [spillDirectory] : []
}
