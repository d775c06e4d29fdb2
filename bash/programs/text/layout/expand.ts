/** Turns tabs into spaces, and spaces into tabs. */
import type { Bytes } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import { lineBatches } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'
import { ByteOutput } from '../common/byte-output.js'
import { joinedInputs } from '../common/inputs.js'

/** The next tab stop after a column; undefined when there is none. */
type NextStop = (column: number) => number | undefined

const space = 32
const tab = 9
const backspace = 8
const lineFeed = 10

/** `expand -4` and `expand -4,8` are historic for `-t`; in `unexpand` they do not mean `-a`. */
function historic(args: readonly string[], extra: readonly string[] = []): readonly string[] {
  return args.flatMap((arg) => (/^-\d[\d,]*$/.test(arg) ? ['-t', arg.slice(1), ...extra] : [arg]))
}

export const expand = defineProgram({
  name: 'expand',
  usage: '[OPTION]... [FILE]...',
  options: {
    initial: { names: ['-i', '--initial'] },
    tabs: { names: ['-t', '--tabs'], value: 'required' },
  },
  rewrite: historic,
  async run(io, given) {
    const nextStop = tabStops(given.values('tabs'))
    const output = new ByteOutput(io.stdout)
    return eachLine(io, given.operands, output, (line) => expandLine(line, nextStop, given.has('initial'), output))
  },
})

export const unexpand = defineProgram({
  name: 'unexpand',
  usage: '[OPTION]... [FILE]...',
  options: {
    all: { names: ['-a', '--all'] },
    firstOnly: { names: ['--first-only'] },
    tabs: { names: ['-t', '--tabs'], value: 'required' },
  },
  rewrite: (args) => historic(args, args.includes('-a') || args.includes('--all') ? [] : ['--first-only']),
  async run(io, given) {
    const nextStop = tabStops(given.values('tabs'))
    const isAll = (given.has('all') || given.has('tabs')) && !given.has('firstOnly')
    const output = new ByteOutput(io.stdout)
    return eachLine(io, given.operands, output, (line) => unexpandLine(line, nextStop, isAll, output))
  },
})

/** A line can go on in the next file. */
async function eachLine(
  io: ProgramIo,
  operands: readonly string[],
  output: ByteOutput,
  handle: (line: Bytes) => void,
): Promise<number> {
  const { reader, status } = joinedInputs(io, operands)
  for await (const lines of lineBatches(reader)) {
    for (const line of lines) handle(line)
    if (output.isFull) await output.drain()
  }
  await output.flush()
  return status()
}

/** `4`, `4,8,20`, `4,/8` and `4,+8`. */
function tabStops(given: readonly string[]): NextStop {
  const stops: number[] = []
  let repeat: { size: number; isRelative: boolean } | undefined
  for (const item of given.flatMap((list) => list.split(/[,\s]+/)).filter((text) => text !== '')) {
    const [, mark = '', digits] = /^([/+]?)(\d+)$/.exec(item) ?? []
    if (digits === undefined)
      throw new ProgramError(`tab size contains invalid character(s): ${quoted(item.replace(/^\d+/, ''))}`)
    const size = Number(digits)
    if (size === 0) throw new ProgramError('tab size cannot be 0')
    if (mark !== '') repeat = { size, isRelative: mark === '+' }
    else if (repeat !== undefined || size <= (stops.at(-1) ?? 0)) throw new ProgramError('tab sizes must be ascending')
    else stops.push(size)
  }
  if (repeat === undefined && stops.length <= 1) repeat = { size: stops.pop() ?? 8, isRelative: false }
  const last = stops.at(-1) ?? 0
  return (column) => {
    const listed = stops.find((stop) => stop > column)
    if (listed !== undefined || repeat === undefined) return listed
    const origin = repeat.isRelative ? last : 0
    return column + repeat.size - ((column - origin) % repeat.size)
  }
}

function expandLine(line: Bytes, nextStop: NextStop, isInitial: boolean, output: ByteOutput): void {
  let column = 0
  let isConverting = true
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at] as number
    if (!isConverting || byte === lineFeed) {
      output.byte(byte)
      continue
    }
    if (byte === tab) {
      // After the last stop a tab is one space.
      const next = nextStop(column) ?? column + 1
      output.fill(space, next - column)
      column = next
      continue
    }
    column = byte === backspace ? Math.max(0, column - 1) : column + 1
    if (isInitial && byte !== space) isConverting = false
    output.byte(byte)
  }
}

function unexpandLine(line: Bytes, nextStop: NextStop, isAll: boolean, output: ByteOutput): void {
  let column = 0
  let at = 0
  while (at < line.length) {
    const byte = line[at] as number
    if (byte === space || byte === tab) {
      const blanks = convertBlanks(line, at, column, nextStop, output)
      at = blanks.end
      column = blanks.column
      if (Number.isNaN(column)) break
      continue
    }
    if (!isAll) break
    column = byte === backspace ? Math.max(0, column - 1) : column + 1
    output.byte(byte)
    at += 1
  }
  output.bytes(line, at)
}

/**
 * Writes a run of blanks with tabs up to the last stop that it reaches. A single space that happens to reach a stop
 * stays a space, unless more blanks follow or it begins the line.
 */
function convertBlanks(
  line: Bytes,
  from: number,
  fromColumn: number,
  nextStop: NextStop,
  output: ByteOutput,
): { end: number; column: number } {
  let at = from
  let column = fromColumn
  let pending = 0
  let isHeld = false
  const writeTab = () => {
    if (isHeld) output.byte(tab)
    isHeld = false
    output.byte(tab)
    pending = 0
  }
  const writePending = () => {
    if (isHeld) output.byte(pending > 0 ? tab : space)
    output.fill(space, pending)
  }
  for (; at < line.length; at += 1) {
    const byte = line[at]
    if (byte !== space && byte !== tab) break
    const stop = nextStop(column)
    if (stop === undefined) {
      // No stops any more: the rest stays as it is.
      writePending()
      return { end: at, column: Number.NaN }
    }
    if (byte === tab) {
      column = stop
      writeTab()
      continue
    }
    column += 1
    if (column !== stop) pending += 1
    else if (at === from && from > 0) isHeld = true
    else writeTab()
  }
  writePending()
  return { end: at, column }
}
