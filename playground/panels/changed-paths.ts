import type { ChangeRecord, Image } from '../../src/change/journal/record.js'

export type Badge = 'added' | 'modified' | 'deleted'

/** How each path has changed since the history began. */
export interface ChangedPaths {
  add(record: ChangeRecord): void
  badge(path: string): Badge | undefined
  /** True when something below the directory has changed. */
  holdsChanges(directory: string): boolean
}

export function changedPaths(): ChangedPaths {
  const first = new Map<string, Image>()
  const last = new Map<string, Image>()

  function note(path: string, before: Image, after: Image): void {
    if (!first.has(path)) first.set(path, before)
    last.set(path, after)
  }

  function badge(path: string): Badge | undefined {
    const [before, after] = [first.get(path), last.get(path)]
    if (before === undefined || after === undefined || JSON.stringify(before) === JSON.stringify(after))
      return undefined
    if (before.kind === 'absent') return 'added'
    return after.kind === 'absent' ? 'deleted' : 'modified'
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
    badge,
    holdsChanges(directory) {
      const start = directory === '/' ? '/' : `${directory}/`
      return [...last.keys()].some((path) => path.startsWith(start) && badge(path) !== undefined)
    },
  }
}
