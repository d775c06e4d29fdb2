import * as z from 'zod'
import { FsError, isFsError } from '../../../../errors.js'
import { type DescribedEntry, describeEntry } from '../../../../ops/describe-entry.js'
import { listDirectory } from '../../../../ops/list-directory.js'
import { dominantEnding } from '../../../../text/lines/line-endings.js'
import { lineTable } from '../../../../text/lines/lines.js'
import type { Content } from '../../../../tools/dialect.js'
import type { CallContext, Workspace } from '../../../../workspace/workspace.js'
import { mimeTypeOf } from '../../binary-content.js'
import { define, paging, type ToolCall } from '../../define-tool.js'
import { describeFormat } from '../../encodings.js'
import { describeFailure, shortHash } from '../../failure.js'
import { openFile, sampleFormat } from '../../open-file.js'
import { readCursor, writeCursor } from '../../paging/cursor.js'
import { sentBytes } from '../../paging/token-budget.js'
import { size, time } from '../../print.js'
import type { Reply } from '../../reply.js'
import { displayPath } from '../../wording.js'
import { type Part, type PartOptions, readPart, readPartSync, type Wanted } from './read-part.js'
import { checkRanges, invalid, type Ranges, readRanges, readRangesSync } from './read-ranges.js'

const reading = { readOnlyHint: true, openWorldHint: false }

const named = { path: z.string().exactOptional(), paths: z.array(z.string()).exactOptional() }

const ranges = z.array(z.array(z.int())).exactOptional()

/** Bytes of the note below the payload, cursor included. */
const noteBytes = 320

export const readFile = define({
  name: 'read_file',
  title: 'Read files',
  description:
    'Read files as numbered lines, whole or in ranges ([5] is line 5 to the end, negative counts from the end); pictures are shown. A result that is cut ends with a cursor: repeat the call with it to go on.',
  annotations: reading,
  group: 'read',
  channel: 'payload',
  input: {
    ...named,
    files: z.array(z.strictObject({ path: z.string(), ranges })).exactOptional(),
    ranges: ranges.describe('Lines [first, last]'),
    offset: z.int().exactOptional().describe('From 1, bytes from 0; negative: from the end'),
    limit: z.int().min(1).exactOptional(),
    unit: z.enum(['lines', 'bytes']).default('lines'),
    format: z.enum(['numbered', 'raw', 'base64']).default('numbered'),
    ...paging,
  },
  facts: {
    path: z.string(),
    hash: z.string(),
    first_line: z.int(),
    last_line: z.int(),
    total_lines: z.int(),
    first_byte: z.int(),
    end_byte: z.int(),
    bytes: z.int(),
    mime_type: z.string(),
    files: z.int(),
    cursor: z.string(),
  },

  async run(args, workspace, call) {
    const [file, ...others] = wantedFiles(args)
    if (others.length > 0) return readSeveral([file, ...others], args, workspace, call)
    return replyOf(file.path, await readOne(file, args, pageOf(args, call), workspace, call), args, workspace)
  },

  runSync(args, workspace, call) {
    const [{ path, ranges: wanted }, ...others] = wantedFiles(args)
    if (others.length > 0) return undefined
    const page = pageOf(args, call)
    const part =
      wanted === undefined
        ? readPartSync(path, args, page, workspace)
        : readRangesSync(path, wanted, args.format, page, workspace)
    return part && replyOf(path, part, args, workspace)
  },
})

type ReadArgs = Wanted & { cursor?: string }

interface WantedFile {
  path: string
  ranges?: Ranges
}

/** All files of a call. Ranges beside them are for those that have none of their own. */
function wantedFiles(args: {
  path?: string
  paths?: string[]
  files?: WantedFile[]
  ranges?: Ranges
  offset?: number
  limit?: number
  unit: string
  format: string
}): [WantedFile, ...WantedFile[]] {
  const { files = [], ranges: common = [], offset, limit } = args
  const others = files.map(({ path }) => path)
  const paths = namedPaths(others.length === 0 ? args : { ...args, paths: [...(args.paths ?? []), ...others] })
  const withoutOwn = paths.length - files.length
  const wanted = paths.map((path, index): WantedFile => {
    const own = files[index - withoutOwn]?.ranges ?? common
    return own.length === 0 ? { path } : { path, ranges: own }
  })
  const isOtherwise = offset !== undefined || limit !== undefined || args.unit === 'bytes' || args.format === 'base64'
  for (const { ranges: own } of wanted) {
    if (own !== undefined && isOtherwise)
      throw invalid('they are lines, and stand in place of offset, limit, unit "bytes" and format "base64"')
    checkRanges(own ?? [])
  }
  // As many as there are paths, of which there is at least one.
  return wanted as [WantedFile, ...WantedFile[]]
}

function readOne(
  { path, ranges: wanted }: WantedFile,
  args: ReadArgs,
  options: PartOptions,
  workspace: Workspace,
  context: CallContext,
): Promise<Part> {
  if (wanted === undefined) return readPart(path, args, options, workspace, context)
  return readRanges(path, wanted, args.format, options, workspace, context)
}

function callOf(args: ReadArgs) {
  return { tool: 'read_file', args }
}

/** Where a page of one file begins, and how much room it has. */
function pageOf(args: ReadArgs, { room }: Pick<ToolCall, 'room'>): PartOptions {
  const [, ...from] = args.cursor === undefined ? [] : readCursor(args.cursor, callOf(args))
  return { room: room - noteBytes, from: from.length > 0 ? from : undefined }
}

function replyOf(path: string, { text, media, label, facts, next }: Part, args: ReadArgs, workspace: Workspace): Reply {
  const cursor = next && writeCursor(callOf(args), [0, ...next])
  return {
    payload: text,
    ...(media && { media: [media] }),
    notes: [bracketed([label, forMore(cursor)])],
    facts: { path: displayPath(path, workspace), ...facts, ...(cursor !== undefined && { cursor }) },
  }
}

/** Sections with a heading each; files that do not fit are left to the next call. */
async function readSeveral(
  files: readonly WantedFile[],
  args: ReadArgs,
  workspace: Workspace,
  call: ToolCall,
): Promise<Reply> {
  const own = callOf(args)
  const [index, ...from] = args.cursor === undefined ? [0] : readCursor(args.cursor, own)
  const first = Number(index)
  const parts: string[] = []
  const media: Content[] = []
  let left = call.room - noteBytes
  let cursor: string | undefined
  let end = first
  let failed = 0
  for (const [at, file] of files.entries()) {
    if (at < first) continue
    call.signal?.throwIfAborted()
    const header = `=== ${displayPath(file.path, workspace)}\n`
    const around = sentBytes(header) + footerBytes
    if (at > first && left - around < minPartBytes) {
      cursor = writeCursor(own, [at])
      break
    }
    try {
      const options = { room: left - around, from: at === first && from.length > 0 ? from : undefined }
      const part = await readOne(file, args, options, workspace, call)
      parts.push(`${header}${part.text}${part.text === '' ? '' : '\n'}[${part.label}]`)
      if (part.media) media.push(part.media)
      left -= around + sentBytes(part.text) + (part.media ? costOf(part.media) : 0)
      end = at + 1
      if (part.next !== undefined) {
        cursor = writeCursor(own, [at, ...part.next])
        break
      }
    } catch (error) {
      if (!isFsError(error) || isFsError(error, 'STALE')) throw error
      failed += 1
      const failure = `${header}[${describeFailure(error, workspace)}]`
      parts.push(failure)
      left -= sentBytes(failure)
    }
  }
  return {
    payload: parts.join('\n\n'),
    media,
    notes: [bracketed([forMore(cursor)]), failed > 0 && `[${failed} of ${files.length} could not be read]`],
    facts: { ...(end > first && { files: end }), ...(cursor !== undefined && { cursor }) },
    failed: failed === files.length,
  }
}

/** The last line of a section, and the gap below it. */
const footerBytes = 120
/** With less room, no other file is begun. */
const minPartBytes = 200

function costOf(media: Content): number {
  return media.type === 'image' ? 6800 : sentBytes(JSON.stringify(media))
}

function forMore(cursor: string | undefined): string {
  return cursor === undefined ? '' : `for more, repeat the call with cursor "${cursor}"`
}

function bracketed(parts: readonly string[]): string {
  const said = parts.filter((part) => part !== '').join('; ')
  return said === '' ? '' : `[${said}]`
}

function namedPaths({ path, paths = [] }: { path?: string; paths?: string[] }): [string, ...string[]] {
  const [first, ...others] = [...(path === undefined ? [] : [path]), ...paths]
  if (first !== undefined) return [first, ...others]
  throw new FsError('INVALID_INPUT', { issues: [{ at: ['path'], kind: 'missing', message: 'no path' }] })
}

export const fileInfo = define({
  name: 'file_info',
  title: 'File information',
  description:
    'Kind, size, times, hash, line count, encoding and line endings of files, or the number of entries of a directory.',
  annotations: reading,
  group: 'read',
  channel: 'facts',
  input: { ...named, cursor: paging.cursor },
  facts: { files: z.array(z.object({ path: z.string() }).partial()), cursor: z.string() },

  async run(args, workspace, call) {
    const paths = namedPaths(args)
    const own = { tool: 'file_info', args }
    const start = args.cursor === undefined ? 0 : Number(readCursor(args.cursor, own)[0])
    const rows: string[] = []
    const described: Record<string, unknown>[] = []
    let left = call.room - noteBytes
    let cursor: string | undefined
    for (const [at, path] of paths.entries()) {
      if (at < start) continue
      call.signal?.throwIfAborted()
      const facts = await describe(path, workspace, call, paths.length > 1)
      const row = Object.entries(facts)
        .map(([key, value], index) => (index === 0 ? value : `${key} ${value}`))
        .join(', ')
      left -= sentBytes(row) + 2 + sentBytes(JSON.stringify(facts))
      if (left < 0 && rows.length > 0) {
        cursor = writeCursor(own, [at])
        break
      }
      rows.push(row)
      described.push(facts)
    }
    return {
      payload: rows.join('\n'),
      notes: [
        cursor !== undefined &&
          `[${rows.length} of ${paths.length}; for more, repeat the call with cursor "${cursor}"]`,
      ],
      facts: { files: described, ...(cursor !== undefined && { cursor }) },
    }
  },
})

async function describe(path: string, workspace: Workspace, context: CallContext, many: boolean) {
  try {
    const entry = await workspace.run(describeEntry, { path }, context)
    return {
      path: displayPath(entry.path, workspace),
      kind: entry.kind,
      ...(entry.size !== undefined && { size: size(entry.size), bytes: entry.size }),
      ...(entry.modifiedMs !== undefined && { modified: time(entry.modifiedMs) }),
      ...(entry.mode !== undefined && { mode: entry.mode.toString(8) }),
      ...(entry.link && { link_target: entry.link.target ?? 'outside the workspace' }),
      ...(await inside(entry, path, workspace, context)),
    }
  } catch (error) {
    if (!many || !isFsError(error)) throw error
    return { path: displayPath(path, workspace), error: describeFailure(error, workspace) }
  }
}

async function inside({ kind }: DescribedEntry, path: string, workspace: Workspace, context: CallContext) {
  if (kind === 'directory') {
    const { entries } = await workspace.run(listDirectory, { path, metadata: false }, context)
    return { entries: entries.length }
  }
  if (kind !== 'file') return {}
  try {
    const { text, hash, format = 'binary', bytes } = await openFile({ path }, workspace, context)
    const encoding = describeFormat(format)
    if (text === undefined) return { hash: shortHash(hash), type: mimeTypeOf(bytes), encoding }
    const ending = dominantEnding(text)
    return {
      hash: shortHash(hash),
      lines: lineTable(text).count,
      encoding,
      ...(ending !== undefined && { endings: { '\n': 'LF', '\r\n': 'CRLF', '\r': 'CR' }[ending] }),
    }
  } catch (error) {
    if (!isFsError(error, 'TOO_LARGE')) throw error
    const format = await sampleFormat(path, workspace, context)
    return {
      hash: `not computed, larger than ${size(workspace.limits.maxFileBytes)}`,
      encoding: `${describeFormat(format)}, by its beginning`,
    }
  }
}
