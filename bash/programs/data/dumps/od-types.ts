/** The types of `od -t`. */
import { ProgramError } from '../../program-error.js'
import { shortestFloat } from './float-text.js'

export interface DumpType {
  /** Bytes per field. */
  size: number
  /** Characters per field, without the space before it. */
  columns: number
  /** Shows the printable characters at the end of the line. */
  trailer: boolean
  show(view: DataView, at: number, littleEndian: boolean): string
}

const integerSizes: Readonly<Record<string, number>> = { C: 1, S: 2, I: 4, L: 8 }
const floatSizes: Readonly<Record<string, number>> = { F: 4, D: 8, L: 16 }
const integerColumns: Readonly<Record<string, Readonly<Record<number, number>>>> = {
  d: { 1: 4, 2: 6, 4: 11, 8: 20 },
  u: { 1: 3, 2: 5, 4: 10, 8: 20 },
  o: { 1: 3, 2: 6, 4: 11, 8: 22 },
  x: { 1: 2, 2: 4, 4: 8, 8: 16 },
}

export function parseTypes(text: string): DumpType[] {
  const types: DumpType[] = []
  let rest = text
  while (rest !== '') {
    const [all, letter = '', size = '', trailer = ''] =
      /^([ac])()(z?)/.exec(rest) ?? /^([doux])(\d+|[CSIL])?(z?)/.exec(rest) ?? /^(f)(\d+|[FDL])?(z?)/.exec(rest) ?? []
    if (all === undefined) {
      throw new ProgramError(`invalid character '${rest[0]}' in type string ‘${text}’`)
    }
    types.push({ ...typeOf(letter, size, text), trailer: trailer !== '' })
    rest = rest.slice(all.length)
  }
  return types
}

function typeOf(letter: string, sizeText: string, all: string): Omit<DumpType, 'trailer'> {
  if (letter === 'a') return { size: 1, columns: 3, show: (view, at) => namedCharacter(view.getUint8(at)) }
  if (letter === 'c') return { size: 1, columns: 3, show: (view, at) => escapedCharacter(view.getUint8(at)) }
  if (letter === 'f') return floatType(sizeText, all)
  const size = sizeText === '' ? 4 : (integerSizes[sizeText] ?? Number(sizeText))
  const columns = integerColumns[letter]?.[size]
  if (columns === undefined) {
    throw new ProgramError(`invalid type string ‘${all}’;\nthis system doesn't provide a ${size}-byte integral type`)
  }
  return { size, columns, show: integer(letter, size) }
}

function integer(letter: string, size: number): DumpType['show'] {
  const radix = letter === 'o' ? 8 : letter === 'x' ? 16 : 10
  const digits = letter === 'o' || letter === 'x' ? (integerColumns[letter]?.[size] ?? 0) : 0
  const signed = letter === 'd'
  return (view, at, littleEndian) => {
    const value = readInteger(view, at, size, signed, littleEndian)
    return value.toString(radix).padStart(digits, '0')
  }
}

function readInteger(view: DataView, at: number, size: number, signed: boolean, little: boolean): number | bigint {
  if (size === 1) return signed ? view.getInt8(at) : view.getUint8(at)
  if (size === 2) return signed ? view.getInt16(at, little) : view.getUint16(at, little)
  if (size === 4) return signed ? view.getInt32(at, little) : view.getUint32(at, little)
  return signed ? view.getBigInt64(at, little) : view.getBigUint64(at, little)
}

function floatType(sizeText: string, all: string): Omit<DumpType, 'trailer'> {
  const size = sizeText === '' ? 8 : (floatSizes[sizeText] ?? Number(sizeText))
  if (size === 16) throw new ProgramError("the type 'fL' is not supported by this shell", 2)
  if (size !== 4 && size !== 8) {
    throw new ProgramError(
      `invalid type string ‘${all}’;\nthis system doesn't provide a ${size}-byte floating point type`,
    )
  }
  return {
    size,
    columns: size === 4 ? 15 : 24,
    show: (view, at, littleEndian) =>
      size === 4
        ? shortestFloat(view.getFloat32(at, littleEndian), true)
        : shortestFloat(view.getFloat64(at, littleEndian), false),
  }
}

const controlNames = [
  'nul',
  'soh',
  'stx',
  'etx',
  'eot',
  'enq',
  'ack',
  'bel',
  'bs',
  'ht',
  'nl',
  'vt',
  'ff',
  'cr',
  'so',
  'si',
  'dle',
  'dc1',
  'dc2',
  'dc3',
  'dc4',
  'nak',
  'syn',
  'etb',
  'can',
  'em',
  'sub',
  'esc',
  'fs',
  'gs',
  'rs',
  'us',
  'sp',
] as const

function namedCharacter(byte: number): string {
  const low = byte & 0x7f
  return low === 127 ? 'del' : (controlNames[low] ?? String.fromCharCode(low))
}

const escapes: Readonly<Record<number, string>> = {
  0: '\\0',
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
}

function escapedCharacter(byte: number): string {
  const known = escapes[byte]
  if (known !== undefined) return known
  return byte >= 32 && byte < 127 ? String.fromCharCode(byte) : byte.toString(8).padStart(3, '0')
}
