/** Reads JSON values one after another from text that comes in pieces. */
import type { Json } from '../values.js'
import { Incomplete, JsonSyntaxError } from './syntax-error.js'
import { isSpace, valueParser } from './value-parser.js'

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
  const parser = valueParser()
  let text = ''
  let at = 0
  let isEnd = false
  /** Text before `text` that is gone. */
  let linesBefore = 0
  let columnBefore = 0
  /** How much text there must be before a value that was incomplete is tried again. */
  let wanted = 0

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
      while (isSpace(text.charCodeAt(at))) at += 1
      if (at >= text.length) return undefined
      // A long value is tried again only when there is much more of it.
      if (!isEnd && text.length - at < wanted) return undefined
      try {
        const value = parser.parse(text, at, isEnd)
        at = parser.end()
        wanted = 0
        return { value }
      } catch (error) {
        if (error instanceof JsonSyntaxError) {
          at = error.at
          throw new JsonSyntaxError(`${error.message} at ${position(error.at)}`, error.at)
        }
        if (!(error instanceof Incomplete)) throw error
        if (!isEnd) {
          wanted = (text.length - at) * 2
          return undefined
        }
        const isString = isOpenString(text, at)
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
