import { type ChangeRecord, type Image, sameImage } from '../../src/change/journal/record.js'
import { dirname } from '../../src/fs/path.js'

export type Badge = 'added' | 'modified' | 'deleted'

/** How each path has changed since the history began. Adding a record costs the same however long the history is. */
export interface ChangedPaths {
  add(record: ChangeRecord): void
  badge(path: string): Badge | undefined
  /** True when something below the directory has changed. */
  holdsChanges(directory: string): boolean
}

export function changedPaths(): ChangedPaths {
  const first = new Map<string, Image>()
  const badges = new Map<string, Badge>()
  /** How many changed paths are below each directory. */
  const counts = new Map<string, number>()

  function note(path: string, before: Image, after: Image): void {
    const began = first.get(path) ?? before
    first.set(path, began)
    const badge = badgeOf(began, after)
    const change = Number(badge !== undefined) - Number(badges.has(path))
    if (badge === undefined) badges.delete(path)
    else badges.set(path, badge)
    if (change === 0) return
    for (let at = path; at !== '/'; ) {
      at = dirname(at)
      counts.set(at, (counts.get(at) ?? 0) + change)
    }
  }

  return {
    add({ steps }) {
      for (const step of steps) {
        if (step.do === 'set') note(step.path, step.before, step.after)
        else {
          note(step.path, step.before, { kind: 'absent' })
          note(step.to, { kind: 'absent' }, step.before)
        }
      }
    },
    badge: (path) => badges.get(path),
    holdsChanges: (directory) => (counts.get(directory) ?? 0) > 0,
  }
}

function badgeOf(before: Image, after: Image): Badge | undefined {
  if (sameImage(before, after)) return undefined
  if (before.kind === 'absent') return 'added'
  return after.kind === 'absent' ? 'deleted' : 'modified'
}
