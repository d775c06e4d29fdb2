/** The formats of `stat`. */
import type { Stat } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import { ProgramError } from '../../program-error.js'
import { quotedName } from '../../quoting.js'
import {
  accessedOf,
  allocatedOf,
  blockBytes,
  changedOf,
  inodeOf,
  kindText,
  linkCount,
  modeOf,
  modeText,
  modifiedOf,
  rawMode,
  sizeOf,
  userId,
  userName,
} from '../shared/facts.js'
import { fullTime, nanosecondsOf, timeText } from '../shared/times.js'

export interface StatSubject {
  path: string
  stat: Stat
  /** Where a link leads. */
  target?: string
}

export interface StatRules {
  isSystem: boolean
  /** Escapes such as `\n` count. */
  isPrintf: boolean
  /** `%N` is quotedName; not so in the usual output. */
  quotesName: boolean
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '"': '"',
  '\\': '\\',
}

export async function statText(io: ProgramIo, format: string, subject: StatSubject, rules: StatRules): Promise<string> {
  const escapePattern = rules.isPrintf ? String.raw`|\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.|$)` : ''
  const pattern = new RegExp(`%([-+ #0']*)(\\d*)(?:\\.(\\d*))?([HL]?)(.|$)${escapePattern}`, 'gsu')
  let text = ''
  let end = 0
  for (const match of format.matchAll(pattern)) {
    const [all, flags = '', width = '', precision, part = '', letter = '', escaped] = match
    text += format.slice(end, match.index)
    end = match.index + all.length
    if (escaped !== undefined) {
      if (escaped !== '' && !/^[0-7x]/.test(escaped) && escapes[escaped] === undefined) {
        await io.error(`warning: unrecognized escape '\\${escaped}'`)
      }
      text += unescaped(escaped)
    } else if (letter === '%' && all === '%%') text += '%'
    else if (letter === '' || letter === '%') {
      if (all === '%') text += '%'
      else throw new ProgramError(`${quotedName(all)}: invalid directive`)
    } else {
      const value = rules.isSystem ? systemField(letter, subject) : await field(io, letter, part, subject, rules)
      text += shaped(value, { flags, width, precision, letter })
    }
  }
  return text + format.slice(end)
}

function unescaped(text: string): string {
  if (/^[0-7]/.test(text)) return String.fromCharCode(Number.parseInt(text, 8))
  if (/^x./.test(text)) return String.fromCharCode(Number.parseInt(text.slice(1), 16))
  return escapes[text] ?? (text === '' ? '\\' : text)
}

/** Times in seconds carry their nanoseconds for a precision. */
type Value = string | { number: string; nanoseconds?: number }

function shaped(
  value: Value,
  { flags, width, precision, letter }: { flags: string; width: string; precision: string | undefined; letter: string },
): string {
  let text = typeof value === 'string' ? value : value.number
  if (typeof value !== 'string') {
    if (value.nanoseconds !== undefined && precision !== undefined) {
      text += `.${String(value.nanoseconds)
        .padStart(9, '0')
        .slice(0, precision === '' ? 9 : Number(precision))
        .padEnd(Number(precision || 9), '0')}`
    }
    if (flags.includes('#') && letter === 'a' && !text.startsWith('0')) text = `0${text}`
    if (flags.includes('#') && (letter === 'f' || letter === 'D') && text !== '0') text = `0x${text}`
    if (flags.includes('+') && !'afD'.includes(letter)) text = `+${text}`
    else if (flags.includes(' ') && !'afD'.includes(letter)) text = ` ${text}`
    if (flags.includes('0') && !flags.includes('-')) return text.padStart(Number(width), '0')
  } else if (precision !== undefined) text = text.slice(0, Number(precision))
  return flags.includes('-') ? text.padEnd(Number(width)) : text.padStart(Number(width))
}

async function field(
  io: ProgramIo,
  letter: string,
  part: string,
  { path, stat, target }: StatSubject,
  { quotesName }: StatRules,
): Promise<Value> {
  const number = (value: number | string): Value => ({ number: String(value) })
  const seconds = (ms: number): Value => ({ number: String(Math.floor(ms / 1000)), nanoseconds: nanosecondsOf(ms) })
  const time = (ms: number): Value => timeText(io, ms, fullTime)
  if (part !== '' && !'dr'.includes(letter)) return '?'
  switch (letter) {
    case 'a':
      return number(modeOf(stat).toString(8))
    case 'A':
      return modeText(stat)
    case 'b':
      return number(allocatedOf(stat) / 512)
    case 'B':
      return number(512)
    case 'd':
      return number(part === 'L' ? 1 : part === 'H' ? 0 : 1)
    case 'D':
      return number('1')
    case 'f':
      return number(rawMode(stat).toString(16))
    case 'F':
      return kindText(stat)
    case 'g':
    case 'u':
      return number(userId)
    case 'G':
    case 'U':
      return userName
    case 'h':
      return number(await linkCount(io.fs, path, stat))
    case 'i':
      return number(inodeOf(io, path, stat))
    case 'm':
      return '/'
    case 'n':
      return path
    case 'N': {
      const shown = quotesName ? quotedName : (name: string) => name
      return target === undefined ? shown(path) : `${shown(path)} -> ${shown(target)}`
    }
    case 'o':
      return number(blockBytes)
    case 'r':
    case 't':
    case 'T':
      return number(0)
    case 's':
      return number(sizeOf(stat, target))
    case 'w':
      return stat.createdMs === undefined ? '-' : time(stat.createdMs)
    case 'W':
      return stat.createdMs === undefined ? number(0) : seconds(stat.createdMs)
    case 'x':
      return time(accessedOf(stat))
    case 'X':
      return seconds(accessedOf(stat))
    case 'y':
      return time(modifiedOf(stat))
    case 'Y':
      return seconds(modifiedOf(stat))
    case 'z':
      return time(changedOf(stat))
    case 'Z':
      return seconds(changedOf(stat))
    default:
      return '?'
  }
}

/** The sizes of the file system are not known. */
function systemField(letter: string, { path }: StatSubject): Value {
  const fields: Readonly<Record<string, string>> = {
    i: '0',
    l: '255',
    n: path,
    s: String(blockBytes),
    S: String(blockBytes),
    t: '0',
    T: 'UNKNOWN',
  }
  return fields[letter] ?? ('abcdf'.includes(letter) ? '-' : '?')
}
