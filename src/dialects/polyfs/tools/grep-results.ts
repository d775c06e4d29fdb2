/** The results of a search as rows, and as many of them as fit into an answer. */
import type { FileMatches, SearchRecord } from '../../../ops/search-text.js'
import { cutUnits } from '../../../text/lines/lines.js'
import type { Workspace } from '../../../workspace/workspace.js'
import { fingerprint } from '../paging/cursor.js'
import { cutRow } from '../paging/page-of-rows.js'
import { sentBytes } from '../paging/token-budget.js'
import { displayPath } from '../wording.js'

/** A longer line is cut, around its match if it has one. */
export const maxLineUnits = 300

/** One match with the context before it, or one file; or the context after the last match of a file. */
export interface Result {
  /** The row above the results of a file; absent where each result names its file. */
  header?: string
  rows: string[]
  /** What must be unchanged when a later page is read. */
  mark: string
}

export type Output = 'content' | 'files' | 'count'

export function resultsOf(
  files: readonly FileMatches[],
  { output, context }: { output: Output; context: number },
  workspace: Workspace,
): Result[] {
  return files.flatMap((file) => {
    const path = displayPath(file.path, workspace)
    if (output === 'content') return matchesOf(file, path, context)
    const row = output === 'files' ? path : `${path}: ${file.matches}`
    return [{ rows: [row], mark: row }]
  })
}

function matchesOf({ records }: FileMatches, path: string, context: number): Result[] {
  const results: Result[] = []
  let before: string[] = []
  let lastLine = 0
  for (const record of records) {
    const gap = context > 0 && lastLine > 0 && record.line > lastLine + 1 ? ['--'] : []
    const rows = [...gap, ...rowsOf(record)]
    lastLine = record.line + (record.kind === 'match' ? record.lineCount : 1) - 1
    if (record.kind === 'context') before.push(...rows)
    else {
      results.push({ header: path, rows: [...before, ...rows], mark: `${path}:${record.line}:${record.text}` })
      before = []
    }
  }
  results.at(-1)?.rows.push(...before)
  return results
}

function rowsOf(record: SearchRecord): string[] {
  const isMatch = record.kind === 'match'
  const lines = record.text.split('\n')
  return lines.map((line, index) => {
    const shown = cutUnits(line, maxLineUnits)
    const isCut = shown.length < line.length || (record.cut && index === lines.length - 1)
    const isCutBefore = isMatch && record.cutBefore === true && index === 0
    return `${record.line + index}${isMatch ? ':' : '-'} ${isCutBefore ? '…' : ''}${shown}${isCut ? '…' : ''}`
  })
}

/** How many of the first results fit; one that is longer than a page counts as fitting, and is cut by `layOut`. */
export function countFitting(results: readonly Result[], limit: number, room: number): number {
  let left = room
  let count = 0
  let header: string | undefined
  for (const result of results) {
    if (count === limit) break
    left -= costOf(header === result.header ? result.rows : withHeader(result))
    if (left < 0 && count > 0) break
    count += 1
    header = result.header
    if (left < 0) break
  }
  return count
}

/** The rows of results, under the names of their files. */
export function layOut(results: readonly Result[], room: number): string[] {
  const rows = results.flatMap((result, index) =>
    result.header === results[index - 1]?.header ? result.rows : withHeader(result),
  )
  return results.length === 1 && costOf(rows) > room ? [cutRow(rows.join('\n'), room)] : rows
}

function withHeader({ header, rows }: Result): string[] {
  return header === undefined ? rows : [header, ...rows]
}

function costOf(rows: readonly string[]): number {
  return rows.reduce((sum, row) => sum + sentBytes(row) + 2, 0)
}

/** A hash of the first results. */
export function markOf(results: readonly Result[], end: number): string {
  return fingerprint(JSON.stringify([end, ...results.slice(0, end).map(({ mark }) => mark)]))
}
