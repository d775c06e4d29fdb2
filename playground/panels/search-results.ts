/** What a search has found: how much, and each match with its line. */
import type { SearchText } from '../../src/ops/search-text.js'
import type { MatchRecord } from '../../src/search/run/records.js'
import type { App } from '../page/app.js'
import { h } from '../page/dom.js'

/** How much of the line is shown before a match. */
const contextUnits = 12

export function describeTotals({ summary, ignored = 0 }: SearchText): string {
  const { skipped, matches, filesMatched, filesSearched, truncated } = summary
  const skippedCounts = [
    ignored > 0 && `${ignored} ignored`,
    skipped.binary > 0 && `${skipped.binary} binary`,
    skipped.tooLarge > 0 && `${skipped.tooLarge} too large`,
  ].filter(Boolean)
  return (
    `${matches} matches in ${filesMatched} of ${filesSearched} files` +
    (truncated ? ', not all shown' : '') +
    (skippedCounts.length > 0 ? `; skipped: ${skippedCounts.join(', ')}` : '')
  )
}

/** One file with its matches; a click on one shows it in the editor. */
export function fileElement(app: App, { path, records, matches }: SearchText['files'][number]): HTMLElement {
  return h(
    'details',
    { open: true },
    h('summary', {}, h('span', { class: 'path' }, path), h('span', { class: 'count' }, String(matches))),
    ...records.flatMap((record) => (record.kind === 'match' ? [matchElement(app, path, record)] : [])),
  )
}

function matchElement(app: App, path: string, { line, text, column, length }: MatchRecord): HTMLElement {
  const start = column.units
  // The text before the match may be long, and the panel is narrow.
  const cut = Math.max(0, start - contextUnits)
  const row = h(
    'button',
    { type: 'button', class: 'match' },
    h('span', { class: 'line' }, String(line)),
    h(
      'span',
      { class: 'text' },
      cut > 0 ? `…${text.slice(cut, start)}` : text.slice(0, start),
      h('mark', {}, text.slice(start, start + length)),
      text.slice(start + length),
    ),
  )
  row.addEventListener('click', () => app.emit('show', { path, line, part: { column: start, length } }))
  return row
}
