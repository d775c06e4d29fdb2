/** Character encodings: bytes to code points and back. */

export interface Encoding {
  /** Reads code points; `report` is called for a byte that can't be read, and may stop by throwing. */
  decode(bytes: Uint8Array, isEnd: boolean, report: (at: number) => void): { points: number[]; used: number }
  /** The bytes of a code point, or undefined when it has none. */
  encode(point: number): readonly number[] | undefined
  /** Written before everything else. */
  mark?: readonly number[]
}

const windowsHigh = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
const latin9: Readonly<Record<number, number>> = {
  164: 0x20ac,
  166: 0x160,
  168: 0x161,
  180: 0x17d,
  184: 0x17e,
  188: 0x152,
  189: 0x153,
  190: 0x178,
}

function singleByte(pointOf: (byte: number) => number | undefined): Encoding {
  const bytes = new Map<number, number>()
  for (let byte = 0; byte < 256; byte += 1) {
    const point = pointOf(byte)
    if (point !== undefined) bytes.set(point, byte)
  }
  return {
    decode(input, _isEnd, report) {
      const points: number[] = []
      for (let at = 0; at < input.length; at += 1) {
        const point = pointOf(input[at] as number)
        if (point === undefined) report(at)
        else points.push(point)
      }
      return { points, used: input.length }
    },
    encode(point) {
      const byte = bytes.get(point)
      return byte === undefined ? undefined : [byte]
    },
  }
}

const utf8: Encoding = {
  decode(input, isEnd, report) {
    const points: number[] = []
    let at = 0
    while (at < input.length) {
      const first = input[at] as number
      if (first < 0x80) {
        points.push(first)
        at += 1
        continue
      }
      const length =
        first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0
      let point = length === 0 ? -1 : first & (0xff >> (length + 1))
      let count = 1
      for (; count < length && at + count < input.length && point >= 0; count += 1) {
        const next = input[at + count] as number
        point = (next & 0xc0) === 0x80 ? point * 64 + (next & 0x3f) : -1
      }
      if (point >= 0 && count < length) {
        if (!isEnd) return { points, used: at }
        throw new IncompleteInput()
      }
      const least = [0, 0, 0x80, 0x800, 0x10000][length] ?? 0
      if (point < least || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) {
        report(at)
        at += 1
        continue
      }
      points.push(point)
      at += length
    }
    return { points, used: at }
  },
  encode(point) {
    if (point < 0x80) return [point]
    if (point < 0x800) return [0xc0 | (point >> 6), 0x80 | (point & 63)]
    if (point < 0x10000) return [0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63)]
    return [0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63)]
  },
}

/** The input ends within a character. */
export class IncompleteInput extends Error {}

/** `order` undefined: read from a mark, and written as little-endian with one. */
function wide(width: 2 | 4, order: 'little' | 'big' | undefined, hasPairs = true): Encoding {
  let little = order !== 'big'
  let isStart = order === undefined

  function unit(input: Uint8Array, at: number): number {
    let value = 0
    for (let index = 0; index < width; index += 1) {
      value = value * 256 + (input[at + (little ? width - 1 - index : index)] as number)
    }
    return value
  }

  function bytesOf(value: number): number[] {
    const bytes = Array.from({ length: width }, (_, index) => Math.floor(value / 256 ** index) & 255)
    return order === 'big' ? bytes.reverse() : bytes
  }

  return {
    decode(input, isEnd, report) {
      const points: number[] = []
      let at = 0
      while (at + width <= input.length) {
        const value = unit(input, at)
        if (isStart) {
          isStart = false
          const swapped = width === 2 ? 0xfffe : 0xfffe0000
          if (value === swapped) little = !little
          if (value === swapped || value === 0xfeff) {
            at += width
            continue
          }
        }
        if (width === 2 && value >= 0xd800 && value < 0xdc00 && hasPairs) {
          if (at + 4 > input.length) break
          const low = unit(input, at + 2)
          if (low >= 0xdc00 && low < 0xe000) {
            points.push(0x10000 + (value - 0xd800) * 0x400 + low - 0xdc00)
            at += 4
            continue
          }
        }
        if ((value >= 0xd800 && value < 0xe000) || value > 0x10ffff) report(at)
        else points.push(value)
        at += width
      }
      if (isEnd && at < input.length) throw new IncompleteInput()
      return { points, used: at }
    },
    encode(point) {
      if (width === 4 || point < 0x10000) return bytesOf(point)
      if (!hasPairs) return undefined
      const rest = point - 0x10000
      return [...bytesOf(0xd800 + (rest >> 10)), ...bytesOf(0xdc00 + (rest & 0x3ff))]
    },
    ...(order === undefined && hasPairs && { mark: bytesOf(0xfeff) }),
  }
}

/** An encoding by one of its names; each call makes a new one, because some keep a state. */
export function encodingOf(name: string): Encoding | undefined {
  const plain = name.toUpperCase().replace(/[^A-Z0-9]/g, '')
  switch (plain) {
    case 'UTF8':
      return utf8
    case 'ASCII':
    case 'USASCII':
    case 'ANSIX341968':
    case 'ISO646US':
    case '646':
    case 'C':
      return singleByte((byte) => (byte < 128 ? byte : undefined))
    case 'ISO88591':
    case 'LATIN1':
    case 'L1':
    case '88591':
    case 'CP819':
    case 'IBM819':
      return singleByte((byte) => byte)
    case 'ISO885915':
    case 'LATIN9':
      return singleByte((byte) => latin9[byte] ?? byte)
    case 'CP1252':
    case 'WINDOWS1252':
    case 'MSANSI':
      return singleByte(windows1252)
    case 'UTF16':
      return wide(2, undefined)
    case 'UTF16LE':
      return wide(2, 'little')
    case 'UTF16BE':
      return wide(2, 'big')
    case 'UCS2':
    case 'ISO10646UCS2':
      return wide(2, undefined, false)
    case 'UCS2LE':
    case 'UNICODELITTLE':
      return wide(2, 'little', false)
    case 'UCS2BE':
    case 'UNICODEBIG':
      return wide(2, 'big', false)
    case 'UTF32':
      return wide(4, undefined)
    case 'UTF32LE':
    case 'UCS4LE':
      return wide(4, 'little')
    case 'UTF32BE':
    case 'UCS4BE':
    case 'UCS4':
      return wide(4, 'big')
    default:
      return undefined
  }
}

export const encodingNames = [
  'ASCII',
  'CP1252',
  'ISO-8859-1',
  'ISO-8859-15',
  'UCS-2',
  'UCS-2BE',
  'UCS-2LE',
  'UCS-4',
  'UTF-16',
  'UTF-16BE',
  'UTF-16LE',
  'UTF-32',
  'UTF-32BE',
  'UTF-32LE',
  'UTF-8',
] as const

function windows1252(byte: number): number | undefined {
  if (byte < 0x80 || byte >= 0xa0) return byte
  const point = windowsHigh.charCodeAt(byte - 0x80)
  return point < 0xa0 ? undefined : point
}

const replacements: Readonly<Record<string, string>> = {
  '\u00a0': ' ',
  '«': '<<',
  '»': '>>',
  '\u00ad': '-',
  '©': '(C)',
  '®': '(R)',
  '×': 'x',
  '¼': ' 1/4 ',
  '½': ' 1/2 ',
  '¾': ' 3/4 ',
  ß: 'ss',
  Æ: 'AE',
  æ: 'ae',
  Œ: 'OE',
  œ: 'oe',
  Ø: 'O',
  ø: 'o',
  Ł: 'L',
  ł: 'l',
  Đ: 'D',
  đ: 'd',
  ı: 'i',
  ĳ: 'ij',
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  '—': '-',
  '―': '-',
  '‘': "'",
  '’': "'",
  '‚': ',',
  '‛': "'",
  '“': '"',
  '”': '"',
  '„': ',,',
  '‟': '"',
  '•': 'o',
  '…': '...',
  '‹': '<',
  '›': '>',
  '€': 'EUR',
  '™': 'TM',
  '←': '<-',
  '→': '->',
  '⇒': '=>',
  '⇐': '<=',
  '−': '-',
  '≤': '<=',
  '≥': '>=',
  ﬀ: 'ff',
  ﬁ: 'fi',
  ﬂ: 'fl',
  '\u2009': ' ',
  '\u200a': ' ',
  '\u2002': ' ',
  '\u2003': ' ',
  '\u202f': ' ',
  '№': 'No',
  '´': "'",
  '¸': ',',
}

/** What `//TRANSLIT` writes for a character that an encoding lacks. */
export function transliterate(point: number): string {
  const character = String.fromCodePoint(point)
  const known = replacements[character]
  if (known !== undefined) return known
  const [base = '', ...marks] = [...character.normalize('NFD')]
  return marks.length > 0 && base !== character ? base : '?'
}
