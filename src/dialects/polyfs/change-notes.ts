/** Notes in the answer of a call on what it changed. */
import { isWithin } from '../../fs/path.js'
import type { ChangeRecord } from '../../ops/history/read-history.js'
import type { Workspace } from '../../workspace/workspace.js'
import { ownDirectories } from './own-directories.js'
import { sentBytes } from './paging/token-budget.js'
import type { Reply } from './reply.js'

export const notUndoableNote = '[this cannot be undone: the previous content is too large for the history]'

/** Without the time, which the history prints beside it: `12-c384d452`. */
export function shortId(id: string): string {
  return id.replace(/^\d+-0*(?=\d)/, '')
}

/** Names a change as `point` of `history` takes it. */
export function changeNote({ id }: Pick<ChangeRecord, 'id'>): string {
  return `[change ${shortId(id)}]`
}

/** Bytes that the notes take, separators included. */
export const changeNotesBytes = sentBytes(`[change ${'9'.repeat(10)}-${'f'.repeat(8)}]${notUndoableNote}`) + 4

/** Runs a call with a workspace that notices its changes, and adds the newest one's id, and a note where one can't be undone. */
export async function withChangeNotes(
  workspace: Workspace,
  run: (workspace: Workspace) => Promise<Reply>,
): Promise<Reply> {
  const made: ChangeRecord[] = []
  const changes: Workspace['changes'] = {
    ...workspace.changes,
    async run(request, body) {
      const result = await workspace.changes.run(request, body)
      if (result.record !== undefined && !isOwn(result.record, workspace)) made.push(result.record)
      return result
    },
  }
  const reply = await run({ ...workspace, changes })
  const newest = made.at(-1)
  if (newest === undefined) return reply
  const isNotUndoable = made.some(({ undoable }) => !undoable)
  return {
    ...reply,
    notes: [...(reply.notes ?? []), changeNote(newest), isNotUndoable && notUndoableNote],
    facts: { ...reply.facts, change: shortId(newest.id), ...(isNotUndoable && { undoable: false }) },
  }
}

/** Only files that the tools keep for themselves, such as long output. */
function isOwn({ steps }: ChangeRecord, workspace: Workspace): boolean {
  const own = ownDirectories(workspace).map((path) => workspace.fs.resolve(path, workspace.root))
  return own.length > 0 && steps.every(({ path }) => own.some((directory) => isWithin(directory, path)))
}
