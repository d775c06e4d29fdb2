import type { UndoOverlap } from '../../src/errors.js'
import type { App } from '../page/app.js'
import { describeOverlap } from '../page/describe-overlap.js'

/** What keeps changes from being undone, with who made the later changes, as far as the page knows. */
export async function describeOverlaps(app: App, overlaps: readonly UndoOverlap[]): Promise<string> {
  const records = await app.workspace.files.run('listChanges', { limit: newest }).catch(() => [])
  const shown = overlaps.slice(0, maxShown).map((overlap) => {
    const later = records.filter(({ id }) => overlap.changes.includes(id))
    const who = [...new Set(later.map((record) => app.authorOf(record) ?? record.by?.name ?? record.label))]
    return `${describeOverlap(overlap)}${who.length === 0 ? '' : `, by ${who.join(' and ')}`}`
  })
  const more = overlaps.length > maxShown ? [`${overlaps.length - maxShown} more`] : []
  return [...shown, ...more].join('; ')
}

/** How many changes are looked through for who made one. */
const newest = 500
const maxShown = 5
