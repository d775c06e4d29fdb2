import { FsError } from '../errors.js'
import { withNow } from './immediate.js'
import { isStagedName } from './staged-name.js'
import type { Entry, FileSystem, LinkOptions } from './types.js'

/** What a gate has to say about a path. Each throws. */
export interface Checks {
  authorize(path: string, right: 'read' | 'write'): void
  refuseRoot(path: string): void
}

/** A gate that follows no link: rights and roots are checked, and a link on the way is the file system's to refuse. */
export function exactly(fs: FileSystem, { authorize, refuseRoot }: Checks): FileSystem {
  function check(path: string, right: 'read' | 'write'): void {
    if (!isNormal(path)) throw new FsError('OUTSIDE', { path })
    authorize(path, right)
  }

  function entry(path: string): void {
    check(path, 'write')
    refuseRoot(path)
  }

  const { now: readNow } = fs.readFile
  const { look, symlink, readLink, setMode, setModified, open, sha256 } = fs
  return {
    capabilities: fs.capabilities,
    async stat(path) {
      check(path, 'read')
      return fs.stat(path)
    },
    readFile: withNow(
      async (path, range) => {
        check(path, 'read')
        return fs.readFile(path, range)
      },
      readNow &&
        ((path, range) => {
          check(path, 'read')
          return readNow(path, range)
        }),
    ),
    ...(look && {
      async look(path: string, maxBytes: number) {
        check(path, 'read')
        return look(path, maxBytes)
      },
    }),
    async readDir(path) {
      check(path, 'read')
      return (await fs.readDir(path)).filter(isShown)
    },
    async writeFile(path, data, options) {
      check(path, 'write')
      return fs.writeFile(path, data, options)
    },
    async makeDir(path) {
      check(path, 'write')
      return fs.makeDir(path)
    },
    async remove(path) {
      entry(path)
      return fs.remove(path)
    },
    async rename(from, to) {
      entry(from)
      entry(to)
      return fs.rename(from, to)
    },
    ...(symlink && {
      async symlink(target: string, path: string, options?: LinkOptions) {
        check(path, 'write')
        return symlink(target, path, options)
      },
    }),
    ...(readLink && {
      async readLink(path: string, options?: LinkOptions) {
        check(path, 'read')
        return readLink(path, options)
      },
    }),
    ...(setMode && {
      async setMode(path: string, mode: number) {
        check(path, 'write')
        return setMode(path, mode)
      },
    }),
    ...(setModified && {
      async setModified(path: string, ms: number) {
        check(path, 'write')
        return setModified(path, ms)
      },
    }),
    ...(sha256 && { sha256 }),
    ...(open && {
      async open(path: string) {
        check(path, 'read')
        return open(path)
      },
    }),
  }
}

/** Absolute, and free of `.`, `..` and empty components. */
function isNormal(path: string): boolean {
  return path === '/' || (path.startsWith('/') && !/\/\.{0,2}(\/|$)/.test(path))
}

/** No listing tells of files that wait to be renamed into place. */
export function isShown({ name }: Entry): boolean {
  return !isStagedName(name)
}

/** The same listing where all of it is shown, as it mostly is. */
export function shownOf(entries: Entry[]): Entry[] {
  return entries.every(isShown) ? entries : entries.filter(isShown)
}
