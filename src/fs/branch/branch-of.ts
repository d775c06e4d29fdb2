import type { Branch, BranchOptions, FileSystem } from '../types.js'
import { overlayBranch } from './overlay-branch.js'

/** A branch of any file system: by its own means where it has some, else an overlay in memory. */
export function branchOf(fs: FileSystem, options: BranchOptions): Branch {
  return fs.branch?.(options) ?? overlayBranch(fs, options)
}
