/** The words of free-form dates. */

import { dayNames, monthNames } from '../../../src/text/calendar.js'
import { entryOf } from '../../../src/text/entry-of.js'

export type DateUnit = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'

export type WordToken =
  | { kind: 'month'; value: number }
  | { kind: 'day'; value: number }
  | { kind: 'meridian'; value: 'AM' | 'PM' }
  | { kind: 'zone'; value: number }
  | { kind: 'localZone'; abbreviation: string }
  | { kind: 'dst' }
  | { kind: 'unit'; unit: DateUnit; value: number }
  | { kind: 'dayShift'; value: number }
  | { kind: 'ordinal'; value: number }
  | { kind: 'ago'; value: number }
  /** The letter that separates a date from a time; also a military zone. */
  | { kind: 'T' }

const units: Readonly<Record<string, readonly [DateUnit, number]>> = {
  YEAR: ['year', 1],
  MONTH: ['month', 1],
  FORTNIGHT: ['day', 14],
  WEEK: ['day', 7],
  DAY: ['day', 1],
  HOUR: ['hour', 1],
  MINUTE: ['minute', 1],
  MIN: ['minute', 1],
  SECOND: ['second', 1],
  SEC: ['second', 1],
}
const dayShifts: Readonly<Record<string, number>> = { TOMORROW: 1, YESTERDAY: -1, TODAY: 0, NOW: 0 }
const ordinals: Readonly<Record<string, number>> = {
  LAST: -1,
  THIS: 0,
  NEXT: 1,
  FIRST: 1,
  THIRD: 3,
  FOURTH: 4,
  FIFTH: 5,
  SIXTH: 6,
  SEVENTH: 7,
  EIGHTH: 8,
  NINTH: 9,
  TENTH: 10,
  ELEVENTH: 11,
  TWELFTH: 12,
}
/** Hours east of UTC. Those that are a summer time have it counted in. */
const zones: Readonly<Record<string, number>> = {
  GMT: 0,
  UT: 0,
  UTC: 0,
  WET: 0,
  WEST: 1,
  BST: 1,
  ART: -3,
  BRT: -3,
  BRST: -2,
  NST: -3.5,
  NDT: -2.5,
  AST: -4,
  ADT: -3,
  CLT: -4,
  CLST: -3,
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
  AKST: -9,
  AKDT: -8,
  HST: -10,
  HAST: -10,
  HADT: -9,
  SST: -12,
  WAT: 1,
  CET: 1,
  CEST: 2,
  MET: 1,
  MEZ: 1,
  MEST: 2,
  MESZ: 2,
  EET: 2,
  EEST: 3,
  CAT: 2,
  SAST: 2,
  EAT: 3,
  MSK: 3,
  MSD: 4,
  IST: 5.5,
  SGT: 8,
  KST: 9,
  JST: 9,
  GST: 10,
  NZST: 12,
  NZDT: 13,
}

/** The meaning of a word; `localZones` are the abbreviations of the own zone. */
export function dateWord(text: string, localZones: readonly string[]): WordToken | undefined {
  const word = text.toUpperCase()
  if (/^A\.?M\.?$/.test(word)) return { kind: 'meridian', value: 'AM' }
  if (/^P\.?M\.?$/.test(word)) return { kind: 'meridian', value: 'PM' }
  return (
    nameIn(word) ??
    zone(word, localZones) ??
    (word === 'DST' ? { kind: 'dst' } : undefined) ??
    unit(word) ??
    relative(word) ??
    military(word) ??
    (word.includes('.') ? zone(word.replaceAll('.', ''), localZones) : undefined)
  )
}

function nameIn(word: string): WordToken | undefined {
  const short = word.length === 3 || (word.length === 4 && word.endsWith('.')) ? word.slice(0, 3) : undefined
  const position = (names: readonly string[]) =>
    names.findIndex((name) => name.toUpperCase() === word || name.slice(0, 3).toUpperCase() === short)
  const month = word === 'SEPT' ? 8 : position(monthNames)
  if (month !== -1) return { kind: 'month', value: month + 1 }
  const other: Readonly<Record<string, number>> = { TUES: 2, WEDNES: 3, THUR: 4, THURS: 4 }
  const day = entryOf(other, word) ?? position(dayNames)
  return day === -1 ? undefined : { kind: 'day', value: day }
}

function zone(word: string, localZones: readonly string[]): WordToken | undefined {
  if (word === 'GMT' || word === 'UT' || word === 'UTC') return { kind: 'zone', value: 0 }
  if (localZones.includes(word)) return { kind: 'localZone', abbreviation: word }
  const hours = entryOf(zones, word)
  return hours === undefined ? undefined : { kind: 'zone', value: hours * 3600 }
}

function unit(word: string): WordToken | undefined {
  const found = units[word] ?? (word.endsWith('S') ? units[word.slice(0, -1)] : undefined)
  return found && { kind: 'unit', unit: found[0], value: found[1] }
}

function relative(word: string): WordToken | undefined {
  if (word === 'AGO') return { kind: 'ago', value: -1 }
  if (word === 'HENCE') return { kind: 'ago', value: 1 }
  const shift = entryOf(dayShifts, word)
  if (shift !== undefined) return { kind: 'dayShift', value: shift }
  const ordinal = entryOf(ordinals, word)
  return ordinal === undefined ? undefined : { kind: 'ordinal', value: ordinal }
}

/** One letter is a military zone: A to I are 1 to 9 hours east, K to M 10 to 12, N to Y west, Z is UTC. */
function military(word: string): WordToken | undefined {
  if (word.length !== 1) return undefined
  if (word === 'T') return { kind: 'T' }
  if (word === 'Z') return { kind: 'zone', value: 0 }
  const east = 'ABCDEFGHIKLM'.indexOf(word)
  if (east !== -1) return { kind: 'zone', value: (east + 1) * 3600 }
  const west = 'NOPQRSTUVWXY'.indexOf(word)
  return west === -1 ? undefined : { kind: 'zone', value: -(west + 1) * 3600 }
}
