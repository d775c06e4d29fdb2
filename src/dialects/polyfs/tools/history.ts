import * as z from 'zod'
import { FsError } from '../../../errors.js'
import { restorePoint, setCheckpoint, undoChange } from '../../../ops/history/change-history.js'
import { purgeHistory } from '../../../ops/history/purge-history.js'
import { type ChangeRecord, compareVersions, listChanges, undoneBy } from '../../../ops/history/read-history.js'
import { cutUnits } from '../../../text/lines/lines.js'
import { printable } from '../../../text/printable.js'
import type { Tool } from '../../../tools/dialect.js'
import type { CallContext, Workspace } from '../../../workspace/workspace.js'
import { changeNote, notUndoableNote, shortId } from '../change-notes.js'
import { define, paging, type ToolCall } from '../define-tool.js'
import { ownDirectories } from '../own-directories.js'
import { plural, time } from '../print.js'
import type { Reply } from '../reply.js'
import { displayPath } from '../wording.js'
import { historyDiff } from './history-diff.js'

const base = {
  point: z.string().min(1).exactOptional().describe('Id of a change, or name of a checkpoint'),
  path: z.string().exactOptional(),
  stat: z.boolean().default(false),
  ...paging,
}
const input = { action: z.enum(['list', 'diff', 'undo', 'checkpoint', 'restore', 'purge']), ...base }

type Args = z.output<z.ZodObject<typeof input>>

const description =
  'Every change made here, by any tool. list; diff: what a change did, or all since a checkpoint; undo: a change, the newest unless point names one; checkpoint: name the current state; restore: put all, or path, back to how it was right after point.'

export const history = historyTool(description, { ...input, action: input.action.exclude(['purge']) })

/** The same tool for servers that let agents purge the history. */
export function purgingHistory(): Tool {
  return historyTool(`${description} purge: remove for good what the history holds of path.`, input)
}

function historyTool<Actions extends z.ZodType<Args['action']>>(
  description: string,
  input: typeof base & { action: Actions },
): Tool {
  return define({
    name: 'history',
    title: 'History',
    description,
    annotations: { destructiveHint: true, openWorldHint: false },
    group: 'history',
    channel: 'payload',
    mutates: true,
    reads: (args) => ['list', 'diff'].includes((args as Args).action),
    input,
    facts: { id: z.string(), total: z.int(), paths: z.int(), cursor: z.string() },

    run(args, workspace, call) {
      // All actions take a subset of these.
      const given = args as Args
      return actions[given.action](given, workspace, call)
    },
  })
}

type Action = (args: Args, workspace: Workspace, call: ToolCall) => Promise<Reply>

const actions: Readonly<Record<Args['action'], Action>> = {
  async list(args, workspace, call) {
    const { path } = args
    const records = await workspace.run(listChanges, path === undefined ? {} : { path }, call)
    const undone = new Set(records.flatMap(undoneBy))
    const rows = records.map((record) => rowOf(record, undone, workspace))
    return { rows: { all: rows, what: 'changes', empty: '(no changes)' }, facts: { total: rows.length } }
  },

  async diff(args, workspace, call) {
    const { point, path, stat } = args
    const wanted = { ...(await meaning(point, workspace, call)), ...(path !== undefined && { path }) }
    const differences = await workspace.run(compareVersions, wanted, call)
    const records = await workspace.run(listChanges, {}, call)
    const { rows, notes } = await historyDiff(differences, records, workspace, { stat })
    return {
      rows: { all: rows, what: 'lines', empty: '(no differences)' },
      notes,
      facts: { total: rows.length, paths: differences.length },
    }
  },

  async undo({ point }, workspace, call) {
    const id = point === undefined ? {} : { id: (await recordOf(point, workspace, call))?.id ?? point }
    const record = await workspace.run(undoChange, { ...id, passOver: ownDirectories(workspace) }, call)
    return changed('took back', shortId(undoneBy(record)[0] ?? record.id), record, workspace)
  },

  async checkpoint({ point: name }, workspace, call) {
    if (name === undefined) throw missingPoint('the name of the checkpoint')
    const { id } = await workspace.run(setCheckpoint, { name }, call)
    return {
      payload: `checkpoint "${name}" is set; restore with this point returns to it`,
      facts: { id: shortId(id) },
    }
  },

  async restore({ point, path }, workspace, call) {
    if (point === undefined) throw missingPoint('where to go back to')
    const known = (await recordOf(point, workspace, call))?.id ?? point
    const record = await workspace.run(restorePoint, { point: known, ...(path !== undefined && { path }) }, call)
    if (record === undefined) return { payload: `everything is already as it was at "${point}"`, facts: { paths: 0 } }
    return changed('restored', point, record, workspace)
  },

  async purge({ path }, workspace, call) {
    if (path === undefined) throw missing('path', 'what to remove from the history; . for all')
    const purged = await workspace.run(purgeHistory, { path, outputDirectories: ownDirectories(workspace) }, call)
    return {
      payload: `removed from the history: what ${plural(purged.length, 'change')} held, and all long output; the files were not changed`,
      facts: { total: purged.length },
    }
  },
}

function missingPoint(what: string): FsError {
  return missing('point', what)
}

function missing(parameter: string, what: string): FsError {
  return new FsError('INVALID_INPUT', { issues: [{ at: [parameter], kind: 'other', message: `missing: ${what}` }] })
}

/** A change is shown by itself; a checkpoint is where a comparison starts. */
async function meaning(point: string | undefined, workspace: Workspace, context: CallContext) {
  if (point === undefined) return {}
  const record = await recordOf(point, workspace, context)
  return record === undefined ? { since: point } : { only: record.id }
}

const newestChanges = 200

/** The change with this id, short or whole; undefined for the name of a checkpoint. */
async function recordOf(point: string, workspace: Workspace, context: CallContext): Promise<ChangeRecord | undefined> {
  // Mostly one of the newest: to read a long history takes half a second.
  for (const few of [{ limit: newestChanges }, {}]) {
    const records = await workspace.run(listChanges, few, context)
    const found = recordNamed(point, records)
    if (found !== undefined || records.length < newestChanges) return found
  }
  return undefined
}

/** A number alone is the change whose id begins with it, unless a checkpoint has that name. */
function recordNamed(point: string, records: readonly ChangeRecord[]): ChangeRecord | undefined {
  const changes = records.filter(({ checkpoint }) => checkpoint === undefined)
  const named = changes.find(({ id }) => id === point || shortId(id) === point)
  if (named !== undefined || !/^[1-9]\d*$/.test(point)) return named
  if (records.some(({ checkpoint }) => checkpoint === point)) return undefined
  const numbered = changes.filter(({ id }) => shortId(id).startsWith(`${point}-`))
  if (numbered.length > 1) {
    const ids = numbered.map(({ id }) => shortId(id)).join(' or ')
    const message = `several changes have this number: give ${ids}`
    throw new FsError('INVALID_INPUT', { issues: [{ at: ['point'], kind: 'other', message }] })
  }
  return numbered[0]
}

function rowOf(record: ChangeRecord, undone: ReadonlySet<string>, workspace: Workspace): string {
  const { id, atMs, label, steps, checkpoint, undoable } = record
  if (checkpoint !== undefined) return `${shortId(id)} ${time(atMs)} checkpoint "${firstLine(checkpoint)}"`
  const paths = steps.slice(0, 3).map((step) => displayPath(step.path, workspace))
  const more = steps.length > 3 ? `, … ${plural(steps.length, 'path')}` : ''
  const takenBack = undoneBy(record).map(shortId)
  const state = [
    undone.has(id) && 'taken back',
    takenBack.length > 0 && `takes back ${takenBack.slice(0, 3).join(', ')}${takenBack.length > 3 ? ', …' : ''}`,
    !undoable && 'cannot be undone',
  ].filter(Boolean)
  return `${shortId(id)} ${time(atMs)} ${firstLine(label)}: ${paths.join(', ')}${more}${state.length > 0 ? ` (${state.join(', ')})` : ''}`
}

/** A label may be a command of many lines. */
function firstLine(label: string): string {
  const [first = ''] = label.trimStart().split(/\s*[\r\n]/, 1)
  const shown = printable(cutUnits(first, maxLabelUnits))
  return shown.length < label.trim().length ? `${shown}…` : shown
}

const maxLabelUnits = 100

function changed(verb: string, what: string, record: ChangeRecord, workspace: Workspace): Reply {
  const { id, steps, undoable } = record
  const paths = steps.map((step) => displayPath(step.path, workspace))
  const more = paths.length > 20 ? [`… ${plural(paths.length - 20, 'more path')}`] : []
  return {
    payload: [`${verb} ${what}: ${plural(paths.length, 'path')}`, ...paths.slice(0, 20), ...more].join('\n'),
    notes: [changeNote(record), !undoable && notUndoableNote],
    facts: { id: shortId(id), paths: paths.length, ...(!undoable && { undoable }) },
  }
}
