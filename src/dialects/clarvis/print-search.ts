import { join } from '../../fs/path.js'
import type { FindFiles } from '../../ops/find-files.js'
import type { FileMatches, SearchRecord, SearchText } from '../../ops/search-text.js'
import { displayPath } from '../../ops/shared/display-path.js'
import { cutBytes, utf8Length } from '../../text/lines/lines.js'
import type { Workspace } from '../../workspace/workspace.js'
import { bound } from './print.js'

const nothing = '(no matches)'

export function printFound({ path, entries }: FindFiles, _args: unknown, workspace: Workspace): string {
  if (entries.length === 0) return nothing
  return bound(entries.map((entry) => displayPath(join(path, entry.path), workspace)).join('\n'), workspace)
}

export interface GrepArguments {
  output_mode: 'files_with_matches' | 'content' | 'count'
  context: number
  before_context?: number
  after_context?: number
  offset: number
}

/** The results, and below them a note if they are not complete. */
export function printMatches({ files, summary }: SearchText, args: GrepArguments, workspace: Workspace): string {
  const total = args.output_mode === 'content' ? summary.matches : summary.filesMatched
  const isIncomplete = summary.truncated === 'bytes' || summary.truncated === 'time'
  if (total === 0) return isIncomplete ? incomplete : nothing
  const { maxOutputBytes } = workspace.limits
  const rows = printRows(files, args, workspace)
  const page = cutBytes(rows, maxOutputBytes)
  const next = args.offset + countResults(files, args)
  const footers = [
    isIncomplete && incomplete,
    files.length === 0 && `(no results at offset ${args.offset}; ${total} total)`,
    utf8Length(rows) > maxOutputBytes &&
      `[... page exceeded ${maxOutputBytes} bytes and was cut; set or reduce head_limit to page in smaller chunks ...]`,
    next < total && `[... showing ${args.offset}..${next} of ${total}; call again with offset=${next} for more ...]`,
  ]
  const footer = footers.find((line) => line !== false)
  return [page, footer].filter((part) => part !== undefined && part !== '').join('\n')
}

const incomplete =
  '[... search incomplete: the scan hit its output cap; some matching files were not scanned. Narrow the pattern, path, or glob for complete results. ...]'

function countResults(files: readonly FileMatches[], { output_mode }: GrepArguments): number {
  if (output_mode !== 'content') return files.length
  return files.flatMap(({ records }) => records).filter(({ kind }) => kind === 'match').length
}

function printRows(files: readonly FileMatches[], args: GrepArguments, workspace: Workspace): string {
  const { output_mode, context, before_context = context, after_context = context } = args
  if (output_mode === 'files_with_matches') return files.map(({ path }) => displayPath(path, workspace)).join('\n')
  if (output_mode === 'count')
    return files.map(({ path, matches }) => `${displayPath(path, workspace)}:${matches}`).join('\n')
  const separates = before_context > 0 || after_context > 0
  const rows: string[] = []
  for (const { path, records } of files) {
    const name = displayPath(path, workspace)
    let nextLine: number | undefined
    for (const record of records) {
      if (separates && rows.length > 0 && record.line !== nextLine) rows.push('--')
      rows.push(printRecord(name, record))
      nextLine = record.line + (record.kind === 'match' ? record.lineCount : 1)
    }
  }
  return rows.join('\n')
}

/** A match that belongs to another page keeps its colons. */
function printRecord(name: string, record: SearchRecord): string {
  const { line, text } = record
  return record.kind === 'match' || record.isMatch ? `${name}:${line}:${text}` : `${name}-${line}-${text}`
}
