/** Splits text into fields. */
import type { ShellRegex } from '../../../regex/index.js'
import { AwkFatal } from '../syntax/awk-error.js'
import { awkRegex, type RegexSettings } from './regex.js'

/** Splits text into `fields`, and gives what was between them to `separators`. */
export type Splitter = (text: string, fields: string[], separators?: string[]) => void

export const isBlank = (code: number) => code === 32 || code === 9 || code === 10

/** At runs of blanks; those at the ends do not count. */
export const splitBlanks: Splitter = (text, fields, separators) => {
  const { length } = text
  let at = 0
  let gap = 0
  for (;;) {
    while (at < length && isBlank(text.charCodeAt(at))) at += 1
    // What is before the first field and after the last one is at index 0 and at the end.
    if (separators !== undefined) separators.push(text.slice(gap, at))
    if (at === length) return
    const start = at
    while (at < length && !isBlank(text.charCodeAt(at))) at += 1
    fields.push(text.slice(start, at))
    gap = at
  }
}

/** At each occurrence of one character. */
export function splitAt(separator: string): Splitter {
  return (text, fields, separators) => {
    if (text === '') return
    let start = 0
    for (let end = text.indexOf(separator); end !== -1; end = text.indexOf(separator, start)) {
      fields.push(text.slice(start, end))
      separators?.push(separator)
      start = end + separator.length
    }
    fields.push(text.slice(start))
  }
}

/** Every character is a field. */
export const splitCharacters: Splitter = (text, fields, separators) => {
  for (const character of text) {
    if (separators !== undefined && fields.length > 0) separators.push('')
    fields.push(character)
  }
}

export function splitRegex(regex: ShellRegex): Splitter {
  return (text, fields, separators) => {
    if (text === '') return
    let start = 0
    let from = 0
    while (from <= text.length) {
      const match = regex.exec(text, from)
      if (match === undefined) break
      if (match.end === match.start) {
        // Nothing is not a separator.
        from = match.end + 1
        continue
      }
      fields.push(text.slice(start, match.start))
      separators?.push(text.slice(match.start, match.end))
      start = match.end
      from = match.end
    }
    fields.push(text.slice(start))
  }
}

/** Fields are what matches (`FPAT`, `patsplit`); an empty match is a field only where none touches it. */
export function splitMatches(regex: ShellRegex): Splitter {
  return (text, fields, separators) => {
    let gap = 0
    let from = 0
    let lastEnd = -1
    while (from <= text.length) {
      const match = regex.exec(text, from)
      if (match === undefined) break
      if (match.end === match.start && match.start === lastEnd) {
        from = match.end + 1
        continue
      }
      if (match.end === match.start && text === '') break
      separators?.push(text.slice(gap, match.start))
      fields.push(text.slice(match.start, match.end))
      gap = match.end
      lastEnd = match.end
      from = match.end === match.start ? match.end + 1 : match.end
    }
    separators?.push(text.slice(gap))
  }
}

/** Columns, such as `FIELDWIDTHS = "3 2:5 *"`: each can skip characters, and the last can take the rest. */
export function splitWidths(widths: string): Splitter {
  const columns = columnsOf(widths)
  return (text, fields) => {
    const characters = [...text]
    let at = 0
    for (const { skip, width } of columns) {
      at += skip
      if (at >= characters.length) return
      fields.push(characters.slice(at, at + width).join(''))
      at += width
    }
  }
}

export const splitNothing: Splitter = (text, fields) => {
  if (text !== '') fields.push(text)
}

function columnsOf(widths: string): Array<{ skip: number; width: number }> {
  const columns: Array<{ skip: number; width: number }> = []
  const column = /[ \t\n]*(?:(\d+):)?(\d+|\*)(?=[ \t\n]|$)/y
  let at = 0
  while (widths.slice(at).trim() !== '') {
    column.lastIndex = at
    const [found = '', skip, width = ''] = column.exec(widths) ?? []
    const isValid = found !== '' && inRange(skip) && (width === '*' || inRange(width))
    if (
      /^[ \t\n]*(?:\d+:)?\*/.test(widths.slice(at)) &&
      widths
        .slice(at)
        .replace(/^[^*]*\*/, '')
        .trim() !== ''
    )
      throw new AwkFatal("`*' must be the last designator in FIELDWIDTHS")
    if (!isValid) {
      const rest = widths.slice(at).replace(/^[ \t\n]*(?:[1-9]\d*:)?/, '')
      throw new AwkFatal(`invalid FIELDWIDTHS value, for field ${columns.length + 1}, near \`${rest}'`)
    }
    columns.push({ skip: Number(skip ?? 0), width: width === '*' ? Infinity : Number(width) })
    at += found.length
  }
  return columns
}

function inRange(digits: string | undefined): boolean {
  return digits === undefined || (Number(digits) > 0 && Number(digits) < 2 ** 32)
}

/** The splitter for a separator as `FS` and `split` take it. `paragraphs`: line feeds separate too. */
export function splitterFor(
  separator: string,
  settings: RegexSettings,
  { paragraphs = false, isRegex = false }: { paragraphs?: boolean; isRegex?: boolean } = {},
): Splitter {
  if (isRegex) return splitRegex(awkRegex(separator, settings))
  if (separator === ' ') return splitBlanks
  if (separator === '') return splitCharacters
  const isOne = [...separator].length === 1 && separator !== '\\'
  // Between paragraphs, a line feed separates besides a single character; a regular expression says all itself.
  if (paragraphs && isOne && separator !== '\n') {
    return splitRegex(awkRegex(`${separator === '^' ? '\\^' : `[${separator}]`}|\n`, settings))
  }
  if (isOne || separator === '\\') return splitAt(separator)
  return splitRegex(awkRegex(separator, settings))
}
