/**
 * Trees of the origin's private file system, held in memory while only this tab uses them. A call to that file system
 * takes about a millisecond; memory takes microseconds. When a second tab opens the trees, this one flushes its pending
 * writes, and both then work on storage directly.
 */
import { isFsError } from '../../src/errors.js'
import { type MirroredFileSystem, mirror } from '../../src/fs/backends/mirror.js'
import { writeBehind } from '../../src/fs/backends/write-behind.js'
import type { FileSystem } from '../../src/fs/types.js'
import { checkPath } from '../fs-access/fs-access.js'
import { storedEntries } from '../fs-access/stored-entries.js'
import { holdLock, holdLockIfFree } from './held-lock.js'
import { treesLock } from './storage-names.js'

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
  /** Whether the trees are stored as a pack, rather than file by file. */
  readonly isPacked: boolean
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
  options: WorkingSetOptions & OpenPacked<Name> = {},
): Promise<WorkingSet<Name>> {
  const lockName = treesLock(name)
  const joinChannel = new BroadcastChannel(lockName)
  const joined = new AbortController()
  // Listens before requesting the lock: a tab that finds it taken posts a message immediately.
  joinChannel.onmessage = () => joined.abort()
  let held = options.inMemory === false ? undefined : await holdLockIfFree(lockName, 'exclusive')
  const isFirst = held !== undefined
  const inMemory = isFirst ? await openAlone().catch(giveUp) : undefined
  if (inMemory === undefined) {
    if (!isFirst) joinChannel.postMessage('join')
    held?.release()
    held = await holdLock(lockName, 'shared', options.signal).catch(giveUp)
  }
  const shared = inMemory === undefined ? await options.openPacked?.(false).catch(giveUp) : undefined
  const opened = inMemory ?? shared
  let mode: WorkingSet<Name>['mode'] = inMemory === undefined ? 'direct' : 'memory'
  joinChannel.onmessage = inMemory === undefined ? null : () => void share()
  if (inMemory !== undefined && joined.signal.aborted) await share()

  async function openAlone(): Promise<HeldTrees<Name> | undefined> {
    return (await openPackedAlone(options)) ?? (await loadUnlessJoined(stores, joined.signal, options))
  }

  /**
   * Flushes, then shares the trees with other tabs. If the flush fails, the changes stay in memory and the other tabs
   * keep waiting.
   */
  async function share(): Promise<void> {
    try {
      await inMemory?.share()
    } catch {
      // `onFault` has been called.
      setTimeout(share, retryMs)
      return
    }
    mode = 'direct'
    joinChannel.onmessage = null
    held?.release()
    held = await holdLock(lockName, 'shared')
  }

  function giveUp(error: unknown): never {
    joinChannel.close()
    held?.release()
    throw error
  }

  return {
    trees: opened?.trees ?? stores,
    isPacked: opened !== undefined && !opened.isMirror,
    get mode() {
      return mode
    },
    flush: async () => opened?.flush(),
    async close() {
      await opened?.close()
      joinChannel.close()
      held?.release()
    },
  }
}

/** Trees that are in memory, with what is written of them a little later. */
export interface HeldTrees<Name extends string> {
  trees: Record<Name, FileSystem>
  isMirror?: boolean
  flush(): Promise<void>
  /** Stores everything, and lets others change the trees too. */
  share(): Promise<void>
  close(): Promise<void>
}

/** Undefined when the trees can't be packed: then they are loaded, or worked on directly, as they are. */
async function openPackedAlone<Name extends string>(
  options: WorkingSetOptions & OpenPacked<Name>,
): Promise<HeldTrees<Name> | undefined> {
  if (options.openPacked === undefined) return undefined
  const writes = retried(options)
  try {
    const packed = await options.openPacked(true, writes.onFault)
    if (packed !== undefined) writes.flush = packed.flush
    return packed && { ...packed, close: () => packed.close().finally(writes.cancel) }
  } catch (error) {
    if (isFsError(error, 'TOO_LARGE')) return undefined
    throw error
  }
}

interface OpenPacked<Name extends string> {
  /** Opens the trees as a pack, or returns undefined if they are stored file by file. Called with the lock held. */
  openPacked?: (isAlone: boolean, onFault?: (fault: unknown) => void) => Promise<HeldTrees<Name> | undefined>
}

/** Reports a failed write, and tries it again later. */
function retried({ onFault, onStored }: WorkingSetOptions) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const writes = {
    flush: async () => {},
    onFault(fault: unknown) {
      onFault?.(fault)
      writes.cancel()
      // A failure goes to `onFault`, which schedules the next retry.
      timer = setTimeout(() => writes.flush().then(onStored, () => {}), retryMs)
    },
    cancel: () => clearTimeout(timer),
  }
  return writes
}

/** Undefined when the trees are too large, or when another tab opens them during loading, so that it does not have to wait. */
async function loadUnlessJoined<Name extends string>(
  stores: Record<Name, FileSystem>,
  joined: AbortSignal,
  options: WorkingSetOptions,
): Promise<HeldTrees<Name> | undefined> {
  const { onProgress, maxBytes, signal, handles = {} } = options
  const retries = retried(options)
  const writes = writeBehind({ onFault: retries.onFault })
  retries.flush = writes.flush
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
    return {
      trees,
      isMirror: true,
      flush: writes.flush,
      async share() {
        for (const tree of Object.values<MirroredFileSystem>(trees)) await tree.release()
      },
      async close() {
        await writes.flush()
        retries.cancel()
      },
    }
  } catch (error) {
    if (!signal?.aborted && (joined.aborted || isFsError(error, 'TOO_LARGE'))) return undefined
    throw error
  }
}
