/** Regular expressions: the syntax of Oniguruma on those of the platform. */
import { entryOf } from '../../../src/text/entry-of.js'
import { describe } from './paths.js'
import { JqError, type Json, type JsonObject, objectOf } from './values.js'

export interface RegexRequest {
  pattern: string
  flags: string
  isGlobal: boolean
  skipsEmpty: boolean
}

/** The arguments of `test`, `match` and the like. */
export function regexRequest(subject: Json, pattern: Json, flags: Json, isGlobal: boolean): RegexRequest {
  if (typeof subject !== 'string') throw new JqError(`${describe(subject)} cannot be matched, as it is not a string`)
  if (typeof pattern !== 'string') throw new JqError(`${describe(pattern)} cannot be matched, as it is not a string`)
  if (flags !== null && typeof flags !== 'string') throw new JqError(`${describe(flags)} is not a string`)
  const letters = flags ?? ''
  if (/[^gimnslpx]/.test(letters) || letters.includes('m')) {
    throw new JqError(`${letters} is not a valid modifier string`)
  }
  return {
    pattern,
    flags: letters,
    isGlobal: isGlobal || letters.includes('g'),
    skipsEmpty: letters.includes('n'),
  }
}

const compiled = new Map<string, { regex: RegExp; names: Array<string | undefined> }>()

function compile({ pattern, flags }: RegexRequest) {
  const key = `${flags}/${pattern}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  const extended = flags.includes('x')
  const [inline = '', letters = ''] = /^\(\?([imx]+)\)/.exec(pattern) ?? []
  const { source, names } = translate(pattern.slice(inline.length), extended || letters.includes('x'))
  const ignoresCase = flags.includes('i') || letters.includes('i')
  const dotMatchesAll = flags.includes('p') || letters.includes('m')
  let regex: RegExp
  try {
    regex = new RegExp(source, `dgu${ignoresCase ? 'i' : ''}${dotMatchesAll ? 's' : ''}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: /, '') : 'invalid'
    throw new JqError(`${pattern} (at offset 0) is not a valid regex: ${reason.toLowerCase()}`)
  }
  const made = { regex, names }
  compiled.set(key, made)
  return made
}

const posixClasses: Readonly<Record<string, string>> = {
  alpha: '\\p{L}',
  digit: '\\p{Nd}',
  alnum: '\\p{L}\\p{Nd}',
  upper: '\\p{Lu}',
  lower: '\\p{Ll}',
  space: '\\s',
  blank: ' \\t',
  punct: '\\p{P}\\p{S}',
  xdigit: '0-9A-Fa-f',
  word: '\\p{L}\\p{N}_',
  cntrl: '\\p{Cc}',
  print: '\\P{C}',
  graph: '\\P{C}',
}

/** Escapes that the platform lacks in its strict mode, classes by name, and free spacing. */
function translate(pattern: string, extended: boolean): { source: string; names: Array<string | undefined> } {
  const names: Array<string | undefined> = []
  let source = ''
  let depth = 0
  /** The quantifier just before. */
  let quantifier = ''
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] as string
    const next = pattern[at + 1] ?? ''
    if (character === '\\') {
      at += 1
      quantifier = ''
      const property = /^p\{(\^?)(\w+)\}/.exec(pattern.slice(at))
      const known = entryOf(posixClasses, property?.[2]?.toLowerCase() ?? '')
      if (property !== null && known !== undefined) {
        source += depth > 0 ? known : `[${property[1]}${known}]`
        at += property[0].length - 1
        continue
      }
      source += translateEscape(next, depth > 0)
      continue
    }
    if (depth > 0) {
      const named = /^\[:(\^?)(\w+):\]/.exec(pattern.slice(at))
      if (named !== null) {
        source += entryOf(posixClasses, named[2] as string) ?? ''
        at += named[0].length - 1
      } else if (character === '[') {
        source += '\\['
      } else {
        if (character === ']') depth = 0
        source += character
      }
      continue
    }
    if (character === '[') {
      depth = 1
      quantifier = ''
      const [start = '['] = /^\[\^?\]?/.exec(pattern.slice(at)) ?? []
      source += start.endsWith(']') ? `${start.slice(0, -1)}\\]` : start
      at += start.length - 1
      continue
    }
    if (extended && /\s/.test(character)) continue
    if (extended && character === '#') {
      const end = pattern.indexOf('\n', at)
      at = end === -1 ? pattern.length : end
      continue
    }
    if (character === '(') {
      const named = /^\(\?<([A-Za-z_]\w*)>/.exec(pattern.slice(at))
      if (named !== null) names.push(named[1])
      else if (next !== '?') names.push(undefined)
      const comment = /^\(\?#[^)]*\)/.exec(pattern.slice(at))
      if (comment !== null) {
        at += comment[0].length - 1
        continue
      }
      if (/^\(\?[imx-]+[:)]/.test(pattern.slice(at))) {
        throw new JqError(`${pattern}: options within a pattern are not supported by this shell`)
      }
    }
    const isPossessive = character === '+' && /[*+?]/.test(quantifier)
    quantifier = /[*+?]/.test(character) && quantifier === '' ? character : ''
    if (isPossessive || pattern.startsWith('(?>', at)) {
      throw new JqError(`${pattern}: possessive and atomic groups are not supported by this shell`)
    }
    if (character === '{' && !/^\{\d*,?\d*\}/.test(pattern.slice(at))) source += '\\{'
    else if (character === '}' && !/\{\d*,?\d*$/.test(source)) source += '\\}'
    else if (character === ']') source += '\\]'
    else if (character === '$') source += '(?=\\n?(?![\\s\\S]))'
    else source += character
  }
  // With named groups, plain ones do not capture.
  return { source, names }
}

const wordCharacter = '[\\p{L}\\p{M}\\p{N}\\p{Pc}]'
const wordEdge = `(?:(?<=${wordCharacter})(?!${wordCharacter})|(?<!${wordCharacter})(?=${wordCharacter}))`

function translateEscape(letter: string, inClass: boolean): string {
  if (letter === 'd') return inClass ? '\\p{Nd}' : '\\p{Nd}'
  if (letter === 'D') return '\\P{Nd}'
  if (letter === 'w') return inClass ? '\\p{L}\\p{M}\\p{N}\\p{Pc}' : '[\\p{L}\\p{M}\\p{N}\\p{Pc}]'
  if (letter === 'W') return inClass ? '\\W' : '[^\\p{L}\\p{M}\\p{N}\\p{Pc}]'
  if (letter === 'h') return inClass ? '0-9a-fA-F' : '[0-9a-fA-F]'
  if (letter === 'H') return '[^0-9a-fA-F]'
  if (letter === 'b' && !inClass) return wordEdge
  if (letter === 'B' && !inClass) return `(?!${wordEdge})`
  if (letter === 'A') return '(?<![\\s\\S])'
  if (letter === 'z') return '(?![\\s\\S])'
  if (letter === 'Z') return '(?=\\n?(?![\\s\\S]))'
  if (letter === 'a') return '\\x07'
  if (letter === 'e') return '\\x1b'
  if (/[a-zA-Z0-9^$\\.*+?()[\]{}|/]/.test(letter)) return `\\${letter}`
  return letter === '-' && inClass ? '\\-' : letter
}

/** Calls `use` for every match, with places in UTF-16 units. */
export function eachMatch(subject: string, request: RegexRequest, use: (match: RegExpExecArray) => void): string[] {
  const { regex, names } = compile(request)
  regex.lastIndex = 0
  for (;;) {
    const start = regex.lastIndex
    const found = regex.exec(subject)
    if (found === null) break
    // The original looks for more matches only before the end of the text.
    if (request.isGlobal && start >= subject.length && subject !== '') break
    const resume = regex.lastIndex
    if (!(request.skipsEmpty && found[0] === '')) use(found)
    if (!request.isGlobal) break
    regex.lastIndex =
      found[0] === '' ? (resume + (subject.codePointAt(resume) ?? 0) > 0xffff ? resume + 2 : resume + 1) : resume
    if (regex.lastIndex > subject.length || (found[0] === '' && resume >= subject.length)) break
  }
  return names.filter((name): name is string => name !== undefined)
}

/** The objects of `match`. Offsets and lengths count code points. */
export function matchObjects(subject: Json, pattern: Json, flags: Json, isGlobal: boolean): JsonObject[] {
  const request = regexRequest(subject, pattern, flags, isGlobal)
  const text = subject as string
  const { names } = compile(request)
  const matches: JsonObject[] = []
  eachMatch(text, request, (found) => {
    // The original does not look at the groups of an empty match.
    const groups = found[0] === '' ? [] : found.slice(1)
    const captures = groups.map((value: string | undefined, index): Json => {
      const place = found.indices?.[index + 1]
      if (value === undefined || place === undefined) {
        return objectOf({ offset: -1, string: null, length: 0, name: names[index] ?? null })
      }
      const offset = points(text, place[0])
      const name = names[index] ?? null
      // Keys are shown in the order in which the original sets them.
      if (value === '') return objectOf({ offset, string: value, length: 0, name })
      return objectOf({ offset, length: [...value].length, string: value, name })
    })
    matches.push(
      objectOf({
        offset: points(text, found.index),
        length: [...found[0]].length,
        string: found[0],
        captures,
      }),
    )
  })
  return matches
}

const points = (text: string, end: number) => [...text.slice(0, end)].length
