/**
 * Writes the index. Git trusts an entry whose file is older than the index, with a resolution of seconds. So the index
 * gets the time at which this call began to read files, and an entry that was not trusted before is compared once more:
 * otherwise git would trust it from now on, even if the file has changed since.
 */
import { isFsError } from '../../errors.js'
import { inBatches } from '../../fs/in-batches.js'
import { join } from '../../fs/path.js'
import type { Stat } from '../../fs/types.js'
import type { Repository } from '../repository.js'
import { isSettled } from './file-times.js'
import { type IndexEntry, serializeIndex } from './index-file.js'
import { contentId } from './work-tree.js'

const concurrency = 32

export async function writeIndex(repository: Repository, entries: readonly IndexEntry[]): Promise<void> {
  const { fs, gitDirectory, staged, openedAtMs, objects } = repository
  await objects.requireReadable(entries)
  const path = join(gitDirectory, 'index')
  const writtenAtMs = (await statIfExists(repository, path))?.modifiedMs
  const canSetTime = fs.capabilities.modified === 'write'
  const safe = await inBatches(entries, concurrency, async (entry) => {
    const isNew = entry.rawStat === undefined
    if (isTrusted(repository, entry, isNew ? openedAtMs : writtenAtMs) || (isNew && canSetTime)) return entry
    // With a size of 0, git compares the content.
    return canSetTime && (await isUnchanged(repository, entry)) ? entry : { ...entry, size: 0 }
  })
  await staged.write(path, await serializeIndex(safe), canSetTime ? { modifiedMs: openedAtMs } : {})
}

function isTrusted(repository: Repository, entry: IndexEntry, readAtMs: number | undefined): boolean {
  if (entry.size === 0 || entry.stage !== 0) return true
  if (readAtMs === undefined || !isSettled(repository, entry, readAtMs)) return false
  return Math.floor(Math.max(entry.modifiedMs, entry.changedMs) / 1000) < Math.floor(readAtMs / 1000)
}

async function isUnchanged(repository: Repository, { path, oid }: IndexEntry): Promise<boolean> {
  repository.checkAborted()
  const stat = await statIfExists(repository, join(repository.root, path))
  if (stat?.kind !== 'file' && stat?.kind !== 'symlink') return false
  return (await contentId(repository, path, stat)) === oid
}

async function statIfExists({ fs }: Repository, path: string): Promise<Stat | undefined> {
  try {
    return await fs.stat(path)
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY', 'OUTSIDE', 'IS_LINK')) throw error
    return undefined
  }
}
