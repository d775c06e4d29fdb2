/** Pages of a long list: as many rows as fit, and a cursor. */
import { FsError } from '../../../errors.js'
import { type Call, fingerprint, readCursor, writeCursor } from './cursor.js'
import { fittingEnd, sentBytes } from './token-budget.js'

export interface RowsPage {
  rows: string[]
  /** Index of the first row of the page, and of the row after its last. */
  start: number
  end: number
  cursor?: string
}

export interface RowsOptions {
  call: Call & { args: { cursor?: string } }
  /** The path that a `STALE` failure names when the list has changed. */
  path: string
  room: number
  /** Maximum number of rows. */
  limit?: number | undefined
  /** What must be unchanged in each earlier row, where that is less than the whole row. */
  marks?: readonly string[]
}

/** Bytes that a cursor and its note take. */
export const pageNoteBytes = 200

/** All rows are made again for each page; those of earlier pages must be unchanged. */
export function pageOfRows(all: readonly string[], options: RowsOptions): RowsPage {
  const { call, path, room, limit, marks = all } = options
  const start = call.args.cursor === undefined ? 0 : startOf(marks, call, path)
  const page = rowsFrom(all, { start, room, limit })
  const more = page.end < all.length
  return { ...page, ...(more && { cursor: writeCursor(call, [page.end, markOf(marks, page.end)]) }) }
}

/** As many rows as fit; a row that is longer than a page is cut. */
export function rowsFrom(
  all: readonly string[],
  { start, room, limit = Infinity }: { start: number; room: number; limit?: number | undefined },
): RowsPage {
  const most = Math.min(all.length, start + limit)
  let left = room - pageNoteBytes
  let end = start
  const rows: string[] = []
  for (; end < most; end += 1) {
    const row = all[end] as string
    const cost = sentBytes(row) + 2
    if (cost > left && end > start) break
    rows.push(cost > left ? cutRow(row, left) : row)
    left -= cost
  }
  return { rows, start, end }
}

function startOf(all: readonly string[], call: RowsOptions['call'], path: string): number {
  const [end, mark] = readCursor(call.args.cursor ?? '', call)
  if (typeof end !== 'number' || end > all.length || markOf(all, end) !== mark) {
    throw new FsError('STALE', { path, expected: String(mark), actual: fingerprint(String(all.length)) })
  }
  return end
}

function markOf(all: readonly string[], end: number): string {
  return fingerprint(all.slice(0, end).join('\n'))
}

/** Cuts a row that is longer than a page. */
export function cutRow(row: string, room: number): string {
  return `${row.slice(0, fittingEnd(row, { start: 0, end: row.length, room: Math.max(0, room - 8) }))}…`
}

/** `[rows 1-200 of 5321; …]`; empty when everything fits on one page. A page without rows is one after the last, because one row always fits. */
export function pageNote(
  { start, end, cursor }: Omit<RowsPage, 'rows'>,
  total: number | undefined,
  what: string,
): string {
  if (start === 0 && cursor === undefined) return ''
  if (end === start) return `[no ${what} after the first ${start}]`
  const of = total === undefined ? '' : ` of ${total}`
  const range = `${what} ${start + 1}-${end}${of}`
  return cursor === undefined ? `[${range}: the end]` : `[${range}; for more, repeat the call with cursor "${cursor}"]`
}
