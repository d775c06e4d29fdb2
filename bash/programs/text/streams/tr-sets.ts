/** The sets of bytes of `tr`: characters, escapes, ranges, repeats and classes. */
import { entryOf } from '../../../../src/text/entry-of.js'
import { decodeText, encodeText } from '../../../io/byte-text.js'
import type { ProgramIo } from '../../../io/program.js'
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'

/** One element of a set. */
export interface SetPart {
  members: readonly number[]
  className?: string
  isEquivalence?: boolean
  /** `fill`: as often as it takes to be as long as the first set. */
  repeat?: number | 'fill'
}

interface Unit {
  byte: number
  isEscaped: boolean
}

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)
const upper = range(65, 90)
const lower = range(97, 122)
const digit = range(48, 57)
const graph = range(33, 126)

const classes: Readonly<Record<string, readonly number[]>> = {
  alnum: [...digit, ...upper, ...lower],
  alpha: [...upper, ...lower],
  blank: [9, 32],
  cntrl: [...range(0, 31), 127],
  digit,
  graph,
  lower,
  print: range(32, 126),
  punct: graph.filter((byte) => !digit.includes(byte) && !upper.includes(byte) && !lower.includes(byte)),
  space: [...range(9, 13), 32],
  upper,
  xdigit: [...digit, ...range(65, 70), ...range(97, 102)],
}

const letters: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 }

export async function parseSet(io: ProgramIo, text: string): Promise<SetPart[]> {
  const units = await unitsOf(io, text)
  const parts: SetPart[] = []
  let at = 0
  while (at < units.length) {
    const bracket = bracketAt(units, at)
    if (bracket !== undefined) {
      parts.push(bracket.part)
      at = bracket.end
      continue
    }
    const { byte } = units[at] as Unit
    const last = units[at + 2]
    if (isPlain(units[at + 1], '-') && last !== undefined) {
      if (last.byte < byte) throw reversed(byte, last.byte)
      parts.push({ members: range(byte, last.byte) })
      at += 3
      continue
    }
    parts.push({ members: [byte] })
    at += 1
  }
  return parts
}

/** All bytes of a set in order. A repeat that fills makes it `length` long. */
export function expandSet(parts: readonly SetPart[], length = 0): number[] {
  const missing = Math.max(0, length - sizeOf(parts))
  return parts.flatMap(({ members, repeat = 1 }) => {
    const count = repeat === 'fill' ? missing : Math.min(repeat, Math.max(length, 256))
    return Array.from({ length: count }, () => members).flat()
  })
}

/** The length of a set without what fills. */
export function sizeOf(parts: readonly SetPart[]): number {
  return parts.reduce((sum, { members, repeat = 1 }) => sum + (repeat === 'fill' ? 0 : members.length * repeat), 0)
}

async function unitsOf(io: ProgramIo, text: string): Promise<Unit[]> {
  const bytes = encodeText(text)
  const units: Unit[] = []
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    if (byte !== 0x5c) {
      units.push({ byte, isEscaped: false })
      continue
    }
    if (at + 1 === bytes.length) {
      await io.error('warning: an unescaped backslash at end of string is not portable')
      units.push({ byte, isEscaped: false })
      break
    }
    const [octal = ''] = /^[0-7]{1,3}/.exec(String.fromCharCode(...bytes.subarray(at + 1, at + 4))) ?? []
    if (octal !== '') {
      // Three digits above 377 are two digits and a character.
      const digits = Number.parseInt(octal, 8) > 255 ? octal.slice(0, 2) : octal
      if (digits !== octal) {
        const meant = `\\0${digits}, ${octal[2]}`
        await io.error(
          `warning: the ambiguous octal escape \\${octal} is being\n\tinterpreted as the 2-byte sequence ${meant}`,
        )
      }
      units.push({ byte: Number.parseInt(digits, 8), isEscaped: true })
      at += digits.length
      continue
    }
    at += 1
    const next = bytes[at] as number
    units.push({ byte: letters[String.fromCharCode(next)] ?? next, isEscaped: true })
  }
  return units
}

function isPlain(unit: Unit | undefined, character: string): boolean {
  return unit !== undefined && !unit.isEscaped && unit.byte === character.charCodeAt(0)
}

function bracketAt(units: readonly Unit[], at: number): { part: SetPart; end: number } | undefined {
  if (!isPlain(units[at], '[')) return undefined
  if (isPlain(units[at + 1], ':') || isPlain(units[at + 1], '=')) {
    const found = namedAt(units, at)
    if (found !== undefined) return found
  }
  return repeatAt(units, at)
}

/** `[:name:]` or `[=c=]` */
function namedAt(units: readonly Unit[], at: number): { part: SetPart; end: number } | undefined {
  const mark = isPlain(units[at + 1], ':') ? ':' : '='
  for (let end = at + 2; end + 1 < units.length; end += 1) {
    if (!isPlain(units[end], mark) || !isPlain(units[end + 1], ']')) continue
    const inner = units.slice(at + 2, end)
    if (inner.length === 0 && mark === '=' && isPlain(units[end + 2], '=')) continue
    const name = decodeText(Uint8Array.from(inner, ({ byte }) => byte))
    if (inner.length === 0) {
      throw new ProgramError(
        mark === ':' ? "missing character class name '[::]'" : "missing equivalence class character '[==]'",
      )
    }
    if (mark === ':') {
      const members = entryOf(classes, name)
      if (members === undefined) throw new ProgramError(`invalid character class ${quoted(name)}`)
      return { part: { members, className: name }, end: end + 2 }
    }
    const [only] = inner
    if (inner.length !== 1 || only === undefined) {
      throw new ProgramError(`${name}: equivalence class operand must be a single character`)
    }
    return { part: { members: [only.byte], isEquivalence: true }, end: end + 2 }
  }
  return undefined
}

/** `[c*]` or `[c*5]`; octal when the count begins with 0. */
function repeatAt(units: readonly Unit[], at: number): { part: SetPart; end: number } | undefined {
  const unit = units[at + 1]
  if (unit === undefined || !isPlain(units[at + 2], '*')) return undefined
  let end = at + 3
  while (end < units.length && !isPlain(units[end], ']')) end += 1
  if (end >= units.length) return undefined
  const digits = String.fromCharCode(...units.slice(at + 3, end).map(({ byte }) => byte))
  if (digits !== '' && !/^\d+$/.test(digits)) {
    throw new ProgramError(`invalid repeat count ${quoted(digits)} in [c*n] construct`)
  }
  const count = Number.parseInt(digits === '' ? '0' : digits, digits.startsWith('0') ? 8 : 10)
  return { part: { members: [unit.byte], repeat: count === 0 ? 'fill' : count }, end: end + 1 }
}

function reversed(first: number, last: number): ProgramError {
  const shown = `${printable(first)}-${printable(last)}`
  return new ProgramError(`range-endpoints of '${shown}' are in reverse collating sequence order`)
}

function printable(byte: number): string {
  return byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`
}
