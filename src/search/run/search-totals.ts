import { FsError } from '../../errors.js'
import { cutUnits } from '../../text/lines/lines.js'
import type { FileOutcome, Share } from './file-outcome.js'
import type { FileMatches, SearchRequest, SearchSummary } from './records.js'

/** Each may have cost tens of milliseconds. */
export const maxTooExpensive = 50

/** The counts of a search. They are kept in the order of the files, whoever searches them. */
export interface Tally {
  readonly summary: SearchSummary
  /** What the next file may tell. */
  share(): Share
  /** Whether another file may be looked into; if not, the summary says why. */
  opensNext(): boolean
  /** Adds what was found in it; what of that is to be told. Fails with `PATTERN_TOO_COMPLEX` when too many lines were given up. */
  add(path: string, outcome: FileOutcome): FileMatches | undefined
  /** What more files could add is not asked for. */
  isComplete(): boolean
  /** Aborted, or out of time; the summary then says so. */
  isOver(): boolean
}

export interface TallyOptions {
  signal?: AbortSignal | undefined
  now: () => number
  /** As `now` counts. */
  deadline: number
}

export function createTally(request: SearchRequest, { signal, now, deadline }: TallyOptions): Tally {
  const { mode, skip = 0, limit = Infinity, total = false, maxFiles = Infinity, maxTextBytes = Infinity } = request
  const summary: SearchSummary = {
    filesSearched: 0,
    filesMatched: 0,
    matches: 0,
    skipped: { binary: 0, tooLarge: 0, unreadable: 0, notUtf8: 0 },
    tooExpensive: 0,
    linesCut: 0,
    limitedFiles: 0,
  }
  let looked = 0
  let textBytes = 0
  /** Results seen: matches in `content`, files otherwise. */
  let results = 0

  return {
    summary,
    share() {
      const content = mode === 'content'
      return {
        skip: content ? Math.max(0, skip - results) : 0,
        take: content ? Math.max(0, skip + limit - Math.max(results, skip)) : 0,
        maxTextBytes: maxTextBytes - textBytes,
        maxTooExpensive: maxTooExpensive - summary.tooExpensive,
      }
    },
    opensNext() {
      if (looked >= maxFiles) summary.truncated = 'files'
      else looked += 1
      return summary.truncated !== 'files'
    },
    add(path, { skipped, result, tooExpensive, linesCut }) {
      summary.tooExpensive += tooExpensive
      summary.linesCut += linesCut
      if (summary.tooExpensive > maxTooExpensive) throw tooComplex(request.matcher.pattern)
      if (skipped !== undefined) summary.skipped[skipped] += 1
      if (result === undefined) return undefined
      const { matches, ended } = result
      summary.filesSearched += 1
      summary.matches += matches
      textBytes += result.textBytes
      if (ended === 'bytes') summary.truncated = 'bytes'
      if (ended === 'limited') summary.limitedFiles += 1
      if (matches === 0) return undefined
      summary.filesMatched += 1
      const seen = results
      results += mode === 'content' ? matches : 1
      if (results > skip + limit) summary.truncated ??= 'results'
      const { records } = result
      if (mode === 'content') return records.length > 0 ? { path, records, matches } : undefined
      return seen >= skip && seen < skip + limit ? { path, records: [], matches } : undefined
    },
    isComplete: () => summary.truncated !== undefined && !(total && summary.truncated === 'results'),
    isOver() {
      if (signal?.aborted === true) summary.truncated = 'aborted'
      else if (deadline < Infinity && now() > deadline) summary.truncated = 'time'
      return summary.truncated === 'aborted' || summary.truncated === 'time'
    },
  }
}

function tooComplex(pattern: string): FsError {
  const reason = 'back-references that can be tried in very many ways'
  return new FsError('PATTERN_TOO_COMPLEX', { pattern: cutUnits(pattern, 200), reason })
}
