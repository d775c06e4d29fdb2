/** Renames, removals and new directories, each also without a promise where it would not block. */
import fs from 'node:fs'
import { FsError } from '../../src/errors.js'
import { fromErrno } from '../../src/fs/errno.js'
import { basename } from '../../src/fs/path.js'
import { isStagedName } from '../../src/fs/staged-name.js'
import { type WouldBlock, wouldBlock } from '../../src/fs/sync.js'
import { type Anchor, checkVirtual, type Place } from './anchor.js'
import { type Beside, beside } from './beside.js'
import type { DeferredClose } from './deferred-close.js'
import type { DiskAccess } from './disk-access.js'
import { isInUse, renameEntry, whileInUse } from './host-rename.js'
import { hasModes } from './host-stat.js'
import { removeEntry } from './remove-entry.js'
import type { StagedWrites } from './staged-write.js'

export interface EntryChangesOptions {
  access: DiskAccess
  staging: StagedWrites
  disposal: DeferredClose
}

export function entryChanges(anchor: Anchor, { access, staging, disposal }: EntryChangesOptions) {
  const { at, atSync, atUnlessDue } = access
  const { syncDirectory } = staging

  function move(from: string, source: Place, to: string, target: Beside): void {
    renameEntry({ path: from, entry: source.entry }, { path: to, entry: target.entry }, disposal)
  }

  function renameSync(from: string, to: string): undefined | WouldBlock {
    if (from === '/' || to === '/') return wouldBlock
    const renamed = atUnlessDue(from, (source) => {
      const act = (target: Beside) => unlessInUse(() => move(from, source, to, target))
      const target = beside(from, source, to)
      return target === undefined ? atSync(to, act) : act(target)
    })
    if (renamed !== wouldBlock && !isStagedName(basename(from))) anchor.moved()
    return renamed
  }

  function rename(from: string, to: string, { durable }: { durable: boolean }): Promise<void> {
    return at(
      from,
      async (source) => {
        if (from === '/' || to === '/') throw new FsError('IS_ROOT', { path: '/' })
        const act = async (target: Beside) => {
          await whileInUse(() => move(from, source, to, target))
          if (durable) await syncDirectory(target.parent)
        }
        const target = beside(from, source, to)
        await (target === undefined ? at(to, act) : act(target))
        if (target === undefined && durable) await syncDirectory(source.parent)
      },
      to,
    )
  }

  function remove(virtual: string, { durable }: { durable: boolean }): Promise<void> {
    return at(virtual, async (place) => {
      if (virtual === '/') throw new FsError('IS_ROOT', { path: virtual })
      await whileInUse(() => removeEntry(place, disposal))
      if (durable) await syncDirectory(place.parent)
    })
  }

  function removeSync(virtual: string): undefined | WouldBlock {
    if (virtual === '/') return wouldBlock
    return atUnlessDue(virtual, (place) => unlessInUse(() => removeEntry(place, disposal)))
  }

  function makeDir(virtual: string, { durable, mode }: { durable: boolean; mode?: number | undefined }): Promise<void> {
    return at(virtual, async (place) => {
      if (virtual === '/') throw new FsError('EXISTS', { path: virtual })
      fs.mkdirSync(place.entry, mode === undefined ? {} : { mode: mode & 0o777 })
      // A mode that comes with the name is durable with it. Otherwise each directory takes a flush of its own.
      if (mode !== undefined && hasModes && (fs.lstatSync(place.entry).mode & 0o7777) !== mode) {
        await staging.changeMode(place, mode)
      }
      if (durable) await syncDirectory(place.parent)
    })
  }

  async function makeDurable(virtual: string): Promise<void> {
    try {
      checkVirtual(virtual)
      const directory = anchor.directory(virtual)
      try {
        await syncDirectory(directory.host)
      } finally {
        directory.close()
      }
    } catch (error) {
      throw fromErrno(error, virtual)
    }
  }

  return { rename, renameSync, remove, removeSync, makeDir, makeDurable }
}

/** Does what may succeed a moment later if another program has the entry open, which would block. */
function unlessInUse(act: () => void): undefined | WouldBlock {
  try {
    act()
  } catch (error) {
    if (process.platform === 'win32' && isInUse(error)) return wouldBlock
    throw error
  }
}
