/** Renames on the host, with the errors of the core. */
import fs from 'node:fs'
import { FsError } from '../../src/errors.js'
import { isWithin } from '../../src/fs/path.js'
import type { DeferredClose } from './deferred-close.js'
import { lstat } from './host-stat.js'
import { isErrno } from './is-errno.js'

/** An entry, by its path in the core and its path on the host. */
export interface Named {
  path: string
  entry: string
}

/** The blocks of a replaced file are freed later. */
export function renameEntry(
  from: Named,
  to: Named,
  { withoutFreeing }: DeferredClose,
  platform: NodeJS.Platform = process.platform,
): void {
  // Other kernels refuse these renames themselves; there the check only finds the reason of a failure.
  if (platform === 'win32') {
    refuseRename(from, to)
    makeRoom(from, to)
  }
  try {
    withoutFreeing(to.entry, () => fs.renameSync(from.entry, to.entry))
  } catch (error) {
    refuseRename(from, to)
    throw error
  }
}

/** Windows never replaces a directory; elsewhere an empty one is replaced by a directory. */
function makeRoom(from: Named, to: Named): void {
  if (from.path === to.path || !lstat(to.entry)?.isDirectory()) return
  // The same directory under a name in another case.
  if (from.path.toLowerCase() === to.path.toLowerCase()) return
  fs.rmdirSync(to.entry)
}

/** How long to wait between attempts: about three seconds in all. */
const pausesMs = [5, 10, 20, 40, 80, 160, 320, 640, 800, 1000]

/**
 * Repeats what Windows refuses while another program has a file open, as virus scanners and indexers do for a moment after each change.
 * Elsewhere an open file never is a reason.
 */
export async function whileInUse<Result>(
  act: () => Result,
  {
    platform = process.platform,
    pause = waitMs,
  }: { platform?: NodeJS.Platform; pause?: (ms: number) => Promise<void> } = {},
): Promise<Result> {
  if (platform !== 'win32') return act()
  for (const ms of pausesMs) {
    try {
      return act()
    } catch (error) {
      if (!isInUse(error)) throw error
    }
    await pause(ms)
  }
  return act()
}

/** What Windows reports for an entry that someone has open; also for one that the user may not change. */
export function isInUse(error: unknown): boolean {
  return ['EPERM', 'EACCES', 'EBUSY'].some((code) => isErrno(error, code))
}

function waitMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
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
