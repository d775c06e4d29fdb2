/** Files searched out of their turn, by someone who does not know what was found before them. */
import type { FileOutcome, Share } from './file-outcome.js'
import type { SearchRequest } from './records.js'
import { maxTooExpensive } from './search-totals.js'

/** As if it were the first file. With `onlyCount`, all that may be told is told. */
export function shareOutOfTurn(request: SearchRequest, onlyCount = false): Share {
  const { skip = 0, limit = Infinity, maxTextBytes = Infinity } = request
  return { skip: 0, take: onlyCount ? 0 : skip + limit, maxTextBytes, maxTooExpensive }
}

/**
 * What the file tells in its turn. What came before it matters only at the edges of a page; there the file has to be
 * searched again, with what is left of the page, which is undefined here.
 */
export function outcomeInTurn(
  outcome: FileOutcome,
  share: Share,
  { mode, total = false }: SearchRequest,
): FileOutcome | undefined {
  if (outcome.tooExpensive > share.maxTooExpensive) return outcome
  const { result } = outcome
  if (result === undefined || result.matches === 0 || mode !== 'content') return outcome
  const { matches, ended, textBytes } = result
  const isWhole = ended === 'done' || ended === 'limited'
  const nothingTold = matches <= share.skip || (share.take === 0 && total)
  if (isWhole && nothingTold) {
    return { ...outcome, result: { records: [], matches, ended, textBytes: 0 } }
  }
  const allTold = share.skip === 0 && matches <= share.take && textBytes <= share.maxTextBytes
  return isWhole && allTold ? outcome : undefined
}
