/** The format strings of `hexdump -e`. */
import { ProgramError } from '../../program-error.js'
import { type Conversion, formatFloat, formatInteger, formatText } from '../c-format.js'

/** A piece of a unit's format: text, or one conversion with the text around it. */
export interface Piece {
  before: string
  after: string
  /** Bytes it consumes. */
  bytes: number
  conversion?: Conversion & { kind: 'address' | 'lastAddress' | 'character' | 'print' | 'name' | 'number' | 'text' }
}

export interface Unit {
  repeat: number
  /** The repeat count was given, so it does not grow to fill a block. */
  isRepeatSet: boolean
  pieces: Piece[]
}

export function unitBytes({ pieces }: Unit): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes, 0)
}

export function parseFormat(text: string): Unit[] {
  const units: Unit[] = []
  let rest = text.trim()
  while (rest !== '') {
    const found = /^(?:(\d+)?\s*(?:\/\s*(\d+)?)?\s*)"((?:[^"\\]|\\.)*)"\s*/s.exec(rest)
    if (found === null) throw new ProgramError(`bad format {${text}}`)
    const [all, repeat, bytes, format = ''] = found
    units.push({
      repeat: repeat === undefined ? 1 : Number(repeat),
      isRepeatSet: repeat !== undefined,
      pieces: parsePieces(unescaped(format), bytes === undefined ? undefined : Number(bytes)),
    })
    rest = rest.slice(all.length)
  }
  return units
}

const escapes: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

const unescaped = (text: string) => text.replace(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter)

const conversionPattern = /%([-+ #0]*)(\d*)(?:\.(\d*))?(?:(_[aA])([dox])|(_[cpu])|([diouxXcseEfgG%]))/

function parsePieces(format: string, given: number | undefined): Piece[] {
  const pieces: Piece[] = []
  let rest = format
  while (rest !== '') {
    const found = conversionPattern.exec(rest)
    if (found === null) {
      if (/%/.test(rest)) throw new ProgramError(`bad conversion character ${rest}`)
      pieces.push({ before: rest, after: '', bytes: 0 })
      break
    }
    const [all, flags = '', width = '', precisionText, address, radix, own, letter] = found
    const before = rest.slice(0, found.index)
    rest = rest.slice(found.index + all.length)
    if (letter === '%') {
      pieces.push({ before: `${before}%`, after: '', bytes: 0 })
      continue
    }
    const end = rest.indexOf('%')
    const after = end === -1 ? rest : rest.slice(0, end)
    rest = end === -1 ? '' : rest.slice(end)
    const precision = precisionText === undefined ? undefined : Number(precisionText)
    const shape = { flags, width: Number(width), precision }
    if (address !== undefined) {
      const kind = address === '_A' ? 'lastAddress' : 'address'
      pieces.push({
        before,
        after,
        bytes: 0,
        conversion: { ...shape, letter: radix === 'd' ? 'd' : (radix ?? 'x'), kind },
      })
      continue
    }
    pieces.push({ before, after, ...dataConversion(own ?? letter ?? 'x', shape, given) })
  }
  return pieces
}

function dataConversion(
  letter: string,
  shape: Omit<Conversion, 'letter'>,
  given: number | undefined,
): Pick<Piece, 'bytes' | 'conversion'> {
  if (letter === '_c') return { bytes: 1, conversion: { ...shape, letter: 's', kind: 'character' } }
  if (letter === '_p') return { bytes: 1, conversion: { ...shape, letter: 's', kind: 'print' } }
  if (letter === '_u') return { bytes: 1, conversion: { ...shape, letter: 's', kind: 'name' } }
  if (letter === 's') {
    return { bytes: given ?? shape.precision ?? 1, conversion: { ...shape, letter: 's', kind: 'text' } }
  }
  if (letter === 'c') return { bytes: 1, conversion: { ...shape, letter: 'c', kind: 'text' } }
  const isFloat = /[eEfgG]/.test(letter)
  const bytes = given ?? (isFloat ? 8 : 4)
  const allowed = isFloat ? [4, 8] : [1, 2, 4, 8]
  if (!allowed.includes(bytes)) throw new ProgramError(`bad byte count for conversion character ${letter}`)
  return { bytes, conversion: { ...shape, letter, kind: 'number' } }
}

/** The text of a piece; `view` is undefined behind the end of the data. */
export function showPiece(piece: Piece, view: DataView | undefined, address: number): string {
  const { conversion, before, after } = piece
  if (conversion === undefined) return before
  if (conversion.kind === 'address' || conversion.kind === 'lastAddress') {
    return before + formatInteger(BigInt(address), conversion) + after
  }
  if (view === undefined) return before + formatText('', { ...conversion, flags: '' }) + after
  return before + showData(conversion, view) + after
}

function showData(conversion: NonNullable<Piece['conversion']>, view: DataView): string {
  const byte = view.getUint8(0)
  switch (conversion.kind) {
    case 'character':
      return formatText(characterText(byte), conversion)
    case 'print':
      return formatText(byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.', conversion)
    case 'name':
      return formatText(controlNames[byte] ?? (byte < 127 ? String.fromCharCode(byte) : byteName(byte)), conversion)
    case 'text': {
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
      const end = bytes.indexOf(0)
      const shown = end === -1 || conversion.letter === 'c' ? bytes : bytes.subarray(0, end)
      return formatText(
        Array.from(shown, (value) =>
          value < 128 ? String.fromCharCode(value) : String.fromCharCode(0xdc00 + value),
        ).join(''),
        conversion,
      )
    }
    default:
      return showNumber(conversion, view)
  }
}

function showNumber(conversion: Conversion, view: DataView): string {
  const size = view.byteLength
  if (/[eEfgG]/.test(conversion.letter)) {
    return formatFloat(size === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true), conversion)
  }
  const signed = conversion.letter === 'd' || conversion.letter === 'i'
  if (size === 1) return formatInteger(BigInt(signed ? view.getInt8(0) : view.getUint8(0)), conversion)
  if (size === 2) return formatInteger(BigInt(signed ? view.getInt16(0, true) : view.getUint16(0, true)), conversion)
  if (size === 4) return formatInteger(BigInt(signed ? view.getInt32(0, true) : view.getUint32(0, true)), conversion)
  return formatInteger(signed ? view.getBigInt64(0, true) : view.getBigUint64(0, true), conversion)
}

const characterEscapes: Readonly<Record<number, string>> = {
  0: '\\0',
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
}

function characterText(byte: number): string {
  const known = characterEscapes[byte]
  if (known !== undefined) return known
  return byte >= 32 && byte < 127 ? String.fromCharCode(byte) : byte.toString(8).padStart(3, '0')
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
  'lf',
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
] as const

const byteName = (byte: number) => (byte === 127 ? 'del' : byte.toString(16))
