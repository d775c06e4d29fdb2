/** Why a change can't be taken back, for an agent. */
import type { OverlapReason, UndoOverlap } from '../../errors.js'

/** `show` prints a path. */
export function overlapMessage(overlaps: readonly UndoOverlap[], show: (path: string) => string): [string, string] {
  const shown = overlaps.slice(0, maxShown).map((each) => sentence(each, show))
  const more = overlaps.length > maxShown ? [`${overlaps.length - maxShown} more paths are in the way.`] : []
  const later = [...new Set(overlaps.flatMap(({ changes }) => changes))].map(shortId)
  const next =
    later.length === 0 ? 'Edit' : `Take back ${later.slice(0, maxShown).join(', ')} first with history, or edit`
  return [[...shown, ...more].join(' '), `Nothing was changed. ${next} these places by hand.`]
}

const maxShown = 5

function sentence({ path, reason, lines = [], changes }: UndoOverlap, show: (path: string) => string): string {
  const by = changes.length === 0 ? '' : ` by ${changes.map(shortId).join(', ')}`
  const where = lines.length === 0 ? '' : ` (${lines.slice(0, maxShown).map(lineRange).join(', ')})`
  return `${show(path)} ${reasons[reason]}${by}${where}.`
}

const reasons: Readonly<Record<OverlapReason, string>> = {
  lines: 'was changed in the same lines since',
  content: 'was changed since, and is not text that can be merged',
  mode: 'got another mode since',
  edited: 'was made by this change and edited since',
  gone: 'was removed since',
  moved: 'was moved since',
  taken: 'is something else since',
  'not-stored': 'was changed since, and the history lacks the content in between',
}

function lineRange({ first, last }: { first: number; last: number }): string {
  if (last < first) return `before line ${first}`
  return first === last ? `line ${first}` : `lines ${first} to ${last}`
}

/** As `history` lists it. */
function shortId(id: string): string {
  return id.replace(/^\d+-0*(?=\d)/, '')
}
