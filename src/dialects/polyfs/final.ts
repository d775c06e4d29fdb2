/** What a call changed for good is told as it is changed. */
import type { Workspace } from '../../workspace.js'
import { sentBytes } from './budget.js'
import type { Reply } from './define.js'

export const finalNote = '[this can not be undone: what was there is too large to keep]'

/** What the note takes, with what is between it and others. */
export const finalBytes = sentBytes(finalNote) + 2

/** Runs a call on the workspace, and says so when a change that it made can't be taken back. */
export async function sayingWhenFinal(
  workspace: Workspace,
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
  const { notes = [], facts } = reply
  return { ...reply, notes: [...notes, finalNote], facts: { ...facts, undoable: false } }
}
