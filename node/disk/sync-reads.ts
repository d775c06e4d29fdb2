/** Synchronous reads of a disk, beneath an anchor. */
import fs from 'node:fs'
import { FsError, isFsError } from '../../src/errors.js'
import { fromErrno } from '../../src/fs/errno.js'
import { relative } from '../../src/fs/path.js'
import { type DirectoryLister, orWouldBlock, type WouldBlock, wouldBlock } from '../../src/fs/sync.js'
import type { ByteRange, Bytes, Entry, Stat, Tree } from '../../src/fs/types.js'
import { type Anchor, checkVirtual, type Place } from './anchor.js'
import { entriesOf, statIfThere } from './host-stat.js'
import { clip, openRegular, readSync } from './regular-file.js'

export type SyncReads = ReturnType<typeof syncReads>

export function syncReads(anchor: Anchor) {
  /** Runs `act` at the place that the anchor resolves, and translates errors. */
  function atSync<Result>(virtual: string, act: (place: Place) => Result): Result {
    try {
      checkVirtual(virtual)
      return anchor.atSync(virtual, act)
    } catch (error) {
      throw fromErrno(error, virtual)
    }
  }

  function stat(virtual: string): Stat {
    return atSync(virtual, ({ entry }) => statIn(virtual, entry))
  }

  function readFile(virtual: string, range?: ByteRange): Bytes {
    return atSync(virtual, (place) => {
      const file = openRegular(virtual, place)
      try {
        const { start, end } = clip(range, file.size)
        return readSync(file.descriptor, new Uint8Array(end - start), start)
      } finally {
        fs.closeSync(file.descriptor)
      }
    })
  }

  function readDir(virtual: string): Entry[] {
    try {
      checkVirtual(virtual)
      const directory = anchor.directory(virtual)
      try {
        return entriesOf(fs.readdirSync(directory.host, { withFileTypes: true }))
      } finally {
        directory.close()
      }
    } catch (error) {
      throw fromErrno(error, virtual)
    }
  }

  /** A walk lists thousands of directories: each is opened from its parent, without resolving a path. */
  function directoryLister(virtual: string): DirectoryLister | WouldBlock {
    return orWouldBlock(() => {
      checkVirtual(virtual)
      const host = anchor.below?.(virtual)
      if (host === undefined) return wouldBlock
      return (names) => {
        try {
          return entriesOf(fs.readdirSync(host(names), { withFileTypes: true }))
        } catch {
          return wouldBlock
        }
      }
    })
  }

  return { atSync, stat, readFile, readDir, directoryLister }
}

/** Entries are often missing: throwing our error directly is cheaper than translating Node's. */
export function statIn(virtual: string, entry: string): Stat {
  const found = statIfThere(entry)
  if (found === undefined) throw new FsError('NOT_FOUND', { path: virtual })
  return found
}

/** The same reads as a tree with its root at `point`. The gate is only needed to follow links. */
export function anchoredTree(anchor: Anchor, point: string, gate: () => Pick<Tree, 'readFile'>): Tree {
  const { stat, readFile, readDir, directoryLister } = syncReads(anchor)
  const inward = (path: string) => `/${relative(point, path)}`
  const sync = {
    stat: (path: string) => stat(inward(path)),
    readFile(path: string, range?: ByteRange) {
      try {
        return readFile(inward(path), range)
      } catch (error) {
        if (!isFsError(error, 'IS_LINK')) throw error
        return wouldBlock
      }
    },
    readDir: (path: string) => readDir(inward(path)),
    directoryLister: (directory: string) => directoryLister(inward(directory)),
  }
  return {
    // Each walk request says how names are compared.
    capabilities: { caseSensitive: true },
    sync,
    stat: async (path) => sync.stat(path),
    readFile: (path, range) => gate().readFile(path, range),
    readDir: async (path) => sync.readDir(path),
  }
}
