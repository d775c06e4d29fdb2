/** Files that workers search without knowing what was found in the files before them. */
import type { FileLimits, FileOutcome } from './file-outcome.js'
import type { SearchRequest } from './records.js'
import { maxTooExpensive } from './search-totals.js'

/** The limits as if it were the first file. With `onlyCount`, no more matches will be reported. */
export function limitsOutOfOrder(request: SearchRequest, onlyCount = false): FileLimits {
  const { skip = 0, limit = Infinity, maxTextBytes = Infinity } = request
  return { skip: 0, take: onlyCount ? 0 : skip + limit, maxTextBytes, maxTooExpensive }
}

/**
 * The outcome under the limits that the files before have left. Those matter only at the edges of a page; undefined there: the file has to
 * be searched again with these limits.
 */
export function outcomeInOrder(
  outcome: FileOutcome,
  limits: FileLimits,
  { mode, total = false }: SearchRequest,
): FileOutcome | undefined {
  if (outcome.tooExpensive > limits.maxTooExpensive) return outcome
  const { result } = outcome
  if (result === undefined || result.matches === 0 || mode !== 'content') return outcome
  const { matches, ended, textBytes } = result
  const isWhole = ended === 'done' || ended === 'limited'
  const nothingReported = matches <= limits.skip || (limits.take === 0 && total)
  if (isWhole && nothingReported) {
    return { ...outcome, result: { records: [], matches, ended, textBytes: 0 } }
  }
  const allReported = limits.skip === 0 && matches <= limits.take && textBytes <= limits.maxTextBytes
  return isWhole && allReported ? outcome : undefined
}
