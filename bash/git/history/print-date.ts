/** Prints dates in the forms of `--date=`. */

import type { Person } from '../../../src/git/objects/person.js'
import { utcParts } from '../../../src/text/calendar.js'
import { entryOf } from '../../../src/text/entry-of.js'
import { strftime } from '../../programs/data/format-date.js'
import { fatal } from '../git-error.js'

type When = Pick<Person, 'timestamp' | 'timezoneOffset'>

const inOwnZone = '%a %b %-d %H:%M:%S %-Y'
const iso = '%Y-%m-%d %H:%M:%S %z'
// Git 2.39 writes +00:00 in UTC too, later versions Z.
const isoStrict = '%Y-%m-%dT%H:%M:%S%:z'
const rfc = '%a, %-d %b %-Y %H:%M:%S %z'

const formats: Readonly<Record<string, string>> = {
  default: `${inOwnZone} %z`,
  normal: `${inOwnZone} %z`,
  local: inOwnZone,
  iso,
  iso8601: iso,
  'iso-strict': isoStrict,
  'iso8601-strict': isoStrict,
  rfc,
  rfc2822: rfc,
  short: '%Y-%m-%d',
  raw: '%s %z',
  unix: '%s',
}

/** A printer for the value of `--date`; fails for a form that git does not have. */
export function datePrinter(form: string, nowSeconds: number): (when: When) => string {
  const [, given] = /^format(?:-local)?:(.*)$/s.exec(form) ?? []
  const isLocal = /^(?:[a-z0-9]+-local|format-local:.*|local)$/s.test(form)
  const name = form.replace(/-local$/, '')
  if (given === undefined && name === 'relative') return (when) => relativeDate(when.timestamp, nowSeconds)
  if (given === undefined && name === 'human') return (when) => humanDate(when, nowSeconds)
  const format = given ?? (isLocal && name === 'default' ? inOwnZone : entryOf(formats, name))
  if (format === undefined) throw fatal(`unknown date format ${form}`)
  return (when) => formatted(format, isLocal ? { ...when, timezoneOffset: 0 } : when)
}

export function rfcDate(when: When): string {
  return formatted(rfc, when)
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
  const localSeconds = when.timestamp - when.timezoneOffset * 60
  const isSameYear = utcParts(localSeconds).year === utcParts(nowSeconds).year
  const isFuture = when.timestamp > nowSeconds
  const age = Math.floor(nowSeconds / 86_400) - Math.floor(localSeconds / 86_400)
  if (age === 0 && !isFuture) return relativeDate(when.timestamp, nowSeconds)
  if (!isSameYear) return formatted('%b %-d %-Y', when)
  const day = !isFuture && age < 5 ? '%a' : '%a %b %-d'
  return formatted(`${day} %H:%M${when.timezoneOffset === 0 ? '' : ' %z'}`, when)
}

/** The zone has no name in a commit. */
function formatted(format: string, { timestamp, timezoneOffset }: When): string {
  const abbreviation = timezoneOffset === 0 ? 'UTC' : ''
  return strftime(format, timestamp, { at: () => ({ offset: -timezoneOffset * 60, abbreviation }) })
}
