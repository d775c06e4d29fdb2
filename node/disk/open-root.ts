import fs from 'node:fs'
import path from 'node:path'
import { fromErrno } from '../../src/fs/errno.js'
import { type Anchor, anchorByDescriptor, anchorByWalk, canAnchorByDescriptor } from './anchor.js'
import { lstat } from './host-stat.js'

/** Opens the real directory behind `root`, wherever a link at `root` itself leads. */
export function openRoot(root: string, kind: Anchor['kind'] | undefined): Anchor {
  let real: string
  try {
    real = fs.realpathSync.native(path.resolve(root))
    fs.readdirSync(real)
    return (kind ?? (canAnchorByDescriptor() ? 'descriptor' : 'walk')) === 'descriptor'
      ? anchorByDescriptor(real)
      : anchorByWalk(real)
  } catch (error) {
    throw fromErrno(error, root)
  }
}

/** Tests whether the disk finds the same directory if the case of its name is changed. */
export function isCaseSensitive(root: string): boolean {
  const name = path.basename(root)
  const swapped = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()
  if (swapped === name) return process.platform !== 'win32' && process.platform !== 'darwin'
  const other = lstat(path.join(path.dirname(root), swapped))
  return other === undefined || other.ino !== fs.lstatSync(root).ino
}

/** Linux's type number of a file system in memory. */
const tmpfs = 0x01021994

/** Whether the root is in memory, where freeing blocks takes no time; false if unknown. */
export function isInMemory(root: string): boolean {
  try {
    return fs.statfsSync(root).type === tmpfs
  } catch {
    return false
  }
}
