/** Parses one JSON value, and says what is wrong with it as jq does. */
import type { Json, JsonObject } from '../values.js'
import { readEscapedString } from './escaped-string.js'
import { incomplete, JsonSyntaxError } from './syntax-error.js'

const maxDepth = 10_000

export interface ValueParser {
  /** The value at `start` of a text; `isEnd` says that no more text comes. Throws `Incomplete` when the text ends within it. */
  parse(text: string, start: number, isEnd: boolean): Json
  /** Where the last value ended. */
  end(): number
}

export function valueParser(): ValueParser {
  let text = ''
  let at = 0
  let isEnd = false

  function fail(message: string): never {
    throw new JsonSyntaxError(message, at)
  }

  function skipSpace(): void {
    while (isSpace(text.charCodeAt(at))) at += 1
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

  function unexpected(code: number): never {
    at += 1
    if (code === 44) return fail("Expected value before ','")
    if (code === 58) return fail("':' not as part of an object")
    return fail(`Unmatched '${String.fromCharCode(code)}'`)
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
      if (next !== 44) return separatorMissing()
    }
  }

  /** What comes instead of a separator was taken. The original sees that one is missing only at the end of the next token. */
  function separatorMissing(): never {
    at -= 1
    const code = text.charCodeAt(at)
    if (code === 125 || code === 93 || code === 58) return unexpected(code)
    if (code === 34) string()
    else if (code === 123 || code === 91) at += 1
    else {
      literal()
      at += 1
    }
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
        return separatorMissing()
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
      if (next !== 44) return separatorMissing()
    }
  }

  function string(): string {
    const from = at + 1
    for (let end = from; end < text.length; end += 1) {
      const code = text.charCodeAt(end)
      if (code === 34) {
        at = end + 1
        return text.slice(from, end)
      }
      if (code < 32 || code === 92) {
        const found = readEscapedString(text, from, end, isEnd)
        at = found.end
        return found.value
      }
    }
    throw incomplete
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
    parse(given, start, isLast) {
      text = given
      at = start
      isEnd = isLast
      const found = value(0)
      // A number is complete only with what follows it.
      if (typeof found === 'number' && at < text.length) refuseSeparator()
      return found
    },
    end: () => at,
  }

  function refuseSeparator(): void {
    const code = text.charCodeAt(at)
    if (code === 44 || code === 58) unexpected(code)
  }
}

export const isSpace = (code: number) => code === 32 || code === 10 || code === 9 || code === 13 || code === 0x1e

const isTokenEnd = (code: number) =>
  isSpace(code) ||
  code === 44 ||
  code === 58 ||
  code === 34 ||
  code === 91 ||
  code === 93 ||
  code === 123 ||
  code === 125

function numberOf(word: string): number | undefined {
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(word)) return Number(word)
  if (/^([+-]nan|nan)$/i.test(word)) return word.startsWith('n') ? undefined : Number.NaN
  const [, sign, infinity] = /^([+-]?)(inf|infinity)$/i.exec(word) ?? []
  return infinity === undefined ? undefined : sign === '-' ? -Infinity : Infinity
}
