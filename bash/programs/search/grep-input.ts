/** Searches one file or stream, and writes the lines it selects. */
import type { Bytes } from '../../../src/fs/types.js'
import { decodeText, encodeText } from '../../io/byte-text.js'
import type { ProgramIo } from '../../io/program.js'
import { type ByteReader, concat } from '../../io/streams.js'
import type { RegexMatch, ShellRegex } from '../../regex/index.js'
import { type Colors, colored, type LinePlace, type LineWriter } from './grep-output.js'
import { blockBytes, blockReader } from './input-blocks.js'
import type { LineFinders } from './line-finder.js'
import { outputPieces } from './output-pieces.js'

export interface GrepSettings {
  regex: ShellRegex
  finders: LineFinders
  writer: LineWriter
  delimiter: number
  invert: boolean
  onlyMatching: boolean
  before: number
  after: number
  /** Context was asked for, even of no lines, so that groups are separated. */
  hasContext: boolean
  maxCount: number
  /** Lines are counted or listed, not written. */
  isSilent: boolean
  /** One selected line is enough. */
  stopsAtFirst: boolean
  lineNumbers: boolean
  byteOffsets: boolean
  binary: 'binary' | 'text' | 'without-match'
  colors: Colors | undefined
  /** Another decoding than UTF-8's. */
  decode?: ((bytes: Bytes) => string) | undefined
  /** Lines with bytes that are not characters are written too. */
  writesAnyBytes?: boolean
  /** The place of the first match is given with each line. */
  columns?: boolean
  /** A line is written once for every match. */
  oncePerMatch?: boolean
  /** Changes a selected line before it is written. */
  changeLine?(text: string): string
  /** What is written for a match, where only matches are. */
  changeMatch?(text: string, match: RegexMatch): string
}

export interface InputResult {
  selected: number
  /** Selected lines were not written since they are not text. */
  isBinaryMatch: boolean
}

interface Line {
  bytes: Bytes
  place: LinePlace
}

/** State that goes on from one input to the next: whether anything was written that a group has to be separated from. */
export interface GrepState {
  hasWritten: boolean
}

export async function grepInput(
  io: ProgramIo,
  reader: ByteReader,
  name: string,
  settings: GrepSettings,
  state: GrepState,
): Promise<InputResult> {
  if (hasNoMatch(reader, settings)) {
    io.step()
    return { selected: 0, isBinaryMatch: false }
  }
  const { finders, writer, delimiter, invert, before, after, maxCount, isSilent, stopsAtFirst } = settings
  const decode = settings.decode ?? decodeText
  const blocks = blockReader(reader, delimiter, io.account)
  const pieces = outputPieces(io.account)
  const keepsLines = !isSilent && settings.hasContext
  let selected = 0
  let hasNull = false
  let isBinaryMatch = false
  /** The lines before `numberedTo` in the block, and before the block. */
  let number = 0
  let numberedTo = 0
  let offset = 0
  let afterLeft = 0
  let lastWritten = -1
  let waiting: Line[] = []
  let isTextBlock: boolean | undefined
  let block: Bytes = new Uint8Array()
  /** Where the search ended early; -1 while it goes on. */
  let stoppedAt = -1
  /** Where the input is left: behind the last line that is selected, also when its context was read; -1 before that. */
  let leftAt = -1
  const left: Bytes[] = []

  for (let next = await blocks.next(); next !== undefined && stoppedAt < 0; next = await blocks.next()) {
    numberTo(block.length)
    block = next.bytes
    numberedTo = 0
    isTextBlock = undefined
    io.step()
    if (!hasNull && settings.binary !== 'text' && delimiter !== 0 && block.includes(0)) {
      if (settings.binary === 'without-match') return { selected: 0, isBinaryMatch: false }
      hasNull = true
    }
    // Zero bytes end lines in binary files.
    if (hasNull) block = block.map((byte) => (byte === 0 ? delimiter : byte))
    searchBlock()
    await pieces.flush(io.stdout)
    offset += block.length
    if (leftAt >= 0 || stoppedAt >= 0) {
      const rest = block.subarray(leftAt >= 0 ? leftAt : stoppedAt)
      left.push(next.isCompleted && rest.length > 0 ? rest.subarray(0, -1) : rest)
      if (leftAt > 0) leftAt = 0
    }
    if (stoppedAt >= 0) left.push(blocks.rest())
  }
  if (left.length > 0) reader.unread(concat(left))
  return { selected, isBinaryMatch }

  function searchBlock(): void {
    const find = finders.open(block)
    let at = 0
    while (at < block.length && stoppedAt < 0) {
      const found = find(at)
      const start = found?.start ?? block.length
      const end = found === undefined ? block.length : found.end + 1
      if (invert) select(at, start)
      else pass(at, start)
      if (stoppedAt >= 0) return
      if (invert) pass(start, end)
      else select(start, end)
      at = end
    }
  }

  /** Lines that are not selected: context, or nothing. */
  function pass(from: number, until: number): void {
    if (!keepsLines) return
    numberTo(from)
    for (let at = from; at < until; ) {
      const end = block.indexOf(delimiter, at)
      numberLine(end)
      const line = { bytes: block.subarray(at, end), place: { number, offset: offset + at } }
      at = end + 1
      if (afterLeft > 0) {
        afterLeft -= 1
        writeContext(line)
        // The context of the last line that is allowed is complete.
        if (afterLeft === 0 && selected >= maxCount) {
          stoppedAt = at
          return
        }
      } else if (before > 0) {
        if (waiting.length >= before) waiting.shift()
        waiting.push(line)
      }
    }
  }

  function select(from: number, until: number): void {
    if (from >= until) return
    if (isSilent && !stopsAtFirst && maxCount === Infinity) {
      selected += countLines(from, until)
      return
    }
    numberTo(from)
    for (let at = from; at < until; ) {
      if (selected >= maxCount) {
        // All that follows is context of the last line.
        pass(at, until)
        return
      }
      const end = block.indexOf(delimiter, at)
      numberLine(end)
      selected += 1
      if (selected >= maxCount) leftAt = end + 1
      const line = { bytes: block.subarray(at, end), place: { number, offset: offset + at } }
      at = end + 1
      if (hasNull && !isSilent) {
        isBinaryMatch = true
        state.hasWritten = true
        stoppedAt = at
        return
      }
      if (!isSilent) writeSelected(line)
      if (stopsAtFirst || (selected >= maxCount && !(keepsLines && afterLeft > 0))) {
        stoppedAt = at
        return
      }
    }
  }

  /** Counts the lines that were passed over. After the last that is written nobody needs their number. */
  function numberTo(at: number): void {
    if (settings.lineNumbers && numberedTo < at) number += countLines(numberedTo, at)
    numberedTo = at
  }

  function numberLine(end: number): void {
    number += 1
    numberedTo = end + 1
  }

  function countLines(from: number, until: number): number {
    let count = 0
    for (let at = block.indexOf(delimiter, from); at >= 0 && at < until; at = block.indexOf(delimiter, at + 1))
      count += 1
    return count
  }

  /** Lines with bytes that are not characters are not written to what may be a terminal. */
  function isText(bytes: Bytes): boolean {
    if (settings.binary === 'text' || settings.writesAnyBytes === true) return true
    isTextBlock ??= decodeText(block).isWellFormed()
    if (isTextBlock || decodeText(bytes).isWellFormed()) return true
    isBinaryMatch = true
    return false
  }

  function separate(first: number): void {
    if (!settings.hasContext) return
    if (state.hasWritten && first !== lastWritten + 1) pieces.add(writer.groupSeparator)
  }

  function writeSelected(line: Line): void {
    separate(waiting[0]?.place.number ?? line.place.number)
    for (const context of waiting) writeContext(context)
    waiting = []
    afterLeft = after
    state.hasWritten = true
    lastWritten = line.place.number
    if (settings.onlyMatching) {
      if (!invert) writeMatches(line, ':')
      return
    }
    if (settings.columns === true && !invert) writeWithColumns(line)
    else if (isText(line.bytes)) writeLine(line, ':')
  }

  function writeContext(line: Line): void {
    state.hasWritten = true
    lastWritten = line.place.number
    // With -v it is the context that matches.
    if (!settings.onlyMatching) {
      if (isText(line.bytes)) writeLine(line, '-')
    } else if (invert) writeMatches(line, '-')
  }

  function writeWithColumns(line: Line): void {
    const text = decode(line.bytes)
    for (const { start } of matchesIn(text)) {
      const column = encodeText(text.slice(0, start)).length + 1
      writeLine({ ...line, place: { ...line.place, column } }, ':')
      if (settings.oncePerMatch !== true) return
    }
    if (text === '') writeLine({ ...line, place: { ...line.place, column: 1 } }, ':')
  }

  function writeLine({ bytes, place }: Line, separator: ':' | '-'): void {
    const { colors } = settings
    const head = writer.head(name, place, separator, bytes.length === 0)
    if (colors !== undefined) {
      pieces.add(head + coloredLine(decode(bytes), separator === ':', colors) + mark())
      return
    }
    if (head !== '') pieces.add(head)
    if (settings.changeLine !== undefined && separator === ':') {
      pieces.add(settings.changeLine(decode(bytes)) + mark())
      return
    }
    // The delimiter comes right after the line.
    pieces.add(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length + 1))
  }

  function mark(): string {
    return String.fromCharCode(delimiter)
  }

  function writeMatches({ bytes, place }: Line, separator: ':' | '-'): void {
    const text = decode(bytes)
    for (const match of matchesIn(text)) {
      const { start, end } = match
      const part = settings.changeMatch?.(text, match) ?? text.slice(start, end)
      if (settings.binary !== 'text' && settings.writesAnyBytes !== true && !part.isWellFormed()) {
        isBinaryMatch = true
        continue
      }
      const before = settings.byteOffsets || settings.columns === true ? encodeText(text.slice(0, start)).length : 0
      const at = { number: place.number, offset: place.offset + before, column: before + 1 }
      pieces.add(writer.head(name, at, separator, false) + colored(part, settings.colors?.match) + mark())
    }
  }

  function* matchesIn(text: string): Generator<RegexMatch> {
    for (let from = 0; from <= text.length; ) {
      const found = settings.regex.exec(text, from)
      if (found === undefined) return
      if (found.end > found.start) yield found
      from = found.end > found.start ? found.end : found.end + ((text.codePointAt(found.end) ?? 0) > 0xffff ? 2 : 1)
    }
  }

  function coloredLine(text: string, isSelected: boolean, colors: Colors): string {
    const isMatching = isSelected !== invert
    const swaps = colors.swapsForInvert && invert
    const whole = isSelected !== swaps ? colors.selected : colors.context
    const match = isSelected ? colors.match : colors.contextMatch
    let result = ''
    let done = 0
    if (isMatching) {
      for (const { start, end } of matchesIn(text)) {
        result += colored(text.slice(done, start), start > done ? whole : '') + colored(text.slice(start, end), match)
        done = end
      }
    }
    return result + (done < text.length ? colored(text.slice(done), whole) : '')
  }
}

/** Most small files have none, which is found out here for far less than all of a search costs. */
function hasNoMatch(reader: ByteReader, { invert, binary, delimiter, finders }: GrepSettings): boolean {
  const bytes = invert ? undefined : reader.takeRest?.()
  if (bytes === undefined) return false
  const isPlain = bytes.length <= blockBytes && bytes.at(-1) === delimiter && (binary === 'text' || !bytes.includes(0))
  if (isPlain && finders.open(bytes)(0) === undefined) return true
  reader.unread(bytes)
  return false
}
