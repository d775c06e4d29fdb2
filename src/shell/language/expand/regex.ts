/** Extended regular expressions of `[[ text =~ regex ]]`, as those of JavaScript. */
import { ExpansionFailure } from '../run/state/jumps.js'
import type { Segment } from './sinks.js'

const classes: Readonly<Record<string, string>> = {
  alpha: '\\p{L}',
  digit: '0-9',
  alnum: '\\p{L}\\p{Nd}',
  upper: '\\p{Lu}',
  lower: '\\p{Ll}',
  space: '\\s',
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`\\{-~',
  print: '\\x20-\\x7e\\u{a0}-\\u{10ffff}',
  graph: '\\x21-\\x7e\\u{a1}-\\u{10ffff}',
  cntrl: '\\x00-\\x1f\\x7f',
  xdigit: '0-9A-Fa-f',
}

const cache = new Map<string, RegExp>()
const cacheSize = 200

export function compileRegex(segments: readonly Segment[], ignoreCase: boolean): RegExp {
  const source = segments.map(({ text, quoted }) => (quoted ? literal(text) : text)).join('')
  const key = `${ignoreCase ? 'i' : ''}:${source}`
  const known = cache.get(key)
  if (known !== undefined) return known
  let compiled: RegExp
  try {
    compiled = new RegExp(translate(source), ignoreCase ? 'sui' : 'su')
  } catch {
    throw new RegexFault()
  }
  if (cache.size >= cacheSize) cache.clear()
  cache.set(key, compiled)
  return compiled
}

/** The expression is wrong: the status is 2, without a message. */
export class RegexFault extends ExpansionFailure {
  constructor() {
    super('invalid regular expression', 2)
  }
}

/** Quoted text stands for itself. */
function literal(text: string): string {
  return text.replace(/[\\^$.[\]|()*+?{}]/g, '\\$&')
}

function translate(source: string): string {
  let result = ''
  let at = 0
  // After these a repetition has nothing to repeat, and stands for itself.
  let atStart = true
  while (at < source.length) {
    const character = String.fromCodePoint(source.codePointAt(at) as number)
    if (character === '[') {
      const { text, end } = bracket(source, at)
      result += text
      at = end
      atStart = false
      continue
    }
    if (character === '\\') {
      const escaped = source[at + 1]
      if (escaped === undefined) throw new RegexFault()
      result += escapeOf(escaped)
      at += 2
      atStart = false
      continue
    }
    at += character.length
    if (character === '{') {
      const [interval] = /^\{(?:\d+(?:,\d*)?|,\d+)\}/.exec(source.slice(at - 1)) ?? []
      if (interval === undefined || atStart) result += '\\{'
      else {
        result += interval.replace('{,', '{0,')
        at += interval.length - 1
      }
      continue
    }
    if ((character === '*' || character === '+' || character === '?') && !atStart) {
      // Repeated repetitions are one.
      if (/[*+?]$/.test(result) && !/\\[*+?]$/.test(result)) {
        if (character !== result.at(-1)) result = `${result.slice(0, -1)}*`
      } else result += character
      continue
    }
    if (character === '*' && atStart) {
      result += '\\*'
      atStart = false
      continue
    }
    if (character === '}' || character === ']' || character === '/') result += `\\${character}`
    else result += character
    atStart = character === '(' || character === '|' || (character === '^' && atStart)
  }
  return result
}

function escapeOf(character: string): string {
  switch (character) {
    case '<':
      return '\\b(?=[\\p{L}\\p{Nd}_])'
    case '>':
      return '\\b(?<=[\\p{L}\\p{Nd}_])'
    case 'w':
      return '[\\p{L}\\p{Nd}_]'
    case 'W':
      return '[^\\p{L}\\p{Nd}_]'
    case 'b':
    case 'B':
    case 's':
    case 'S':
      return `\\${character}`
    case '`':
      return '^'
    case "'":
      return '$'
    default:
      return /[\\^$.[\]|()*+?{}/]/.test(character) ? `\\${character}` : character
  }
}

/** A bracket expression, from `[` to its `]`. */
function bracket(source: string, start: number): { text: string; end: number } {
  let at = start + 1
  let text = '['
  if (source[at] === '^') {
    text += '^'
    at += 1
  }
  const first = at
  for (;;) {
    const character = source[at]
    if (character === undefined) throw new RegexFault()
    if (character === ']' && at > first) return { text: `${text}]`, end: at + 1 }
    const [whole, kind, name = ''] = /^\[([:.=])(.*?)\1\]/s.exec(source.slice(at)) ?? []
    if (whole !== undefined) {
      const meaning = kind === ':' ? classes[name] : inClass(name)
      if (meaning === undefined) throw new RegexFault()
      text += meaning
      at += whole.length
      continue
    }
    const isRange = character === '-' && at > first && source[at + 1] !== ']' && source[at + 1] !== undefined
    text += isRange ? '-' : inClass(character)
    at += 1
  }
}

function inClass(character: string): string {
  return character.replace(/[\\\][^&~|-]/g, '\\$&')
}
