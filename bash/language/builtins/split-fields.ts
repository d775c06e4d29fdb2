/** Splits what `read` has read. */
import type { Separators } from '../expand/sinks.js'
import type { ReadRecord } from './read-record.js'

/** At most `count` fields; the last one then has all the rest. */
export function splitFields(
  { text, escaped }: Pick<ReadRecord, 'text' | 'escaped'>,
  { all, blanks }: Separators,
  count = Number.POSITIVE_INFINITY,
): string[] {
  const is = (characters: string, at: number) => characters.includes(text[at] as string) && !escaped.has(at)
  const skipBlanks = (from: number) => {
    let at = from
    while (at < text.length && is(blanks, at)) at += 1
    return at
  }
  const endOfField = (from: number) => {
    let at = from
    while (at < text.length && !is(all, at)) at += 1
    return at
  }
  /** Where the next field begins: after blanks, and one other separator among them. */
  const nextField = (end: number) => {
    const at = skipBlanks(end)
    return at < text.length && is(all, at) ? skipBlanks(at + 1) : at
  }
  const fields: string[] = []
  for (let at = skipBlanks(0); at < text.length; ) {
    const end = endOfField(at)
    const next = nextField(end)
    if (fields.length === count - 1 && next < text.length) {
      let last = text.length
      while (last > at && is(blanks, last - 1)) last -= 1
      fields.push(text.slice(at, last))
      break
    }
    fields.push(text.slice(at, end))
    at = next
  }
  return fields
}
