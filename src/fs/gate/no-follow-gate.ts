import { FsError } from '../../errors.js'
import { isStagedName } from '../staged-name.js'
import { checked, withPieces } from '../sync-calls.js'
import type { Entry, FileSystem, LinkOptions } from '../types.js'

/** What a gate has to say about a path. The first two throw. */
export interface Checks {
  authorize(path: string, right: 'read' | 'write'): void
  refuseRoot(path: string): void
  /** Of a directory's entries those that a listing may tell of. */
  shown(directory: string, entries: Entry[]): Entry[]
}

/** A gate that follows no link: rights and roots are checked, and a link on the way is the file system's to refuse. */
export function exactly(fs: FileSystem, { authorize, refuseRoot, shown }: Checks): FileSystem {
  function check(path: string, right: 'read' | 'write'): void {
    if (!isNormal(path)) throw new FsError('OUTSIDE', { path })
    authorize(path, right)
  }

  function entry(path: string): void {
    check(path, 'write')
    refuseRoot(path)
  }

  const reads = (path: string) => check(path, 'read')
  const writes = (path: string) => check(path, 'write')
  const moves = (from: string, to: string) => {
    entry(from)
    entry(to)
  }

  const { pieces } = fs.writeFile
  const { look, makeDurable, symlink, readLink, setMode, setModified, open, sha256 } = fs
  return {
    capabilities: fs.capabilities,
    stat: checked(fs.stat, reads),
    readFile: checked(fs.readFile, reads),
    ...(look && { look: checked(look, reads) }),
    async readDir(path) {
      check(path, 'read')
      return shown(path, await fs.readDir(path))
    },
    writeFile: withPieces(checked(fs.writeFile, writes), pieces && checked(pieces, writes)),
    makeDir: checked(fs.makeDir, writes),
    remove: checked(fs.remove, entry),
    rename: checked(fs.rename, moves),
    ...(makeDurable && { makeDurable: checked(makeDurable, reads) }),
    ...(symlink && {
      async symlink(target: string, path: string, options?: LinkOptions) {
        check(path, 'write')
        return symlink(target, path, options)
      },
    }),
    ...(readLink && { readLink: checked(readLink, reads) }),
    ...(setMode && { setMode: checked(setMode, writes) }),
    ...(setModified && { setModified: checked(setModified, writes) }),
    ...(sha256 && { sha256 }),
    ...(open && { open: checked(open, reads) }),
  }
}

/** Absolute, and free of `.`, `..` and empty components. */
export function isNormal(path: string): boolean {
  const { length } = path
  if (path.charCodeAt(0) !== slash) return false
  for (let at = 1, start = 1; at <= length && length > 1; at += 1) {
    if (at < length && path.charCodeAt(at) !== slash) continue
    const units = at - start
    if (units === 0 || (units <= 2 && path.charCodeAt(start) === dot && path.charCodeAt(at - 1) === dot)) return false
    start = at + 1
  }
  return true
}

const slash = 0x2f
const dot = 0x2e

/** No listing tells of files that wait to be renamed into place. */
export function isShown({ name }: Entry): boolean {
  return !isStagedName(name)
}
