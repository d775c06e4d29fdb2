/** Translates link targets between the host and the tree. */
import fs from 'node:fs'
import path from 'node:path'
import { FsError } from '../../src/errors.js'
import { decodeTarget } from '../../src/fs/link-target.js'

/** Makes an absolute target, which is a host path, start at the root. Throws if it leads out of the root. */
export function fromHostTarget(virtual: string, root: string, target: string): string {
  if (!path.isAbsolute(target)) return target.replaceAll(path.sep, '/')
  const inside = path.relative(root, target)
  if (inside === '..' || inside.startsWith(`..${path.sep}`) || path.isAbsolute(inside)) {
    throw new FsError('OUTSIDE', { path: virtual })
  }
  return `/${inside.replaceAll(path.sep, '/')}`
}

/** A target in the tree, as the host stores it. */
export function toHostTarget(root: string, target: string): string {
  return target.startsWith('/') ? path.join(root, target) : target
}

/** The target of a link, as the host stores it. */
export function readTarget(virtual: string, entry: string): string {
  if (!fs.lstatSync(entry).isSymbolicLink()) throw new FsError('NOT_A_LINK', { path: virtual })
  // Deno ignores the encoding unless it is in an object.
  return decodeTarget(fs.readlinkSync(entry, { encoding: 'buffer' }))
}
