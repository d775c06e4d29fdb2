/** Extended regular expressions of `[[ text =~ regex ]]`. */
import { compileRegex, RegexError } from '../../regex/index.js'
import { ExpansionFailure } from '../run/state/jumps.js'
import type { Segment } from './sinks.js'

/** The texts of the match and of its groups; undefined when there is no match. */
export function matchRegex(segments: readonly Segment[], ignoreCase: boolean, text: string): string[] | undefined {
  try {
    const match = compileRegex(sourceOf(segments), { syntax: 'extended', ignoreCase }).exec(text)
    if (match === undefined) return undefined
    const spans = [[match.start, match.end] as const, ...match.groups]
    return spans.map((span) => (span === undefined ? '' : text.slice(span[0], span[1])))
  } catch (error) {
    if (error instanceof RegexError) throw new RegexFault()
    throw error
  }
}

/** The expression is wrong: the status is 2, without a message. */
export class RegexFault extends ExpansionFailure {
  constructor() {
    super('invalid regular expression', 2)
  }
}

/** Quoted text stands for itself; in brackets all but their end does so anyway. */
function sourceOf(segments: readonly Segment[]): string {
  let source = ''
  for (const { text, quoted } of segments) source += quoted && !isBracketOpen(source) ? literal(text) : text
  return source
}

function literal(text: string): string {
  return text.replace(/[\\^$.[\]|()*+?{}]/g, '\\$&')
}

function isBracketOpen(source: string): boolean {
  const closed = /\\[\s\S]|\[\^?\]?(?:\[(?:\.[\s\S]*?\.|:[\s\S]*?:|=[\s\S]*?=)\]|[^\]])*\]/g
  return source.replace(closed, '').includes('[')
}
