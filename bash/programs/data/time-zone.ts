/** Time zones as the variable `TZ` names them: IANA names through `Intl`, and POSIX forms such as `EST5` or `<+03>-3`. */

export interface ZoneTime {
  /** Seconds east of UTC. */
  offset: number
  /** For example `CET`. */
  abbreviation: string
}

/** The parts of a date, in no particular zone. `month` counts from 1. They may exceed their ranges. */
export interface DateParts {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
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

/** Days before the first of each month, in a year that is not a leap year. */
const monthStarts = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const

/** Seconds since the epoch of parts in UTC. */
export function utcSeconds({ year, month, day, hour, minute, second }: DateParts): number {
  const wholeYear = year + Math.floor((month - 1) / 12)
  const index = (((month - 1) % 12) + 12) % 12
  const leapDay = index >= 2 && isLeapYear(wholeYear) ? 1 : 0
  const days = daysBeforeYear(wholeYear) + (monthStarts[index] as number) + leapDay + day - 1
  return days * 86400 + hour * 3600 + minute * 60 + second
}

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
}

/** Days from the epoch to the first of January. */
function daysBeforeYear(year: number): number {
  const before = year - 1
  return 365 * (year - 1970) + Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400) - 477
}

export function partsAt(seconds: number, zone: TimeZone): DateParts & ZoneTime {
  const found = zone.at(seconds)
  return { ...utcParts(seconds + found.offset), ...found }
}

export function utcParts(seconds: number): DateParts {
  const whole = Math.floor(seconds)
  const days = Math.floor(whole / 86400)
  const rest = whole - days * 86400
  // The civil calendar repeats every 400 years: 146097 days.
  const shifted = days + 719468
  const era = Math.floor(shifted / 146097)
  const dayOfEra = shifted - era * 146097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
    hour: Math.floor(rest / 3600),
    minute: Math.floor(rest / 60) % 60,
    second: rest % 60,
  }
}

/** 0 is Sunday. */
export function weekday(seconds: number): number {
  return (((Math.floor(seconds / 86400) + 4) % 7) + 7) % 7
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
  const minutes = Math.floor(Math.abs(offset) / 60)
  const sign = offset < 0 ? '-' : '+'
  const rest = minutes % 60 === 0 ? '' : String(minutes % 60).padStart(2, '0')
  return `${sign}${String(Math.floor(minutes / 60)).padStart(2, '0')}${rest}`
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
