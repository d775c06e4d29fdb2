/** Extended regular expressions of `[[ text =~ regex ]]`. */
import { compileRegex, RegexError } from '../../regex/index.js'
import type { Segment } from './sinks.js'

/** The expression is wrong: the status is 2, without a message. */
export class RegexFault {}

/** The texts of the match and of its groups; undefined when nothing matches. */
export function matchRegex(text: string, segments: readonly Segment[], ignoreCase: boolean): string[] | undefined {
  const source = segments.map((segment) => (segment.quoted ? literal(segment.text) : segment.text)).join('')
  try {
    const found = compileRegex(source, { syntax: 'extended', ignoreCase }).exec(text)
    if (found === undefined) return undefined
    const groups = found.groups.map((group) => (group === undefined ? '' : text.slice(group[0], group[1])))
    return [text.slice(found.start, found.end), ...groups]
  } catch (error) {
    if (error instanceof RegexError) throw new RegexFault()
    throw error
  }
}

/** Quoted text stands for itself. */
export function literal(text: string): string {
  return text.replace(/[\\^$.[\]|()*+?{}]/g, '\\$&')
}
