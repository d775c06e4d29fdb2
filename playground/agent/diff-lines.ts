/** Differences as lines, for the cards of calls and for the marks in the editor. */
import { diffLines } from '../../src/text/diff/diff-lines.js'
import { printHunks } from '../../src/text/diff/unified-diff.js'
import { h } from '../page/dom.js'

/** A longer difference is cut; the history has all of it. */
const maxLines = 400

export function diffElement(before: string, after: string): HTMLElement {
  const printed = printHunks(diffLines(before, after, { context: 2 }), 2)
  // Whether the last line ends is of no interest here.
  const lines = printed.split('\n').filter((line) => line !== '' && !line.startsWith('\\'))
  const shown = lines.slice(0, maxLines).map((line) => h('span', { class: classOf(line) }, `${line}\n`))
  const rest = lines.length - maxLines
  return h('pre', { class: 'diff', tabindex: 0 }, ...shown, rest > 0 && `… ${rest} more lines`)
}

function classOf(line: string): string {
  if (line.startsWith('+')) return 'plus'
  if (line.startsWith('-')) return 'minus'
  return line.startsWith('@@') ? 'hunk' : ''
}

/** The numbers of the lines of `after` that are new or changed; for lines that were only deleted, the line that follows. */
export function changedLines(before: string, after: string): number[] {
  const { skipped, changes } = diffLines(before, after)
  return changes.flatMap(({ newStart, newEnd }) => {
    const first = skipped + newStart + 1
    return Array.from({ length: Math.max(1, newEnd - newStart) }, (_, index) => first + index)
  })
}
