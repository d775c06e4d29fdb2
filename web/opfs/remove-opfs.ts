import { FsError } from '../../src/errors.js'
import { fromDomException } from '../fs-access/fs-access-errors.js'
import { holdLock } from './held-lock.js'
import { journalPrefix, packPrefix, treesLock } from './storage-names.js'

/** A worker that was just closed needs a moment to release its lock. */
const patienceMs = 5000

/** Deletes a workspace of the browser's storage with its history. Fails with `BUSY` while a tab has it open. */
export async function removeOpfs(name: string): Promise<void> {
  const path = `/${name}`
  const lock = await holdLock(treesLock(name), 'exclusive', AbortSignal.timeout(patienceMs)).catch(() => {
    throw new FsError('BUSY', { path })
  })
  try {
    const top = await navigator.storage.getDirectory()
    for (const each of [packPrefix + name, name, journalPrefix + name]) {
      await top.removeEntry(each, { recursive: true }).catch((error) => {
        if ((error as DOMException).name !== 'NotFoundError') throw fromDomException(error, path)
      })
    }
  } finally {
    lock.release()
  }
}
