/** Dumps bytes in octal and other forms. */
import { entryOf } from '../../../../src/text/entry-of.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { boundedInput } from '../bounded-input.js'
import { parseSize } from '../parse-size.js'
import { type DumpType, parseTypes } from './od-types.js'

const options = {
  compatible: { names: ['--traditional'] },
  addressRadix: { names: ['-A', '--address-radix'], value: 'required' },
  endian: { names: ['--endian'], value: 'required' },
  skip: { names: ['-j', '--skip-bytes'], value: 'required' },
  read: { names: ['-N', '--read-bytes'], value: 'required' },
  type: { names: ['-t', '--format'], value: 'required' },
  all: { names: ['-v', '--output-duplicates'] },
  width: { names: ['-w', '--width'], value: 'optional' },
  strings: { names: ['-S'], value: 'required' },
  a: { names: ['-a'] },
  b: { names: ['-b'] },
  B: { names: ['-B'] },
  c: { names: ['-c'] },
  d: { names: ['-d'] },
  D: { names: ['-D'] },
  e: { names: ['-e'] },
  f: { names: ['-f'] },
  F: { names: ['-F'] },
  h: { names: ['-h'] },
  H: { names: ['-H'] },
  i: { names: ['-i'] },
  I: { names: ['-I'] },
  l: { names: ['-l'] },
  L: { names: ['-L'] },
  o: { names: ['-o'] },
  O: { names: ['-O'] },
  s: { names: ['-s'] },
  x: { names: ['-x'] },
  X: { names: ['-X'] },
} as const

const traditional: Readonly<Record<string, string>> = {
  a: 'a',
  b: 'o1',
  B: 'o2',
  c: 'c',
  d: 'u2',
  D: 'u4',
  e: 'f8',
  f: 'f4',
  F: 'f8',
  h: 'x2',
  H: 'x4',
  i: 'd4',
  I: 'd8',
  l: 'd8',
  L: 'd8',
  o: 'o2',
  O: 'o4',
  s: 'd2',
  x: 'x2',
  X: 'x4',
}

export const od = defineProgram({
  name: 'od',
  usage: '[OPTION]... [FILE]...',
  options,
  unsupported: ['--strings'],
  async run(io, given) {
    const { names, skip, label } = operandsOf(given)
    const limit = given.value('read')
    const littleEndian = endianness(given.value('endian'))
    const types = typesOf(given).map(remembered)
    const width = widthOf(given, types)
    const address = labelled(
      addressOf(given.value('addressRadix') ?? 'o'),
      label === undefined ? undefined : label - skip,
    )
    const bounds = limit === undefined ? { skip } : { skip, limit: parseSize(limit, '--read-bytes', '-N') }
    const input = boundedInput(io, names, bounds)
    if (given.has('strings')) throw new ProgramError("option '-S' is not supported by this shell", 2)
    const skipped = await input.skipped()
    if (skipped < skip) throw new ProgramError('cannot skip past end of combined input')
    const perLine = columnWidths(types, width)
    let offset = skip
    let previous: Uint8Array | undefined
    let starred = false
    const linesPerRead = Math.max(1, Math.floor(65536 / width))
    for (;;) {
      const block = await input.read(width * linesPerRead)
      if (block.length === 0) break
      const lines: string[] = []
      for (let at = 0; at < block.length; at += width) {
        const line = block.subarray(at, at + width)
        const isRepeated = !given.has('all') && previous !== undefined && isSame(line, previous)
        if (!isRepeated) {
          starred = false
          let text = ''
          for (const [index, type] of types.entries()) {
            const start = index === 0 ? address(offset) : ' '.repeat(address(0).length)
            text += `${start}${dumpLine(type, line, width, perLine, littleEndian)}\n`
          }
          lines.push(text)
        } else if (!starred) {
          starred = true
          lines.push('*\n')
        }
        previous = line
        offset += line.length
      }
      await io.stdout.write(lines.join(''))
      previous = previous?.slice()
      io.step()
      if (block.length < width * linesPerRead) break
    }
    const last = address(offset)
    if (last !== '') await io.stdout.write(`${last}\n`)
    return input.failed() ? 1 : 0
  },
})

interface Operands {
  names: readonly string[]
  skip: number
  /** What the first address is called besides. */
  label?: number
}

/** The last operand may be an offset: `+8` or, after a file, `8`. */
function operandsOf(given: ParsedArguments<typeof options>): Operands {
  const skipText = given.value('skip')
  const skip = skipText === undefined ? 0 : parseSize(skipText, '--skip-bytes', '-j')
  const { operands } = given
  const modern = ['addressRadix', 'skip', 'read', 'type', 'all', 'width'] as const
  if (given.has('compatible')) return traditionalOperands(operands, skip)
  if (modern.some((key) => given.has(key))) return { names: operands, skip }
  const last = operands.at(-1)
  const isOffset = last !== undefined && (last.startsWith('+') || (operands.length === 2 && /^\d/.test(last)))
  const offset = isOffset && operands.length <= 2 ? oldOffset(last) : undefined
  return offset === undefined ? { names: operands, skip } : { names: operands.slice(0, -1), skip: offset }
}

/** A file, an offset and a label for it, each of which may be missing. */
function traditionalOperands(operands: readonly string[], skip: number): Operands {
  const offsets = operands.map(oldOffset)
  const count = operands.length
  const [before, last] = [offsets[count - 2], offsets[count - 1]]
  if (count >= 2 && count <= 3 && before !== undefined && last !== undefined) {
    return { names: operands.slice(0, -2), skip: before, label: last }
  }
  const names = last !== undefined && count <= 2 ? operands.slice(0, -1) : operands
  if (names.length > 1) {
    throw new ProgramError(
      `extra operand ‘${names[1]}’\nod: compatibility mode supports at most one file\nTry 'od --help' for more information.`,
    )
  }
  return { names, skip: names === operands ? skip : (last ?? skip) }
}

function oldOffset(text: string): number | undefined {
  const [, plain, radixMark, blocks] = /^\+?(0[xX][0-9a-fA-F]+|\d+)(\.?)(b?)$/.exec(text) ?? []
  if (plain === undefined) return undefined
  const value = /^0x/i.test(plain) ? Number(plain) : Number.parseInt(plain, radixMark === '.' ? 10 : 8)
  return value * (blocks === 'b' ? 512 : 1)
}

/** With the address that counts from the label in parentheses. */
function labelled(address: (offset: number) => string, difference: number | undefined): (offset: number) => string {
  if (difference === undefined) return address
  return (offset) => `${address(offset)} (${address(offset + difference)})`
}

function endianness(name: string | undefined): boolean {
  if (name === undefined || 'little'.startsWith(name)) return true
  if ('big'.startsWith(name)) return false
  throw new ProgramError(`invalid argument ‘${name}’ for ‘--endian’\nValid arguments are:\n  - ‘little’\n  - ‘big’`)
}

function typesOf(given: ParsedArguments<typeof options>): DumpType[] {
  const types: DumpType[] = []
  for (const { key, value } of given.given) {
    const text = key === 'type' ? value : traditional[key]
    if (text !== undefined) types.push(...parseTypes(text))
  }
  return types.length > 0 ? types : parseTypes('o2')
}

function widthOf(given: ParsedArguments<typeof options>, types: readonly DumpType[]): number {
  const multiple = types.reduce((common, { size }) => Math.max(common, size), 1)
  const option = given.given.filter(({ key }) => key === 'width').at(-1)
  if (option === undefined) return multiple < 16 ? Math.floor(16 / multiple) * multiple : multiple
  const width = option.value === undefined ? 32 : parseSize(option.value, '--width', '-w')
  return width > 0 && width % multiple === 0 ? width : multiple
}

function addressOf(radix: string): (offset: number) => string {
  const bases: Readonly<Record<string, readonly [number, number]>> = { d: [10, 7], o: [8, 7], x: [16, 6] }
  if (radix === 'n') return () => ''
  const base = entryOf(bases, radix)
  if (base === undefined || radix.length !== 1) {
    throw new ProgramError(`invalid output address radix '${radix}'; it must be one character from [doxn]`)
  }
  return (offset) => offset.toString(base[0]).padStart(base[1], '0')
}

/** The characters per byte position that all types together need, so that their columns agree. */
function columnWidths(types: readonly DumpType[], width: number): number {
  return types.reduce((most, type) => Math.max(most, (type.columns + 1) * (width / type.size)), 0)
}

/** A single byte has few values. */
function remembered(type: DumpType): DumpType {
  if (type.size !== 1) return type
  const known: Array<string | undefined> = Array.from({ length: 256 })
  return {
    ...type,
    show(view, at, littleEndian) {
      const byte = view.getUint8(at)
      known[byte] ??= type.show(view, at, littleEndian)
      return known[byte]
    },
  }
}

/** Spreads the padding over the columns as the original does. */
function dumpLine(type: DumpType, line: Uint8Array, width: number, total: number, littleEndian: boolean): string {
  const fields = width / type.size
  const padding = total - (type.columns + 1) * fields
  const filled = Math.ceil(line.length / type.size)
  let text = ''
  let padded = padding
  const whole = line.length === filled * type.size ? line : grown(line, filled * type.size)
  const view = new DataView(whole.buffer, whole.byteOffset, whole.length)
  for (let index = 0; index < filled; index += 1) {
    const next = Math.floor((padding * (fields - index - 1)) / fields)
    text += type.show(view, index * type.size, littleEndian).padStart(type.columns + 1 + padded - next)
    padded = next
  }
  if (!type.trailer) return text
  const missing = total - (total / fields) * filled
  return `${text}${' '.repeat(missing)}  >${printable(line)}<`
}

function grown(line: Uint8Array, size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  bytes.set(line)
  return bytes
}

function printable(line: Uint8Array): string {
  return Array.from(line, (byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('')
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false
  return true
}
