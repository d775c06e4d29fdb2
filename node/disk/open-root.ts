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

/** Linux's type numbers: in memory nothing is gained, and NFS keeps a removed file that is open under another name, so that its directory is not empty. */
const tmpfs = 0x01021994
const nfs = 0x6969

/** Whether removed files may be held open for a while, so that their blocks are freed later; true if unknown. */
export function mayHoldRemoved(root: string): boolean {
  try {
    const { type } = fs.statfsSync(root)
    return type !== tmpfs && type !== nfs
  } catch {
    return true
  }
}
