import * as z from 'zod'
import { join } from '../../../fs/path.js'
import type { Workspace } from '../../../workspace/workspace.js'
import { define, paging, type ToolCall } from '../define-tool.js'
import { ownDirectories } from '../own-directories.js'
import { plural } from '../print.js'
import type { Reply } from '../reply.js'
import { displayPath } from '../wording.js'
import { conflictRows } from './conflict-rows.js'
import { currentFork, forkNamed, invalid, openForks, placeFor } from './open-forks.js'

const maxForks = 32
const maxBytesOfFork = 256 << 20

const resolution = z.object({
  path: z.string(),
  take: z.enum(['ours', 'theirs', 'both']).exactOptional(),
  text: z.string().exactOptional().describe('What the file is to have instead'),
})

const input = {
  action: z.enum(['start', 'switch', 'list', 'diff', 'merge', 'discard']),
  name: z.string().min(1).max(100).exactOptional(),
  resolve: z
    .array(resolution)
    .exactOptional()
    .describe('merge: for each path in conflict. ours: the workspace, theirs: the fork'),
  dry_run: z.boolean().default(false),
  ...paging,
}

type Args = z.output<z.ZodObject<typeof input>>

/** Is given the workspace itself, whatever fork the caller works in. */
export const forkTool = define({
  name: 'fork',
  title: 'Forks',
  description:
    'Try changes apart from the workspace. start: make a fork and work in it, with all tools, until merge brings its changes back as one change, or discard drops them. switch: work in another fork or, without name, in the workspace. diff: what the fork has changed.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  group: 'history',
  channel: 'payload',
  mutates: true,
  reads: (args) => ['list', 'diff'].includes((args as Args).action),
  input,
  facts: { name: z.string(), total: z.int(), paths: z.int(), conflicts: z.int(), cursor: z.string() },
  run: (args, workspace, call) => actions[args.action](args, workspace, call),
})

type Action = (args: Args, workspace: Workspace, call: ToolCall) => Promise<Reply>

const actions: Readonly<Record<Args['action'], Action>> = {
  async start({ name: given }, workspace, call) {
    const forks = openForks(workspace)
    if (given !== undefined && forks.has(given))
      throw invalid('name', 'there is a fork of this name: switch to it, or take another')
    if (forks.size >= maxForks) throw invalid('action', `${maxForks} forks are open: merge or discard some`)
    const place = placeFor(workspace, call)
    const from = currentFork(workspace, call)
    const fork = await (from?.fork ?? workspace).fork({
      maxBytes: maxBytesOfFork,
      ...(given !== undefined && { name: given }),
    })
    const { name } = fork
    forks.set(name, { fork, running: new Set(), ...(place.name !== undefined && { from: place.name }) })
    place.name = name
    const shell = workspace.shell !== undefined && fork.shell === undefined
    return {
      payload: `you work in the fork ${name} now; merge or discard ends it`,
      notes: [shell && '[no commands in it: they would run on the files of the workspace]'],
      facts: { name },
    }
  },

  async switch({ name }, workspace, call) {
    if (name !== undefined) forkNamed(name, workspace)
    placeFor(workspace, call).name = name
    return {
      payload: `you work in ${name === undefined ? 'the workspace' : `the fork ${name}`} now`,
      facts: { ...(name !== undefined && { name }) },
    }
  },

  async list(_, workspace, call) {
    const here = placeFor(workspace, call).name
    const all = [...openForks(workspace)].map(([name, { from }]) => {
      return `${name}${from === undefined ? '' : ` (of ${from})`}${name === here ? ' (you work here)' : ''}`
    })
    return { rows: { all, what: 'forks', empty: '(no forks)' }, facts: { total: all.length } }
  },

  async diff({ name }, workspace, call) {
    const { fork } = chosen(name, workspace, call)
    const left = leftOut(fork)
    const changes = (await fork.differences()).filter(
      ({ path }) => !left.some((directory) => `${path}/`.startsWith(`${directory}/`)),
    )
    const all = changes.map(({ path, change, kind }) => {
      return `${change} ${displayPath(path, fork)}${kind === 'directory' ? '/' : ''}`
    })
    return { rows: { all, what: 'paths', empty: '(no changes)' }, facts: { total: all.length } }
  },

  async merge(args, workspace, call) {
    const { name } = chosen(args.name, workspace, call)
    refuseParent(name, workspace)
    return ending(name, workspace, () => merge(name, args, { workspace, call }))
  },

  async discard({ name: given }, workspace, call) {
    const { name } = chosen(given, workspace, call)
    refuseParent(name, workspace)
    await ending(name, workspace, () => end(name, workspace, call))
    return { payload: `discarded the fork ${name}`, facts: { name } }
  },
}

/** Waits for the calls that work in the fork; those that come now wait. */
async function ending<Result>(name: string, workspace: Workspace, run: () => Promise<Result>): Promise<Result> {
  for (let other = forkNamed(name, workspace).ending; other !== undefined; other = forkNamed(name, workspace).ending)
    await other
  const found = forkNamed(name, workspace)
  const done = Promise.allSettled([...found.running]).then(run)
  found.ending = done.then(
    () => {},
    () => {},
  )
  return done.finally(() => delete found.ending)
}

async function merge(
  name: string,
  { resolve = [], dry_run: dryRun }: Args,
  { workspace, call }: { workspace: Workspace; call: ToolCall },
): Promise<Reply> {
  const { fork, from } = forkNamed(name, workspace)
  const target = from === undefined ? workspace : forkNamed(from, workspace).fork
  const outcome = await target.merge(fork, {
    resolve: Object.fromEntries(resolve.map((one) => [target.fs.resolve(one.path, target.root), sideOf(one)])),
    dryRun,
    leaveOut: leftOut(target),
    ...(call.signal && { signal: call.signal }),
  })
  const { conflicts, merged } = outcome
  const facts = { name, paths: merged.length, conflicts: conflicts.length }
  if (conflicts.length > 0)
    return { rows: { all: conflictRows(outcome, target), what: 'lines', empty: '' }, facts, failed: true }
  const rows = merged.map(({ path, change, from: was }) => {
    return `${change} ${was === undefined ? '' : `${displayPath(was, target)} -> `}${displayPath(path, target)}`
  })
  const shown = [...rows.slice(0, 20), ...(rows.length > 20 ? [`… ${plural(rows.length - 20, 'more path')}`] : [])]
  if (dryRun) return { payload: [`would merge ${plural(rows.length, 'path')}`, ...shown].join('\n'), facts }
  await end(name, workspace, call)
  const where = from === undefined ? 'the workspace' : `the fork ${from}`
  return { payload: [`merged ${name} into ${where}: ${plural(rows.length, 'path')}`, ...shown].join('\n'), facts }
}

function chosen(name: string | undefined, workspace: Workspace, call: ToolCall) {
  const found = name ?? placeFor(workspace, call).name
  if (found === undefined) throw invalid('name', 'which fork? You work in the workspace itself')
  return { name: found, ...forkNamed(found, workspace) }
}

function sideOf({ path, take, text }: z.output<typeof resolution>): 'ours' | 'theirs' | 'both' | { text: string } {
  if ((take === undefined) === (text === undefined)) throw invalid('resolve', `${path}: give either take or text`)
  return take ?? { text: text as string }
}

/** Our own directories in the tree hold output that nobody wants merged. */
function leftOut(workspace: Workspace): string[] {
  return ownDirectories(workspace).map((directory) => join(workspace.root, directory))
}

function refuseParent(name: string, workspace: Workspace): void {
  const inner = [...openForks(workspace)].filter(([, { from }]) => from === name).map(([other]) => other)
  if (inner.length > 0) throw invalid('name', `merge or discard its own forks first: ${inner.join(', ')}`)
}

/** The caller goes on where the fork was made. */
async function end(name: string, workspace: Workspace, call: ToolCall): Promise<void> {
  const forks = openForks(workspace)
  const ended = forks.get(name)
  forks.delete(name)
  const place = placeFor(workspace, call)
  if (place.name === name) place.name = ended?.from
  await ended?.fork.discard()
}
