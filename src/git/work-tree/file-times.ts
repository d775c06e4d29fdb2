/** Decides from a file's stat whether its content has changed, and when the stat is not reliable. */
import type { Stat } from '../../fs/types.js'
import { isTrue, lastValue } from '../config.js'
import type { Index, Repository } from '../repository.js'
import { type IndexEntry, lower32Bits } from './index-file.js'

/** True when the stat is the same as when the file was staged, and a change since then would have altered it. */
export function hasSameStat(repository: Repository, entry: IndexEntry, stat: Stat, index: Index): boolean {
  if (index.modifiedMs === undefined || !hasRecordedStat(repository, entry, stat)) return false
  const times = countsChangeTime(repository) ? entry : { modifiedMs: entry.modifiedMs }
  return isSettled(repository, times, index.modifiedMs)
}

/** True when the index has the file's stat; a change within the time's granularity may be missed. */
export function hasRecordedStat(repository: Repository, entry: IndexEntry, stat: Stat): boolean {
  const { modifiedMs, changedMs, inode, size } = stat
  if (modifiedMs === undefined || entry.modifiedMs === 0) return false
  if (size !== undefined && lower32Bits(size) !== entry.size) return false
  if (!isSameTime(modifiedMs, entry.modifiedMs)) return false
  // The modified time can be reset, as `cp -p` and `tar` do; the change time can't.
  const isOther = changedMs !== undefined && !isSameTime(changedMs, entry.changedMs)
  if (isOther && countsChangeTime(repository)) return false
  return isMinimal(repository) || inode === undefined || lower32Bits(inode) === entry.inode
}

function isMinimal({ config }: Repository): boolean {
  return lastValue(config, 'core.checkstat')?.toLowerCase() === 'minimal'
}

function countsChangeTime(repository: Repository): boolean {
  return !isMinimal(repository) && isTrue(repository.config, 'core.trustctime') !== false
}

/** True when a change after `readAtMs` would show in the file's times; one right after the last could get the same time. */
export function isSettled(
  { tickMs }: Repository,
  { modifiedMs = 0, changedMs = 0 }: Pick<Stat, 'modifiedMs' | 'changedMs'>,
  readAtMs: number,
): boolean {
  const lastMs = Math.max(modifiedMs, changedMs)
  const granularityMs = modifiedMs % 1000 === 0 ? 2000 : tickMs
  return readAtMs - lastMs > granularityMs
}

/** The index stores nanoseconds; a file system may round. */
function isSameTime(a: number, b: number): boolean {
  return Math.abs(a - b) < 0.001
}
