/** Where links lead, as text on the host and in the tree. */
import fs from 'node:fs'
import path from 'node:path'
import { FsError } from '../../src/errors.js'
import { decodeTarget } from '../../src/fs/link-target.js'

/** An absolute target is a path of the host; in this tree it counts from the root, or leads out of it. */
export function fromHostTarget(virtual: string, root: string, target: string): string {
  if (!path.isAbsolute(target)) return target.replaceAll(path.sep, '/')
  const inside = path.relative(root, target)
  if (inside === '..' || inside.startsWith(`..${path.sep}`) || path.isAbsolute(inside)) {
    throw new FsError('OUTSIDE', { path: virtual })
  }
  return `/${inside.replaceAll(path.sep, '/')}`
}

/** A target in the tree as the host writes it. */
export function toHostTarget(root: string, target: string): string {
  return target.startsWith('/') ? path.join(root, target) : target
}

/** What a link says, as the host wrote it. */
export function readTarget(virtual: string, entry: string): string {
  if (!fs.lstatSync(entry).isSymbolicLink()) throw new FsError('NOT_A_LINK', { path: virtual })
  return decodeTarget(fs.readlinkSync(entry, 'buffer'))
}
