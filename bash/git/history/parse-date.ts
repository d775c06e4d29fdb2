/** Reads dates as git does: exact ones in the environment, and looser ones such as `2 weeks ago` for `--since`. */
import { minutesWest } from '../../../src/git/objects/person.js'
import { shortDayNames, shortMonthNames } from '../../../src/text/calendar.js'
import { entryOf } from '../../../src/text/entry-of.js'

export interface Moment {
  /** Seconds since 1970. */
  timestamp: number
  /** Minutes west of UTC. */
  timezoneOffset: number
}

const months = shortMonthNames.map((name) => name.toLowerCase())
const weekdays = shortDayNames.map((name) => name.toLowerCase())
const monthWord = `(${months.join('|')})[a-z]*`
const dayMonthYear = new RegExp(` (\\d{1,2})[ -]${monthWord}[ -](\\d{4})(?= )`, 'i')
const monthDay = new RegExp(` ${monthWord} (\\d{1,2})(?= )`, 'i')
const weekdayWord = new RegExp(` (?:${weekdays.join('|')})[a-z]*(?= )`, 'i')

/** An exact date; undefined when it is not one, or has no time of day. */
export function parseDate(given: string, nowSeconds: number): Moment | undefined {
  const text = given.trim()
  const [, seconds, sign, hours, minutes] = /^@?(\d{4,})(?: ([+-])(\d\d):?(\d\d))?$/.exec(text) ?? []
  if (seconds !== undefined && (text.startsWith('@') || seconds.length > 8 || sign !== undefined)) {
    return { timestamp: Number(seconds), timezoneOffset: minutesWest(sign, hours, minutes) }
  }
  if (text === 'now') return { timestamp: nowSeconds, timezoneOffset: 0 }
  const found = fieldsOf(text)
  if (found?.day === undefined || found.time === undefined) return undefined
  return moment(found.day, found.time, found.offset)
}

interface Fields {
  day?: readonly [year: number, month: number, day: number]
  time?: readonly [hour: number, minute: number, second: number]
  offset: number
}

/** The parts of a date; undefined when something is left that is not part of one. */
function fieldsOf(given: string): Fields | undefined {
  let text = ` ${given.replaceAll(',', ' ')} `
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    const found = pattern.exec(text)
    if (found === null) return undefined
    text = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`
    return found
  }
  const fields: Fields = { offset: 0 }
  const clock = take(/[T ](\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?=[ Z+-])/i)
  if (clock) fields.time = [Number(clock[1]), Number(clock[2]), Number(clock[3] ?? 0)]
  const iso = take(/ (\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?=[ TZ+-])/)
  const american = iso ? undefined : take(/ (\d{1,2})([/.])(\d{1,2})[/.](\d{4})(?= )/)
  const named = iso || american ? undefined : take(dayMonthYear)
  const plain = iso || american || named ? undefined : take(monthDay)
  if (iso) fields.day = [Number(iso[1]), Number(iso[2]), Number(iso[3])]
  else if (american) {
    const [first, second] = [Number(american[1]), Number(american[3])]
    const [month, day] = american[2] === '/' && first <= 12 ? [first, second] : [second, first]
    fields.day = [Number(american[4]), month, day]
  } else if (named) fields.day = [Number(named[3]), monthOf(named[2]), Number(named[1])]
  else if (plain) {
    const year = take(/ (\d{4})(?= )/)
    if (year) fields.day = [Number(year[1]), monthOf(plain[1]), Number(plain[2])]
  }
  const zone = take(/ ?([+-])(\d\d):?(\d\d)(?= )/)
  if (zone) fields.offset = minutesWest(zone[1], zone[2], zone[3])
  else take(/ ?(z|utc|gmt)(?= )/i)
  take(weekdayWord)
  return text.trim() === '' ? fields : undefined
}

function monthOf(name = ''): number {
  return months.indexOf(name.slice(0, 3).toLowerCase()) + 1
}

function moment(
  [year, month, day]: NonNullable<Fields['day']>,
  [hour, minute, second]: NonNullable<Fields['time']>,
  timezoneOffset: number,
): Moment | undefined {
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 24 || minute > 59 || second > 60) return undefined
  const timestamp = Date.UTC(year, month - 1, day, hour, minute, second) / 1000 + timezoneOffset * 60
  return { timestamp, timezoneOffset }
}

const unitSeconds: Record<string, number> = {
  second: 1,
  sec: 1,
  minute: 60,
  min: 60,
  hour: 3600,
  day: 86400,
  week: 604800,
}

const numberWords = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** The seconds of a date for `--since` and `--until`; undefined when it is not understood. */
export function parseApproximateDate(given: string, nowSeconds: number): number | undefined {
  const exact = parseDate(given, nowSeconds)
  if (exact !== undefined) return exact.timestamp
  const text = given.trim().toLowerCase()
  const now = new Date(nowSeconds * 1000)
  const fields = fieldsOf(text)
  if (fields?.day !== undefined) {
    const time = [now.getUTCHours(), now.getUTCMinutes(), now.getUTCSeconds()] as const
    return moment(fields.day, time, 0)?.timestamp
  }
  if (/^\d+$/.test(text)) return undefined
  return relative(text.split(/[\s._]+/), now)
}

/** Words such as `yesterday`, `noon`, `3 days ago` and `last monday`. */
function relative(words: readonly string[], now: Date): number | undefined {
  let at = new Date(now)
  let count: number | undefined
  for (const word of words) {
    if (word === '' || word === 'ago' || word === 'at' || word === 'now' || word === 'and') continue
    if (word === 'today') continue
    if (word === 'yesterday') at = new Date(at.getTime() - 86_400_000)
    else if (word === 'noon' || word === 'midnight' || word === 'tea') {
      const hour = word === 'noon' ? 12 : word === 'tea' ? 17 : 0
      if (at.getUTCHours() < hour) at = new Date(at.getTime() - 86_400_000)
      at.setUTCHours(hour, 0, 0, 0)
    } else if (/^\d+$/.test(word)) count = Number(word)
    else if (numberWords.includes(word)) count = numberWords.indexOf(word)
    else if (word === 'a' || word === 'an' || word === 'last') count = 1
    else if (/^\d{1,2}:\d\d(:\d\d)?$/.test(word)) {
      const [hour = 0, minute = 0, second = 0] = word.split(':').map(Number)
      at.setUTCHours(hour, minute, second, 0)
    } else {
      const moved = byUnit(at, word, count)
      if (moved === undefined) return undefined
      at = moved
      count = undefined
    }
  }
  return count === undefined ? Math.floor(at.getTime() / 1000) : undefined
}

function byUnit(at: Date, word: string, count: number | undefined): Date | undefined {
  const day = weekdays.findIndex((each) => word.startsWith(each) && word.length >= 3 && /^[a-z]+$/.test(word))
  if (day >= 0 && /^(sun|mon|tue|tues|wed|wednes|thu|thurs|fri|sat|satur)(day)?s?$/.test(word)) {
    const back = (at.getUTCDay() - day + 7) % 7 || 7
    return new Date(at.getTime() - (back + 7 * ((count ?? 1) - 1)) * 86_400_000)
  }
  const unit = word.replace(/s$/, '')
  const seconds = entryOf(unitSeconds, unit)
  if (seconds !== undefined) return new Date(at.getTime() - (count ?? 1) * seconds * 1000)
  const moved = new Date(at)
  if (unit === 'month') moved.setUTCMonth(moved.getUTCMonth() - (count ?? 1))
  else if (unit === 'year') moved.setUTCFullYear(moved.getUTCFullYear() - (count ?? 1))
  else return undefined
  return moved
}
