import * as z from 'zod'
import { FsError } from '../../../errors.js'
import { inspectPattern, type SearchText, searchText } from '../../../ops/search-text.js'
import type { CallContext, Workspace } from '../../../workspace/workspace.js'
import { define, paging, type ToolCall } from '../define-tool.js'
import { otherDialectHint, readPattern } from '../forgive/read-pattern.js'
import { readCursor, writeCursor } from '../paging/cursor.js'
import { pageNoteBytes } from '../paging/page-of-rows.js'
import { notesBytes, type Reply } from '../reply.js'
import { globsOf, strings } from './globs.js'
import { guessedNote, guessedNoteBytes, type IgnoredFiles, resultPageNote, summaryNote } from './grep-notes.js'
import { countFitting, layOut, markOf, maxLineUnits, type Output, resultsOf } from './grep-results.js'
import { tallyReply } from './grep-tally.js'
import { type Hidden, hiddenFiles, hiddenNote, ignoring, neverSearched } from './list-and-glob.js'

const input = {
  pattern: z.string(),
  path: z.string().exactOptional(),
  paths: strings,
  glob: strings.describe('Only files that match; !x: all others'),
  exclude: strings,
  start_line: z.int().exactOptional(),
  end_line: z.int().exactOptional(),
  output: z
    .enum(['content', 'files', 'count', 'tally'])
    .default('content')
    .describe('tally counts group 1, or the match'),
  context: z.int().min(0).max(50).default(0),
  ignore_case: z.boolean().default(false),
  literal: z.boolean().default(false),
  multiline: z.boolean().default(false),
  ignored: z.boolean().default(false),
  limit: z
    .int()
    .refine((limit) => limit !== 0, 'must not be 0')
    .exactOptional()
    .describe('Negative: the last ones'),
  ...paging,
}

type Args = z.output<z.ZodObject<typeof input>>

export const grep = define({
  name: 'grep',
  title: 'Search contents',
  description: 'Search contents by regular expression, sorted by path and line. Says what was not searched.',
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

  async run(given, workspace, call) {
    const read = given.literal ? undefined : readPattern(given.pattern, given)
    const args =
      read === undefined ? given : { ...given, pattern: read.pattern, ...(read.ignoreCase && { ignore_case: true }) }
    const readNote = read !== undefined && read.assumed.length > 0 && `[read ${read.assumed.join('; ')}]`
    if (!args.multiline && inspectPattern(requestOf(args, workspace).matcher).lineBreaks) throw needsMultiline
    if (args.output === 'tally') return tally(args, [readNote], workspace, call)
    const { output } = args
    const own = { tool: 'grep', args: given }
    const [start, mark] = args.cursor === undefined ? [0, ''] : (readCursor(args.cursor, own) as [number, string])
    const { limit = Infinity } = args
    const fromEnd = limit < 0
    // Searches from the start, to check that the results of earlier pages are unchanged.
    const most = start + Math.min(Math.abs(limit), Math.ceil(call.room / minRowBytes))
    const found = await search({ ...args, output }, { limit: most, fromEnd }, workspace, call)
    const results = resultsOf(found.files, { ...args, output }, workspace)
    // In the order of the pages.
    if (fromEnd) results.reverse()
    const { summary } = found
    const isCutShort = summary.truncated === 'time' && results.length < start
    if (start > 0 && !isCutShort && markOf(results, start) !== mark) {
      throw new FsError('STALE', { path: found.path, expected: String(mark), actual: markOf(results, start) })
    }
    const { ignored, hidden } = args.cursor === undefined ? await lookForIgnored(args, found, workspace, call) : {}
    const known = [
      summaryNote(found, output, ignored, workspace),
      readNote,
      summary.matches === 0 && !args.literal && otherDialectHint(args.pattern),
      hidden !== undefined && hiddenNote(hidden, 'match', 'matches'),
      ...cutShortNotes(found),
    ]
    const room = call.room - notesBytes(known) - pageNoteBytes - guessedNoteBytes(found)
    const total = output === 'content' ? summary.matches : summary.filesMatched
    const end = start + countFitting(results.slice(start), Math.abs(limit), room)
    const shown = results.slice(start, end)
    if (fromEnd) shown.reverse()
    const more = end < total && end > start
    const cursor = more ? writeCursor(own, [end, markOf(results, end)]) : undefined
    const hasLast = fromEnd ? start === 0 : end === total
    const page = { start, end, fromEnd, ...(cursor !== undefined && { cursor }) }
    const { skipped } = summary
    return {
      payload:
        shown.length === 0 && start > 0
          ? '(no more matches)'
          : textOf(layOut(shown, room), output, hasLast && total > 1 ? summary.matches : undefined),
      notes: [
        known[0],
        resultPageNote(page, total, output === 'content' ? 'matches' : 'files'),
        guessedNote(found, shown, workspace),
        ...known.slice(1),
      ],
      facts: {
        ...(output !== 'files' && { matches: summary.matches }),
        files: summary.filesMatched,
        ...(hidden !== undefined && { ignored_matches: hidden.count }),
        skipped: { binary: skipped.binary, too_large: skipped.tooLarge },
        ...(cursor !== undefined && { cursor }),
      },
    }
  },
})

/** Such a pattern would find nothing, without a reason. */
const needsMultiline = invalid(
  'pattern',
  'it has a line break, and lines are searched one by one unless multiline is true',
)

function invalid(parameter: keyof Args, message: string): FsError {
  return new FsError('INVALID_INPUT', { issues: [{ at: [parameter], kind: 'other', message }] })
}

/** Lower bound of the size of a result. */
const minRowBytes = 8
const timeoutMs = 60_000
/** Some more than are named, so that few of a kind are named though there are more of another. */
const nameSkipped = 12

/** `total` is given where the last count is shown. */
function textOf(rows: readonly string[], output: Output, total: number | undefined): string {
  if (rows.length === 0) return '(no matches)'
  return [...rows, ...(output === 'count' && total !== undefined ? [`total: ${total}`] : [])].join('\n')
}

function search(
  args: Args & { output: Output },
  { limit, fromEnd }: { limit: number; fromEnd: boolean },
  workspace: Workspace,
  context: CallContext,
): Promise<SearchText> {
  const request = {
    ...requestOf(args, workspace),
    mode: args.output,
    before: args.context,
    after: args.context,
    limit,
    total: true,
    maxReportedUnits: maxLineUnits,
    aroundMatch: true,
    timeoutMs,
  }
  return workspace.run(searchText, { ...whereOf(args, workspace), request, fromEnd }, context)
}

function whereOf({ path, paths = [], glob, exclude, ignored }: Args, workspace: Workspace) {
  const named = [...(path === undefined ? [] : [path]), ...paths]
  const selected = globsOf(glob, exclude, neverSearched(workspace))
  return { paths: named.length === 0 ? ['.'] : named, ...selected, ...ignoring(ignored) }
}

async function tally(args: Args, notes: Reply['notes'], workspace: Workspace, call: ToolCall): Promise<Reply> {
  const request = { ...requestOf(args, workspace), mode: 'content' as const, total: true, timeoutMs }
  // Loaded late: few searches count values.
  const { tallyText } = await import('../../../ops/tally-text.js')
  const tallied = await workspace.run(tallyText, { ...whereOf(args, workspace), request }, call)
  const { found } = tallied
  const { ignored, hidden } = await lookForIgnored(args, found, workspace, call)
  const known = [
    ...(notes ?? []),
    summaryNote(found, 'content', ignored, workspace),
    hidden !== undefined && hiddenNote(hidden, 'match', 'matches'),
    ...cutShortNotes(found),
  ]
  return tallyReply(tallied, args.limit ?? Infinity, known, workspace)
}

function cutShortNotes({ summary, walkTruncated }: SearchText): Reply['notes'] & {} {
  return [
    summary.truncated === 'time' && '[the search took too long and was stopped; name a smaller directory or a glob]',
    summary.truncated === 'bytes' &&
      '[there are too many matching lines, and not all were counted; name a smaller directory or a glob]',
    walkTruncated !== undefined && '[not all files were searched; name a smaller directory]',
  ]
}

function requestOf(args: Args, { limits }: Workspace) {
  return {
    matcher: {
      pattern: args.pattern,
      syntax: args.literal ? ('literal' as const) : ('ecmascript' as const),
      ignoreCase: args.ignore_case,
      multiline: args.multiline,
    },
    ...linesOf(args),
    maxFileBytes: limits.maxFileBytes,
    text: { nul: { first: 8000, last: 8000 }, detectEncoding: true },
    nameSkipped,
    carriageReturnEndsLine: true,
  }
}

function linesOf({ start_line: first, end_line: last }: Args) {
  if (first === 0) throw invalid('start_line', 'lines are counted from 1, or from -1 at the end')
  if (last === 0) throw invalid('end_line', 'lines are counted from 1, or from -1 at the end')
  if (first === undefined && last === undefined) return {}
  if (first !== undefined && last !== undefined && first > last && first > 0 === last > 0) {
    throw invalid('end_line', 'it is before start_line')
  }
  return { lines: { ...(first !== undefined && { first }), ...(last !== undefined && { last }) } }
}

/** Bounds of the search in ignored files. */
const hiddenSearch = { maxFiles: 2000, timeoutMs: 1500 }

/** Which files ignore rules hide, and how many matches they have, unless they were searched. */
async function lookForIgnored(
  args: Args,
  found: SearchText,
  workspace: Workspace,
  context: CallContext,
): Promise<{ ignored?: IgnoredFiles; hidden?: Hidden }> {
  const mayBeIgnored = found.directories.length > 0 && (args.ignored || (found.ignored ?? 0) > 0)
  if (!mayBeIgnored) return {}
  const wanted = globsOf(args.glob, args.exclude, neverSearched(workspace))
  const { files, atLeast } = await hiddenFiles(found.directories, wanted, workspace, context)
  const ignored = { files, atLeast, searched: args.ignored }
  if (args.ignored) return { ignored }
  if (files.length === 0) return { ignored, hidden: { count: 0, atLeast } }
  const request = { ...requestOf(args, workspace), mode: 'count' as const, total: true, ...hiddenSearch }
  const { summary } = await workspace.run(searchText, { files, request }, context)
  return { ignored, hidden: { count: summary.matches, atLeast: atLeast || summary.truncated !== undefined } }
}
