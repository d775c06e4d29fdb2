/** Words why a patch does not fit, and what would. */
import type { EditFailureCause, FsError, PatchExplanation } from '../../errors.js'
import { cutUnits } from '../../text/lines/lines.js'
import { some } from './print.js'

type Facts = FsError<'PATCH_MISMATCH'>['facts']

/** What does not fit and why, and what to send instead. `name` is the path as it is printed. */
export function wordMismatch(facts: Facts, name: string): [wrong: string, next: string] {
  const { hunk, explanation: { patchLine } = {} } = facts
  const place = patchLine === undefined ? '' : ` (line ${patchLine} of the patch)`
  const wrong = hunk === undefined ? `The patch does not fit ${name}` : `Hunk ${hunk} of ${name}${place} does not fit`
  return [`${wrong}: ${reasonOf(facts)}.`, adviceFor(facts)]
}

function reasonOf({ reason, line, lines, explanation = {} }: Facts): string {
  const { cause, lines: there = lines } = explanation
  const at = there === undefined || there.length === 0 ? '' : ` (line ${some(there)})`
  // A change that was already made explains every other reason.
  if (cause === 'already-applied') return explanation.lines ? `${causes[cause]}${at}` : 'it is applied already'
  if (reason === 'not-found' && cause !== undefined) {
    const { line: nearest } = cause === 'absent' ? {} : (explanation.nearest ?? {})
    return `${causes[cause]}${at || (nearest === undefined ? '' : ` (line ${nearest})`)}`
  }
  const near = at || (line === undefined ? '' : ` (line ${line})`)
  return `${reasons[reason] ?? reason}${near}`
}

const reasons: Readonly<Record<string, string>> = {
  'not-found': 'its lines are not in the file',
  'out-of-order': 'its lines are in or above those of an earlier hunk',
  ambiguous: 'its lines are in the file more than once',
  'anchor-not-found': 'the line named by @@ is not in the file',
  'not-at-end': 'its lines are not at the end of the file, or the file ends with another final newline',
  'too-repetitive': 'the file repeats its lines too often to find all places',
  'not-whole-file': 'it deletes the file, but leaves some of its lines',
}

const causes: Readonly<Record<EditFailureCause, string>> = {
  'tabs-and-spaces': 'the file has tabs where its lines have spaces, or the other way round',
  whitespace: 'its lines differ in white space',
  'line-endings': 'its lines differ in line endings',
  'byte-order-mark': 'it has a byte-order mark, which is not part of the text',
  'escaped-text': 'its lines are escaped differently',
  'line-number-prefixes': 'its lines carry the line numbers of read_file',
  'look-alike-characters': 'its lines have characters that only look alike, such as typographic quotes',
  'letter-case': 'its lines differ in upper and lower case',
  'already-applied': 'its new lines are already in the file',
  'matches-earlier-version': 'its lines were in an earlier version; the file has been changed since',
  'similar-text': 'the file has only similar lines',
  'other-lines': 'the file has only similar lines',
  absent: 'the file has nothing like its lines',
}

function adviceFor({ reason, lines, explanation = {} }: Facts): string {
  const { cause, suggestion } = explanation
  if (cause === 'already-applied') return 'Leave it out.'
  if (suggestion?.isWellFormed() && suggestion.length <= maxSuggestionUnits)
    return `Send this hunk instead:\n${suggestion.replace(/\n$/, '')}`
  if (reason === 'out-of-order') return 'Put the hunks in the order of their lines, and join those that overlap.'
  if (reason === 'not-whole-file') return 'Use the tool delete, or remove all lines.'
  if (lines !== undefined) return 'Add context lines, or an @@ line from above, that only one of the places has.'
  return nearestLines(explanation) ?? 'Read the file and make the context lines what it has.'
}

const maxSuggestionUnits = 2000
const maxLineUnits = 200

function nearestLines({ nearest }: PatchExplanation): string | undefined {
  if (nearest === undefined || !nearest.texts.every((text) => text.isWellFormed())) return undefined
  const rows = nearest.texts.map((text, index) => {
    const shown = text.length > maxLineUnits ? `${cutUnits(text, maxLineUnits)}…` : text
    return `${nearest.line + index}\t${shown}`
  })
  return `The file has:\n${rows.join('\n')}`
}
