import * as z from 'zod'
import { FsError } from '../../../errors.js'
import { makeDirectory } from '../../../ops/make-directory.js'
import { copyEntries } from '../../../ops/many/copy-entries.js'
import { deleteEntries } from '../../../ops/many/delete-entries.js'
import { moveEntries } from '../../../ops/many/move-entries.js'
import { define, type ToolCall } from '../define-tool.js'
import { rowsFrom } from '../paging/page-of-rows.js'
import { sentBytes } from '../paging/token-budget.js'
import { plural } from '../print.js'
import type { Reply } from '../reply.js'
import { displayPath } from '../wording.js'

const changing = { destructiveHint: true, openWorldHint: false }
const adding = { destructiveHint: false, openWorldHint: false }

const list = z.array(z.string())

const between = {
  source: z.string().exactOptional(),
  destination: z.string().exactOptional(),
  sources: list.exactOptional(),
  // The length is checked but not part of the schema, which is sent in every listing.
  pairs: z.array(list.refine((pair) => pair.length === 2, 'must be [source, destination]')).exactOptional(),
}

type Between = z.output<z.ZodObject<typeof between>>

export const move = define({
  name: 'move',
  title: 'Move or rename',
  description:
    'Move or rename: source to destination (the new path itself), sources into destination, or pairs [source, destination]. Missing directories are made.',
  annotations: changing,
  group: 'edit',
  channel: 'facts',
  mutates: true,
  input: { ...between, overwrite: z.boolean().default(false) },
  facts: { replaced: z.boolean() },

  async run({ overwrite, ...args }, workspace, call) {
    const wanted = wantedPairs(args)
    const moved = await workspace.run(moveEntries, { ...wanted, replace: overwrite, makeParents: true }, call)
    const entries = moved.map(({ from, to, replaced }) => ({
      source: displayPath(from, workspace),
      destination: displayPath(to, workspace),
      replaced,
    }))
    const rows = entries.map(
      ({ source, destination, replaced }) =>
        `moved ${source} to ${destination}${replaced ? ', replacing what was there' : ''}`,
    )
    return args.source === undefined ? listReply(rows, { moved: entries }, call) : oneReply(rows, entries)
  },
})

export const copy = define({
  name: 'copy',
  title: 'Copy',
  description: 'Copy files or directories to paths that do not exist; arguments as in move.',
  annotations: adding,
  group: 'edit',
  channel: 'facts',
  mutates: true,
  unlistedBesideShell: true,
  input: between,
  facts: { entries: z.int() },

  async run(args, workspace, call) {
    const copied = await workspace.run(copyEntries, { ...wantedPairs(args), makeParents: true }, call)
    const copies = copied.map(({ from, to, entries }) => ({
      source: displayPath(from, workspace),
      destination: displayPath(to, workspace),
      entries,
    }))
    const rows = copies.map(
      ({ source, destination, entries }) =>
        `copied ${source} to ${destination} (${plural(entries, 'entry', 'entries')})`,
    )
    return args.source === undefined ? listReply(rows, { copied: copies }, call) : oneReply(rows, copies)
  },
})

export const deletePath = define({
  name: 'delete',
  title: 'Delete',
  description: 'Delete files, links, or with recursive directories and all in them. history can bring them back.',
  annotations: changing,
  group: 'edit',
  channel: 'facts',
  mutates: true,
  input: { path: z.string().exactOptional(), paths: list.exactOptional(), recursive: z.boolean().default(false) },
  facts: { entries: z.int(), undoable: z.boolean() },

  async run({ path, paths = [], recursive }, workspace, call) {
    const wanted = path === undefined ? paths : [path, ...paths]
    if (wanted.length === 0) throw invalid('path', 'say what to delete: give path or paths')
    const deleted = await workspace.run(deleteEntries, { paths: wanted, recursive }, call)
    const all = deleted.map(({ path: at, entries, undoable }) => ({
      path: displayPath(at, workspace),
      entries,
      undoable,
    }))
    const rows = deleted.map(({ kind, entries }, index) => {
      const what = kind === 'directory' ? ` (${plural(entries, 'entry', 'entries')})` : ''
      return `deleted ${all[index]?.path}${what}`
    })
    return wanted.length > 1 ? listReply(rows, { deleted: all }, call) : oneReply(rows, all)
  },
})

/** What to move or copy. Exactly one of the three ways may be used. */
function wantedPairs({ source, destination, sources, pairs }: Between) {
  const given = [source, sources, pairs].filter((way) => way !== undefined)
  if (given.length > 1) throw invalid('source', 'give only one of source, sources and pairs')
  if (pairs !== undefined) {
    if (destination !== undefined) throw invalid('destination', 'with pairs, each has its own')
    if (pairs.length === 0) throw invalid('pairs', 'must not be empty')
    return { pairs: pairs.map(([from, to]) => ({ from: from as string, to: to as string })) }
  }
  if (given.length === 0) throw invalid('source', 'give source and destination, sources and destination, or pairs')
  if (destination === undefined) throw missing('destination')
  if (sources === undefined) return { pairs: [{ from: source as string, to: destination }] }
  if (sources.length === 0) throw invalid('sources', 'must not be empty')
  return { sources, into: destination }
}

function oneReply([row]: readonly string[], [facts]: readonly Record<string, unknown>[]): Reply {
  return { payload: row as string, facts: facts as Record<string, unknown> }
}

/** As much as there is room for: all facts, or only lines, or the first lines. */
function listReply(rows: readonly string[], facts: Record<string, readonly unknown[]>, { room }: ToolCall): Reply {
  const text = rows.join('\n')
  const left = room - 400
  if (sentBytes(JSON.stringify(facts)) + sentBytes(text) <= left) return { payload: text, facts }
  const page = rowsFrom(rows, { start: 0, room: left })
  const rest = rows.length - page.end
  return {
    payload: [...page.rows, ...(rest > 0 ? [`… (${rest} more)`] : [])].join('\n'),
    facts: { count: rows.length },
  }
}

function invalid(at: string, message: string): FsError {
  return new FsError('INVALID_INPUT', { issues: [{ at: [at], kind: 'other', message }] })
}

function missing(at: string): FsError {
  return new FsError('INVALID_INPUT', { issues: [{ at: [at], kind: 'missing', message: '' }] })
}

export const makeDir = define({
  name: 'make_dir',
  title: 'Make directory',
  description: 'Make a directory and those above it that are missing.',
  annotations: { ...adding, idempotentHint: true },
  group: 'edit',
  channel: 'facts',
  mutates: true,
  unlistedBesideShell: true,
  input: { path: z.string() },
  facts: { created: z.boolean() },

  async run({ path }, workspace, call) {
    const { created, path: at } = await workspace.run(makeDirectory, { path }, call)
    const facts = { path: displayPath(at, workspace), created }
    return { payload: created ? `made ${facts.path}` : `${facts.path} existed already`, facts }
  },
})
