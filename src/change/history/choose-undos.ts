/** Finds what has to be undone so that some changes are undone and others are done again. */
import { type ChangeRecord, undoneBy } from '../journal/record.js'
import { standing } from './standing.js'

/**
 * Takes records newest first, and returns ids. A change is done again by undoing what undid it. That does again all else that was undone
 * together with it: of this, what is not wanted is undone too.
 */
export function chooseUndos(
  records: readonly ChangeRecord[],
  { ids, redo }: { ids: ReadonlySet<string>; redo: ReadonlySet<string> },
): Set<string> {
  const before = fatesOf(records, new Set())
  const chosen = new Set<string>()
  for (const record of records)
    if (!isPlain(record) && ids.has(record.id) && !before.takenBack.has(record.id)) chosen.add(record.id)
  for (const id of redo) {
    const undoing = before.undoneIn.get(id)
    if (undoing !== undefined) chosen.add(undoing)
  }
  // Each round settles at least one more change.
  for (let size = -1; size < chosen.size; ) {
    size = chosen.size
    const { stands, undoneIn } = fatesOf(records, chosen)
    const named = new Set([...before.stands, ...stands, ...undoneIn.keys(), ...before.undoneIn.keys()])
    for (const id of named) {
      const isWanted = redo.has(id) || (before.stands.has(id) && !ids.has(id))
      const undoing = undoneIn.get(id)
      if (stands.has(id) && !isWanted) chosen.add(id)
      else if (!stands.has(id) && isWanted && undoing !== undefined) chosen.add(undoing)
    }
  }
  return chosen
}

/** What would be undone, and by which change, if these changes were undone now. Those that undo others are not among what stands. */
function fatesOf(records: readonly ChangeRecord[], chosen: ReadonlySet<string>) {
  const isStanding = standing()
  isStanding({ id: '', undoes: [...chosen] })
  const stands = new Set<string>()
  const undoneIn = new Map<string, string>()
  const takenBack = new Set(chosen)
  for (const record of records) {
    if (isStanding(record) && isPlain(record)) stands.add(record.id)
    if (takenBack.has(record.id)) continue
    for (const id of undoneBy(record)) takenBack.add(id)
    for (const id of [...undoneBy(record), ...(record.undoesPartly ?? [])])
      if (!undoneIn.has(id)) undoneIn.set(id, record.id)
  }
  return { stands, undoneIn, takenBack }
}

function isPlain({ undoes, undoesPartly }: ChangeRecord): boolean {
  return undoes === undefined && undoesPartly === undefined
}
