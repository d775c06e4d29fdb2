import { keyValueJournal } from '../../src/change/journal/key-value-journal.js'
import { type Locks, nestedLocks, processLocks } from '../../src/change/locks/locks.js'
import { isFsError } from '../../src/errors.js'
import { type KeyValueFileSystem, keyValue } from '../../src/fs/backends/key-value/file-system.js'
import { keyValueLock } from '../../src/fs/backends/key-value/lock.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import type { WorkspaceOptions } from '../../src/workspace/workspace-options.js'
import { type FileLock, fileLock } from '../locks/file-lock.js'
import { fillFrom, sha256, sha256InPieces } from './fill-from.js'
import type { SeedOptions } from './seed.js'
import { openStore, StoreError } from './unstorage.js'

export interface StoreWorkspaceOptions
  extends Omit<WorkspaceOptions, 'fs' | 'roots' | 'pathRules' | 'journal' | 'locks'>,
    SeedOptions {
  /** The name of the first workspace. Default: `main`. */
  name?: string | undefined
  /** Fills the first workspace while it is empty: a directory, a .zip archive or a .json file. */
  from?: string | undefined
}

export interface OpenStoreWorkspaces {
  /** The first workspace. */
  workspace: Workspace
  /** Any workspace of the store, by its name. Each call returns another object. */
  open(name: string): Workspace
  /** Paths that could not be copied. */
  skipped: string[]
  close(): void
}

/** Workspaces in a key-value store, with their histories. Several processes may use one where the store has conditional writes. */
export async function openStoreWorkspaces(
  address: string,
  { name = 'main', from, onProgress, ...rest }: StoreWorkspaceOptions,
): Promise<OpenStoreWorkspaces> {
  const { store, directory, staleMs, close: closeStore } = openStore(address)
  const fileLocks = directory === undefined ? undefined : fileLock(`${directory}.lock`, { idleMs: heldAfterUseMs })
  const close = () => {
    fileLocks?.close()
    void closeStore().catch(() => {})
  }

  function open(workspaceName: string): Workspace {
    const fs = keyValue(store, { workspace: workspaceName, sha256, sha256InPieces, staleMs })
    return createWorkspace({
      ...rest,
      fs,
      journal: keyValueJournal(fs),
      locks: locksOf(fs, fileLocks),
    })
  }

  try {
    const fs = keyValue(store, { workspace: name, sha256, sha256InPieces })
    // Says now what is wrong with the store, not to the first agent.
    await explained(address, () => fs.stat('/'))
    const fill = async () => (from === undefined ? [] : fillFrom(from, fs, { onProgress }))
    const skipped = await explained(address, () => locksOf(fs, fileLocks).hold([{ path: '/', tree: true }], fill))
    return { workspace: open(name), open, skipped, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Long enough for calls in a row. */
const heldAfterUseMs = 20

function locksOf(fs: KeyValueFileSystem, fileLocks: FileLock | undefined): Locks {
  const shared = keyValueLock(fs) ?? fileLocks
  return shared === undefined ? processLocks() : nestedLocks(processLocks(), shared)
}

/** The user knows the address; `/` would say nothing. Its password stays out of messages. */
async function explained<Result>(address: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    const shown = address.replace(/\/\/[^/@]*@/, '//')
    if (isFsError(error, 'IO')) throw new StoreError(`${shown}: ${error.facts.detail}`)
    if (isFsError(error, 'BUSY')) throw new StoreError(`${shown}: the workspace is locked by another process`)
    if (isFsError(error, 'NO_SPACE')) throw new StoreError(`${shown}: the store is full`)
    if (isFsError(error, 'READ_ONLY')) throw new StoreError(`${shown}: no permission to write`)
    throw error
  }
}
