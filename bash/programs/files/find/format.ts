/** The format of `find -printf`. */
import type { Stat } from '../../../../src/fs/types.js'
import { isPipe } from '../../../io/named-pipes.js'
import type { ProgramIo } from '../../../io/program.js'
import { ProgramError } from '../../program-error.js'
import {
  accessedOf,
  allocatedOf,
  changedOf,
  inodeOf,
  linkCount,
  modeOf,
  modeText,
  modifiedOf,
  userId,
  userName,
} from '../shared/facts.js'
import { nanosecondsOf, timeText } from '../shared/times.js'
import { type Found, nameOf, type Search } from './found.js'
import { sizeOfFound } from './tests.js'

type Piece = string | ((found: Found, search: Search) => string | Promise<string>)

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
}

export interface OutputFormat {
  text(found: Found, search: Search): Promise<string>
  warnings: string[]
}

export function outputFormat(format: string): OutputFormat {
  const warnings: string[] = []
  const pieces = piecesOf(format, warnings)
  return {
    warnings,
    async text(found, search) {
      let text = ''
      for (const piece of pieces) text += typeof piece === 'string' ? piece : await piece(found, search)
      return text
    },
  }
}

function piecesOf(format: string, warnings: string[]): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  while (at < format.length) {
    const rest = format.slice(at)
    const escaped = /^\\(?:([0-7]{1,3})|(.))?/su.exec(rest)
    const directive = /^%([-+ 0#]*)(\d*)(?:\.(\d+))?(?:([ACTB])(.)|(.))/su.exec(rest)
    if (escaped !== null) {
      const [all, octal, letter = ''] = escaped
      if (letter === 'c') return pieces
      if (octal === undefined && escapes[letter] === undefined) warnings.push(`unrecognized escape \`${all}'`)
      pieces.push(octal === undefined ? (escapes[letter] ?? all) : String.fromCharCode(Number.parseInt(octal, 8)))
      at += all.length
    } else if (directive !== null) {
      const piece = pieceOf(directive)
      if (piece === directive[0]) warnings.push(`unrecognized format directive \`%${directive[0].slice(-1)}'`)
      pieces.push(piece)
      at += directive[0].length
    } else if (rest.startsWith('%')) throw new ProgramError('error: % at end of format string')
    else {
      const [plain = ''] = /^[^\\%]+/su.exec(rest) ?? []
      pieces.push(plain)
      at += plain.length
    }
  }
  return pieces
}

function pieceOf([all, flags = '', width = '', precision, time, timeLetter = '', letter = '']: RegExpExecArray): Piece {
  if (letter === '%') return '%'
  const value = time === undefined ? directives[letter] : timeDirective(time, timeLetter)
  if (letter === 'Z') throw new ProgramError("'%Z' of -printf is not supported by this shell", 2)
  if (value === undefined) return all
  return async (found, search) => {
    const given = await value(found, search)
    const cut = precision === undefined ? given : given.slice(0, Number(precision))
    if (flags.includes('-')) return cut.padEnd(Number(width))
    return cut.padStart(Number(width), flags.includes('0') && /^\d+$/.test(cut) ? '0' : ' ')
  }
}

type Directive = (found: Found, search: Search) => string | Promise<string>

/** A value that needs the file's stat. */
function ofStat(text: (stat: Stat, found: Found, search: Search) => string | Promise<string>): Directive {
  return async (found, search) => text(await found.stat(), found, search)
}

const kindLetters: Readonly<Record<Stat['kind'], string>> = { file: 'f', directory: 'd', symlink: 'l', other: 'c' }

function letterOf(stat: Stat): string {
  return isPipe(stat) ? 'p' : kindLetters[stat.kind]
}

const directives: Readonly<Record<string, Directive>> = {
  a: ofStat((stat, _, { io }) => fullTimeText(io, accessedOf(stat))),
  b: ofStat((stat) => String(allocatedOf(stat) / 512)),
  c: ofStat((stat, _, { io }) => fullTimeText(io, changedOf(stat))),
  d: ({ depth }) => String(depth),
  D: () => '1',
  // A start that was given with a slash at its end keeps one.
  f: (found) => (/[^/]\/+$/.test(found.path) ? `${nameOf(found)}/` : nameOf(found)),
  F: () => 'unknown',
  g: () => userName,
  G: () => String(userId),
  h: ({ path }) => directoryOf(path),
  H: ({ start }) => start,
  i: ofStat((stat, { path }, { io }) => String(inodeOf(io, path, stat))),
  k: ofStat((stat) => String(allocatedOf(stat) / 1024)),
  l: async ({ path, kind }, { io }) => (kind === 'symlink' ? io.fs.readLink(path) : ''),
  m: ofStat((stat) => modeOf(stat).toString(8)),
  M: ofStat((stat) => modeText(stat)),
  n: ofStat(async (stat, { path }, { io }) => String(await linkCount(io.fs, path, stat))),
  p: ({ path }) => path,
  P: ({ path, start }) => path.slice(start.length).replace(/^\//, ''),
  s: async (found, search) => String(await sizeOfFound(found, search)),
  S: ofStat((stat) => sparseness(stat)),
  t: ofStat((stat, _, { io }) => fullTimeText(io, modifiedOf(stat))),
  u: () => userName,
  U: () => String(userId),
  y: async (found) => letterOf(found.kind === 'other' ? await found.stat() : found),
  async Y({ path, kind }, { io }) {
    if (kind !== 'symlink' && kind !== 'other') return kindLetters[kind]
    const stat = await io.fs.stat(path).catch(() => undefined)
    return stat === undefined ? 'N' : letterOf(stat)
  },
}

function directoryOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash === -1 ? '.' : path.slice(0, slash)
}

function sparseness(stat: Stat): string {
  const size = stat.size ?? 4096
  return size === 0 ? '1' : String(Number((allocatedOf(stat) / size).toPrecision(6)))
}

/** Seconds have ten digits after the point. */
function fraction(ms: number): string {
  return `.${String(nanosecondsOf(ms)).padStart(9, '0')}0`
}

function fullTimeText(io: ProgramIo, ms: number): string {
  return timeText(io, ms, `%a %b %e %H:%M:%S${fraction(ms)} %Y`)
}

function timeDirective(kind: string, letter: string): Directive | undefined {
  const time = { A: accessedOf, C: changedOf, T: modifiedOf, B: (stat: Stat) => stat.createdMs ?? modifiedOf(stat) }[
    kind
  ]
  if (time === undefined || !/[@+A-Za-z]/.test(letter)) return undefined
  return ofStat((stat, _, { io }) => timeField(io, time(stat), letter))
}

function timeField(io: ProgramIo, ms: number, letter: string): string {
  switch (letter) {
    case '@':
      return `${Math.floor(ms / 1000)}${fraction(ms)}`
    case '+':
      return timeText(io, ms, `%Y-%m-%d+%H:%M:%S${fraction(ms)}`)
    case 'S':
      return timeText(io, ms, `%S${fraction(ms)}`)
    case 'T':
    case 'X':
      return timeText(io, ms, `%H:%M:%S${fraction(ms)}`)
    case 'r':
      return timeText(io, ms, `%I:%M:%S${fraction(ms)} %p`)
    default:
      return timeText(io, ms, `%${letter}`)
  }
}
