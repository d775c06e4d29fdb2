/** A rename on the host, refused as the core refuses it. */
import fs from 'node:fs'
import { FsError } from '../../src/errors.js'
import { isWithin } from '../../src/fs/path.js'
import type { DeferredClose } from './deferred-close.js'
import { lstat } from './host-stat.js'

/** An entry, by the path the core knows and by the one the host does. */
export interface Named {
  path: string
  entry: string
}

/** What was at the target is let go of. */
export function renameEntry(from: Named, to: Named, { withoutFreeing }: DeferredClose): void {
  // Elsewhere the kernel refuses by itself what this refuses, and is only asked for the reason.
  if (process.platform === 'win32') refuseRename(from, to)
  try {
    withoutFreeing(to.entry, () => fs.renameSync(from.entry, to.entry))
  } catch (error) {
    refuseRename(from, to)
    throw error
  }
}

/** What `rename(2)` does not do, told by its reason. */
function refuseRename(from: Named, to: Named): void {
  const isDirectory = fs.lstatSync(from.entry).isDirectory()
  if (isDirectory && from.path !== to.path && isWithin(from.path, to.path)) {
    throw new FsError('INTO_ITSELF', { path: from.path, to: to.path })
  }
  const replaced = lstat(to.entry)
  if (replaced?.isDirectory() && !isDirectory) throw new FsError('IS_A_DIRECTORY', { path: to.path })
  if (replaced !== undefined && !replaced.isDirectory() && isDirectory) {
    throw new FsError('NOT_A_DIRECTORY', { path: to.path })
  }
}
