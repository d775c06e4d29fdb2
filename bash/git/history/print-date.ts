/** Prints dates in the forms of `--date=`. */

import type { Person } from '../../../src/git/objects/objects.js'
import { dayNames, monthNames } from '../../../src/text/calendar.js'
import { entryOf } from '../../../src/text/entry-of.js'
import { strftime } from '../../programs/data/format-date.js'
import { fatal } from '../git-error.js'

const days = dayNames.map((name) => name.slice(0, 3))
const months = monthNames.map((name) => name.slice(0, 3))

type When = Pick<Person, 'timestamp' | 'timezoneOffset'>

/** A printer for the value of `--date`; fails for a form that git does not have. */
export function datePrinter(form: string, nowSeconds: number): (when: When) => string {
  const [, format] = /^format(?:-local)?:(.*)$/s.exec(form) ?? []
  const isLocal = /^(?:[a-z0-9]+-local|format-local:.*|local)$/s.test(form)
  const name = form.replace(/-local$/, '')
  const local = (when: When): When => (isLocal ? { ...when, timezoneOffset: 0 } : when)
  if (format !== undefined) return (when) => formatted(format, local(when))
  const print = entryOf(printers, name)
  if (name === 'relative') return (when) => relativeDate(when.timestamp, nowSeconds)
  if (name === 'human') return (when) => humanDate(when, nowSeconds)
  if (name === 'default' && isLocal) return (when) => defaultDate(local(when), false)
  if (name === 'local') return (when) => defaultDate(local(when), false)
  if (print === undefined) throw fatal(`unknown date format ${form}`)
  return (when) => print(local(when))
}

const printers: Record<string, (when: When) => string> = {
  default: (when) => defaultDate(when, true),
  normal: (when) => defaultDate(when, true),
  iso: isoDate,
  iso8601: isoDate,
  'iso-strict': isoStrict,
  'iso8601-strict': isoStrict,
  rfc: rfcDate,
  rfc2822: rfcDate,
  short: shortDate,
  raw: (when) => `${when.timestamp} ${zone(when)}`,
  unix: ({ timestamp }) => `${timestamp}`,
}

export function rfcDate(when: When): string {
  const at = inZone(when)
  return `${days[at.getUTCDay()]}, ${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()} ${clock(when)} ${zone(when)}`
}

export function isoDate(when: When): string {
  return `${shortDate(when)} ${clock(when)} ${zone(when)}`
}

function inZone({ timestamp, timezoneOffset }: When): Date {
  return new Date((timestamp - timezoneOffset * 60) * 1000)
}

const two = (value: number) => `${value}`.padStart(2, '0')

function zone({ timezoneOffset }: When): string {
  const minutes = Math.abs(timezoneOffset)
  return `${timezoneOffset > 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`
}

function clock(when: When): string {
  const at = inZone(when)
  return `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`
}

function defaultDate(when: When, withZone: boolean): string {
  const at = inZone(when)
  const text = `${days[at.getUTCDay()]} ${months[at.getUTCMonth()]} ${at.getUTCDate()} ${clock(when)} ${at.getUTCFullYear()}`
  return withZone ? `${text} ${zone(when)}` : text
}

function shortDate(when: When): string {
  const at = inZone(when)
  return `${`${at.getUTCFullYear()}`.padStart(4, '0')}-${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())}`
}

function isoStrict(when: When): string {
  // Git 2.39 writes +00:00 in UTC too, later versions Z.
  return `${shortDate(when)}T${clock(when)}${zone(when).replace(/(\d\d)$/, ':$1')}`
}

export function relativeDate(timestamp: number, nowSeconds: number): string {
  const diff = nowSeconds - timestamp
  if (diff < 0) return 'in the future'
  const some = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`
  if (diff < 90) return `${some(diff, 'second')} ago`
  const minutes = Math.floor((diff + 30) / 60)
  if (minutes < 90) return `${some(minutes, 'minute')} ago`
  const hours = Math.floor((minutes + 30) / 60)
  if (hours < 36) return `${some(hours, 'hour')} ago`
  const dayCount = Math.floor((hours + 12) / 24)
  if (dayCount < 14) return `${some(dayCount, 'day')} ago`
  if (dayCount < 70) return `${some(Math.floor((dayCount + 3) / 7), 'week')} ago`
  if (dayCount < 365) return `${some(Math.floor((dayCount + 15) / 30), 'month')} ago`
  if (dayCount < 1825) {
    const totalMonths = Math.floor((dayCount * 12 * 2 + 365) / (365 * 2))
    const years = Math.floor(totalMonths / 12)
    const rest = totalMonths % 12
    return rest === 0 ? `${some(years, 'year')} ago` : `${some(years, 'year')}, ${some(rest, 'month')} ago`
  }
  return `${some(Math.floor((dayCount + 183) / 365), 'year')} ago`
}

function humanDate(when: When, nowSeconds: number): string {
  const now = new Date(nowSeconds * 1000)
  const at = inZone(when)
  const hidesZone = when.timezoneOffset === 0
  const sameYear = at.getUTCFullYear() === now.getUTCFullYear()
  const isFuture = when.timestamp > nowSeconds
  const isToday =
    sameYear && !isFuture && at.getUTCMonth() === now.getUTCMonth() && at.getUTCDate() === now.getUTCDate()
  if (isToday) return relativeDate(when.timestamp, nowSeconds)
  const age = Math.floor(
    (Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()) -
      Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate())) /
      86_400_000,
  )
  const isRecent = sameYear && !isFuture && age < 5
  const words: string[] = []
  if (isRecent || sameYear) words.push(days[at.getUTCDay()] as string)
  if (!isRecent) words.push(`${months[at.getUTCMonth()]} ${at.getUTCDate()}`)
  if (sameYear) words.push(clock(when).slice(0, 5))
  if (!sameYear) words.push(`${at.getUTCFullYear()}`)
  if (sameYear && !hidesZone) words.push(zone(when))
  return words.join(' ')
}

/** The zone has no name in a commit. */
function formatted(format: string, { timestamp, timezoneOffset }: When): string {
  const abbreviation = timezoneOffset === 0 ? 'UTC' : ''
  return strftime(format, timestamp, { at: () => ({ offset: -timezoneOffset * 60, abbreviation }) })
}
