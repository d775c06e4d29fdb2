/** Notes in the answer that a change cannot be undone. */
import type { Workspace } from '../../../workspace.js'
import { notesBytes, type Reply } from '../reply.js'
import { fittingEnd, sentBytes } from './token-budget.js'

export const notUndoableNote = '[this can not be undone: what was there is too large to keep]'

/** Bytes of the note, separator included. */
const noteBytes = sentBytes(notUndoableNote) + 2

/** Runs a call, and adds a note when one of its changes cannot be undone. The payload is cut if there is no room for the note. */
export async function withNotUndoableNote(
  workspace: Workspace,
  room: number,
  run: (workspace: Workspace) => Promise<Reply>,
): Promise<Reply> {
  let isFinal = false
  const changes: Workspace['changes'] = {
    ...workspace.changes,
    async run(request, body) {
      const made = await workspace.changes.run(request, body)
      if (made.record?.undoable === false) isFinal = true
      return made
    },
  }
  const reply = await run({ ...workspace, changes })
  if (!isFinal) return reply
  const { payload, notes = [], facts } = reply
  const told = payload === undefined ? {} : { payload: within(payload, room - notesBytes(notes) - noteBytes) }
  return { ...reply, ...told, notes: [...notes, notUndoableNote], facts: { ...facts, undoable: false } }
}

function within(payload: string, room: number): string {
  if (sentBytes(payload) <= room) return payload
  return `${payload.slice(0, fittingEnd(payload, { start: 0, end: payload.length, room }))}…`
}
