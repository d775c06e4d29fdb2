import { createHash, hash } from 'node:crypto'
import fs from 'node:fs'
import { FsError } from '../../src/errors.js'
import { encodeTarget } from '../../src/fs/link-target.js'
import { join } from '../../src/fs/path.js'
import { lockName } from '../../src/fs/staged-name.js'
import { type SyncFileSystem, wouldBlock } from '../../src/fs/sync.js'
import type { RunningHash, TransactionalFileSystem } from '../../src/fs/transactional-types.js'
import type { Bytes, Entry, FileSystem, Stat } from '../../src/fs/types.js'
import { checkVirtual, type SharedAnchor } from './anchor.js'
import { deferredClose } from './deferred-close.js'
import { diskAccess } from './disk-access.js'
import { entryChanges } from './entry-changes.js'
import { fromHostTarget, readTarget, toHostTarget } from './host-link-target.js'
import { hasModes, statBeneath, statIfThere } from './host-stat.js'
import { hostTime } from './host-time.js'
import { isCaseSensitive, mayHoldRemoved, openRoot } from './open-root.js'
import { openedFile } from './opened-file.js'
import { clip, openRegular, readBeneath, readRange } from './regular-file.js'
import { stagedFiles } from './staged-files.js'
import { stagedWrites } from './staged-write.js'
import { statAndReadAsync, statAndReadSync } from './stat-and-read.js'
import { statIn, syncReads } from './sync-reads.js'
import { watchEntry } from './watch-entry.js'

export interface NodeFsOptions {
  /** How links are refused; the default is the strongest way this machine has. See `anchor.ts`. */
  anchor?: 'descriptor' | 'walk'
  /** Wait until written bytes are on the disk (default). Otherwise a power cut may lose the newest writes; a crash of the process does not. */
  fsync?: boolean
}

export interface NodeFileSystem extends FileSystem {
  /** The real path of the directory that is `/`. */
  readonly root: string
  readonly anchor: 'descriptor' | 'walk'
  readonly sync: SyncFileSystem
  readonly transactional: TransactionalFileSystem
  /** @internal For other threads. */
  share(): SharedAnchor
  /** @internal The stats of entries of a directory, synchronously; undefined for those that are missing. */
  statsOf(directory: string, entries: readonly Pick<Entry, 'name'>[]): (Stat | undefined)[]
  /** @internal The bytes of files of a directory, synchronously; undefined for those that can't be read. */
  readsOf(directory: string, names: readonly string[]): (Bytes | undefined)[]
  /** Runs `act` with the host path of a directory, if no link leads there. The path is valid until it returns; its errors are not translated. */
  inDirectory<Result>(directory: string, act: (host: string) => Result): Result
  /** Releases the root. */
  close(): Promise<void>
}

/**
 * A directory of the real disk. Nothing outside it is ever reached; special files are refused before they are opened for
 * reading, so no call can hang on one. Writes go to a temporary name beside the target and are renamed into place.
 * Throws when `root` is missing, unreadable or no directory.
 */
export function nodeFs(root: string, options: NodeFsOptions = {}): NodeFileSystem {
  const anchor = openRoot(root, options.anchor)
  const { fsync = true } = options
  const disposal = deferredClose({ waits: !mayHoldRemoved(anchor.root) })
  const staging = stagedWrites({ fsync, deferredClose: disposal })
  const reads = syncReads(anchor)
  const access = diskAccess(anchor, reads)
  const { at, atSync, atUnlessDue, inside } = access
  const { stageFile, stageFileSync } = stagedFiles({ access, staging, disposal })
  const changes = entryChanges(anchor, { access, staging, disposal })
  const { rename, remove, makeDir } = changes

  function transactionalCalls(): TransactionalFileSystem {
    return {
      statAndRead: (virtual, maxBytes) =>
        at(virtual, (place) => {
          const found = statAndReadSync(virtual, place, maxBytes)
          return found === wouldBlock ? statAndReadAsync(virtual, place, maxBytes) : found
        }),
      stageFile,
      rename: (from, to) => rename(from, to, { durable: false }),
      remove: (virtual) => remove(virtual, { durable: false }),
      makeDir: (virtual, mode) => makeDir(virtual, { durable: false, mode }),
      ...(fsync && { makeDurable: changes.makeDurable }),
      sha256: (bytes) => hash('sha256', bytes, 'hex'),
      sha256InPieces: runningHash,
      sync: {
        statAndRead: (virtual, maxBytes) => atUnlessDue(virtual, (place) => statAndReadSync(virtual, place, maxBytes)),
        ...(!fsync && { stageFile: stageFileSync }),
        rename: changes.renameSync,
        remove: changes.removeSync,
      },
    }
  }

  return {
    root: anchor.root,
    anchor: anchor.kind,
    share: () => anchor.share(),
    statsOf: (virtual, entries) => inside(virtual, (host) => entries.map(({ name }) => statBeneath(host, name))),
    readsOf: (virtual, names) => inside(virtual, (host) => names.map((name) => readBeneath(host, name))),
    inDirectory(virtual, act) {
      checkVirtual(virtual)
      return anchor.atSync(join(virtual, lockName), ({ parent }) => act(parent))
    },
    close: async () => anchor.close(),
    capabilities: {
      symlinks: true,
      atomicRename: true,
      modeBits: hasModes,
      modified: 'write',
      watch: true,
      caseSensitive: isCaseSensitive(anchor.root),
      writable: true,
      sync: false,
    },

    sync: {
      stat: (virtual) => atUnlessDue(virtual, ({ entry }) => statIn(virtual, entry)),
      find: (virtual) => atUnlessDue(virtual, ({ entry }) => statIfThere(entry)),
      readFile: reads.readFile,
      readDir: reads.readDir,
      directoryLister: reads.directoryLister,
    },

    transactional: transactionalCalls(),

    stat: (virtual) => at(virtual, ({ entry }) => statIn(virtual, entry)),

    readFile: (virtual, range) =>
      at(virtual, async (place) => {
        const file = openRegular(virtual, place)
        try {
          return await readRange(file.descriptor, clip(range, file.size))
        } finally {
          fs.closeSync(file.descriptor)
        }
      }),

    writeFile: (virtual, data, writeOptions = {}) =>
      at(virtual, (place) => staging.replace(virtual, place, data, writeOptions)),

    readDir: async (virtual) => reads.readDir(virtual),

    makeDir: (virtual) => makeDir(virtual, { durable: true }),

    remove: (virtual) => remove(virtual, { durable: true }),
    rename: (from, to) => rename(from, to, { durable: true }),

    symlink: (target, virtual, { verbatim = false } = {}) =>
      at(virtual, async (place) => {
        if (virtual === '/') throw new FsError('EXISTS', { path: virtual })
        const text = verbatim ? target : toHostTarget(anchor.root, target)
        fs.symlinkSync(text.isWellFormed() ? text : Buffer.from(encodeTarget(text)), place.entry)
        await staging.syncDirectory(place.parent)
      }),

    readLink: (virtual, { verbatim = false } = {}) =>
      at(virtual, ({ entry }) => {
        const target = readTarget(virtual, entry)
        return verbatim ? target : fromHostTarget(virtual, anchor.root, target)
      }),

    ...(hasModes && {
      setMode: (virtual: string, mode: number) => at(virtual, (place) => staging.changeMode(place, mode)),
    }),

    setModified: (virtual, modifiedMs) =>
      at(virtual, (place) => fs.utimesSync(place.pinned(), hostTime(modifiedMs), hostTime(modifiedMs))),

    open: async (virtual) => atSync(virtual, (place) => openedFile(virtual, place)),

    watch: (virtual, onChange) => at(virtual, (place) => watchEntry(virtual, place, onChange)),
  }
}

function runningHash(): RunningHash {
  const running = createHash('sha256')
  return { add: (bytes) => running.update(bytes), end: () => running.digest('hex') }
}
