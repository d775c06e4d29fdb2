import * as z from 'zod'
import { copyEntry } from '../../../ops/copy-entry.js'
import { deleteEntry } from '../../../ops/delete-entry.js'
import { makeDirectory } from '../../../ops/make-directory.js'
import { moveEntry } from '../../../ops/move-entry.js'
import { define } from '../define-tool.js'
import { plural } from '../print.js'
import { displayPath } from '../wording.js'

const changing = { readOnlyHint: false, destructiveHint: true, openWorldHint: false }
const adding = { readOnlyHint: false, destructiveHint: false, openWorldHint: false }

const between = { source: z.string(), destination: z.string() }

export const move = define({
  name: 'move',
  title: 'Move or rename',
  description: 'Move or rename a file or directory. destination is the new path itself; missing directories are made.',
  annotations: changing,
  group: 'edit',
  channel: 'facts',
  mutates: true,
  input: { ...between, overwrite: z.boolean().default(false) },
  facts: { replaced: z.boolean() },

  async run({ source, destination, overwrite }, workspace, call) {
    const { from, to, replaced } = await workspace.run(
      moveEntry,
      { from: source, to: destination, replace: overwrite, makeParents: true },
      call,
    )
    const facts = { source: displayPath(from, workspace), destination: displayPath(to, workspace), replaced }
    return {
      payload: `moved ${facts.source} to ${facts.destination}${replaced ? ', replacing what was there' : ''}`,
      facts,
    }
  },
})

export const copy = define({
  name: 'copy',
  title: 'Copy',
  description: 'Copy a file, or a directory with all in it, to a path where there is nothing.',
  annotations: adding,
  group: 'edit',
  channel: 'facts',
  mutates: true,
  input: between,
  facts: { entries: z.int() },

  async run({ source, destination }, workspace, call) {
    const { from, to, entries } = await workspace.run(
      copyEntry,
      { from: source, to: destination, makeParents: true },
      call,
    )
    const facts = { source: displayPath(from, workspace), destination: displayPath(to, workspace), entries }
    return {
      payload: `copied ${facts.source} to ${facts.destination} (${plural(entries, 'entry', 'entries')})`,
      facts,
    }
  },
})

export const deletePath = define({
  name: 'delete',
  title: 'Delete',
  description: 'Delete a file, a link, or with recursive a directory and all in it. history can bring it back.',
  annotations: changing,
  group: 'edit',
  channel: 'facts',
  mutates: true,
  input: { path: z.string(), recursive: z.boolean().default(false) },
  facts: { entries: z.int(), undoable: z.boolean() },

  async run({ path, recursive }, workspace, call) {
    const { kind, entries, undoable, path: at } = await workspace.run(deleteEntry, { path, recursive }, call)
    const facts = { path: displayPath(at, workspace), entries, undoable }
    const what = kind === 'directory' ? ` (${plural(entries, 'entry', 'entries')})` : ''
    return { payload: `deleted ${facts.path}${what}`, facts }
  },
})

export const makeDir = define({
  name: 'make_dir',
  title: 'Make directory',
  description: 'Make a directory and those above it that are missing.',
  annotations: { ...adding, idempotentHint: true },
  group: 'edit',
  channel: 'facts',
  mutates: true,
  input: { path: z.string() },
  facts: { created: z.boolean() },

  async run({ path }, workspace, call) {
    const { created, path: at } = await workspace.run(makeDirectory, { path }, call)
    const facts = { path: displayPath(at, workspace), created }
    return { payload: created ? `made ${facts.path}` : `${facts.path} was there already`, facts }
  },
})
