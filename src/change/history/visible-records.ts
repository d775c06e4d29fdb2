/** A journal may be shared with those who reach more: what lies there is for them. */
import { isFsError } from '../../errors.js'
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import { type ChangeRecord, pathsOf } from '../journal/record.js'

/** True when all that a change touched may be read here, or changed. */
export function isWithinReach(fs: ConfinedFileSystem, { steps }: ChangeRecord, to: 'read' | 'write'): boolean {
  try {
    return steps.every((step) =>
      pathsOf(step).every((path) => {
        const { access } = fs.rootOf(path)
        return to === 'read' || access === 'read-write'
      }),
    )
  } catch (error) {
    if (!isFsError(error, 'OUTSIDE')) throw error
    return false
  }
}
