import { type ChangeRecord, undoneBy } from '../journal/record.js'

/**
 * Returns a function that is called with records, newest first, and is true for those that stand: neither undone nor themselves an undo or a
 * checkpoint. An undo that was undone does not count.
 */
export function standing(): (record: Pick<ChangeRecord, 'id' | 'checkpoint' | 'undoes'>) => boolean {
  const takenBack = new Set<string>()
  return (record) => {
    const { id, checkpoint, undoes } = record
    if (takenBack.has(id) || checkpoint !== undefined) return false
    for (const undone of undoneBy(record)) takenBack.add(undone)
    return undoes === undefined
  }
}
