import { FsError } from '../../errors.js'
import { isNormal } from '../path.js'
import { isStagedName } from '../staged-name.js'
import { wouldBlock } from '../sync.js'
import { transactional } from '../transactional.js'
import type { AtomicChanges, SyncTransactional, TransactionalFileSystem } from '../transactional-types.js'
import type { Entry, FileSystem, LinkOptions } from '../types.js'

/** The checks of a gate. The first two throw. */
export interface Checks {
  authorize(path: string, right: 'read' | 'write'): void
  refuseRoot(path: string): void
  /** The entries of a directory that a listing may contain. */
  visible(directory: string, entries: Entry[]): Entry[]
}

/** A gate that follows no link: it checks rights and roots, and the file system refuses a path that leads through a link. */
export function noFollowGate(fs: FileSystem, { authorize, refuseRoot, visible }: Checks): FileSystem {
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

  const { sync, symlink, readLink, setMode, setModified, open } = fs
  return {
    capabilities: fs.capabilities,
    ...(sync && {
      sync: {
        stat: checkedSync(sync.stat, reads),
        ...(sync.find && { find: checkedSync(sync.find, reads) }),
        readFile: checkedSync(sync.readFile, reads),
        readDir(path) {
          check(path, 'read')
          const entries = sync.readDir(path)
          return entries === wouldBlock ? wouldBlock : visible(path, entries)
        },
      },
    }),
    transactional: checkedTransactional(transactional(fs), { reads, writes, entry, moves }),
    stat: checked(fs.stat, reads),
    readFile: checked(fs.readFile, reads),
    async readDir(path) {
      check(path, 'read')
      return visible(path, await fs.readDir(path))
    },
    writeFile: checked(fs.writeFile, writes),
    makeDir: checked(fs.makeDir, writes),
    remove: checked(fs.remove, entry),
    rename: checked(fs.rename, moves),
    ...(symlink && {
      async symlink(target: string, path: string, options?: LinkOptions) {
        check(path, 'write')
        return symlink(target, path, options)
      },
    }),
    ...(readLink && { readLink: checked(readLink, reads) }),
    ...(setMode && { setMode: checked(setMode, writes) }),
    ...(setModified && { setModified: checked(setModified, writes) }),
    ...(open && { open: checked(open, reads) }),
  }
}

type Check = (path: string) => void

function checkedTransactional(
  inner: TransactionalFileSystem,
  { reads, writes, entry, moves }: { reads: Check; writes: Check; entry: Check; moves(from: string, to: string): void },
): TransactionalFileSystem {
  const { makeDir, makeDurable, sync, atomic } = inner
  return {
    ...inner,
    statAndRead: checked(inner.statAndRead, reads),
    stageFile: checked(inner.stageFile, writes),
    rename: checked(inner.rename, moves),
    remove: checked(inner.remove, entry),
    ...(makeDir && { makeDir: checked(makeDir, writes) }),
    ...(makeDurable && { makeDurable: checked(makeDurable, reads) }),
    ...(sync && { sync: checkedSyncTransactional(sync) }),
    ...(atomic && { atomic: checkedAtomic(atomic) }),
  }

  function checkedAtomic({ apply, ...rest }: AtomicChanges): AtomicChanges {
    return {
      ...rest,
      apply(actions, around) {
        for (const action of actions) {
          if (action.do === 'rename') moves(action.path, action.to)
          else if (action.do === 'remove') entry(action.path)
          else writes(action.path)
        }
        return apply(actions, around)
      },
    }
  }

  function checkedSyncTransactional({ statAndRead, stageFile, rename, remove }: SyncTransactional): SyncTransactional {
    return {
      statAndRead: checkedSync(statAndRead, reads),
      ...(stageFile && { stageFile: checkedSync(stageFile, writes) }),
      ...(rename && { rename: checkedSync(rename, moves) }),
      ...(remove && { remove: checkedSync(remove, entry) }),
    }
  }
}

/** Runs the check before each call. */
function checked<Given extends unknown[], Result>(
  call: (...given: Given) => Promise<Result>,
  check: (...given: Given) => void,
): (...given: Given) => Promise<Result> {
  return async (...given) => {
    check(...given)
    return call(...given)
  }
}

function checkedSync<Given extends unknown[], Result>(
  call: (...given: Given) => Result,
  check: (...given: Given) => void,
): (...given: Given) => Result {
  return (...given) => {
    check(...given)
    return call(...given)
  }
}

/** Listings leave out files that are staged to be renamed into place. */
export function isVisible({ name }: Entry): boolean {
  return !isStagedName(name)
}
