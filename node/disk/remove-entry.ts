import fs from 'node:fs'
import { isLockName, lockName } from '../../src/fs/staged-name.js'
import type { Place } from './anchor.js'
import type { DeferredClose } from './deferred-close.js'
import { lstat } from './host-stat.js'
import { isErrno } from './is-errno.js'
import { isOwnSocket, temporaryName } from './own-sockets.js'

type EntryAndParent = Pick<Place, 'entry' | 'parent'>

/** Removes a file, a link or an empty directory. The blocks of a file are freed later. */
export function removeEntry(place: EntryAndParent, { withoutFreeing }: DeferredClose): void {
  const { entry } = place
  if (fs.lstatSync(entry).isDirectory()) removeDirectory(place)
  else withoutFreeing(entry, () => fs.unlinkSync(entry))
}

/** Removes an empty directory, together with a lock of ours in it: the caller may hold that lock. */
function removeDirectory({ entry, parent }: EntryAndParent): void {
  try {
    fs.rmdirSync(entry)
  } catch (error) {
    if (!isErrno(error, 'ENOTEMPTY') || !isHeldByUs(entry)) throw error
    removeHeld(entry, parent)
  }
}

/** True if only locks are left, and we hold the directory's. An entry with such a name that is not a socket is a user's file. */
function isHeldByUs(entry: string): boolean {
  // A listing of Deno does not show which entries are sockets.
  const isSocket = (name: string) => lstat(`${entry}/${name}`)?.isSocket() ?? true
  const listed = fs.readdirSync(entry, { withFileTypes: true })
  return listed.every(({ name }) => isLockName(name) && isSocket(name)) && isOwnSocket(`${entry}/${lockName}`)
}

/** Moves the lock out of the directory first, and restores it if the directory is not empty after all. */
function removeHeld(entry: string, parent: string): void {
  const moved = `${parent}/${temporaryName(lockName)}`
  // Leftovers of taking over a dead lock; unused while the lock is held.
  for (const name of fs.readdirSync(entry)) if (name !== lockName) fs.rmSync(`${entry}/${name}`, { force: true })
  fs.renameSync(`${entry}/${lockName}`, moved)
  try {
    fs.rmdirSync(entry)
  } catch (error) {
    fs.linkSync(moved, `${entry}/${lockName}`)
    throw error
  } finally {
    fs.unlinkSync(moved)
  }
}
