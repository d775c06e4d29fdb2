/** The files of a workspace with scratch space at one place in them, which is not part of them. */
import { FsError, isFsError } from '../../src/errors.js'
import { weakest } from '../../src/fs/backends/capabilities.js'
import { merged } from '../../src/fs/backends/overlay-reads.js'
import { rebase } from '../../src/fs/backends/rebase.js'
import { openFile } from '../../src/fs/open.js'
import { isWithin } from '../../src/fs/path.js'
import type { FileSystem, LinkOptions } from '../../src/fs/types.js'

export interface ScratchPlace {
  /** Where scratch space is. Roots of the workspace may lie below it. */
  point: string
  scratch: FileSystem
  /** True for paths of scratch space; all others are those of the workspace. */
  isScratch(path: string): boolean
}

/** Nothing that is done at a path of scratch space reaches `files`, and it is not listed in them. */
export function besideScratch(files: FileSystem, { point, scratch, isScratch }: ScratchPlace): FileSystem {
  const apart = rebase(point, scratch)
  const capabilities = weakest([files.capabilities, apart.capabilities])
  const at = (path: string) => (isScratch(path) ? apart : files)
  /** Links of scratch space may lead out of it, into the workspace: what they name is then kept as seen from its root. */
  const out = '/..'.repeat(point.split('/').length - 1)

  async function symlink(target: string, path: string, options?: LinkOptions): Promise<void> {
    const leadsOut = isScratch(path) && target.startsWith('/') && !isWithin(point, target)
    await at(path).symlink?.(leadsOut ? point + out + target : target, path, options)
  }

  async function readLink(path: string, options?: LinkOptions): Promise<string> {
    const target = (await at(path).readLink?.(path, options)) ?? ''
    return isScratch(path) && target.startsWith(`${point}${out}/`) ? target.slice(point.length + out.length) : target
  }

  return {
    capabilities,
    stat: (path) => at(path).stat(path),
    readFile: (path, range) => at(path).readFile(path, range),
    open: (path) => openFile(at(path), path),
    async readDir(path) {
      const entries = await at(path).readDir(path)
      return path === point ? merged(entries, await waysToRoots()) : entries
    },
    writeFile: (path, data, options) => at(path).writeFile(path, data, options),
    makeDir: (path) => at(path).makeDir(path),
    remove: (path) => at(path).remove(path),
    async rename(from, to) {
      if (isScratch(from) !== isScratch(to)) throw new FsError('CROSS_DEVICE', { path: from, to })
      await at(from).rename(from, to)
    },
    ...(capabilities.symlinks && {
      symlink,
      readLink,
    }),
    ...(capabilities.modeBits && {
      async setMode(path: string, mode: number) {
        await at(path).setMode?.(path, mode)
      },
    }),
    ...(capabilities.modified === 'write' && {
      async setModified(path: string, modifiedMs: number) {
        await at(path).setModified?.(path, modifiedMs)
      },
    }),
  }

  /** What of the workspace lies below scratch space. */
  async function waysToRoots() {
    try {
      return await files.readDir(point)
    } catch (error) {
      if (isFsError(error)) return []
      throw error
    }
  }
}
