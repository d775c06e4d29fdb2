/** What rules keep from one command: entries that are covered by empty ones, or can be read only. */
import fs from 'node:fs'
import { FsError } from '../../../src/errors.js'
import { O_PATH } from '../../disk/open-flags.js'
import { closeMounts, contains, type Mount, openBetween, procPath } from './root-mounts.js'

export interface Mask {
  /** On the host, and inside. */
  path: string
  kind: 'file' | 'directory'
  /** `hidden`: it appears empty. `read-only`: it can't be changed, moved or removed. */
  as: 'hidden' | 'read-only'
}

/** Each takes a descriptor, and so does each directory on the way to one. */
const maxMasks = 400

const { O_NOFOLLOW } = fs.constants

/**
 * Mounts over the entries. Every directory on the way is one too: the kernel does not let a command rename or remove mount points, so what is
 * covered can't be moved to a place where no rule is about it.
 */
export function openMasks(mounts: readonly Mount[], masks: readonly Mask[], emptyFile: string): Mount[] {
  if (masks.length > maxMasks) throw tooMany(masks.length)
  const opened: Mount[] = []
  const sorted = [...masks].sort((a, b) => a.path.length - b.path.length)
  const innermost = (path: string) =>
    [...mounts, ...opened]
      .filter(({ inside }) => contains(inside, path))
      .sort((a, b) => a.inside.length - b.inside.length)
      .at(-1)
  try {
    for (const { path, kind, as } of sorted) {
      const outer = innermost(path)
      if (outer === undefined || outer.access === 'hidden') continue
      const between = openBetween(outer, path)
      opened.push(...between)
      const { descriptor: parent = -1 } = between.at(-1) ?? outer
      const name = path.slice(path.lastIndexOf('/') + 1)
      const own = fs.openSync(`${procPath(parent)}/${name}`, O_PATH | O_NOFOLLOW)
      if (as === 'read-only') {
        opened.push({ inside: path, access: 'read-only', descriptor: own })
        continue
      }
      fs.closeSync(own)
      if (kind === 'directory') opened.push({ inside: path, access: 'hidden' })
      else opened.push({ inside: path, access: 'read-only', descriptor: fs.openSync(emptyFile, O_PATH | O_NOFOLLOW) })
    }
    return opened
  } catch (error) {
    closeMounts(opened)
    const [first] = sorted
    // Somebody has moved or removed it since the tree was looked through.
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      throw new FsError('BUSY', { path: first?.path ?? '/' }, { cause: error })
    }
    throw error
  }
}

function tooMany(count: number): FsError {
  const message = `the rules are about ${count} entries, and a sandbox can cover ${maxMasks}: let the rules name the directories that hold them`
  return new FsError('INVALID_INPUT', { issues: [{ at: ['rules'], kind: 'other', message }] })
}
