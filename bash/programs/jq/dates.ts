/** Dates: broken-down times are arrays as those of C, with months from 0 and a day of the week and of the year. */
import {
  type DateParts,
  dayNames,
  dayOfYear,
  monthNames,
  utcParts,
  utcSeconds,
  weekday,
} from '../../../src/text/calendar.js'
import { formatDate } from '../data/format-date.js'
import { localSeconds, partsAt, timeZone } from '../data/time-zone.js'
import { JqError, type Json } from './values.js'

export function brokenDown(value: Json, zoneName: string | undefined, name: string): Json[] {
  if (typeof value !== 'number') throw new JqError(`${name}() requires numeric inputs`)
  const parts = partsAt(Math.floor(value), timeZone(zoneName))
  const fraction = value - Math.floor(value)
  return asArray({ ...parts, second: parts.second + fraction })
}

function asArray(parts: DateParts): Json[] {
  const { year, month, day, hour, minute, second } = parts
  return [year, month - 1, day, hour, minute, second, weekday(utcSeconds(parts)), dayOfYear(parts) - 1]
}

export function formatTime(value: Json, format: Json, zoneName: string | undefined, name: string): string {
  const broken = typeof value === 'number' ? brokenDown(value, zoneName, name) : value
  if (!Array.isArray(broken)) throw new JqError(`${name}/1 requires parsed datetime inputs`)
  if (typeof format !== 'string') throw new JqError(`${name}/1 requires a string format`)
  const parts = partsOf(broken, name)
  const zone = timeZone(zoneName)
  const seconds = zoneName === undefined ? utcSeconds(parts) : localSeconds(parts, zone)
  const { offset, abbreviation } = zone.at(seconds)
  return formatDate(format, { ...parts, offset, abbreviation, seconds, nanoseconds: 0 })
}

function partsOf(broken: readonly Json[], name: string) {
  if (broken.length < 6 || broken.slice(0, 6).some((item) => typeof item !== 'number')) {
    throw new JqError(`${name}${name === 'mktime' ? '' : '/1'} requires parsed datetime inputs`)
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = broken as number[]
  return utcParts(
    utcSeconds({
      year: Math.trunc(year),
      month: Math.trunc(month) + 1,
      day: Math.trunc(day),
      hour: Math.trunc(hour),
      minute: Math.trunc(minute),
      second: Math.trunc(second),
    }),
  )
}

export function makeTime(value: Json): number {
  if (!Array.isArray(value)) throw new JqError('mktime requires array inputs')
  if (value.slice(0, 6).some((item) => typeof item !== 'number')) {
    throw new JqError('mktime requires parsed datetime inputs')
  }
  return utcSeconds(partsOf(value, 'mktime'))
}

/** As `strptime` of the C library. */
export function parseTime(value: Json, format: Json): Json[] {
  if (typeof value !== 'string') throw new JqError(`strptime/1 requires string inputs and arguments`)
  if (typeof format !== 'string') throw new JqError('strptime/1 requires string inputs and arguments')
  const found = { year: 1900, month: 1, day: 0, hour: 0, minute: 0, second: 0 }
  let isAfternoon: boolean | undefined
  let epoch: number | undefined
  let yearDay: number | undefined
  let rest = value
  const fail = (): never => {
    throw new JqError(`date "${value}" does not match format "${format}"`)
  }
  const number = (digits: number): number => {
    const [text] = new RegExp(`^\\s*[+-]?\\d{1,${digits}}`).exec(rest) ?? []
    if (text === undefined) return fail()
    rest = rest.slice(text.length)
    return Number(text)
  }
  const name = (names: readonly string[]): number => {
    const lower = rest.toLowerCase()
    for (const [index, long] of names.entries()) {
      for (const text of [long.toLowerCase(), long.slice(0, 3).toLowerCase()]) {
        if (!lower.startsWith(text)) continue
        rest = rest.slice(text.length)
        return index
      }
    }
    return fail()
  }
  const literal = (text: string) => {
    if (!rest.startsWith(text)) fail()
    rest = rest.slice(text.length)
  }
  const read = (letters: string): void => {
    for (let at = 0; at < letters.length; at += 1) {
      const character = letters[at] as string
      if (/\s/.test(character)) {
        rest = rest.trimStart()
        continue
      }
      if (character !== '%') {
        literal(character)
        continue
      }
      at += 1
      while (/[-_0^#EO]/.test(letters[at] ?? '')) at += 1
      directive(letters[at] ?? '')
    }
  }
  const directive = (letter: string): void => {
    if (letter === 'Y') found.year = number(4)
    else if (letter === 'm') found.month = number(2)
    else if (letter === 'd' || letter === 'e') found.day = number(2)
    else if (letter === 'H' || letter === 'k') found.hour = number(2)
    else if (letter === 'I' || letter === 'l') found.hour = number(2) % 12
    else if (letter === 'M') found.minute = number(2)
    else if (letter === 'S') found.second = number(2)
    else if (letter === 'j') yearDay = number(3)
    else if (letter === 'y') {
      const short = number(2)
      found.year = short < 69 ? 2000 + short : 1900 + short
    } else if (letter === 'a' || letter === 'A') name(dayNames)
    else if (letter === 'b' || letter === 'B' || letter === 'h') found.month = name(monthNames) + 1
    else if (letter === 'p') isAfternoon = name(['AM', 'PM']) === 1
    else if (letter === 's') epoch = number(20)
    else if (letter === 'u' || letter === 'w') number(1)
    else if (letter === 'T') read('%H:%M:%S')
    else if (letter === 'R') read('%H:%M')
    else if (letter === 'D') read('%m/%d/%y')
    else if (letter === 'F') read('%Y-%m-%d')
    else if (letter === 'c') read('%a %b %e %H:%M:%S %Y')
    else if (letter === 'n' || letter === 't') rest = rest.trimStart()
    else if (letter === '%') literal('%')
    else if (letter === 'Z') rest = rest.replace(/^[A-Za-z]*/, '')
    else if (letter === 'z') {
      const [text] = /^\s*(?:Z|[+-]\d{2}(?::?\d{2})?)/.exec(rest) ?? []
      if (text === undefined) fail()
      else rest = rest.slice(text.length)
    } else fail()
  }
  read(format)
  if (rest !== '') fail()
  if (
    found.month < 1 ||
    found.month > 12 ||
    found.day > 31 ||
    found.hour > 24 ||
    found.minute > 59 ||
    found.second > 61
  ) {
    fail()
  }
  if (isAfternoon) found.hour += 12
  if (epoch !== undefined) return brokenDown(epoch, undefined, 'strptime')
  if (yearDay !== undefined && found.day === 0) Object.assign(found, { month: 1, day: yearDay })
  // Without a day of the month, the other days are not computed.
  if (found.day < 1)
    return [...asArray({ ...found, day: 1 }).slice(0, 2), found.day, found.hour, found.minute, found.second, 8, 367]
  return asArray(found)
}
