/** Parts of lines: bytes or fields. */
import type { Bytes } from '../../../../src/fs/types.js'
import { encodeText } from '../../../io/byte-text.js'
import type { ProgramIo } from '../../../io/program.js'
import { lineBatches, readAll } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { quoted } from '../../quoting.js'
import { ByteOutput } from '../common/byte-output.js'
import { forEachInput, misuse } from '../common/inputs.js'
import { withoutDelimiter } from '../common/line-reader.js'

const options = {
  bytes: { names: ['-b', '--bytes'], value: 'required' },
  characters: { names: ['-c', '--characters'], value: 'required' },
  fields: { names: ['-f', '--fields'], value: 'required' },
  delimiter: { names: ['-d', '--delimiter'], value: 'required' },
  outputDelimiter: { names: ['--output-delimiter'], value: 'required' },
  onlyDelimited: { names: ['-s', '--only-delimited'] },
  complement: { names: ['--complement'] },
  wholeCharacters: { names: ['-n'] },
  zero: { names: ['-z', '--zero-terminated'] },
} as const

/** Positions from 1, both inclusive, in order and without overlap. */
type Ranges = ReadonlyArray<readonly [first: number, last: number]>

const tab = 9

export const cut = defineProgram({
  name: 'cut',
  usage: 'OPTION... [FILE]...',
  options,
  async run(io, given) {
    const lists = given.given.filter(({ key }) => key === 'bytes' || key === 'characters' || key === 'fields')
    const [list] = lists
    if (list === undefined) throw misuse(io, 'you must specify a list of bytes, characters, or fields')
    if (lists.length > 1) throw misuse(io, 'only one list may be specified')
    const isFields = list.key === 'fields'
    const delimiter = fieldDelimiter(io, given, isFields)
    const merged = parseRanges(io, list.value ?? '', isFields)
    const ranges = given.has('complement') ? complementOf(merged) : merged
    const lineEnd = given.has('zero') ? 0 : 10
    const output = new ByteOutput(io.stdout)
    const outputText = given.value('outputDelimiter')
    const separator =
      outputText === undefined ? undefined : outputText === '' ? new Uint8Array(1) : encodeText(outputText)
    const one = isFields
      ? fieldCutter(output, {
          ranges,
          delimiter,
          separator: separator ?? Uint8Array.of(delimiter),
          skip: given.has('onlyDelimited'),
          lineEnd,
        })
      : byteCutter(output, { ranges, separator, lineEnd })
    const status = await forEachInput(io, given.operands, async ({ reader }) => {
      if (isFields && delimiter === lineEnd) {
        const all = await readAll(reader)
        io.account(all.length)
        if (all.length > 0) one(withoutDelimiter(all, lineEnd))
        return
      }
      for await (const lines of lineBatches(reader, lineEnd)) {
        for (const line of lines) one(withoutDelimiter(line, lineEnd))
        if (output.isFull) await output.drain()
      }
      await output.flush()
    })
    await output.flush()
    return status
  },
})

function fieldDelimiter(io: ProgramIo, given: ParsedArguments<typeof options>, isFields: boolean): number {
  const text = given.value('delimiter')
  const bytes = encodeText(text ?? '\t')
  if (bytes.length > 1) throw misuse(io, 'the delimiter must be a single character')
  if (!isFields && text !== undefined) {
    throw misuse(io, 'an input delimiter may be specified only when operating on fields')
  }
  if (!isFields && given.has('onlyDelimited')) {
    throw misuse(io, 'suppressing non-delimited lines makes sense\n\tonly when operating on fields')
  }
  return text === undefined ? tab : (bytes[0] ?? 0)
}

function parseRanges(io: ProgramIo, list: string, isFields: boolean): Ranges {
  const positions = isFields ? 'fields' : 'byte/character positions'
  const zero = () => misuse(io, `${positions} are numbered from 1`)
  const ranges = list.split(/[,\s]/).map((item): [number, number] => {
    const [, first = '', dash = '', last = ''] = /^(\d*)(-?)(\d*)$/.exec(item) ?? []
    if (item === '-') throw misuse(io, 'invalid range with no endpoint: -')
    if (item === '') throw zero()
    if (first === '' && dash === '') throw invalid(io, item, isFields)
    const range: [number, number] = [
      first === '' ? 1 : Number(first),
      dash === '' ? Number(first) : last === '' ? Number.POSITIVE_INFINITY : Number(last),
    ]
    if (range[0] === 0 || (first === '' && range[1] === 0)) throw zero()
    if (range[1] < range[0]) throw misuse(io, 'invalid decreasing range')
    return range
  })
  return merge(ranges)
}

function invalid(io: ProgramIo, item: string, isFields: boolean) {
  const [, shown = item] = /^\d*-?\d*(.*)$/s.exec(item) ?? []
  if (/-.*-/.test(item)) return misuse(io, isFields ? 'invalid field range' : 'invalid byte or character range')
  return misuse(io, `invalid ${isFields ? 'field value' : 'byte/character position'} ${quoted(shown)}`)
}

/** Overlapping ranges become one; adjacent ones stay, because an output delimiter stands between them. */
function merge(ranges: Array<[number, number]>): Ranges {
  const merged: Array<[number, number]> = []
  for (const [first, last] of ranges.sort((one, other) => one[0] - other[0])) {
    const previous = merged.at(-1)
    if (previous !== undefined && first <= previous[1]) previous[1] = Math.max(previous[1], last)
    else merged.push([first, last])
  }
  return merged
}

function complementOf(ranges: Ranges): Ranges {
  const gaps: Array<[number, number]> = []
  let next = 1
  for (const [first, last] of ranges) {
    if (first > next) gaps.push([next, first - 1])
    next = last + 1
  }
  if (next !== Number.POSITIVE_INFINITY) gaps.push([next, Number.POSITIVE_INFINITY])
  return gaps
}

function byteCutter(
  output: ByteOutput,
  { ranges, separator, lineEnd }: { ranges: Ranges; separator: Bytes | undefined; lineEnd: number },
): (line: Bytes) => void {
  return (line) => {
    let isFirst = true
    for (const [first, last] of ranges) {
      if (first > line.length) break
      if (!isFirst && separator !== undefined) output.bytes(separator)
      isFirst = false
      output.bytes(line, first - 1, Math.min(last, line.length))
    }
    output.byte(lineEnd)
  }
}

interface FieldRules {
  ranges: Ranges
  delimiter: number
  separator: Bytes
  /** Leaves out lines without a delimiter. */
  skip: boolean
  lineEnd: number
}

function fieldCutter(output: ByteOutput, rules: FieldRules): (line: Bytes) => void {
  const { ranges, delimiter, separator, skip, lineEnd } = rules
  return (line) => {
    let end = line.indexOf(delimiter)
    if (end === -1) {
      if (skip) return
      output.bytes(line)
      output.byte(lineEnd)
      return
    }
    let start = 0
    let field = 1
    let range = 0
    let isFirst = true
    while (range < ranges.length) {
      const [first, last] = ranges[range] as readonly [number, number]
      if (field >= first) {
        if (!isFirst) output.bytes(separator)
        isFirst = false
        output.bytes(line, start, end === -1 ? line.length : end)
      }
      if (end === -1) break
      if (field >= last) range += 1
      field += 1
      start = end + 1
      end = line.indexOf(delimiter, start)
    }
    output.byte(lineEnd)
  }
}
