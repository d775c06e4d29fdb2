/** Reads JSON values one after another from text that comes in pieces. */
import type { Json, JsonObject } from './values.js'

/** The text is not JSON; `at` is where that was seen. */
export class JsonSyntaxError extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message)
  }
}

/** The text ends within a value. */
class Incomplete extends Error {}
const incomplete = new Incomplete()

const maxDepth = 10_000

export interface JsonReader {
  add(text: string): void
  /** No more text comes. */
  end(): void
  /** The next value, or undefined when there is none yet. */
  next(): { value: Json } | undefined
  /** Line breaks up to the end of the line in which the last value ended. */
  line(): number
  /** All line breaks so far. */
  lines(): number
}

export function createJsonReader(): JsonReader {
  let text = ''
  let at = 0
  let start = 0
  let isEnd = false
  /** Text before `text` that is gone. */
  let linesBefore = 0
  let columnBefore = 0
  let wanted = 0

  function fail(message: string): never {
    throw new JsonSyntaxError(message, at)
  }

  /** How the original counts: bytes since the last line break, up to and including the wrong character. */
  function position(end: number): string {
    const seen = text.slice(0, end)
    let lines = linesBefore
    let last = -1
    for (let found = seen.indexOf('\n'); found !== -1; found = seen.indexOf('\n', found + 1)) {
      lines += 1
      last = found
    }
    const column = byteLength(seen.slice(last + 1)) + (last === -1 ? columnBefore : 0)
    return `line ${lines + 1}, column ${column}`
  }

  function skipSpace(): void {
    for (;;) {
      const code = text.charCodeAt(at)
      if (code === 32 || code === 10 || code === 9 || code === 13 || code === 0x1e) at += 1
      else return
    }
  }

  function value(depth: number): Json {
    skipSpace()
    if (at >= text.length) throw incomplete
    const code = text.charCodeAt(at)
    if (code === 34) return string()
    if (code === 123) return object(depth)
    if (code === 91) return array(depth)
    if (code === 93 || code === 125 || code === 44 || code === 58) return unexpected(code)
    return literal()
  }

  /** A number is complete only with what follows it. */
  function refuseSeparator(): void {
    const code = text.charCodeAt(at)
    if (code === 44 || code === 58) unexpected(code)
  }

  function unexpected(code: number): never {
    const character = String.fromCharCode(code)
    at += 1
    if (code === 44) return fail("Expected value before ','")
    if (code === 58) return fail("':' not as part of an object")
    return fail(`Unmatched '${character}'`)
  }

  function array(depth: number): Json[] {
    if (depth >= maxDepth) return fail('Exceeds depth limit for parsing')
    at += 1
    const items: Json[] = []
    skipSpace()
    if (text.charCodeAt(at) === 93) {
      at += 1
      return items
    }
    for (;;) {
      skipSpace()
      const code = text.charCodeAt(at)
      if (code === 93) {
        at += 1
        return fail('Expected another array element')
      }
      if (code === 44) {
        at += 1
        return fail("Expected value before ','")
      }
      items.push(value(depth + 1))
      skipSpace()
      if (at >= text.length) throw incomplete
      const next = text.charCodeAt(at)
      at += 1
      if (next === 93) return items
      if (next !== 44) return separatorMissing(next, 'array')
    }
  }

  /** The original sees that a separator is missing only at the end of the next token. */
  function separatorMissing(code: number, where: 'array' | 'object'): never {
    at -= 1
    if (code === 125 || code === 93) {
      at += 1
      return fail(
        where === 'array' ? `Unmatched '${String.fromCharCode(code)}'` : `Unmatched '${String.fromCharCode(code)}'`,
      )
    }
    if (code === 58) {
      at += 1
      return fail(where === 'array' ? "':' not as part of an object" : "':' not as part of an object")
    }
    if (code === 123 || code === 91) {
      at += 1
      return fail('Expected separator between values')
    }
    if (code === 34) {
      string()
      return fail('Expected separator between values')
    }
    literal()
    at += 1
    return fail('Expected separator between values')
  }

  function object(depth: number): JsonObject {
    if (depth >= maxDepth) return fail('Exceeds depth limit for parsing')
    at += 1
    const entries: JsonObject = new Map()
    skipSpace()
    if (text.charCodeAt(at) === 125) {
      at += 1
      return entries
    }
    for (;;) {
      skipSpace()
      if (at >= text.length) throw incomplete
      const code = text.charCodeAt(at)
      if (code === 125) {
        at += 1
        return fail(entries.size > 0 ? 'Expected another key-value pair' : 'Objects must consist of key:value pairs')
      }
      if (code === 44) {
        at += 1
        return fail("Expected value before ','")
      }
      const key = code === 34 ? string() : value(depth + 1)
      skipSpace()
      if (at >= text.length) throw incomplete
      if (text.charCodeAt(at) !== 58) {
        const next = text.charCodeAt(at)
        at += 1
        if (next === 44 || next === 125) return fail('Objects must consist of key:value pairs')
        return separatorMissing(next, 'object')
      }
      at += 1
      if (typeof key !== 'string') return fail('Object keys must be strings')
      skipSpace()
      if (at >= text.length) throw incomplete
      const first = text.charCodeAt(at)
      if (first === 44 || first === 125) {
        at += 1
        return fail(first === 44 ? "Expected value before ','" : 'Objects must consist of key:value pairs')
      }
      entries.set(key, value(depth + 1))
      skipSpace()
      if (at >= text.length) throw incomplete
      const next = text.charCodeAt(at)
      at += 1
      if (next === 125) return entries
      if (next !== 44) return separatorMissing(next, 'object')
    }
  }

  function string(): string {
    let from = at + 1
    let end = from
    let pieces = ''
    for (;;) {
      if (end >= text.length) throw incomplete
      const code = text.charCodeAt(end)
      if (code === 34) {
        at = end + 1
        return pieces === '' ? text.slice(from, end) : pieces + text.slice(from, end)
      }
      if (code < 32) {
        // The original looks at a string only when it has all of it.
        at = stringEnd(end) + 1
        return fail('Invalid string: control characters from U+0000 through U+001F must be escaped')
      }
      if (code !== 92) {
        end += 1
        continue
      }
      pieces += text.slice(from, end)
      const [character, length] = escaped(end)
      pieces += character
      end += length
      from = end
    }
  }

  /** The closing quote of a string whose part before `from` is known. */
  function stringEnd(from: number): number {
    for (let end = from; end < text.length; end += 1) {
      const code = text.charCodeAt(end)
      if (code === 34) return end
      if (code === 92) end += 1
    }
    throw incomplete
  }

  function escaped(from: number): readonly [string, number] {
    if (from + 1 >= text.length) throw incomplete
    const letter = text[from + 1] as string
    const known = escapes[letter]
    if (known !== undefined) return [known, 2]
    if (letter !== 'u') {
      at = stringEnd(from) + 1
      return fail('Invalid escape')
    }
    const unit = hexUnit(from + 2)
    if (unit === undefined) {
      at = stringEnd(from) + 1
      return fail('Invalid escape')
    }
    if (unit < 0xd800 || unit > 0xdfff) return [String.fromCharCode(unit), 6]
    const low = text[from + 6] === '\\' && text[from + 7] === 'u' ? hexUnit(from + 8) : undefined
    if (unit < 0xdc00 && low !== undefined && low >= 0xdc00 && low < 0xe000) {
      return [String.fromCharCode(unit, low), 12]
    }
    if (from + 12 > text.length && !isEnd) throw incomplete
    at = stringEnd(from) + 1
    return fail('Invalid \\uXXXX\\uXXXX surrogate pair escape')
  }

  function hexUnit(from: number): number | undefined {
    const digits = text.slice(from, from + 4)
    return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : undefined
  }

  function literal(): Json {
    const from = at
    let end = at
    while (end < text.length && !isTokenEnd(text.charCodeAt(end))) end += 1
    if (end >= text.length && !isEnd) throw incomplete
    const word = text.slice(from, end)
    at = end
    if (word === 'null') return null
    if (word === 'true') return true
    if (word === 'false') return false
    const number = numberOf(word)
    if (number !== undefined) return number
    at = Math.min(end + 1, text.length)
    const isWord = /^[tfn]/.test(word)
    const place = end >= text.length ? ' at EOF' : ''
    return fail(`${isWord ? 'Invalid literal' : 'Invalid numeric literal'}${place}`)
  }

  return {
    add(more) {
      if (at > 1 << 16) {
        const gone = text.slice(0, at)
        const last = gone.lastIndexOf('\n')
        columnBefore = byteLength(gone.slice(last + 1)) + (last === -1 ? columnBefore : 0)
        linesBefore += gone.split('\n').length - 1
        text = text.slice(at)
        at = 0
      }
      text += more
    },
    end() {
      isEnd = true
    },
    next() {
      skipSpace()
      if (at >= text.length) return undefined
      // A long value is tried again only when there is much more of it.
      if (!isEnd && text.length - at < wanted) return undefined
      start = at
      try {
        const found = value(0)
        if (typeof found === 'number' && at < text.length) refuseSeparator()
        wanted = 0
        return { value: found }
      } catch (error) {
        if (error instanceof JsonSyntaxError) {
          throw new JsonSyntaxError(`${error.message} at ${position(error.at)}`, error.at)
        }
        if (!(error instanceof Incomplete)) throw error
        if (!isEnd) {
          wanted = (text.length - start) * 2
          at = start
          return undefined
        }
        const isString = isOpenString(text, start)
        at = text.length
        const message = isString ? 'Unfinished string at EOF' : 'Unfinished JSON term at EOF'
        throw new JsonSyntaxError(`${message} at ${position(text.length)}`, text.length)
      }
    },
    lines: () => linesBefore + text.split('\n').length - 1,
    line() {
      const end = text.indexOf('\n', at > 0 && text[at - 1] === '\n' ? at - 1 : at)
      const seen = end === -1 ? text : text.slice(0, end + 1)
      let lines = linesBefore
      for (let found = seen.indexOf('\n'); found !== -1; found = seen.indexOf('\n', found + 1)) lines += 1
      return lines
    },
  }
}

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

const isTokenEnd = (code: number) =>
  code === 32 ||
  code === 10 ||
  code === 13 ||
  code === 9 ||
  code === 44 ||
  code === 58 ||
  code === 34 ||
  code === 91 ||
  code === 93 ||
  code === 123 ||
  code === 125 ||
  code === 0x1e

function numberOf(word: string): number | undefined {
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(word)) return Number(word)
  if (/^([+-]nan|nan)$/i.test(word)) return word.startsWith('n') ? undefined : Number.NaN
  const [, sign, infinity] = /^([+-]?)(inf|infinity)$/i.exec(word) ?? []
  return infinity === undefined ? undefined : sign === '-' ? -Infinity : Infinity
}

function isOpenString(text: string, start: number): boolean {
  let isInside = false
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 34) isInside = !isInside
    else if (isInside && code === 92) at += 1
  }
  return isInside
}

const encoder = new TextEncoder()
const byteLength = (text: string) => encoder.encode(text).length

/** Exactly one value, as `fromjson` and `--argjson` read it. */
export function parseJson(text: string): Json {
  const reader = createJsonReader()
  reader.add(text)
  reader.end()
  const first = reader.next()
  if (first === undefined) return null
  if (reader.next() !== undefined) throw new JsonSyntaxError('Unexpected extra JSON values', 0)
  return first.value
}
