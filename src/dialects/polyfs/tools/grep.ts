import * as z from 'zod'
import { FsError } from '../../../errors.js'
import {
  type FileMatches,
  inspectPattern,
  type SearchRecord,
  type SearchText,
  searchText,
} from '../../../ops/search-text.js'
import { cutUnits } from '../../../text/lines/lines.js'
import type { CallContext } from '../../../tools/dialect.js'
import type { Workspace } from '../../../workspace.js'
import { define, paging } from '../define-tool.js'
import { fingerprint, readCursor, writeCursor } from '../paging/cursor.js'
import { cutRow, pageNote } from '../paging/page-of-rows.js'
import { sentBytes } from '../paging/token-budget.js'
import { plural, size } from '../print.js'
import { displayPath } from '../wording.js'
import { exclude, globsOf } from './globs.js'
import { type Hidden, hiddenFiles, hiddenNote, ignoring, neverSearched } from './list-and-glob.js'

const input = {
  pattern: z.string(),
  path: z.string().default('.'),
  glob: z.string().exactOptional().describe('Only files that match'),
  exclude,
  output: z.enum(['content', 'files', 'count']).default('content'),
  context: z.int().min(0).max(50).default(0).describe('Lines around each match'),
  ignore_case: z.boolean().default(false),
  literal: z.boolean().default(false),
  multiline: z.boolean().default(false),
  ignored: z.boolean().default(false),
  limit: z.int().min(1).exactOptional(),
  ...paging,
}

type Args = z.output<z.ZodObject<typeof input>>

export const grep = define({
  name: 'grep',
  title: 'Search file contents',
  description:
    'Search contents by regular expression (or literal text), sorted by path and line. Tells what was not searched: ignored, binary and oversized files.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  group: 'search',
  channel: 'payload',
  input,
  facts: {
    matches: z.int(),
    files: z.int(),
    ignored_matches: z.int(),
    skipped: z.object({ binary: z.int(), too_large: z.int() }).partial(),
    cursor: z.string(),
  },

  async run(args, workspace, call) {
    if (!args.multiline && inspectPattern(requestOf(args, workspace).matcher).lineBreaks) throw needsMultiline
    const own = { tool: 'grep', args }
    const [start, mark] = args.cursor === undefined ? [0, ''] : (readCursor(args.cursor, own) as [number, string])
    const room = call.room - noteBytes
    const limit = Math.min(args.limit ?? Infinity, Math.ceil(room / minRowBytes))
    // Searches from the start, to check that the results of earlier pages are unchanged.
    const found = await search(args, start + limit, workspace, call)
    const results = resultsOf(found.files, args, workspace)
    const { summary } = found
    const isCutShort = summary.truncated === 'time' && results.length < start
    if (start > 0 && !isCutShort && markOf(results, start) !== mark) {
      throw new FsError('STALE', { path: found.path, expected: String(mark), actual: markOf(results, start) })
    }
    const page = fitting(results.slice(start), args.limit ?? Infinity, room)
    const total = args.output === 'content' ? summary.matches : summary.filesMatched
    const end = start + page.count
    const more = end < total && page.count > 0
    const cursor = more ? writeCursor(own, [end, markOf(results, end)]) : undefined
    const hidden =
      args.cursor === undefined && (found.ignored ?? 0) > 0 && !args.ignored
        ? await hiddenHits(args, workspace, call)
        : undefined
    const { skipped } = summary
    return {
      payload: page.rows.length === 0 ? '(no matches)' : page.rows.join('\n'),
      notes: [
        `[${foundNote(found, args)}; ${plural(summary.filesSearched, 'file')} searched${skippedNote(found, workspace)}]`,
        pageNote(
          { start, end, ...(cursor !== undefined && { cursor }) },
          total,
          args.output === 'content' ? 'matches' : 'files',
        ),
        guessedNote(found.files, results.slice(start, end), workspace),
        hidden !== undefined && hiddenNote(hidden, 'match', 'matches'),
        summary.truncated === 'time' && '[the search took too long and was ended; name a smaller directory or a glob]',
        found.walkTruncated !== undefined && '[not all files were come to; name a smaller directory]',
      ],
      facts: {
        ...(args.output !== 'files' && { matches: summary.matches }),
        files: summary.filesMatched,
        ...(hidden !== undefined && { ignored_matches: hidden.count }),
        skipped: { binary: skipped.binary, too_large: skipped.tooLarge },
        ...(cursor !== undefined && { cursor }),
      },
    }
  },
})

/** Such a pattern would find nothing, without a reason. */
const needsMultiline = new FsError('INVALID_INPUT', {
  issues: [
    {
      at: ['pattern'],
      kind: 'other',
      message: 'it has a line break, and lines are searched one by one unless multiline is true',
    },
  ],
})

/** Bytes that notes and a cursor take. */
const noteBytes = 560
/** Lower bound of the size of a result. */
const minRowBytes = 8
const timeoutMs = 60_000
/** A longer line is cut. */
const maxLineUnits = 400

function search(args: Args, limit: number, workspace: Workspace, context: CallContext): Promise<SearchText> {
  const request = {
    ...requestOf(args, workspace),
    mode: args.output,
    before: args.context,
    after: args.context,
    limit,
    total: true,
    maxReportedUnits: maxLineUnits,
    timeoutMs,
  }
  return workspace.run(searchText, { ...filesOf(args, workspace), ...ignoring(args.ignored), request }, context)
}

function filesOf({ path, glob, exclude: given }: Args, workspace: Workspace) {
  return { path, ...globsOf(glob, given, neverSearched(workspace)) }
}

function requestOf(args: Args, { limits }: Workspace) {
  return {
    matcher: {
      pattern: args.pattern,
      syntax: args.literal ? ('literal' as const) : ('ecmascript' as const),
      ignoreCase: args.ignore_case,
      multiline: args.multiline,
    },
    maxFileBytes: limits.maxFileBytes,
    text: { nul: { first: 8000, last: 8000 }, detectEncoding: true },
    carriageReturnEndsLine: true,
  }
}

/** One match with the context before it, or one file; or the context after the last match of a file. */
interface Result {
  path: string
  rows: string[]
  mark: string
}

function resultsOf(files: readonly FileMatches[], args: Args, workspace: Workspace): Result[] {
  return files.flatMap((file) => {
    const path = displayPath(file.path, workspace)
    if (args.output === 'files') return [{ path, rows: [path], mark: path }]
    if (args.output === 'count') return [{ path, rows: [`${path}: ${file.matches}`], mark: `${path}: ${file.matches}` }]
    const results: Result[] = []
    let before: string[] = []
    let lastLine = 0
    for (const record of file.records) {
      const gap = args.context > 0 && lastLine > 0 && record.line > lastLine + 1 ? ['--'] : []
      const rows = [...gap, ...rowsOf(record)]
      lastLine = record.line + (record.kind === 'match' ? record.lineCount : 1) - 1
      if (record.kind === 'context') before.push(...rows)
      else {
        results.push({ path, rows: [...before, ...rows], mark: `${path}:${record.line}:${record.text}` })
        before = []
      }
    }
    results.at(-1)?.rows.push(...before)
    return results
  })
}

function rowsOf(record: SearchRecord): string[] {
  const sign = record.kind === 'match' ? ':' : '-'
  const cut = record.cut ? '…' : ''
  return record.text.split('\n').map((line, index, all) => {
    const isLast = index === all.length - 1
    return `${record.line + index}${sign} ${cutUnits(line, maxLineUnits)}${isLast ? cut : ''}`
  })
}

/** As many results as fit, grouped by file. */
function fitting(results: readonly Result[], limit: number, room: number): { rows: string[]; count: number } {
  const rows: string[] = []
  let left = room
  let count = 0
  let file: string | undefined
  for (const { path, rows: own } of results) {
    if (count === limit) break
    const isGrouped = own[0] !== path && !own[0]?.startsWith(`${path}: `)
    const added = isGrouped && file !== path ? [path, ...own] : own
    const cost = added.reduce((sum, row) => sum + sentBytes(row) + 2, 0)
    if (cost > left) {
      if (count > 0) break
      rows.push(cutRow(added.join('\n'), left))
      count += 1
      break
    }
    rows.push(...added)
    left -= cost
    count += 1
    file = path
  }
  return { rows, count }
}

/** A hash of the first results. */
function markOf(results: readonly Result[], end: number): string {
  return fingerprint(JSON.stringify([end, ...results.slice(0, end).map(({ mark }) => mark)]))
}

/** When only names of files are requested, a file is searched up to its first match. */
function foundNote({ summary: { matches, filesMatched } }: SearchText, { output }: Args): string {
  const files = plural(filesMatched, 'file')
  return output === 'files' ? `matches in ${files}` : `${plural(matches, 'match', 'matches')} in ${files}`
}

function skippedNote({ summary: { skipped, tooExpensive }, unreadable }: SearchText, { limits }: Workspace): string {
  const parts = [
    skipped.binary > 0 && `${skipped.binary} binary`,
    skipped.tooLarge > 0 && `${skipped.tooLarge} over ${size(limits.maxFileBytes)}`,
    skipped.unreadable + unreadable > 0 && `${skipped.unreadable + unreadable} unreadable`,
    tooExpensive > 0 && `${plural(tooExpensive, 'line')} too costly for the pattern`,
  ].filter(Boolean)
  return parts.length === 0 ? '' : `; not searched: ${parts.join(', ')}`
}

/** Names the files of these results that are not in UTF-8. */
function guessedNote(files: readonly FileMatches[], shown: readonly Result[], workspace: Workspace): string | false {
  const paths = new Set(shown.map(({ path }) => path))
  const guessed = files.filter((file) => file.guessed).map(({ path }) => displayPath(path, workspace))
  const named = guessed.filter((path) => paths.has(path))
  const more = named.length > 5 ? `, … ${named.length} files` : ''
  return named.length > 0 && `[not valid UTF-8, shown as Windows-1252: ${named.slice(0, 5).join(', ')}${more}]`
}

/** Bounds of the search in ignored files. */
const hiddenSearch = { maxFiles: 2000, timeoutMs: 1500 }

async function hiddenHits(args: Args, workspace: Workspace, context: CallContext): Promise<Hidden> {
  const { files, atLeast } = await hiddenFiles(filesOf(args, workspace), workspace, context)
  if (files.length === 0) return { count: 0, atLeast }
  const request = { ...requestOf(args, workspace), mode: 'count' as const, total: true, ...hiddenSearch }
  const { summary } = await workspace.run(searchText, { files, request }, context)
  return { count: summary.matches, atLeast: atLeast || summary.truncated !== undefined }
}
