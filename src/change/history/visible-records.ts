/** A journal may be shared with workspaces of more roots or fewer rules: what is out of reach here is not visible. */
import { isFsError } from '../../errors.js'
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import { type ChangeRecord, pathsOf } from '../journal/record.js'

/** True when every path of a change may be read here, or changed. */
export function isWithinReach(fs: ConfinedFileSystem, { steps }: ChangeRecord, to: 'read' | 'write'): boolean {
  try {
    return steps.every((step) =>
      pathsOf(step).every((path) => {
        const { access } = fs.rootOf(path)
        if (fs.decide(path, to === 'read' ? 'read' : 'change')?.verdict === 'deny') return false
        return to === 'read' || access === 'read-write'
      }),
    )
  } catch (error) {
    if (!isFsError(error, 'OUTSIDE')) throw error
    return false
  }
}
