/** New contents of files, written beside their places until a change renames them into place. */
import fs from 'node:fs'
import { FsError, isFsError } from '../../src/errors.js'
import { dirname } from '../../src/fs/path.js'
import { type WouldBlock, wouldBlock } from '../../src/fs/sync.js'
import type { StageOptions, TransactionalFileSystem } from '../../src/fs/transactional-types.js'
import type { Bytes } from '../../src/fs/types.js'
import type { Place } from './anchor.js'
import { beside } from './beside.js'
import type { DeferredClose } from './deferred-close.js'
import type { DiskAccess } from './disk-access.js'
import { lstat } from './host-stat.js'
import { type OwnerAndMode, ownerAndModeOf, type StagedWrites } from './staged-write.js'

export interface StagedFilesOptions {
  access: DiskAccess
  staging: StagedWrites
  disposal: DeferredClose
}

export function stagedFiles({ access: { at, atSync, atUnlessDue }, staging, disposal }: StagedFilesOptions) {
  /** The owner and mode of a staged file. */
  function likeOf(virtual: string, place: Place, { replaces, owner, mode }: StageOptions): OwnerAndMode {
    if (owner !== undefined && mode !== undefined) return { owner, mode }
    if (replaces === undefined) return { owner: undefined, mode }
    const near = beside(virtual, place, replaces)
    return ownerAndModeOf(near === undefined ? atSync(replaces, ({ entry }) => lstat(entry)) : lstat(near.entry), mode)
  }

  /** A rename replaces a file whatever its mode is, so that is checked here. */
  function refuseProtected(virtual: string, place: Place, { replaces, ifWritable = false }: StageOptions): void {
    if (!ifWritable || replaces === undefined) return
    const near = beside(virtual, place, replaces)
    const isDenied = near === undefined ? atSync(replaces, ({ entry }) => isProtected(entry)) : isProtected(near.entry)
    if (isDenied === true) throw new FsError('DENIED', { path: replaces })
  }

  function stageFileSync(virtual: string, data: Bytes, options: StageOptions): undefined | WouldBlock {
    if (!staging.canStageSync(data)) return wouldBlock
    try {
      return atUnlessDue(virtual, (place): undefined => {
        refuseProtected(virtual, place, options)
        staging.stageSync(place.entry, data, likeOf(virtual, place, options), dirname(virtual))
      })
    } catch (error) {
      // Closing deleted files may make room.
      if (isFsError(error, 'NO_SPACE') && disposal.waiting() !== undefined) return wouldBlock
      throw error
    }
  }

  const stageFile: TransactionalFileSystem['stageFile'] = (virtual, content, options) =>
    at(virtual, (place) => {
      refuseProtected(virtual, place, options)
      return staging.stage(place, content, likeOf(virtual, place, options))
    })

  return { stageFile, stageFileSync }
}

/** Whether the process may not write to a file. */
function isProtected(entry: string): boolean {
  try {
    fs.accessSync(entry, fs.constants.W_OK)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && ['EACCES', 'EPERM', 'EROFS'].includes(String(error.code))
  }
}
