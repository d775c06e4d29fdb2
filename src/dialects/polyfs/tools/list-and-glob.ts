import * as z from 'zod'
import { join } from '../../../fs/path.js'
import { type FindFiles, type FoundEntry, findFiles } from '../../../ops/find-files.js'
import { printable } from '../../../text/printable.js'
import type { CallContext, Workspace } from '../../../workspace/workspace.js'
import { define, paging, type ToolCall } from '../define-tool.js'
import { ownDirectories } from '../own-directories.js'
import { pageNote, pageOfRows } from '../paging/page-of-rows.js'
import { plural, size, time } from '../print.js'
import { notesBytes, type Reply } from '../reply.js'
import { displayPath } from '../wording.js'
import { globsOf, strings } from './globs.js'

const reading = { readOnlyHint: true, openWorldHint: false }

/** What no search enters: `.git`, and our own directories. */
export function neverSearched(workspace: Workspace): string[] {
  return ['.git', ...ownDirectories(workspace)]
}

/** Ignore rules take effect unless `ignored` is requested. */
export function ignoring(ignored: boolean) {
  return ignored ? {} : { ignore: {} }
}

/** Bounds of the walk that counts hidden entries. */
const hiddenBounds = { maxEntries: 50_000, timeoutMs: 1500 }

const counts = { total: z.int(), ignored: z.int(), cursor: z.string() }

export const listDir = define({
  name: 'list_dir',
  title: 'List directory',
  description: 'List a directory, down to a depth. Directories end in /. What git ignores is counted, not shown.',
  annotations: reading,
  group: 'read',
  channel: 'payload',
  input: {
    path: z.string().default('.'),
    depth: z.int().min(1).default(1),
    glob: strings,
    exclude: strings,
    sort: z.enum(['name', 'size', 'modified']).default('name'),
    details: z.boolean().default(false).describe('Sizes and times'),
    ignored: z.boolean().default(false),
    limit: z.int().min(1).exactOptional(),
    ...paging,
  },
  facts: counts,

  async run(args, workspace, call) {
    const found = await workspace.run(
      findFiles,
      {
        path: args.path,
        maxDepth: args.depth,
        directories: true,
        ...globsOf(
          args.glob,
          args.exclude,
          neverSearched(workspace).map((name) => `**/${name}/**`),
        ),
        ...ignoring(args.ignored),
        sortBy: args.sort === 'name' ? 'path' : args.sort,
        metadata: args.details,
      },
      call,
    )
    const rows = found.entries.map((entry) => rowOf(entry, args.details))
    const marks = found.entries.map(({ path }) => path)
    const { ignored } = found.summary
    const known = [
      ignored > 0 &&
        `[${plural(ignored, 'ignored entry is', 'ignored entries are')} not shown; ignored: true shows all]`,
      ...gaps(found),
    ]
    const own = { tool: 'list_dir', args }
    const page = pageOfRows(rows, {
      call: own,
      path: found.path,
      room: roomFor(known, call),
      limit: args.limit,
      marks,
    })
    return {
      payload: rows.length === 0 ? '(no entries)' : page.rows.join('\n'),
      notes: [
        pageNote(page, rows.length, 'entries'),
        page.cursor !== undefined && call.room > detailedRoom && remainingByDirectory(marks.slice(page.end)),
        ...known,
      ],
      facts: { total: rows.length, ignored, ...(page.cursor !== undefined && { cursor: page.cursor }) },
    }
  },
})

/** With less room, the note does not say where the rest lies. */
const detailedRoom = 4000
const remainingBytes = 260

/** What is left for rows and their page note. */
function roomFor(known: Reply['notes'], { room }: ToolCall): number {
  return room - notesBytes(known) - (room > detailedRoom ? remainingBytes : 0)
}

function rowOf(entry: FoundEntry, details: boolean): string {
  const name = printable(entry.path) + ({ directory: '/', symlink: '@', other: '!', file: '' } as const)[entry.kind]
  if (!details) return name
  const columns = [
    entry.size === undefined ? '' : size(entry.size),
    entry.modifiedMs === undefined ? '' : time(entry.modifiedMs),
  ]
  return [name, ...columns].join('\t').trimEnd()
}

/** The number of remaining rows per directory. */
function remainingByDirectory(paths: readonly string[]): string {
  const byDirectory = new Map<string, number>()
  for (const path of paths) {
    const slash = path.indexOf('/')
    const directory = slash < 0 ? './' : path.slice(0, slash + 1)
    byDirectory.set(directory, (byDirectory.get(directory) ?? 0) + 1)
  }
  const most = [...byDirectory].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).slice(0, 5)
  const counts = most.map(([directory, count]) => `${printable(directory.slice(0, 30))} ${count}`)
  return `[left: ${counts.join(', ')}${byDirectory.size > most.length ? ', …' : ''}]`
}

/** Why the walk did not see everything. */
export function gaps({ summary, truncated }: Pick<FindFiles, 'summary' | 'truncated'>): (string | false)[] {
  return [
    summary.unreadable > 0 && `[${plural(summary.unreadable, 'directory', 'directories')} could not be read]`,
    truncated !== undefined && '[the list is incomplete: too many entries; name a smaller directory]',
    summary.incompleteIgnoreFiles.length > 0 &&
      `[${plural(summary.incompleteIgnoreFiles.length, 'ignore file')} could not be applied completely]`,
  ]
}

export const glob = define({
  name: 'glob',
  title: 'Find files',
  description:
    'Find files by glob, such as **/*.{ts,tsx}, *.md (at any depth) or !*.md (all others). Matches that ignore rules hide are counted.',
  annotations: reading,
  group: 'search',
  channel: 'payload',
  input: {
    pattern: z.string(),
    path: z.string().default('.'),
    exclude: strings,
    sort: z.enum(['path', 'size', 'modified']).default('path'),
    ignored: z.boolean().default(false),
    limit: z.int().min(1).exactOptional(),
    ...paging,
  },
  facts: counts,

  async run(args, workspace, call) {
    const wanted = { path: args.path, ...globsOf(args.pattern, args.exclude, neverSearched(workspace)) }
    const found = await workspace.run(findFiles, { ...wanted, ...ignoring(args.ignored), sortBy: args.sort }, call)
    const rows = found.entries.map(({ path }) => displayPath(join(found.path, path), workspace))
    const looksForHidden = args.cursor === undefined && found.summary.ignored > 0
    const hidden = looksForHidden ? await hiddenMatches(wanted, rows.length, workspace, call) : undefined
    const known = [hidden !== undefined && hiddenNote(hidden, 'match', 'matches'), ...gaps(found)]
    const page = pageOfRows(rows, {
      call: { tool: 'glob', args },
      path: found.path,
      room: roomFor(known, call),
      limit: args.limit,
    })
    return {
      payload: rows.length === 0 ? '(no matches)' : page.rows.join('\n'),
      notes: [
        pageNote(page, rows.length, 'files'),
        page.cursor !== undefined &&
          call.room > detailedRoom &&
          remainingByDirectory(found.entries.slice(page.end).map(({ path }) => path)),
        ...known,
      ],
      facts: {
        total: rows.length,
        ...(hidden !== undefined && { ignored: hidden.count }),
        ...(page.cursor !== undefined && { cursor: page.cursor }),
      },
    }
  },
})

export interface Hidden {
  count: number
  /** There may be more. */
  atLeast: boolean
}

export function hiddenNote({ count, atLeast }: Hidden, one: string, many: string): string | false {
  if (count === 0) return atLeast && '[not all ignored files were looked at; ignored: true searches them]'
  return `[${atLeast ? 'at least ' : ''}${plural(count, one, many)} in ignored files; ignored: true shows them]`
}

async function hiddenMatches(
  wanted: { path: string; include: string[]; exclude: string[] },
  seen: number,
  workspace: Workspace,
  context: CallContext,
): Promise<Hidden> {
  const all = await workspace.run(findFiles, { ...wanted, ...hiddenBounds }, context)
  return { count: Math.max(0, all.entries.length - seen), atLeast: all.truncated !== undefined }
}

/** Files below directories that ignore rules hide from a search, as far as they can be found in short time. */
export async function hiddenFiles(
  directories: readonly string[],
  globs: { include: string[]; exclude: string[] },
  workspace: Workspace,
  context: CallContext,
): Promise<{ files: string[]; atLeast: boolean }> {
  const hidden = new Set<string>()
  const shown = new Set<string>()
  let atLeast = false
  const share = (bound: number) => Math.ceil(bound / directories.length)
  const bounds = { maxEntries: share(hiddenBounds.maxEntries), timeoutMs: share(hiddenBounds.timeoutMs) }
  for (const path of directories) {
    const wanted = { path, ...globs, ...bounds }
    const seen = await workspace.run(findFiles, { ...wanted, ignore: {} }, context)
    for (const entry of seen.entries) shown.add(join(seen.path, entry.path))
    if (seen.truncated !== undefined) atLeast = true
    // What a walk that ended early did not come to is not what rules hide.
    if (seen.truncated !== undefined || seen.summary.ignored === 0) continue
    const all = await workspace.run(findFiles, wanted, context)
    for (const entry of all.entries) if (entry.kind === 'file') hidden.add(join(all.path, entry.path))
    if (all.truncated !== undefined) atLeast = true
  }
  return { files: [...hidden].filter((path) => !shown.has(path)), atLeast }
}
