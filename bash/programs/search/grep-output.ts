/** Writes what grep found: prefixes, separators and colors. */
import { entryOf } from '../../../src/text/entry-of.js'
export interface OutputOptions {
  withName: boolean
  lineNumbers: boolean
  byteOffsets: boolean
  /** The name is followed by a zero byte. */
  nullAfterName: boolean
  alignTabs: boolean
  /** Between groups of lines with context; undefined for none. */
  groupSeparator: string | undefined
  colors: Colors | undefined
}

export interface Colors {
  match: string
  contextMatch: string
  selected: string
  context: string
  name: string
  line: string
  byte: string
  separator: string
  /** With -v the colors of selected lines and of context are swapped. */
  swapsForInvert: boolean
}

const defaultColors: Colors = {
  match: '01;31',
  contextMatch: '01;31',
  selected: '',
  context: '',
  name: '35',
  line: '32',
  byte: '32',
  separator: '36',
  swapsForInvert: false,
}

const colorNames: Readonly<Record<string, ReadonlyArray<Exclude<keyof Colors, 'swapsForInvert'>>>> = {
  mt: ['match', 'contextMatch'],
  ms: ['match'],
  mc: ['contextMatch'],
  sl: ['selected'],
  cx: ['context'],
  fn: ['name'],
  ln: ['line'],
  bn: ['byte'],
  se: ['separator'],
}

/** The value of `GREP_COLORS`. */
export function colorsOf(given = ''): Colors {
  const colors = { ...defaultColors }
  for (const part of given.split(':')) {
    const [name = '', value] = part.split('=')
    if (name === 'rv') colors.swapsForInvert = true
    for (const key of entryOf(colorNames, name) ?? []) colors[key] = value ?? ''
  }
  return colors
}

export function colored(text: string, color: string | undefined): string {
  return color === undefined || color === '' ? text : `\x1b[${color}m\x1b[K${text}\x1b[m\x1b[K`
}

/** Of numbers for a stream, which may be of any size. */
const unknownWidth = 19

export interface LinePlace {
  number: number
  offset: number
  /** Bytes from the start of the line, counted from 1. */
  column?: number
}

export interface LineWriter {
  /** The part before a line. */
  head(name: string, place: LinePlace, separator: ':' | '-', isEmpty: boolean): string
  /** Numbers are as wide as the size of the file needs, where tabs are aligned. */
  setSize(bytes: number | undefined): void
  /** The line between groups; empty for none. */
  groupSeparator: string
}

export function lineWriter(options: OutputOptions): LineWriter {
  const { withName, lineNumbers, byteOffsets, nullAfterName, alignTabs, groupSeparator, colors } = options
  const hasHead = withName || lineNumbers || byteOffsets

  let width = 0

  function count(value: number, color: string | undefined): string {
    return colored(String(value).padStart(width), color)
  }

  return {
    head(name, place, separator, isEmpty) {
      if (!hasHead) return ''
      const mark = colored(separator, colors?.separator)
      let text = ''
      if (withName) text += colored(name, colors?.name) + (nullAfterName ? '\0' : mark)
      if (lineNumbers) text += count(place.number, colors?.line) + mark
      if (byteOffsets) text += count(place.offset, colors?.byte) + mark
      return alignTabs && !isEmpty ? `${text}\t` : text
    },
    setSize(bytes) {
      if (alignTabs) width = bytes === undefined ? unknownWidth : String(bytes).length
    },
    groupSeparator: groupSeparator === undefined ? '' : `${colored(groupSeparator, colors?.separator)}\n`,
  }
}
