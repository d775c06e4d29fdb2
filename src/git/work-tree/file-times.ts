/** What times and numbers of files tell of whether their content has changed, and when they tell nothing. */
import type { Stat } from '../../fs/types.js'
import { isTrue, lastValue } from '../config.js'
import type { Index, Repository } from '../repository.js'
import { type IndexEntry, lower32Bits } from './index-file.js'

/** Whether a file looks as it did when it was staged, and would look different had it changed since. */
export function looksTheSame({ config }: Repository, entry: IndexEntry, stat: Stat, index: Index): boolean {
  const { modifiedMs, changedMs, inode, size } = stat
  if (modifiedMs === undefined || entry.modifiedMs === 0 || index.modifiedMs === undefined) return false
  if (size !== undefined && lower32Bits(size) !== entry.size) return false
  if (!isSameTime(modifiedMs, entry.modifiedMs)) return false
  const isMinimal = lastValue(config, 'core.checkstat')?.toLowerCase() === 'minimal'
  const countsChanged = !isMinimal && isTrue(config, 'core.trustctime') !== false
  // A modified time can be set back, as `cp -p` and `tar` do; this one can't.
  if (countsChanged && changedMs !== undefined && !isSameTime(changedMs, entry.changedMs)) return false
  if (!isMinimal && inode !== undefined && lower32Bits(inode) !== entry.inode) return false
  return isSettled(countsChanged ? entry : { modifiedMs: entry.modifiedMs }, index.modifiedMs)
}

/** Whether a change after someone looked would show in the file's times; one so soon after the last could have the same. */
export function isSettled(
  { modifiedMs = 0, changedMs = 0 }: Pick<Stat, 'modifiedMs' | 'changedMs'>,
  lookedAtMs: number,
) {
  const lastMs = Math.max(modifiedMs, changedMs)
  const granularityMs = modifiedMs % 1000 === 0 ? 2000 : 20
  return lookedAtMs - lastMs > granularityMs
}

/** The index counts nanoseconds, a file system may round. */
function isSameTime(a: number, b: number): boolean {
  return Math.abs(a - b) < 0.001
}
