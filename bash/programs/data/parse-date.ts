/** Free-form dates as GNU programs read them: `2024-01-15 + 3 days`, `next friday`, `@123`, `yesterday 10:00`. */
import { type DateParts, utcParts, utcSeconds, weekday } from '../../../src/text/calendar.js'
import { type DateUnit, dateWord, type WordToken } from './date-words.js'
import { localSeconds, partsAt, type TimeZone, timeZone } from './time-zone.js'

export interface DateContext {
  /** Milliseconds since the epoch. */
  now: number
  /** A value of `TZ`. Absent: UTC. */
  timeZone?: string | undefined
}

export interface ExactTime {
  seconds: number
  nanoseconds: number
}

/** Milliseconds since the epoch, or undefined when the text is not a date. */
export function parseDate(text: string, context: DateContext): number | undefined {
  const exact = parseExactDate(text, context)
  return exact && exact.seconds * 1000 + exact.nanoseconds / 1e6
}

export function parseExactDate(text: string, context: DateContext): ExactTime | undefined {
  const { rest, zoneName } = ownZone(text.trim(), context.timeZone)
  const zone = timeZone(zoneName)
  const stamp = /^@\s*([+-]?\s*\d+)(?:[.,](\d+))?$/.exec(rest)
  if (stamp !== null) return timestamp(stamp[1] as string, stamp[2] ?? '')
  const tokens = tokenize(rest, zone, context.now)
  const found = tokens && readItems(tokens)
  return found && resolve(found, zone, context.now)
}

/** A text may begin with its own `TZ="…"`. */
function ownZone(text: string, zoneName: string | undefined): { rest: string; zoneName: string | undefined } {
  const [all, own] = /^TZ="((?:[^"\\]|\\["\\])*)"\s*/.exec(text) ?? []
  if (all === undefined || own === undefined) return { rest: text, zoneName }
  return { rest: text.slice(all.length), zoneName: own.replace(/\\(.)/g, '$1') }
}

function timestamp(whole: string, fraction: string): ExactTime {
  const nanoseconds = nanosecondsOf(fraction)
  const seconds = Number(whole.replace(/\s/g, ''))
  if (!whole.startsWith('-') || nanoseconds === 0) return { seconds, nanoseconds }
  return { seconds: seconds - 1, nanoseconds: 1e9 - nanoseconds }
}

function nanosecondsOf(fraction: string): number {
  return Number(fraction.slice(0, 9).padEnd(9, '0'))
}

type Token =
  | WordToken
  | { kind: 'number'; value: number; digits: number; fraction?: number }
  | { kind: 'signed'; value: number; digits: number; negative: boolean; fraction?: number }
  | { kind: ':' | '/' | ',' }

function tokenize(text: string, zone: TimeZone, now: number): Token[] | undefined {
  const { year } = utcParts(now / 1000)
  const localZones = [1, 7].map(
    (month) => zone.at(utcSeconds({ year, month, day: 1, hour: 0, minute: 0, second: 0 })).abbreviation,
  )
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const rest = text.slice(at)
    const [space] = /^\s+/.exec(rest) ?? []
    if (space !== undefined) {
      at += space.length
      continue
    }
    const number = /^([+-]?)(\s*)(\d+)(?:[.,](\d+))?/.exec(rest)
    if (number !== null && (number[1] !== '' || number[2] === '')) {
      tokens.push(numberToken(number))
      at += number[0].length
      continue
    }
    const [word] = /^[A-Za-z][A-Za-z.]*/.exec(rest) ?? []
    if (word !== undefined) {
      const token = dateWord(word, localZones)
      if (token === undefined) return undefined
      tokens.push(token)
      at += word.length
      continue
    }
    const character = rest[0]
    if (character === '(') {
      at += commentLength(rest)
      continue
    }
    // A sign without a number is skipped.
    if (character === '-' || character === '+') {
      at += 1
      continue
    }
    if (character !== ':' && character !== '/' && character !== ',') return undefined
    tokens.push({ kind: character })
    at += 1
  }
  return tokens
}

function numberToken([, sign = '', , digits = '', fraction]: RegExpExecArray): Token {
  const decimal = fraction === undefined ? {} : { fraction: nanosecondsOf(fraction) }
  if (sign === '') return { kind: 'number', value: Number(digits), digits: digits.length, ...decimal }
  const negative = sign === '-'
  return {
    kind: 'signed',
    value: negative ? -Number(digits) : Number(digits),
    digits: digits.length,
    negative,
    ...decimal,
  }
}

function commentLength(text: string): number {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0) return at + 1
  }
  return text.length
}

/** What the items of a text say. */
interface Items {
  date?: { year?: { value: number; digits: number }; month: number; day: number }
  time?: { hour: number; minute: number; second: number; nanoseconds: number; meridian?: 'AM' | 'PM' }
  day?: { ordinal: number; value: number }
  /** Seconds east of UTC. */
  zone?: number
  /** An abbreviation of the own zone, which has to be the one in force. */
  localZone?: string
  relative?: Record<DateUnit, number> & { nanoseconds: number }
  dates: number
  times: number
  days: number
  zones: number
}

/** Reads items as GNU's grammar does, which takes the longest item with one token of lookahead. */
function readItems(tokens: readonly Token[]): Items | undefined {
  const items: Items = { dates: 0, times: 0, days: 0, zones: 0 }
  let at = 0
  const kind = (offset = 0) => tokens[at + offset]?.kind
  const numberAt = (offset: number) => {
    const token = tokens[at + offset]
    return token?.kind === 'number' || token?.kind === 'signed' ? token : undefined
  }

  function setDate(month: number, day: number, year?: { value: number; digits: number }): void {
    items.dates += 1
    items.date = { month, day, ...(year && { year }) }
  }

  function setTime(hour: number, minute = 0, second = 0, nanoseconds = 0): void {
    items.times += 1
    items.time = { hour, minute, second, nanoseconds }
  }

  function setZone(seconds: number): void {
    items.zones += 1
    items.zone = seconds
  }

  function addRelative(unit: DateUnit, amount: number, nanoseconds = 0): void {
    items.relative ??= { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, nanoseconds: 0 }
    items.relative[unit] += amount
    items.relative.nanoseconds += nanoseconds
  }

  /** `+hh`, `+hhmm` or `+hh:mm` at the present token. */
  function readZoneOffset(): boolean {
    const token = tokens[at]
    if (token?.kind !== 'signed' || token.fraction !== undefined) return false
    const size = Math.abs(token.value)
    let minutes = token.digits <= 2 ? size * 60 : Math.floor(size / 100) * 60 + (size % 100)
    at += 1
    const colonMinutes = kind() === ':' ? numberAt(1) : undefined
    if (colonMinutes?.kind === 'number') {
      minutes = size * 60 + colonMinutes.value
      at += 2
    }
    if (minutes > 24 * 60) return false
    items.zone = (items.zone ?? 0) + (token.negative ? -minutes : minutes) * 60
    return true
  }

  function readTimeZone(): boolean {
    if (kind() !== 'signed') return true
    items.zones += 1
    delete items.zone
    return readZoneOffset()
  }

  /** A unit at `offset` with the number before it. */
  function readRelative(offset: number, amount: number, nanoseconds = 0): boolean {
    const token = tokens[at + offset]
    if (token?.kind !== 'unit') return false
    if (nanoseconds !== 0 && token.unit !== 'second') return false
    const ago = tokens[at + offset + 1]
    const factor = ago?.kind === 'ago' ? ago.value : 1
    addRelative(token.unit, amount * token.value * factor, nanoseconds * factor)
    at += offset + (ago?.kind === 'ago' ? 2 : 1)
    return true
  }

  function readClock(first: { value: number }): boolean {
    const minute = numberAt(2)
    if (minute?.kind !== 'number' || minute.fraction !== undefined) return false
    const second = kind(3) === ':' ? numberAt(4) : undefined
    if (kind(3) === ':' && second?.kind !== 'number') return false
    setTime(first.value, minute.value, second?.value, second?.fraction)
    at += second === undefined ? 3 : 5
    const meridian = tokens[at]
    if (meridian?.kind === 'meridian' && items.time !== undefined) {
      items.time.meridian = meridian.value
      at += 1
      return true
    }
    return readTimeZone()
  }

  function readSlashes(first: { value: number; digits: number }): boolean {
    const second = numberAt(2)
    if (second?.kind !== 'number') return false
    const third = kind(3) === '/' ? numberAt(4) : undefined
    if (kind(3) === '/' && third?.kind !== 'number') return false
    if (third === undefined) setDate(first.value, second.value)
    else if (first.digits >= 4) setDate(second.value, third.value, first)
    else setDate(first.value, second.value, third)
    at += third === undefined ? 3 : 5
    return true
  }

  function readNumber(token: Token & { kind: 'number' }): boolean {
    const next = tokens[at + 1]
    if (token.fraction !== undefined) return readRelative(1, token.value, token.fraction)
    if (next?.kind === ':') return readClock(token)
    if (next?.kind === '/') return readSlashes(token)
    if (next?.kind === 'unit') return readRelative(1, token.value)
    if (next?.kind === 'meridian') {
      setTime(token.value)
      if (items.time !== undefined) items.time.meridian = next.value
      at += 2
      return true
    }
    if (next?.kind === 'day') {
      items.days += 1
      items.day = { ordinal: token.value, value: next.value }
      at += 2
      return true
    }
    if (next?.kind === 'month') {
      const year = numberAt(2)
      setDate(next.value, token.value, year && { value: Math.abs(year.value), digits: year.digits })
      at += year === undefined ? 2 : 3
      return true
    }
    if (next?.kind === 'signed') return readNumberAndSigned(token, next)
    bareNumber(token)
    at += 1
    return true
  }

  /** `2024-01-15`, a number with a relative item, or an hour with a zone. */
  function readNumberAndSigned(token: Token & { kind: 'number' }, next: Token & { kind: 'signed' }): boolean {
    const third = tokens[at + 2]
    if (third?.kind === 'signed') {
      setDate(Math.abs(next.value), Math.abs(third.value), token)
      if (!next.negative || !third.negative) return false
      at += 3
      if (kind() !== 'T') return true
      at += 1
      const time = numberAt(0)
      if (time?.kind !== 'number') return false
      if (kind(1) === ':') return readClock(time)
      if (kind(1) !== 'signed') return false
      setTime(time.value)
      at += 1
      return readTimeZone()
    }
    if (third?.kind === 'unit') {
      bareNumber(token)
      at += 1
      return true
    }
    setTime(token.value)
    at += 1
    return readTimeZone()
  }

  function bareNumber({ value, digits }: { value: number; digits: number }): void {
    if (items.date && !items.date.year && !items.relative && (items.times > 0 || digits > 2)) {
      items.date.year = { value, digits }
    } else if (digits > 4) {
      setDate(Math.floor(value / 100) % 100, value % 100, { value: Math.floor(value / 10000), digits: digits - 4 })
    } else if (digits <= 2) setTime(value)
    else setTime(Math.floor(value / 100), value % 100)
  }

  function readMonth(month: number): boolean {
    const day = numberAt(1)
    if (day?.kind === 'signed') {
      const year = numberAt(2)
      if (year?.kind !== 'signed') return false
      setDate(month, Math.abs(day.value), { value: Math.abs(year.value), digits: year.digits })
      at += 3
      return true
    }
    if (day === undefined) return false
    const year = kind(2) === ',' ? numberAt(3) : undefined
    if (kind(2) === ',' && year?.kind !== 'number') return false
    setDate(month, day.value, year)
    at += year === undefined ? 2 : 4
    return true
  }

  function readZone(offset: number): boolean {
    setZone(offset)
    at += 1
    if (kind() === 'dst') {
      setOffsetLater(3600)
      at += 1
      return true
    }
    if (kind() !== 'signed' || kind(1) === 'unit') return true
    return readZoneOffset()
  }

  function setOffsetLater(seconds: number): void {
    items.zone = (items.zone ?? 0) + seconds
  }

  function readOrdinal(value: number): boolean {
    const next = tokens[at + 1]
    if (next?.kind === 'unit') return readRelative(1, value)
    if (next?.kind !== 'day') return false
    items.days += 1
    items.day = { ordinal: value, value: next.value }
    at += 2
    return true
  }

  function readItem(token: Token): boolean {
    switch (token.kind) {
      case 'number':
        return readNumber(token)
      case 'signed':
        return readRelative(1, token.value, token.negative ? -(token.fraction ?? 0) : token.fraction)
      case 'unit':
        return readRelative(0, 1)
      case 'month':
        return readMonth(token.value)
      case 'zone':
        return readZone(token.value)
      case 'T':
        return readZone(-7 * 3600)
      case 'ordinal':
        return readOrdinal(token.value)
      case 'localZone':
        at += kind(1) === 'dst' ? 2 : 1
        items.zones += 1
        items.localZone = token.abbreviation
        return true
      case 'dayShift':
        addRelative('day', token.value)
        at += 1
        return true
      case 'day':
        items.days += 1
        items.day = { ordinal: 0, value: token.value }
        at += kind(1) === ',' ? 2 : 1
        return true
      default:
        return false
    }
  }

  while (at < tokens.length) if (!readItem(tokens[at] as Token)) return undefined
  return items.dates > 1 || items.times > 1 || items.days > 1 || items.zones > 1 ? undefined : items
}

function resolve(items: Items, zone: TimeZone, now: number): ExactTime | undefined {
  const present = partsAt(now / 1000, zone)
  const keepsTime = items.relative !== undefined && items.dates === 0 && items.days === 0
  const parts: DateParts = {
    year: yearOf(items.date?.year) ?? present.year,
    month: items.date?.month ?? present.month,
    day: items.date?.day ?? present.day,
    hour: 0,
    minute: 0,
    second: 0,
  }
  let nanoseconds = 0
  if (items.time !== undefined) {
    const hour = hourOf(items.time.hour, items.time.meridian)
    if (hour === undefined) return undefined
    Object.assign(parts, { hour, minute: items.time.minute, second: items.time.second })
    nanoseconds = items.time.nanoseconds
  } else if (keepsTime) {
    Object.assign(parts, { hour: present.hour, minute: present.minute, second: present.second })
    nanoseconds = Math.floor((((now % 1000) + 1000) % 1000) * 1e6)
  }
  const given = items.zone
  const toSeconds = (of: DateParts) => (given === undefined ? localSeconds(of, zone) : utcSeconds(of) - given)
  const toParts = (seconds: number) => (given === undefined ? partsAt(seconds, zone) : utcParts(seconds + given))
  let seconds = toSeconds(parts)
  if (!isSame(toParts(seconds), parts)) return undefined
  if (items.localZone !== undefined && zone.at(seconds).abbreviation !== items.localZone) return undefined
  if (items.day !== undefined && items.dates === 0) {
    const current = weekday(utcSeconds(parts))
    const { ordinal, value } = items.day
    parts.day += ((value - current + 7) % 7) + 7 * (ordinal - (ordinal > 0 && current !== value ? 1 : 0))
    seconds = toSeconds(parts)
  }
  const { relative } = items
  if (relative === undefined) return { seconds, nanoseconds }
  if (relative.year !== 0 || relative.month !== 0 || relative.day !== 0) {
    parts.year += relative.year
    parts.month += relative.month
    parts.day += relative.day
    // Without a date or time of its own, the summer time of now is kept.
    const keepsOffset = keepsTime && items.time === undefined && given === undefined
    seconds = keepsOffset ? utcSeconds(parts) - present.offset : toSeconds(parts)
  }
  seconds += relative.hour * 3600 + relative.minute * 60 + relative.second
  nanoseconds += relative.nanoseconds
  const carried = Math.floor(nanoseconds / 1e9)
  return { seconds: seconds + carried, nanoseconds: nanoseconds - carried * 1e9 }
}

function yearOf(year: { value: number; digits: number } | undefined): number | undefined {
  if (year === undefined) return undefined
  return year.digits === 2 ? year.value + (year.value < 69 ? 2000 : 1900) : year.value
}

function hourOf(hour: number, meridian: 'AM' | 'PM' | undefined): number | undefined {
  if (meridian === undefined) return hour < 24 ? hour : undefined
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (meridian === 'PM' ? 12 : 0)
}

function isSame(one: DateParts, other: DateParts): boolean {
  const keys = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
  return keys.every((key) => one[key] === other[key])
}
