/** The answer of grep with `output: "tally"`: which texts were found, how often, and where first and last. */
import type { Tallied, TallyText } from '../../../ops/tally-text.js'
import { cutUnits } from '../../../text/lines/lines.js'
import { printable } from '../../../text/printable.js'
import type { Workspace } from '../../../workspace/workspace.js'
import { plural } from '../print.js'
import type { Reply } from '../reply.js'
import { displayPath } from '../wording.js'

const maxValueUnits = 300

/** `limit`: so many of the most frequent values; negative, of the least frequent. */
export function tallyReply(
  { values, isCut, found }: TallyText,
  limit: number,
  notes: Reply['notes'] = [],
  workspace: Workspace,
): Reply {
  const shown = limit < 0 ? values.slice(limit) : values.slice(0, limit)
  const total = values.reduce((sum, { count }) => sum + count, 0)
  return {
    rows: { all: shown.map((each) => rowOf(each, workspace)), what: 'values', empty: '(no matches)' },
    notes: [
      values.length > 0 && `[${plural(values.length, 'value')}, ${plural(total, 'match', 'matches')}]`,
      isCut && '[there are more values, which were not counted; name a smaller directory or a narrower pattern]',
      ...notes,
    ],
    facts: { matches: total, files: found.summary.filesMatched },
  }
}

function rowOf({ value, count, first, last }: Tallied, workspace: Workspace): string {
  const place = ({ path, line }: Tallied['first']) => `${displayPath(path, workspace)}:${line}`
  const shown = cutUnits(value, maxValueUnits)
  const text = `${printable(shown)}${shown.length < value.length ? '…' : ''}`
  return `${count}\t${text}\t${place(first)}${count === 1 ? '' : ` … ${place(last)}`}`
}
