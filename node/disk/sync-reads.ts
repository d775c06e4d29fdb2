/** What can be read of a disk without waiting, beneath an anchor. */
import fs from 'node:fs'
import { FsError } from '../../src/errors.js'
import { fromErrno } from '../../src/fs/errno.js'
import { relative } from '../../src/fs/path.js'
import { immediate, withLister, withNow } from '../../src/fs/sync-calls.js'
import type { ByteRange, Bytes, Entry, Lister, Tree } from '../../src/fs/types.js'
import { type Anchor, checkVirtual, type Place } from './anchor.js'
import { entriesOf, lstat, statFrom } from './host-stat.js'
import { clip, openRegular, readNow } from './regular-file.js'

export function readings(anchor: Anchor) {
  /** Everything passes here: the anchor gives the place, and every foreign error gets its code. */
  function atNow<Result>(virtual: string, act: (place: Place) => Result): Result {
    try {
      checkVirtual(virtual)
      return anchor.atNow(virtual, act)
    } catch (error) {
      throw fromErrno(error, virtual)
    }
  }

  function readFileNow(virtual: string, range?: ByteRange): Bytes {
    return atNow(virtual, (place) => {
      const file = openRegular(virtual, place)
      try {
        const { start, end } = clip(range, file.size)
        return readNow(file.descriptor, new Uint8Array(end - start), start)
      } finally {
        fs.closeSync(file.descriptor)
      }
    })
  }

  function readDirNow(virtual: string): Entry[] {
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

  /** A walk asks for directories by the thousand: each is opened from the one it lies in, and no path is looked at. */
  function lister(virtual: string): Lister | undefined {
    checkVirtual(virtual)
    const host = anchor.below?.(virtual)
    return host && ((names) => entriesOf(fs.readdirSync(host(names), { withFileTypes: true })))
  }

  return { atNow, readFileNow, readDirNow, lister }
}

/** The same as a tree whose root is at `point`. Where links lead is for the gate to say, which only they need. */
export function anchoredTree(anchor: Anchor, point: string, gate: () => Pick<Tree, 'readFile'>): Tree {
  const { atNow, readFileNow, readDirNow, lister } = readings(anchor)
  const inward = (path: string) => `/${relative(point, path)}`
  return {
    // Whoever sends a walk here says what it makes of names.
    capabilities: { caseSensitive: true },
    stat: immediate((path) => atNow(inward(path), ({ entry }) => statFrom(lstat(entry) ?? notThere(path)))),
    readFile: withNow(
      (path, range) => gate().readFile(path, range),
      (path, range) => readFileNow(inward(path), range),
    ),
    readDir: withLister(
      immediate((path) => readDirNow(inward(path))),
      (directory) => lister(inward(directory)),
    ),
  }
}

/** Of most directories it is asked whether they have ignore files, and few have: one error costs half of two. */
function notThere(path: string): never {
  throw new FsError('NOT_FOUND', { path })
}
