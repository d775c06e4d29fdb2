import { type CodePoints, complement } from './code-points.js'
import type { Flags, Groups, Reader } from './reader.js'
import { asciiDigit, asciiWord, closeOverCase, ecmaSpace, property, unicodeWord } from './unicode.js'

/** The meaning of an escape. */
export type Escape =
  | { kind: 'character'; codePoint: number }
  | { kind: 'set'; set: CodePoints }
  | { kind: 'word-edge'; negated: boolean }
  | { kind: 'word-side'; side: 'start' | 'end' | 'start-half' | 'end-half' }
  | { kind: 'edge'; at: 'text-start' | 'text-end' }
  | { kind: 'group'; group: number; name: string }

/** Parses an escape. `groups` is absent inside a class, where there are neither edges nor references. */
export function parseEscape(reader: Reader, flags: Flags, groups?: Groups): Escape {
  const { characters } = reader
  const letter = characters[reader.at + 1] ?? reader.fail('a backslash at the end')
  reader.at += 2
  const set = classEscape(reader, flags, letter)
  if (set !== undefined) return { kind: 'set', set }
  return (reader.syntax === 'rust' ? rustEscape : ecmaEscape)(reader, letter, groups)
}

function classEscape(reader: Reader, flags: Flags, letter: string): CodePoints | undefined {
  const unicode = reader.syntax === 'rust' && flags.unicode
  switch (letter) {
    case 'd':
    case 'D':
      return either(letter === 'D', unicode ? property('Nd')! : asciiDigit)
    case 'w':
    case 'W':
      return either(letter === 'W', unicode ? unicodeWord() : asciiWord)
    case 's':
    case 'S':
      return either(
        letter === 'S',
        unicode ? property('White_Space')! : reader.syntax === 'rust' ? asciiSpace : ecmaSpace,
      )
    case 'p':
    case 'P':
      return propertyEscape(reader, flags, letter === 'P')
    default:
      return undefined
  }
}

function propertyEscape(reader: Reader, flags: Flags, negated: boolean): CodePoints {
  const braced = takeMatch(reader, /^\{(\^?)([^}]*)\}/)
  const [, not = '', name = ''] = braced ?? ['', '', takeMatch(reader, /^[A-Za-z]/)?.[0] ?? '']
  const set = property(name) ?? reader.fail(`not a Unicode property: ${name}`)
  return either(negated !== (not === '^'), flags.ignoreCase ? closeOverCase(set) : set)
}

function ecmaEscape(reader: Reader, letter: string, groups: Groups | undefined): Escape {
  if (letter === 'b') return groups === undefined ? character(0x08) : { kind: 'word-edge', negated: false }
  if (letter === 'B' && groups !== undefined) return { kind: 'word-edge', negated: true }
  const control = { f: 0x0c, n: 0x0a, r: 0x0d, t: 0x09, v: 0x0b }[letter]
  if (control !== undefined) return character(control)
  if (letter === 'c') {
    const name = takeMatch(reader, /^[A-Za-z]/)
    if (name !== null) return character(name[0].codePointAt(0)! % 32)
    reader.at -= 1
    return character(0x5c)
  }
  if (letter === 'x' || letter === 'u') {
    const digits = takeMatch(reader, letter === 'x' ? /^[0-9A-Fa-f]{2}/ : /^(?:[0-9A-Fa-f]{4}|\{[0-9A-Fa-f]+\})/)
    if (digits === null) return character(letter.codePointAt(0)!)
    return character(wholePair(reader, codePointOf(reader, digits[0])))
  }
  if (letter === 'k' && groups !== undefined && groups.byName.size > 0) {
    const name = takeMatch(reader, /^<([^>]*)>/)?.[1] ?? reader.fail('a reference needs a group name')
    return { kind: 'group', group: groups.byName.get(name) ?? reader.fail(`there is no group ${name}`), name }
  }
  if (/\d/.test(letter)) return numbered(reader, letter, groups)
  return character(letter.codePointAt(0)!)
}

/** `\1` refers to a group if there is one, else it is, as in Annex B, an octal number or the digit itself. */
function numbered(reader: Reader, letter: string, groups: Groups | undefined): Escape {
  reader.at -= 1
  const decimal = /^[1-9]\d*/.exec(ahead(reader))
  if (decimal !== null && groups !== undefined && Number(decimal[0]) <= groups.count) {
    reader.at += decimal[0].length
    return { kind: 'group', group: Number(decimal[0]), name: decimal[0] }
  }
  const octal = takeMatch(reader, /^(?:[0-3][0-7]{0,2}|[4-7][0-7]?)/)
  if (octal !== null) return character(Number.parseInt(octal[0], 8))
  reader.at += 1
  return character(letter.codePointAt(0)!)
}

/** `\ud83d\ude00` is one character. */
function wholePair(reader: Reader, high: number): number {
  if (high < 0xd800 || high > 0xdbff) return high
  const low = /^\\u([dD][c-fC-F][0-9A-Fa-f]{2})/.exec(ahead(reader))
  if (low === null) return high
  reader.at += low[0].length
  return 0x10000 + ((high - 0xd800) << 10) + (Number.parseInt(low[1]!, 16) - 0xdc00)
}

function rustEscape(reader: Reader, letter: string, groups: Groups | undefined): Escape {
  const control = { a: 0x07, f: 0x0c, n: 0x0a, r: 0x0d, t: 0x09, v: 0x0b }[letter]
  if (control !== undefined) return character(control)
  const widths: Record<string, number> = { x: 2, u: 4, U: 8 }
  if (widths[letter] !== undefined) {
    const digits = takeMatch(reader, new RegExp(`^(?:[0-9A-Fa-f]{${widths[letter]}}|\\{[0-9A-Fa-f]+\\})`))
    return character(codePointOf(reader, (digits ?? reader.fail('an escape needs hexadecimal digits'))[0]))
  }
  if (groups !== undefined) {
    const side = letter === 'b' ? takeMatch(reader, /^\{(start|end|start-half|end-half)\}/)?.[1] : undefined
    if (side !== undefined) return { kind: 'word-side', side: side as 'start' }
    if (letter === '<' || letter === '>') return { kind: 'word-side', side: letter === '<' ? 'start' : 'end' }
    if (letter === 'b' || letter === 'B') return { kind: 'word-edge', negated: letter === 'B' }
    if (letter === 'A' || letter === 'z') return { kind: 'edge', at: letter === 'A' ? 'text-start' : 'text-end' }
  }
  if (/\d/.test(letter) || letter === 'k') reader.fail('back-references are not supported')
  if (/[A-Za-z<>]/.test(letter) || letter > '\x7f') reader.fail(`the escape \\${letter} is not known`)
  return character(letter.codePointAt(0)!)
}

function codePointOf(reader: Reader, digits: string): number {
  const codePoint = Number.parseInt(digits.replace(/[{}]/g, ''), 16)
  const surrogate = codePoint >= 0xd800 && codePoint <= 0xdfff
  if (codePoint > 0x10ffff || (surrogate && reader.syntax === 'rust')) reader.fail(`there is no character ${digits}`)
  return codePoint
}

const asciiSpace: CodePoints = [0x09, 0x0d, 0x20, 0x20]

function either(negated: boolean, set: CodePoints): CodePoints {
  return negated ? complement(set) : set
}

function character(codePoint: number): Escape {
  return { kind: 'character', codePoint }
}

function takeMatch(reader: Reader, expression: RegExp): RegExpExecArray | null {
  const found = expression.exec(ahead(reader))
  if (found !== null) reader.at += found[0].length
  return found
}

/** Enough characters to recognise any escape. */
function ahead(reader: Reader): string {
  return reader.characters.slice(reader.at, reader.at + 80).join('')
}
