import fs from 'node:fs'
import { isLockName, lockName } from '../../src/fs/staged-name.js'
import { isOwnSocket, temporaryName } from '../locks/listener.js'
import type { Place } from './anchor.js'

/** Removes an empty directory; a lock of ours in it goes too, for whoever removes a directory may hold it. */
export function removeDirectory({ entry, parent }: Pick<Place, 'entry' | 'parent'>): void {
  try {
    fs.rmdirSync(entry)
  } catch (error) {
    const isNotEmpty = error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY'
    if (!isNotEmpty || !isHeldByUs(entry)) throw error
    removeHeld(entry, parent)
  }
}

/** True where nothing but locks is left, and we hold the directory's. What has such a name and is no socket is someone's file. */
function isHeldByUs(entry: string): boolean {
  const entries = fs.readdirSync(entry, { withFileTypes: true })
  return entries.every((one) => one.isSocket() && isLockName(one.name)) && isOwnSocket(`${entry}/${lockName}`)
}

/** The lock waits beside the directory: should that not be empty after all, it is put back. */
function removeHeld(entry: string, parent: string): void {
  const waiting = `${parent}/${temporaryName(lockName)}`
  // While the lock is held, nobody has a use for what is left of taking over a dead one.
  for (const name of fs.readdirSync(entry)) if (name !== lockName) fs.rmSync(`${entry}/${name}`, { force: true })
  fs.renameSync(`${entry}/${lockName}`, waiting)
  try {
    fs.rmdirSync(entry)
  } catch (error) {
    fs.linkSync(waiting, `${entry}/${lockName}`)
    throw error
  } finally {
    fs.unlinkSync(waiting)
  }
}
