/** Time zones as the variable `TZ` names them: IANA names through `Intl`, and POSIX forms such as `EST5` or `<+03>-3`. */
import { type DateParts, offsetText, utcParts, utcSeconds, weekday } from '../../../src/text/calendar.js'

export interface ZoneTime {
  /** Seconds east of UTC. */
  offset: number
  /** For example `CET`. */
  abbreviation: string
}

export interface TimeZone {
  at(seconds: number): ZoneTime
}

const utc: TimeZone = { at: () => ({ offset: 0, abbreviation: 'UTC' }) }
const zones = new Map<string, TimeZone>()

/** The zone for a value of `TZ`; an unknown one is UTC, as in the C library. */
export function timeZone(name: string | undefined): TimeZone {
  if (name === undefined || name === '' || name === 'UTC' || name === 'UTC0' || name === 'Etc/UTC') return utc
  const known = zones.get(name)
  if (known !== undefined) return known
  const made = named(name.replace(/^:/, '')) ?? posixZone(name) ?? unknownZone(name)
  zones.set(name, made)
  return made
}

/** A zone of the IANA database by its exact name. */
export function zoneNamed(name: string): TimeZone | undefined {
  const found = named(name)
  if (found === undefined) return undefined
  // Names of any case are taken, and those of files are exact.
  const { timeZone: resolved } = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions()
  return name !== resolved && name.toLowerCase() === resolved.toLowerCase() ? undefined : found
}

export function partsAt(seconds: number, zone: TimeZone): DateParts & ZoneTime {
  const found = zone.at(seconds)
  return { ...utcParts(seconds + found.offset), ...found }
}

/** As `mktime`: the seconds of local parts. Where a clock was set back, the first of the two times. */
export function localSeconds(parts: DateParts, zone: TimeZone): number {
  const wanted = utcSeconds(parts)
  const before = zone.at(wanted - 86400).offset
  const after = zone.at(wanted + 86400).offset
  for (const offset of [before, after]) {
    const seconds = wanted - offset
    if (zone.at(seconds).offset === offset) return seconds
  }
  return wanted - before
}

function named(name: string): TimeZone | undefined {
  if (!/^[A-Za-z_]+([/+-][A-Za-z0-9_+-]+)*$/.test(name) && !/^[A-Z]{3}\d[A-Z]{3}$/.test(name)) return undefined
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    return undefined
  }
  const abbreviate = abbreviations(name)

  function offsetAt(seconds: number): number {
    const parts = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 }
    let isBefore = false
    for (const { type, value } of format.formatToParts(seconds * 1000)) {
      if (type in parts) parts[type as keyof typeof parts] = Number(value)
      if (type === 'era') isBefore = value.startsWith('B')
    }
    if (isBefore) parts.year = 1 - parts.year
    return utcSeconds(parts) - Math.floor(seconds)
  }

  return {
    at(seconds) {
      // Outside this range `Date` has no value; the offset of its end is as good as any.
      const known = Math.min(Math.max(seconds, -8.64e12), 8.64e12)
      const offset = offsetAt(known)
      return { offset, abbreviation: abbreviate(known, offset) }
    },
  }
}

/** Zones whose abbreviations no locale of `Intl` gives. */
const ownAbbreviations: Readonly<Record<string, string>> = {
  GMT: 'GMT',
  'Asia/Tokyo': 'JST',
  'Asia/Seoul': 'KST',
  'Asia/Shanghai': 'CST',
  'Asia/Chongqing': 'CST',
  'Asia/Taipei': 'CST',
  'Asia/Macau': 'CST',
  'Asia/Hong_Kong': 'HKT',
  'Asia/Manila': 'PST',
  'Asia/Kolkata': 'IST',
  'Asia/Calcutta': 'IST',
  'Asia/Karachi': 'PKT',
  'Asia/Jakarta': 'WIB',
  'Europe/Moscow': 'MSK',
  'Africa/Johannesburg': 'SAST',
  'Africa/Nairobi': 'EAT',
  'Africa/Lagos': 'WAT',
}

/** Zones with summer time of which the same is true: their abbreviations by offset. */
const ownByOffset: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'Europe/Dublin': { 0: 'GMT', 3600: 'IST' },
  'Asia/Jerusalem': { 7200: 'IST', 10800: 'IDT' },
  'Africa/Cairo': { 7200: 'EET', 10800: 'EEST' },
  'America/St_Johns': { [-12600]: 'NST', [-9000]: 'NDT' },
  'Pacific/Auckland': { 43200: 'NZST', 46800: 'NZDT' },
}

function abbreviations(name: string): (seconds: number, offset: number) => string {
  const own = ownAbbreviations[name]
  if (own !== undefined) return (_seconds, offset) => (offset % 900 === 0 ? own : 'LMT')
  const byOffset = ownByOffset[name]
  const locale = name.startsWith('Australia/') ? 'en-AU' : /^(Europe\/|[A-Z]{3}$)/.test(name) ? 'en-GB' : 'en-US'
  const format = new Intl.DateTimeFormat(locale, { timeZone: name, timeZoneName: 'short' })
  return (seconds, offset) => {
    if (offset % 900 !== 0) return 'LMT'
    const known = byOffset?.[offset]
    if (known !== undefined) return known
    const [short] = format
      .formatToParts(namedInstant(seconds, offset) * 1000)
      .filter(({ type }) => type === 'timeZoneName')
    const text = short?.value ?? ''
    return /^[A-Z]{3,5}$/.test(text) ? text : numericAbbreviation(offset)
  }

  /** `Intl` has no names for the time before 1970: a later instant with the same offset has. */
  function namedInstant(seconds: number, offset: number): number {
    if (seconds >= 0) return seconds
    const later = [Date.UTC(1999, 0) / 1000, Date.UTC(1999, 6) / 1000]
    return later.find((instant) => timeZone(name).at(instant).offset === offset) ?? seconds
  }
}

function numericAbbreviation(offset: number): string {
  return offsetText(offset).replace(/00$/, '')
}

const posixName = '([A-Za-z]{3,}|<[A-Za-z0-9+-]+>)'
const posixOffset = '([+-]?\\d{1,2})(?::(\\d{2}))?(?::(\\d{2}))?'
const posix = new RegExp(`^${posixName}${posixOffset}(?:${posixName}(?:${posixOffset})?(?:,(.+),(.+))?)?$`)

/** `EST5EDT,M3.2.0,M11.1.0`: the offset counts westwards. Without rules, those of the United States hold. */
function posixZone(name: string): TimeZone | undefined {
  const found = posix.exec(name)
  if (found === null) return undefined
  const [, standard = '', hours, minutes, seconds, summer, ownHours, ownMinutes, ownSeconds, from, to] = found
  const offset = westward(hours, minutes, seconds)
  const abbreviation = standard.replace(/[<>]/g, '')
  if (summer === undefined) return { at: () => ({ offset, abbreviation }) }
  const summerOffset = ownHours === undefined ? offset + 3600 : westward(ownHours, ownMinutes, ownSeconds)
  const start = switchRule(from ?? 'M3.2.0')
  const end = switchRule(to ?? 'M11.1.0')
  if (start === undefined || end === undefined) return undefined
  return {
    at(at) {
      const { year } = utcParts(at + offset)
      const begins = start(year) - offset
      const ends = end(year) - summerOffset
      const isSummer = begins < ends ? at >= begins && at < ends : at >= begins || at < ends
      return isSummer ? { offset: summerOffset, abbreviation: summer.replace(/[<>]/g, '') } : { offset, abbreviation }
    },
  }
}

function westward(hours = '0', minutes = '0', seconds = '0'): number {
  const size = Math.abs(Number(hours)) * 3600 + Number(minutes) * 60 + Number(seconds)
  return hours.startsWith('-') ? size : size === 0 ? 0 : -size
}

/** `Mmonth.week.day/time`: the local second of a year at which the clock is set. */
function switchRule(rule: string): ((year: number) => number) | undefined {
  const [, month, week, day, time = '2'] = /^M(\d+)\.(\d)\.(\d)(?:\/(.+))?$/.exec(rule) ?? []
  if (month === undefined) return undefined
  const [hours = '2', minutes = '0', seconds = '0'] = time.split(':')
  return (year) => {
    const first = utcSeconds({ year, month: Number(month), day: 1, hour: 0, minute: 0, second: 0 })
    const next = utcSeconds({ year, month: Number(month) + 1, day: 1, hour: 0, minute: 0, second: 0 })
    let at = first + ((Number(day) - weekday(first) + 7) % 7) * 86400
    for (let count = 1; count < Number(week) && at + 7 * 86400 < next; count += 1) at += 7 * 86400
    return at + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  }
}

function unknownZone(name: string): TimeZone {
  const [abbreviation = 'UTC'] = /^[A-Za-z]{3,}/.exec(name) ?? []
  return { at: () => ({ offset: 0, abbreviation }) }
}
