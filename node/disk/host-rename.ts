/** Renames on the host, with the errors of the core. */
import fs from 'node:fs'
import { FsError } from '../../src/errors.js'
import { isWithin } from '../../src/fs/path.js'
import type { DeferredClose } from './deferred-close.js'
import { lstat } from './host-stat.js'

/** An entry, by its path in the core and its path on the host. */
export interface Named {
  path: string
  entry: string
}

/** The blocks of a replaced file are freed later. */
export function renameEntry(from: Named, to: Named, { withoutFreeing }: DeferredClose): void {
  // Other kernels refuse these renames themselves; there the check only finds the reason of a failure.
  if (process.platform === 'win32') refuseRename(from, to)
  try {
    withoutFreeing(to.entry, () => fs.renameSync(from.entry, to.entry))
  } catch (error) {
    refuseRename(from, to)
    throw error
  }
}

/** Throws the reason if `rename(2)` would refuse. */
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
