/** Sort keys: which part of a line they are and how they compare. */
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'
import {
  compareFloatKeys,
  compareHumanKeys,
  compareNumberKeys,
  floatKey,
  type HumanKey,
  humanKey,
  monthKey,
  type NumberKey,
  numberKey,
} from './numbers.js'
import { compareVersionKeys, type VersionKey, versionKey } from './version-order.js'

/** Letters of ordering options; `b` at the end of a key is apart. */
export type Letters = ReadonlySet<string>

interface Position {
  /** From 1. */
  field: number
  /** From 1; 0 at the end of a key: the end of the field. */
  character: number
  skipsBlanks: boolean
}

export interface KeyDefinition {
  start: Position
  end: Position | undefined
  letters: Letters
}

export interface SortKey {
  valueOf(line: string): unknown
  compare(one: unknown, other: unknown): number
}

const orderLetters = 'bdfgiMhnRrV'

/** `F[.C][OPTS][,F[.C][OPTS]]` */
export function parseKey(text: string): KeyDefinition {
  const letters = new Set<string>()
  const [from = '', ...rest] = text.split(',')
  const start = parsePosition(text, from, 'at field start', letters)
  if (start.character === 0) throw wrongKey('character offset is zero', text)
  if (rest.length === 0) return { start, end: undefined, letters }
  const end = parsePosition(text, rest.join(','), "after ','", letters)
  return { start, end, letters }
}

function parsePosition(whole: string, text: string, what: string, letters: Set<string>): Position {
  const [all, field, dot, character] = /^(\d+)(?:(\.)(\d*))?/.exec(text) ?? []
  if (all === undefined || field === undefined) {
    throw new ProgramError(`invalid number ${what}: invalid count at start of ${quoted(text)}`, 2)
  }
  if (dot !== undefined && character === '') {
    throw new ProgramError(`invalid number after '.': invalid count at start of ${quoted(text.slice(all.length))}`, 2)
  }
  if (Number(field) === 0) throw wrongKey('field number is zero', whole)
  const options = text.slice(all.length)
  for (const letter of options) {
    if (!orderLetters.includes(letter)) throw wrongKey('stray character in field spec', whole)
    if (letter !== 'b') letters.add(letter)
  }
  const isStart = what === 'at field start'
  return {
    field: Number(field),
    character: character === undefined ? (isStart ? 1 : 0) : Number(character),
    skipsBlanks: options.includes('b'),
  }
}

function wrongKey(reason: string, text: string): ProgramError {
  return new ProgramError(`${reason}: invalid field specification ${quoted(text)}`, 2)
}

/** Keys without options of their own have the global ones. */
export function withGlobalLetters(key: KeyDefinition, global: Letters): KeyDefinition {
  if (key.letters.size > 0 || key.start.skipsBlanks || key.end?.skipsBlanks) return key
  const skipsBlanks = global.has('b')
  return {
    start: { ...key.start, skipsBlanks },
    end: key.end && { ...key.end, skipsBlanks },
    letters: new Set([...global].filter((letter) => letter !== 'b')),
  }
}

/** At most one kind of number, and no text options for numbers. */
export function refuseIncompatible(letters: Letters): void {
  const numbers = [...'ghMn'].filter((letter) => letters.has(letter)).length
  const isText = [...'diRV'].some((letter) => letters.has(letter))
  if (numbers + (isText ? 1 : 0) <= 1) return
  const shown = [...'dfghiMnRV'].filter((letter) => letters.has(letter) && !(letter === 'i' && letters.has('d')))
  throw new ProgramError(`options '-${shown.join('')}' are incompatible`, 2)
}

export function sortKey(key: KeyDefinition, separator: string | undefined, hash: (text: string) => number): SortKey {
  const part = partFinder(key, separator)
  const { value, compare } = comparison(key.letters, hash)
  return {
    valueOf: (line) => value(part(line)),
    compare: key.letters.has('r') ? (one, other) => compare(other, one) : compare,
  }
}

interface Comparison {
  value(text: string): unknown
  compare(one: unknown, other: unknown): number
}

/** The types of values and of what compares them belong together. */
function comparing<Value>(value: (text: string) => Value, compare: (one: Value, other: Value) => number): Comparison {
  return { value, compare: compare as Comparison['compare'] }
}

function comparison(letters: Letters, hash: (text: string) => number): Comparison {
  const { value, compare } = rawComparison(letters, hash)
  const filter = textFilter(letters)
  return filter === undefined ? { value, compare } : { value: (text) => value(filter(text)), compare }
}

function rawComparison(letters: Letters, hash: (text: string) => number): Comparison {
  if (letters.has('n')) return comparing<NumberKey>(numberKey, compareNumberKeys)
  if (letters.has('g')) return comparing<number | undefined>(floatKey, compareFloatKeys)
  if (letters.has('h')) return comparing<HumanKey>(humanKey, compareHumanKeys)
  if (letters.has('M')) return comparing<number>(monthKey, (one, other) => one - other)
  if (letters.has('R')) {
    const mix = (text: string) => ({ hash: hash(text), text })
    type Mixed = ReturnType<typeof mix>
    return comparing<Mixed>(mix, (one, other) => one.hash - other.hash || compareTexts(one.text, other.text))
  }
  if (letters.has('V')) return comparing<VersionKey>(versionKey, compareVersionKeys)
  return comparing<string>((text) => text, compareTexts)
}

export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** Dictionary order, printable characters only, and case. */
function textFilter(letters: Letters): ((text: string) => string) | undefined {
  const dropped = letters.has('d') ? /[^A-Za-z0-9 \t]+/g : letters.has('i') ? /[^ -~]+/g : undefined
  const folds = letters.has('f')
  if (dropped === undefined && !folds) return undefined
  return (text) => {
    const kept = dropped === undefined ? text : text.replace(dropped, '')
    return folds ? kept.replace(/[a-z]+/g, (lower) => lower.toUpperCase()) : kept
  }
}

function partFinder({ start, end }: KeyDefinition, separator: string | undefined): (line: string) => string {
  const isWhole = start.field === 1 && start.character === 1 && !start.skipsBlanks && end === undefined
  if (isWhole) return (line) => line
  const separatorCode = separator?.charCodeAt(0)
  return (line) => {
    const from = positionOf(line, start, separatorCode, start.character - 1)
    if (end === undefined) return line.slice(from)
    const to =
      end.character === 0
        ? fieldEnd(line, end.field, separatorCode)
        : positionOf(line, end, separatorCode, end.character)
    return to > from ? line.slice(from, to) : ''
  }
}

/** `offset` characters into a field, and into what follows it. */
function positionOf(
  line: string,
  { field, skipsBlanks }: Position,
  separator: number | undefined,
  offset: number,
): number {
  let at = fieldStart(line, field, separator)
  if (skipsBlanks) while (at < line.length && isBlank(line.charCodeAt(at))) at += 1
  return Math.min(line.length, at + offset)
}

/** Without a separator, the blanks before a field belong to it. */
function fieldStart(line: string, field: number, separator: number | undefined): number {
  let at = 0
  for (let skip = field - 1; skip > 0 && at < line.length; skip -= 1) {
    at = fieldEndFrom(line, at, separator)
    if (separator !== undefined && at < line.length) at += 1
  }
  return at
}

function fieldEnd(line: string, field: number, separator: number | undefined): number {
  const start = fieldStart(line, field, separator)
  return fieldEndFrom(line, start, separator)
}

function fieldEndFrom(line: string, start: number, separator: number | undefined): number {
  let at = start
  if (separator !== undefined) {
    while (at < line.length && line.charCodeAt(at) !== separator) at += 1
    return at
  }
  while (at < line.length && isBlank(line.charCodeAt(at))) at += 1
  while (at < line.length && !isBlank(line.charCodeAt(at))) at += 1
  return at
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 10
}
