/** The tests of `find`. */
import type { Stat } from '../../../../src/fs/types.js'
import { describeError } from '../../../io/describe-error.js'
import { isPipe } from '../../../io/named-pipes.js'
import { compileRegex } from '../../../regex/index.js'
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'
import {
  accessedOf,
  changedOf,
  inodeOf,
  linkCount,
  modeOf,
  modifiedOf,
  sizeOf,
  userId,
  userName,
} from '../shared/facts.js'
import { applyMode, parseMode } from '../shared/modes.js'
import { namePattern } from '../shared/name-pattern.js'
import { parseTime } from '../shared/times.js'
import { type Found, nameOf, type Search, type Test } from './found.js'

export function nameTest(pattern: string, ignoreCase: boolean): Test {
  const matches = namePattern(pattern, { ignoreCase })
  return (found) => matches(nameOf(found))
}

export function pathTest(pattern: string, ignoreCase: boolean): Test {
  const matches = namePattern(pattern, { ignoreCase })
  return ({ path }) => matches(path)
}

export function linkTargetTest(pattern: string, ignoreCase: boolean): Test {
  const matches = namePattern(pattern, { ignoreCase })
  return async ({ kind, path }, { io }) => kind === 'symlink' && matches(await io.fs.readLink(path))
}

const regexSyntaxes: ReadonlyMap<string, 'basic' | 'extended' | 'emacs'> = new Map([
  ['findutils-default', 'emacs'],
  ['ed', 'basic'],
  ['emacs', 'emacs'],
  ['gnu-awk', 'extended'],
  ['grep', 'basic'],
  ['posix-awk', 'extended'],
  ['awk', 'extended'],
  ['posix-basic', 'basic'],
  ['posix-egrep', 'extended'],
  ['egrep', 'extended'],
  ['posix-extended', 'extended'],
  ['posix-minimal-basic', 'basic'],
  ['sed', 'basic'],
])

export function regexSyntax(name: string): 'basic' | 'extended' | 'emacs' {
  const syntax = regexSyntaxes.get(name)
  if (syntax !== undefined) return syntax
  const known = [...regexSyntaxes.keys()].map(quoted).join(', ')
  throw new ProgramError(`Unknown regular expression type ${quoted(name)}; valid types are ${known}.`)
}

/** The expression has to match the whole path. */
export function regexTest(source: string, syntax: 'basic' | 'extended' | 'emacs', ignoreCase: boolean): Test {
  const regex = compileRegex(source, { syntax, ignoreCase, captures: false })
  return ({ path }) => {
    const match = regex.exec(path)
    return match !== undefined && match.start === 0 && match.end === path.length
  }
}

type Wanted = Stat['kind'] | 'pipe' | 'never'

const typeKinds: Readonly<Record<string, Wanted>> = {
  f: 'file',
  d: 'directory',
  l: 'symlink',
  c: 'other',
  b: 'never',
  p: 'pipe',
  s: 'never',
}

/** With `-xtype` links are seen the other way round. */
export function typeTest(option: string, list: string): Test {
  const kinds = list.split(',').map((letter) => {
    const kind = typeKinds[letter]
    if (list === '') throw new ProgramError(`Arguments to ${option} should contain at least one letter`)
    if (letter === '')
      throw new ProgramError(`Last file type in list argument to ${option} is missing, i.e., list is ending on: ','`)
    if (letter.length > 1) throw new ProgramError(`Must separate multiple arguments to ${option} using: ','`)
    if (kind === undefined) throw new ProgramError(`Unknown argument to ${option}: ${letter}`)
    return kind
  })
  const isWanted = (stat: Stat) => kinds.includes(isPipe(stat) ? 'pipe' : stat.kind)
  if (option === '-type') {
    return (found) => (found.kind === 'other' ? found.stat().then(isWanted) : kinds.includes(found.kind))
  }
  return async (found, { io, follows }) => {
    const { path, kind } = found
    if (follows === 'all') return isWanted(await io.fs.lstat(path))
    if (kind !== 'symlink') return isWanted(kind === 'other' ? await found.stat() : { kind })
    const target = await io.fs.stat(path).catch(() => undefined)
    return isWanted(target ?? { kind: 'symlink' })
  }
}

/** `+5`, `-5` or `5`. */
interface Comparison {
  sign: '+' | '-' | ''
  amount: number
}

export function parseComparison(text: string): Comparison | undefined {
  const [, sign = '', digits] = /^([-+]?)(\d+(?:\.\d*)?|\.\d+)$/.exec(text) ?? []
  return digits === undefined ? undefined : { sign: sign as Comparison['sign'], amount: Number(digits) }
}

function compares({ sign, amount }: Comparison, value: number): boolean {
  if (sign === '') return value === amount
  return sign === '+' ? value > amount : value < amount
}

function requireComparison(option: string, text: string): Comparison {
  const comparison = parseComparison(text)
  if (comparison === undefined) throw new ProgramError(`invalid argument \`${text}' to \`${option}'`)
  return comparison
}

const sizeUnits: Readonly<Record<string, number>> = { b: 512, c: 1, w: 2, k: 1024, M: 1024 ** 2, G: 1024 ** 3 }

/** Sizes are rounded up to whole units. */
export function sizeTest(text: string): Test {
  const [, letter = ''] = /([^\d])$/su.exec(text) ?? []
  const unit = sizeUnits[letter || 'b']
  if (unit === undefined) throw new ProgramError(`invalid -size type \`${letter}'`)
  const number = letter === '' ? text : text.slice(0, -letter.length)
  if (!/^[-+]?\d+$/.test(number)) throw new ProgramError(`Invalid argument \`${text}' to -size`)
  const comparison = requireComparison('-size', number)
  return async (found, search) => compares(comparison, Math.ceil((await sizeOfFound(found, search)) / unit))
}

export async function sizeOfFound(found: Found, { io }: Search): Promise<number> {
  const stat = await found.stat()
  return sizeOf(stat, stat.kind === 'symlink' ? await io.fs.readLink(found.path) : '')
}

export const emptyTest: Test = async (found, { io }) => {
  if (found.kind === 'file') return (await found.stat()).size === 0
  if (found.kind !== 'directory') return false
  return (await io.fs.readDir(found.path).catch(() => [undefined])).length === 0
}

export type FileTime = (stat: Stat) => number

export const fileTimes: Readonly<Record<string, FileTime>> = { a: accessedOf, c: changedOf, m: modifiedOf }

const dayMs = 86_400_000
const minuteMs = 60_000

/** `-mtime`: whole days. `-mmin`: minutes. As GNU counts, also from the start of the day. */
export function ageTest(option: string, time: FileTime, text: string): Test {
  const { sign, amount } = requireComparison(option, text)
  const isMinutes = option.endsWith('min')
  const unit = isMinutes ? minuteMs : dayMs
  return async (found, { now, fromDayStart, io }) => {
    const dayStart = fromDayStart ? startOfDay(io, now) : now - dayMs
    const origin = (isMinutes ? dayStart + dayMs : sign === '-' ? dayStart + dayMs - 1000 : dayStart) - amount * unit
    const at = time(await found.stat())
    if (sign === '-') return at > origin
    if (sign === '+') return at < origin
    return at > origin && at <= origin + unit
  }
}

function startOfDay(io: Search['io'], now: number): number {
  return parseTime(io, 'today 00:00:00', now) ?? now - (now % dayMs)
}

export async function referenceTime(search: Search, path: string, time: FileTime): Promise<number> {
  return time(await referenceStat(search, path))
}

export async function referenceStat({ io, follows }: Search, path: string): Promise<Stat> {
  try {
    return await (follows === 'none' ? io.fs.lstat(path) : io.fs.stat(path))
  } catch (error) {
    throw new ProgramError(`${quoted(path)}: ${describeError(error)}`)
  }
}

export function newerTest(time: FileTime, than: number): Test {
  return async (found) => time(await found.stat()) > than
}

export function permissionTest(text: string): Test {
  const kind = /^[-/]/.test(text) ? text.charAt(0) : ''
  const changes = parseMode(kind === '' ? text : text.slice(1), 0)
  if (changes === undefined) throw new ProgramError(`invalid mode ${quoted(text)}`)
  return async (found) => {
    const stat = await found.stat()
    const wanted = applyMode(changes, 0, stat.kind === 'directory')
    const mode = modeOf(stat)
    if (kind === '-') return (mode & wanted) === wanted
    if (kind === '/') return wanted === 0 || (mode & wanted) !== 0
    return mode === wanted
  }
}

/** The user may read, write or execute what its owner may. Links are followed. */
export function accessTest(bit: number): Test {
  return async ({ path }, { io }) => {
    const stat = await io.fs.stat(path).catch(() => undefined)
    return stat !== undefined && (modeOf(stat) & bit) !== 0
  }
}

export function ownerTest(option: string, name: string): Test {
  if (name === userName) return () => true
  if (name === 'root') return () => false
  if (/^\d+$/.test(name)) return () => Number(name) === userId
  throw new ProgramError(`${quoted(name)} is not the name of a known ${option === '-user' ? 'user' : 'group'}`)
}

export function numberTest(
  option: string,
  text: string,
  value: (found: Found, search: Search) => Promise<number>,
): Test {
  const comparison = requireComparison(option, text)
  return async (found, search) => compares(comparison, await value(found, search))
}

export const linksOf = async (found: Found, { io }: Search) => linkCount(io.fs, found.path, await found.stat())
export const inodeOfFound = async (found: Found, { io }: Search) => inodeOf(io, found.path, await found.stat())
export const ownerOf = async () => userId

/** The same file under any path. */
export async function sameFileTest(search: Search, path: string): Promise<Test> {
  await referenceStat(search, path)
  const real = await search.io.fs.realPath(path)
  return async (found, { io, follows }) => {
    if (found.kind === 'symlink' && follows !== 'all') return false
    return (await io.fs.realPath(found.path).catch(() => undefined)) === real
  }
}
