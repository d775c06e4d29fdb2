import { type ErrorFacts, FsError, type InputIssue } from '../errors.js'
import { cutUnits } from '../text/lines/lines.js'

/** Longer than any path; such a text is not meant to be read. */
const maxTextUnits = 4096
const cutTo = 500

/** Cuts text from a client, which could make an answer of megabytes. */
export function shortText(text: string): string {
  return text.length <= maxTextUnits ? text : `${cutUnits(text, cutTo)}…`
}

/** The same failure with long texts from the client cut, so that no dialect has to do it. */
export function withShortFacts(error: FsError): FsError {
  const { facts } = error
  const texts = 'issues' in facts ? facts.issues.flatMap(textsOf) : Object.values(facts)
  if (!texts.some((text) => typeof text === 'string' && text.length > maxTextUnits)) return error
  const short = 'issues' in facts ? { issues: facts.issues.map(shortIssue) } : withShortTexts(facts)
  // The code and the names of the facts are the same.
  return new FsError(error.code, short as ErrorFacts[typeof error.code], { cause: error.cause ?? error })
}

function textsOf({ at, message, expected }: InputIssue): unknown[] {
  return [...at, message, expected]
}

/** The object with its texts cut. */
export function withShortTexts(given: object): object {
  const entries = Object.entries(given).map(([key, value]) => [
    key,
    typeof value === 'string' ? shortText(value) : value,
  ])
  return Object.fromEntries(entries)
}

function shortIssue(issue: InputIssue): InputIssue {
  const { at, message, expected } = issue
  const short = at.map((key) => (typeof key === 'string' ? shortText(key) : key))
  return {
    ...issue,
    at: short,
    message: shortText(message),
    ...(expected !== undefined && { expected: shortText(expected) }),
  }
}
