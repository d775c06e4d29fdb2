import { FsError } from '../../errors.js'
import { cutUnits } from '../../text/lines/lines.js'
import { type FileLimits, type FileOutcome, noMatch } from './file-outcome.js'
import type { FileMatches, SearchRequest, SearchSummary } from './records.js'

/** Lines that may be too expensive before a search fails: each may have taken tens of milliseconds. */
export const maxTooExpensive = 50

/** The counts and limits of a search, updated in the order of the files. */
export interface SearchTotals {
  readonly summary: SearchSummary
  /** What is left for the next file. */
  limits(): FileLimits
  /** Counts one more file; false if there may be no more, and the summary then says so. */
  openNext(): boolean
  /** Adds a file's outcome and returns what to report of it. Fails with `PATTERN_TOO_COMPLEX` when too many lines were too expensive. */
  add(path: string, outcome: FileOutcome): FileMatches | undefined
  /** More files could add nothing that was asked for. */
  isComplete(): boolean
  /** Aborted or out of time; the summary then says so. */
  isOver(): boolean
}

export interface SearchTotalsOptions {
  signal?: AbortSignal | undefined
  now: () => number
  /** On the clock of `now`. */
  deadline: number
}

export function createSearchTotals(
  request: SearchRequest,
  { signal, now, deadline }: SearchTotalsOptions,
): SearchTotals {
  const { mode, skip = 0, limit = Infinity, total = false, maxFiles = Infinity, maxTextBytes = Infinity } = request
  const { nameSkipped = 0 } = request
  const summary: SearchSummary = {
    filesSearched: 0,
    filesMatched: 0,
    matches: 0,
    skipped: { binary: 0, tooLarge: 0, unreadable: 0, notUtf8: 0 },
    tooExpensive: 0,
    linesCut: 0,
    limitedFiles: 0,
    ...(nameSkipped > 0 && { skippedFiles: [] }),
  }
  let opened = 0
  let textBytes = 0
  /** Results so far: matches in `content`, files otherwise. */
  let results = 0

  return {
    summary,
    limits() {
      const content = mode === 'content'
      return {
        skip: content ? Math.max(0, skip - results) : 0,
        take: content ? Math.max(0, skip + limit - Math.max(results, skip)) : 0,
        maxTextBytes: maxTextBytes - textBytes,
        maxTooExpensive: maxTooExpensive - summary.tooExpensive,
      }
    },
    openNext() {
      if (opened >= maxFiles) summary.truncated = 'files'
      else opened += 1
      return summary.truncated !== 'files'
    },
    add(path, outcome) {
      if (outcome === noMatch) {
        summary.filesSearched += 1
        return undefined
      }
      const { skipped, result, tooExpensive, linesCut, guessed } = outcome
      summary.tooExpensive += tooExpensive
      summary.linesCut += linesCut
      if (summary.tooExpensive > maxTooExpensive) throw tooComplex(request.matcher.pattern)
      if (skipped !== undefined) {
        summary.skipped[skipped] += 1
        if ((summary.skippedFiles?.length ?? nameSkipped) < nameSkipped)
          summary.skippedFiles?.push({ path, why: skipped })
      }
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
      if (mode === 'content') {
        if (records.length === 0) return undefined
        return guessed ? { path, records, matches, guessed } : { path, records, matches }
      }
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
