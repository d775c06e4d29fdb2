/** What keeps a change from being undone, as a part of a sentence for the user of the page. */
import type { OverlapReason, UndoOverlap } from '../../src/errors.js'

export function describeOverlap({ path, reason, lines = [] }: UndoOverlap): string {
  const where = lines.map(({ first, last }) => (last > first ? `${first}–${last}` : `${first}`)).join(', ')
  return `${path} ${reasons[reason]}${where === '' ? '' : ` (line ${where})`}`
}

const reasons: Readonly<Record<OverlapReason, string>> = {
  lines: 'was changed in the same place since',
  content: 'was changed since, and can’t be merged',
  mode: 'got other rights since',
  edited: 'was new, and was edited since',
  gone: 'was removed since',
  moved: 'was moved since',
  taken: 'is something else by now',
  'not-stored': 'was changed since by another program',
}
