/** Notes in the answer that a change cannot be undone. */
import type { Workspace } from '../../../workspace/workspace.js'
import { notesBytes, type Reply } from '../reply.js'
import { fittingEnd, sentBytes } from './token-budget.js'

export const notUndoableNote = '[this cannot be undone: the previous content is too large for the history]'

/** Bytes of the note, separator included. */
const noteBytes = sentBytes(notUndoableNote) + 2

/** Runs a call, and adds a note when one of its changes cannot be undone. The payload is cut if there is no room for the note. */
export async function withNotUndoableNote(
  workspace: Workspace,
  room: number,
  run: (workspace: Workspace) => Promise<Reply>,
): Promise<Reply> {
  let isNotUndoable = false
  const changes: Workspace['changes'] = {
    ...workspace.changes,
    async run(request, body) {
      const result = await workspace.changes.run(request, body)
      if (result.record?.undoable === false) isNotUndoable = true
      return result
    },
  }
  const reply = await run({ ...workspace, changes })
  if (!isNotUndoable) return reply
  const { payload, notes = [], facts } = reply
  const cutPayload = payload === undefined ? {} : { payload: within(payload, room - notesBytes(notes) - noteBytes) }
  return { ...reply, ...cutPayload, notes: [...notes, notUndoableNote], facts: { ...facts, undoable: false } }
}

function within(payload: string, room: number): string {
  if (sentBytes(payload) <= room) return payload
  return `${payload.slice(0, fittingEnd(payload, { start: 0, end: payload.length, room }))}…`
}
