import type { ChangeRecord } from '../journal/record.js'

/**
 * Returns a function that is called with records, newest first, and is true for those that stand: neither undone nor themselves an undo or a
 * checkpoint. An undo that was undone does not count.
 */
export function standing(): (record: Pick<ChangeRecord, 'id' | 'checkpoint' | 'undoes'>) => boolean {
  const takenBack = new Set<string>()
  return ({ id, checkpoint, undoes }) => {
    if (takenBack.has(id) || checkpoint !== undefined) return false
    if (undoes !== undefined) takenBack.add(undoes)
    return undoes === undefined
  }
}
