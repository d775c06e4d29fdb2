import type { Hunk, HunkLine } from './patch.js'

/** A hunk as it stands in a patch of its format. `drift` is how far the hunks before it move its new lines. */
export function printHunk({ place, lines }: Hunk, { drift }: { drift: number }): string {
  const body = lines.map(printLine).join('')
  if (place.by === 'context') {
    const anchors = place.anchors.length === 0 ? ['@@\n'] : place.anchors.map((anchor) => `@@ ${anchor}\n`)
    return `${anchors.join('')}${body}${place.atEnd ? '*** End of File\n' : ''}`
  }
  const oldCount = lines.filter(({ kind }) => kind !== 'add').length
  const newCount = lines.filter(({ kind }) => kind !== 'remove').length
  // Without lines on one side, its number is that of the line before.
  const newStart = place.oldStart + drift + (oldCount === 0 ? 1 : 0) - (newCount === 0 ? 1 : 0)
  return `@@ -${place.oldStart},${oldCount} +${newStart},${newCount} @@\n${body}`
}

const signs = { context: ' ', add: '+', remove: '-' } as const

function printLine({ kind, text, ending }: HunkLine): string {
  return `${signs[kind]}${text}\n${ending === '' ? '\\ No newline at end of file\n' : ''}`
}
