/**
 * Writing the index. Git believes an entry whose file has a time before that of the index, and counts in seconds. So an index has the time at
 * which we began to look at files, and an entry that was not believed before is compared once more: else it would be believed from now on,
 * whatever has become of the file since.
 */
import { isFsError } from '../../errors.js'
import { inBatches } from '../../fs/in-batches.js'
import { join } from '../../fs/path.js'
import type { Stat } from '../../fs/types.js'
import type { Repository } from '../repository.js'
import { isSettled } from './file-times.js'
import { type IndexEntry, serializeIndex } from './index-file.js'
import { contentId } from './work-tree.js'

const atOnce = 32

export async function writeIndex(repository: Repository, entries: readonly IndexEntry[]): Promise<void> {
  const { fs, gitDirectory, staged, openedAtMs } = repository
  const path = join(gitDirectory, 'index')
  const writtenAtMs = (await statIfThere(repository, path))?.modifiedMs
  const canSetTime = fs.capabilities.modified === 'write'
  const safe = await inBatches(entries, atOnce, async (entry) => {
    const isNew = entry.kept === undefined
    if (isBelieved(entry, isNew ? openedAtMs : writtenAtMs) || (isNew && canSetTime)) return entry
    // Without a size git looks at the content.
    return canSetTime && (await isUnchanged(repository, entry)) ? entry : { ...entry, size: 0 }
  })
  await staged.write(path, await serializeIndex(safe), canSetTime ? { modifiedMs: openedAtMs } : {})
}

function isBelieved(entry: IndexEntry, lookedAtMs: number | undefined): boolean {
  if (entry.size === 0 || entry.stage !== 0) return true
  if (lookedAtMs === undefined || !isSettled(entry, lookedAtMs)) return false
  return Math.floor(Math.max(entry.modifiedMs, entry.changedMs) / 1000) < Math.floor(lookedAtMs / 1000)
}

async function isUnchanged(repository: Repository, { path, oid }: IndexEntry): Promise<boolean> {
  repository.checkAborted()
  const stat = await statIfThere(repository, join(repository.root, path))
  if (stat?.kind !== 'file' && stat?.kind !== 'symlink') return false
  return (await contentId(repository, path, stat)) === oid
}

async function statIfThere({ fs }: Repository, path: string): Promise<Stat | undefined> {
  try {
    return await fs.stat(path)
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY', 'OUTSIDE', 'IS_LINK')) throw error
    return undefined
  }
}
