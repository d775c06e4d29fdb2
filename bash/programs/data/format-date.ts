/** Dates as `date +FORMAT` prints them, in the locale C. */
import {
  type DateParts,
  dayNames,
  dayOfYear,
  isoWeek,
  monthNames,
  offsetText,
  shortDayNames,
  shortMonthNames,
  utcSeconds,
  weekday,
} from '../../../src/text/calendar.js'
import { partsAt, type TimeZone, type ZoneTime } from './time-zone.js'

export interface FormattedTime extends DateParts, ZoneTime {
  /** Since the epoch. */
  seconds: number
  nanoseconds: number
}

const directive = /%([-_0+^#]*)(\d*)([EO]?)(:{0,3})([A-Za-z%+])/g

/** A directive that is not known stays as it is. */
export function formatDate(format: string, time: FormattedTime): string {
  return format.replace(directive, (all, flags: string, width: string, _modifier, colons: string, letter: string) => {
    if (colons !== '' && letter !== 'z') return all
    const field = fieldOf(letter, colons.length, time, flags)
    if (field === undefined) return all
    return shape(field, flags, width)
  })
}

/** As the function of the C library, which knows no nanoseconds. */
export function strftime(format: string, seconds: number, zone: TimeZone): string {
  const known = format.replace(/%[%N]/g, (directive) => (directive === '%N' ? '%%N' : directive))
  return formatDate(known, { ...partsAt(seconds, zone), seconds, nanoseconds: 0 })
}

type Field = string | { value: number; width: number; pad?: ' ' | '0' } | { digits: string } | { zone: string }

function fieldOf(letter: string, colons: number, time: FormattedTime, flags: string): Field | undefined {
  const { year, month, day, hour, minute, second } = time
  const dayOfWeek = weekday(utcSeconds(time))
  const number = (value: number, width = 2, pad: ' ' | '0' = '0') => ({ value, width, pad })
  const inner = (format: string) => formatDate(format, time)
  switch (letter) {
    case '%':
      return '%'
    case 'n':
      return '\n'
    case 't':
      return '\t'
    case 'a':
      return shortDayNames[dayOfWeek]
    case 'A':
      return dayNames[dayOfWeek]
    case 'b':
    case 'h':
      return shortMonthNames[month - 1]
    case 'B':
      return monthNames[month - 1]
    case 'c':
      return inner('%a %b %e %H:%M:%S %Y')
    case 'C':
      return number(Math.floor(year / 100))
    case 'd':
      return number(day)
    case 'D':
    case 'x':
      return inner('%m/%d/%y')
    case 'e':
      return number(day, 2, ' ')
    case 'F':
      return inner('%Y-%m-%d')
    case 'g':
      return number(((isoWeek(time).year % 100) + 100) % 100)
    case 'G':
      return number(isoWeek(time).year, 4)
    case 'H':
      return number(hour)
    case 'I':
      return number(hour % 12 === 0 ? 12 : hour % 12)
    case 'j':
      return number(dayOfYear(time), 3)
    case 'k':
      return number(hour, 2, ' ')
    case 'l':
      return number(hour % 12 === 0 ? 12 : hour % 12, 2, ' ')
    case 'm':
      return number(month)
    case 'M':
      return number(minute)
    case 'N':
      return { digits: String(time.nanoseconds).padStart(9, '0') }
    case 'p':
      return flags.includes('#') ? (hour < 12 ? 'am' : 'pm') : hour < 12 ? 'AM' : 'PM'
    case 'P':
      return hour < 12 ? 'am' : 'pm'
    case 'q':
      return number(Math.ceil(month / 3), 1)
    case 'r':
      return inner('%I:%M:%S %p')
    case 'R':
      return inner('%H:%M')
    case 's':
      return number(time.seconds, 1)
    case 'S':
      return number(second)
    case 'T':
    case 'X':
      return inner('%H:%M:%S')
    case 'u':
      return number(dayOfWeek === 0 ? 7 : dayOfWeek, 1)
    case 'U':
      return number(Math.floor((dayOfYear(time) + 6 - dayOfWeek) / 7))
    case 'V':
      return number(isoWeek(time).week)
    case 'w':
      return number(dayOfWeek, 1)
    case 'W':
      return number(Math.floor((dayOfYear(time) + 6 - ((dayOfWeek + 6) % 7)) / 7))
    case 'y':
      return number(((year % 100) + 100) % 100)
    case 'Y':
      return number(year, 4)
    case 'z':
      return { zone: zoneText(time.offset, colons) }
    case 'Z':
      return flags.includes('#') ? time.abbreviation.toLowerCase() : time.abbreviation
    default:
      return undefined
  }
}

function shape(field: Field, flags: string, width: string): string {
  const padding = [...flags].filter((flag) => '-_0+'.includes(flag)).at(-1)
  const wanted = Number(width)
  if (typeof field === 'string') return shapeText(field, flags, padding, wanted)
  if ('digits' in field) return shapeNanoseconds(field.digits, width)
  if ('zone' in field) return shapeZone(field.zone, padding, wanted)
  const pad = padding === '_' ? ' ' : padding === '0' || padding === '+' ? '0' : (field.pad ?? '0')
  const text = String(Math.abs(field.value))
  const sign = field.value < 0 ? '-' : ''
  if (padding === '-') return sign + text
  const size = Math.max(wanted, width === '' ? field.width : 0) - sign.length
  return pad === ' ' ? (sign + text).padStart(size + sign.length, ' ') : sign + text.padStart(size, '0')
}

function shapeText(text: string, flags: string, padding: string | undefined, width: number): string {
  const upper = !/^[ap]m$/.test(text) && (flags.includes('^') || (flags.includes('#') && !/^[a-z]+$|[ \d]/.test(text)))
  const shown = upper ? text.toUpperCase() : text
  return padding === '-' ? shown : shown.padStart(width, padding === '0' || padding === '+' ? '0' : ' ')
}

/** `%3N` is milliseconds: the width cuts on the right. */
function shapeNanoseconds(digits: string, width: string): string {
  return width === '' ? digits : digits.slice(0, Number(width)).padEnd(Number(width), '0')
}

function shapeZone(text: string, padding: string | undefined, width: number): string {
  if (padding === '-') return text.replace(/^([+-])0(?=\d)/, '$1')
  if (padding === '_') return text.replace(/^([+-])0(?=\d)/, ' $1').padStart(width, ' ')
  return text[0] + text.slice(1).padStart(width - 1, '0')
}

function zoneText(offset: number, colons: number): string {
  if (colons === 0) return offsetText(offset)
  const text = offsetText(offset, ':')
  if (colons === 1) return text
  const seconds = String(Math.abs(offset) % 60).padStart(2, '0')
  if (colons === 2 || seconds !== '00') return `${text}:${seconds}`
  return text.replace(/:00$/, '')
}
