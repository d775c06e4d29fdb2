/**
 * Trees of the origin's private file system, held in memory as long as this tab has them alone. A call to that file system takes about
 * a millisecond; memory takes microseconds. When a second tab opens the trees, this one writes what is waiting, and both work directly.
 */
import { isFsError } from '../../src/errors.js'
import { type MirroredFileSystem, mirror } from '../../src/fs/backends/mirror.js'
import { type WriteBehind, writeBehind } from '../../src/fs/backends/write-behind.js'
import type { FileSystem } from '../../src/fs/types.js'
import { checkPath } from '../fs-access/fs-access.js'
import { storedEntries } from '../fs-access/stored-entries.js'
import { type HeldLock, holdLock, holdLockIfFree } from './held-lock.js'

export interface WorkingSetOptions {
  /** False works directly from the start, and has other tabs do so too. Default: true. */
  inMemory?: boolean
  onProgress?: (progress: { files: number; bytes: number }) => void
  /** Told when what was changed can't be written, such as for want of space. It stays in memory, and is tried again until it can. */
  onFault?: (fault: unknown) => void
  /** Told when what could not be written has been after all. */
  onStored?: () => void
  /** Trees that hold more are worked on directly. */
  maxBytes?: number
  signal?: AbortSignal
  /** The directories behind the stores, by their names: they are read far quicker so. */
  handles?: Readonly<Record<string, FileSystemDirectoryHandle>>
}

export interface WorkingSet<Name extends string> {
  trees: Record<Name, FileSystem>
  /** `memory` becomes `direct` when another tab opens the trees, and stays so. */
  readonly mode: 'memory' | 'direct'
  /** Fulfilled when all changes so far are where a crash can't reach them. */
  flush(): Promise<void>
  /** Flushes, and lets another tab have the trees alone. They must not be used any more. */
  close(): Promise<void>
}

/** How long to wait before another try to write what there was no space for. */
const retryMs = 2000

/** `name` is what all tabs call these trees; changes to them reach their stores in the order they are made, whichever tree they are in. */
export async function workingSet<Name extends string>(
  name: string,
  stores: Record<Name, FileSystem>,
  options: WorkingSetOptions = {},
): Promise<WorkingSet<Name>> {
  const lockName = `polyfs:trees:${name}`
  const joining = new BroadcastChannel(lockName)
  const joined = new AbortController()
  // From before we have the lock: whoever finds it taken tells us at once.
  joining.onmessage = () => joined.abort()
  const alone = options.inMemory === false ? undefined : await holdLockIfFree(lockName, 'exclusive')
  if (alone === undefined) joining.postMessage('join')
  const mirrors = alone && (await loadUnlessJoined(stores, joined.signal, options).catch(giveUp))
  const behind = mirrors?.behind
  let mode: WorkingSet<Name>['mode'] = mirrors === undefined ? 'direct' : 'memory'
  if (mirrors === undefined) alone?.release()
  let held =
    mirrors === undefined ? await holdLock(lockName, 'shared', options.signal).catch(giveUp) : (alone as HeldLock)
  joining.onmessage = mirrors === undefined ? null : () => void share()
  if (mirrors !== undefined && joined.signal.aborted) await share()

  /** Lets the others in. What can't be written stays in memory, and they go on waiting. */
  async function share(): Promise<void> {
    try {
      for (const tree of Object.values<MirroredFileSystem>(mirrors?.trees ?? {})) await tree.release()
    } catch {
      // `onFault` has been told.
      setTimeout(share, retryMs)
      return
    }
    mode = 'direct'
    joining.onmessage = null
    held.release()
    held = await holdLock(lockName, 'shared')
  }

  function giveUp(error: unknown): never {
    joining.close()
    alone?.release()
    throw error
  }

  return {
    trees: mirrors?.trees ?? stores,
    get mode() {
      return mode
    },
    flush: async () => behind?.flush(),
    async close() {
      await behind?.flush()
      mirrors?.stopTrying()
      joining.close()
      held.release()
    },
  }
}

interface Mirrors<Name extends string> {
  trees: Record<Name, MirroredFileSystem>
  behind: WriteBehind
  stopTrying(): void
}

/** Undefined when there is too much to hold, or when another tab comes: it should wait for us no longer than it must. */
async function loadUnlessJoined<Name extends string>(
  stores: Record<Name, FileSystem>,
  joined: AbortSignal,
  { onFault, onStored, onProgress, maxBytes, signal, handles = {} }: WorkingSetOptions,
): Promise<Mirrors<Name> | undefined> {
  let nextTry: ReturnType<typeof setTimeout> | undefined
  const behind = writeBehind({
    onFault(fault) {
      onFault?.(fault)
      stopTrying()
      nextTry = setTimeout(tryAgain, retryMs)
    },
  })
  const stopTrying = () => clearTimeout(nextTry)
  // What keeps it from being written goes to `onFault`, which plans the next try.
  const tryAgain = () => behind.flush().then(onStored, () => {})
  const trees = {} as Record<Name, MirroredFileSystem>
  let before = { files: 0, bytes: 0 }
  try {
    for (const name of Object.keys(stores) as Name[]) {
      let last = { files: 0, bytes: 0 }
      const handle = handles[name]
      trees[name] = await mirror(stores[name], {
        behind,
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
    return { trees, behind, stopTrying }
  } catch (error) {
    if (!signal?.aborted && (joined.aborted || isFsError(error, 'TOO_LARGE'))) return undefined
    throw error
  }
}
