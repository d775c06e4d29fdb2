/** Builtins that make one value of others. */
import { add, splitText } from './arithmetic.js'
import { brokenDown, formatTime, makeTime, parseTime } from './dates.js'
import { toText } from './formats.js'
import { parseJson } from './json/json-reader.js'
import { compactText } from './json/json-text.js'
import { JsonSyntaxError } from './json/syntax-error.js'
import type { ValueFunction } from './math.js'
import { describe, indicesOf } from './paths.js'
import { eachMatch, regexRequest } from './regex.js'
import { compare, isEqual, JqError, type Json, sortedKeys, typeOf } from './values.js'

const encoder = new TextEncoder()

function arrayOf(value: Json, what: string): Json[] {
  if (Array.isArray(value)) return value
  throw new JqError(`${describe(value)} cannot be ${what}, as it is not an array`)
}

function textOf(value: Json, message: string): string {
  if (typeof value === 'string') return value
  throw new JqError(message)
}

function length(value: Json): number {
  if (value === null) return 0
  if (typeof value === 'string') return [...value].length
  if (typeof value === 'number') return Math.abs(value)
  if (Array.isArray(value)) return value.length
  if (value instanceof Map) return value.size
  throw new JqError(`${describe(value)} has no length`)
}

function keys(value: Json, isSorted: boolean): Json[] {
  if (Array.isArray(value)) return value.map((_, index) => index)
  if (value instanceof Map) return isSorted ? sortedKeys(value) : [...value.keys()]
  throw new JqError(`${describe(value)} has no keys`)
}

function has(value: Json, key: Json): boolean {
  if (value === null) return false
  if (value instanceof Map && typeof key === 'string') return value.has(key)
  if (Array.isArray(value) && typeof key === 'number') return key >= 0 && Math.floor(key) < value.length
  throw new JqError(
    `Cannot check whether ${typeOf(value)} has a ${typeof key === 'string' ? 'string' : typeOf(key)} key`,
  )
}

function contains(value: Json, part: Json): boolean {
  if (value instanceof Map && part instanceof Map) {
    return [...part].every(([key, inner]) => {
      const own = value.get(key)
      return own !== undefined && contains(own, inner)
    })
  }
  if (Array.isArray(value) && Array.isArray(part)) {
    return part.every((inner) => value.some((own) => typeOf(own) === typeOf(inner) && contains(own, inner)))
  }
  if (typeof value === 'string' && typeof part === 'string') return value.includes(part)
  if (typeOf(value) === typeOf(part)) return isEqual(value, part)
  throw new JqError(`${describe(value)} and ${describe(part)} cannot have their containment checked`)
}

function flatten(value: Json, depth: number): Json[] {
  const items = Array.isArray(value) ? value : value instanceof Map ? [...value.values()] : undefined
  if (items === undefined) throw new JqError(`Cannot iterate over ${describe(value)}`)
  return items.flatMap((item) => (Array.isArray(item) && depth > 0 ? flatten(item, depth - 1) : [item]))
}

function tonumber(value: Json): Json {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') throw new JqError(`${describe(value)} cannot be parsed as a number`)
  const parsed = fromJson(value.replace(/\0.*$/s, ''))
  if (typeof parsed !== 'number') throw new JqError(`${describe(value)} cannot be parsed as a number`)
  return parsed
}

function fromJson(text: string): Json {
  if (text.trim() === '') throw new JqError(`Expected JSON value (while parsing '${text}')`)
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw new JqError(`${error.message} (while parsing '${text}')`)
  }
}

/** Places of a text in another, counted in code points as the original does for ASCII. */
function indices(value: Json, wanted: Json): Json {
  if (value === null) return null
  if (typeof value === 'string' && typeof wanted === 'string') {
    const found: Json[] = []
    if (wanted === '') return null
    const isAscii = encoder.encode(value).length === value.length
    for (let at = value.indexOf(wanted); at !== -1; at = value.indexOf(wanted, at + 1)) {
      found.push(isAscii ? at : encoder.encode(value.slice(0, at)).length)
    }
    return found
  }
  if (!Array.isArray(value)) throw new JqError(`Cannot index ${typeOf(value)} with ${typeOf(wanted)}`)
  return indicesOf(value, Array.isArray(wanted) ? wanted : [wanted])
}

function unique(items: readonly Json[]): Json[] {
  const result: Json[] = []
  for (const item of items) if (result.length === 0 || compare(result.at(-1) as Json, item) !== 0) result.push(item)
  return result
}

function extreme(value: Json, direction: 1 | -1, name: string): Json {
  const items = arrayOf(value, `${name}ed`)
  let best: Json | undefined
  for (const item of items) {
    const order = best === undefined ? 0 : compare(item, best)
    if (best === undefined || (direction === 1 ? order >= 0 : order < 0)) best = item
  }
  return best ?? null
}

function splitRegex(input: Json, pattern: Json, flags: Json): Json[] {
  const request = regexRequest(input, pattern, flags, true)
  const text = input as string
  const pieces: Json[] = []
  let from = 0
  eachMatch(text, request, (match) => {
    pieces.push(text.slice(from, match.index))
    from = match.index + match[0].length
  })
  pieces.push(text.slice(from))
  return pieces
}

function bsearch(items: Json, wanted: Json): number {
  if (!Array.isArray(items)) throw new JqError(`Cannot index ${typeOf(items)} with number`)
  const array = items
  let low = 0
  let high = array.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const order = compare(array[middle] as Json, wanted)
    if (order === 0) return middle
    if (order < 0) low = middle + 1
    else high = middle - 1
  }
  return -1 - low
}

function join(input: Json, separator: Json): Json {
  const items = Array.isArray(input) ? input : input instanceof Map ? [...input.values()] : undefined
  if (items === undefined) throw new JqError(`Cannot iterate over ${describe(input)}`)
  let result: Json | undefined
  for (const item of items) {
    const text = item === null ? '' : typeof item === 'number' || typeof item === 'boolean' ? compactText(item) : item
    result = add(result === undefined ? '' : add(result, separator), text)
  }
  return result ?? ''
}

function transpose(input: Json): Json[] {
  const rows = arrayOf(input, 'transposed') as Json[][]
  const width = Math.max(0, ...rows.map((row) => length(row)))
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column] ?? null))
}

const checkFinite = (value: Json) => {
  if (typeof value !== 'number') throw new JqError(`${describe(value)} number required`)
  return Number.isFinite(value)
}

function trim(input: Json, part: Json, isStart: boolean): Json {
  if (typeof input !== 'string' || typeof part !== 'string') return input
  if (isStart) return input.startsWith(part) ? input.slice(part.length) : input
  return input.endsWith(part) && part !== '' ? input.slice(0, -part.length) : input
}

export const valueFunctions: Readonly<Record<string, ValueFunction>> = {
  'length/0': (_context, input) => length(input),
  'utf8bytelength/0': (_context, input) =>
    encoder.encode(textOf(input, `${describe(input)} only strings have UTF-8 byte length`)).length,
  'keys/0': (_context, input) => keys(input, true),
  'keys_unsorted/0': (_context, input) => keys(input, false),
  'has/1': (_context, input, key) => has(input, key as Json),
  'contains/1': (_context, input, part) => contains(input, part as Json),
  'add/0': (_context, input) => {
    if (!Array.isArray(input) && !(input instanceof Map)) throw new JqError(`Cannot iterate over ${describe(input)}`)
    const items = [...input.values()]
    if (items.length > 0 && items.every((item) => typeof item === 'string')) return items.join('')
    if (items.length > 0 && items.every(Array.isArray)) return (items as Json[][]).flat(1)
    return items.reduce<Json>((sum, item) => add(sum, item), null)
  },
  'type/0': (_context, input) => typeOf(input),
  'tostring/0': (_context, input) => toText(input),
  'tojson/0': ({ account }, input) => compactText(input, account),
  'fromjson/0': (_context, input) => fromJson(textOf(input, `${describe(input)} cannot be parsed as JSON`)),
  'tonumber/0': (_context, input) => tonumber(input),
  'infinite/0': () => Number.POSITIVE_INFINITY,
  'nan/0': () => Number.NaN,
  'isinfinite/0': (_context, input) => !checkFinite(input) && !Number.isNaN(input),
  'isfinite/0': (_context, input) => checkFinite(input),
  'isnan/0': (_context, input) => {
    checkFinite(input)
    return Number.isNaN(input)
  },
  'isnormal/0': (_context, input) => checkFinite(input) && Math.abs(input as number) >= 2 ** -1022,
  'sort/0': (_context, input) => [...arrayOf(input, 'sorted')].sort(compare),
  'unique/0': (_context, input) => unique([...arrayOf(input, 'sorted')].sort(compare)),
  'min/0': (_context, input) => extreme(input, -1, 'minimiz'),
  'max/0': (_context, input) => extreme(input, 1, 'maximiz'),
  'reverse/0': (_context, input) => {
    if (typeof input === 'string') return [...input].reverse().join('')
    if (input === null || input === 0 || (input instanceof Map && input.size === 0)) return []
    if (Array.isArray(input)) return [...input].reverse()
    throw new JqError(`Cannot index ${typeOf(input)} with number`)
  },
  'flatten/0': (_context, input) => flatten(input, 1e9),
  'flatten/1': (_context, input, depth) => {
    if (typeof depth === 'number' && depth < 0) throw new JqError('flatten depth must not be negative')
    return flatten(input, depth as number)
  },
  'indices/1': (_context, input, wanted) => indices(input, wanted as Json),
  'index/1': (_context, input, wanted) => {
    const found = indices(input, wanted as Json)
    return Array.isArray(found) ? (found[0] ?? null) : null
  },
  'rindex/1': (_context, input, wanted) => {
    const found = indices(input, wanted as Json)
    return Array.isArray(found) ? (found.at(-1) ?? null) : null
  },
  'join/1': (_context, input, separator) => join(input, separator as Json),
  'split/1': (_context, input, separator) => {
    if (typeof input !== 'string' || typeof separator !== 'string') {
      throw new JqError('split input and separator must be strings')
    }
    return splitText(input, separator)
  },
  'split/2': (_context, input, pattern, flags) => splitRegex(input, pattern as Json, flags as Json),
  'startswith/1': (_context, input, part) => {
    if (typeof input !== 'string' || typeof part !== 'string') throw new JqError('startswith() requires string inputs')
    return input.startsWith(part)
  },
  'endswith/1': (_context, input, part) => {
    if (typeof input !== 'string' || typeof part !== 'string') throw new JqError('endswith() requires string inputs')
    return input.endsWith(part)
  },
  'ltrimstr/1': (_context, input, part) => trim(input, part as Json, true),
  'rtrimstr/1': (_context, input, part) => trim(input, part as Json, false),
  '_ascii_downcase/0': (_context, input) =>
    textOf(input, 'explode input must be a string').replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  '_ascii_upcase/0': (_context, input) =>
    textOf(input, 'explode input must be a string').replace(/[a-z]/g, (letter) => letter.toUpperCase()),
  '_entry_key/0': (_context, input) => {
    if (typeof input === 'string') return input
    throw new JqError(`Cannot use ${describe(input)} as object key`)
  },
  'explode/0': ({ account }, input) => {
    const text = textOf(input, 'explode input must be a string')
    // Counted for a moment only: this ends a command that has no room for the numbers before they are made.
    account(8 * text.length)
    account(-8 * text.length)
    return Array.from(text, (character) => character.codePointAt(0) as number)
  },
  'implode/0': (_context, input) => {
    if (!Array.isArray(input) || input.some((point) => typeof point !== 'number')) {
      throw new JqError('implode input must be an array of codepoints')
    }
    return (input as number[])
      .map((point) =>
        point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? '\ufffd' : String.fromCodePoint(point),
      )
      .join('')
  },
  'transpose/0': (_context, input) => transpose(input),
  'bsearch/1': (_context, input, wanted) => bsearch(input, wanted as Json),
  'now/0': (context) => context.now() / 1000,
  'gmtime/0': (_context, input) => brokenDown(input, undefined, 'gmtime'),
  'localtime/0': (context, input) => brokenDown(input, context.timeZone ?? 'UTC', 'localtime'),
  'mktime/0': (_context, input) => makeTime(input),
  'strptime/1': (_context, input, format) => parseTime(input, format as Json),
  'strftime/1': (_context, input, format) => formatTime(input, format as Json, undefined, 'strftime'),
  'strflocaltime/1': (context, input, format) =>
    formatTime(input, format as Json, context.timeZone ?? 'UTC', 'strflocaltime'),
  'input_filename/0': (context) => context.inputName(),
  'input_line_number/0': (context) => context.inputLine(),
}
