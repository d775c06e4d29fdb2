/**
 * Trees of the origin's private file system, held in memory while only this tab uses them. A call to that file system
 * takes about a millisecond; memory takes microseconds. When a second tab opens the trees, this one flushes its pending
 * writes, and both then work on storage directly.
 */
import { isFsError } from '../../src/errors.js'
import { type MirroredFileSystem, mirror } from '../../src/fs/backends/mirror.js'
import { type WriteBehind, writeBehind } from '../../src/fs/backends/write-behind.js'
import type { FileSystem } from '../../src/fs/types.js'
import { checkPath } from '../fs-access/fs-access.js'
import { storedEntries } from '../fs-access/stored-entries.js'
import { type HeldLock, holdLock, holdLockIfFree } from './held-lock.js'

export interface WorkingSetOptions {
  /** False works on storage directly, and makes other tabs do so too. Default: true. */
  inMemory?: boolean
  onProgress?: (progress: { files: number; bytes: number }) => void
  /**
   * Called when a change can't be written, for example because storage is full. The change stays in memory and is
   * retried until it succeeds.
   */
  onFault?: (fault: unknown) => void
  /** Called when writes that had failed have succeeded. */
  onStored?: () => void
  /** Larger trees are not loaded into memory. */
  maxBytes?: number
  signal?: AbortSignal
  /** The directory handles of the stores, by name; reading through them is much faster. */
  handles?: Readonly<Record<string, FileSystemDirectoryHandle>>
}

export interface WorkingSet<Name extends string> {
  trees: Record<Name, FileSystem>
  /** `memory` changes to `direct` when another tab opens the trees, and never back. */
  readonly mode: 'memory' | 'direct'
  /** Resolves when all changes so far are in storage. */
  flush(): Promise<void>
  /** Flushes and releases the trees, which must not be used afterwards. */
  close(): Promise<void>
}

/** Delay before a failed write is retried. */
const retryMs = 2000

/** `name` identifies the trees across tabs. Changes reach the stores in the order they were made, across all trees. */
export async function workingSet<Name extends string>(
  name: string,
  stores: Record<Name, FileSystem>,
  options: WorkingSetOptions = {},
): Promise<WorkingSet<Name>> {
  const lockName = `polyfs:trees:${name}`
  const joinChannel = new BroadcastChannel(lockName)
  const joined = new AbortController()
  // Listens before requesting the lock: a tab that finds it taken posts a message immediately.
  joinChannel.onmessage = () => joined.abort()
  const exclusiveLock = options.inMemory === false ? undefined : await holdLockIfFree(lockName, 'exclusive')
  if (exclusiveLock === undefined) joinChannel.postMessage('join')
  const mirrors = exclusiveLock && (await loadUnlessJoined(stores, joined.signal, options).catch(giveUp))
  const writes = mirrors?.writes
  let mode: WorkingSet<Name>['mode'] = mirrors === undefined ? 'direct' : 'memory'
  if (mirrors === undefined) exclusiveLock?.release()
  let held =
    mirrors === undefined
      ? await holdLock(lockName, 'shared', options.signal).catch(giveUp)
      : (exclusiveLock as HeldLock)
  joinChannel.onmessage = mirrors === undefined ? null : () => void share()
  if (mirrors !== undefined && joined.signal.aborted) await share()

  /**
   * Flushes, then shares the trees with other tabs. If the flush fails, the changes stay in memory and the other tabs
   * keep waiting.
   */
  async function share(): Promise<void> {
    try {
      for (const tree of Object.values<MirroredFileSystem>(mirrors?.trees ?? {})) await tree.release()
    } catch {
      // `onFault` has been called.
      setTimeout(share, retryMs)
      return
    }
    mode = 'direct'
    joinChannel.onmessage = null
    held.release()
    held = await holdLock(lockName, 'shared')
  }

  function giveUp(error: unknown): never {
    joinChannel.close()
    exclusiveLock?.release()
    throw error
  }

  return {
    trees: mirrors?.trees ?? stores,
    get mode() {
      return mode
    },
    flush: async () => writes?.flush(),
    async close() {
      await writes?.flush()
      mirrors?.cancelRetry()
      joinChannel.close()
      held.release()
    },
  }
}

interface Mirrors<Name extends string> {
  trees: Record<Name, MirroredFileSystem>
  writes: WriteBehind
  cancelRetry(): void
}

/** Undefined when the trees are too large, or when another tab opens them during loading, so that it does not have to wait. */
async function loadUnlessJoined<Name extends string>(
  stores: Record<Name, FileSystem>,
  joined: AbortSignal,
  { onFault, onStored, onProgress, maxBytes, signal, handles = {} }: WorkingSetOptions,
): Promise<Mirrors<Name> | undefined> {
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  const writes = writeBehind({
    onFault(fault) {
      onFault?.(fault)
      cancelRetry()
      retryTimer = setTimeout(retry, retryMs)
    },
  })
  const cancelRetry = () => clearTimeout(retryTimer)
  // A failure goes to `onFault`, which schedules the next retry.
  const retry = () => writes.flush().then(onStored, () => {})
  const trees = {} as Record<Name, MirroredFileSystem>
  let before = { files: 0, bytes: 0 }
  try {
    for (const name of Object.keys(stores) as Name[]) {
      let last = { files: 0, bytes: 0 }
      const handle = handles[name]
      trees[name] = await mirror(stores[name], {
        behind: writes,
        checkPath,
        ...(handle && { entries: () => storedEntries(handle) }),
        signal: signal === undefined ? joined : AbortSignal.any([joined, signal]),
        ...(maxBytes !== undefined && { maxBytes }),
        onProgress(progress) {
          last = progress
          onProgress?.({ files: before.files + last.files, bytes: before.bytes + last.bytes })
        },
      })
      before = { files: before.files + last.files, bytes: before.bytes + last.bytes }
    }
    return { trees, writes, cancelRetry }
  } catch (error) {
    if (!signal?.aborted && (joined.aborted || isFsError(error, 'TOO_LARGE'))) return undefined
    throw error
  }
}
