/** What one call of `read` takes from its input. */
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import { type ReadLimits, readLine } from './read-line.js'

export interface ReadRecord {
  text: string
  /** The places of the characters that a backslash was before: they separate nothing. */
  escaped: ReadonlySet<number>
  /** The input ended before the delimiter. */
  ended: boolean
  timedOut?: boolean
}

const none: ReadonlySet<number> = new Set()

/** Unless `raw`, a backslash takes the meaning of the next character away, and goes with the end of a line. */
export function* readRecord(shell: Shell, descriptor: number, limits: ReadLimits, raw: boolean): Steps<ReadRecord> {
  const first = yield* readLine(shell, descriptor, limits)
  const plain = withoutZeros(first.text)
  if (raw || !plain.includes('\\')) {
    return { text: plain, escaped: none, ended: first.ended, ...(first.timedOut && { timedOut: true }) }
  }
  const escaped = new Set<number>()
  let [text, count, quotes] = ['', 0, false]
  const add = (character: string) => {
    if (quotes && character !== '\n')
      for (let unit = 0; unit < character.length; unit += 1) escaped.add(text.length + unit)
    if (!quotes || character !== '\n') {
      text += character
      count += 1
    }
    quotes = false
  }
  const delimiter = limits.delimiter === undefined ? '\n' : String.fromCharCode(limits.delimiter)
  for (let part = first; ; ) {
    for (const character of withoutZeros(part.text)) {
      if (!quotes && character === '\\') quotes = true
      else add(character)
    }
    const hasAll = limits.count !== undefined && count >= limits.count
    if (part.ended || hasAll || (part.delimited && !quotes)) {
      return { text, escaped, ended: part.ended, ...(part.timedOut && { timedOut: true }) }
    }
    if (part.delimited) add(delimiter)
    const rest = limits.count === undefined ? {} : { count: limits.count - count }
    part = yield* readLine(shell, descriptor, { ...limits, ...rest })
  }
}

function withoutZeros(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}
