/** The calendar, for years of any size, and the English names of its months and days. */

export const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const
export const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const
export const shortMonthNames: readonly string[] = monthNames.map((name) => name.slice(0, 3))
export const shortDayNames: readonly string[] = dayNames.map((name) => name.slice(0, 3))

/** The parts of a date, in no particular zone. `month` counts from 1. They may exceed their ranges. */
export interface DateParts {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
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

/** From 1. */
export function dayOfYear(parts: DateParts): number {
  const midnight = { ...parts, hour: 0, minute: 0, second: 0 }
  return (utcSeconds(midnight) - utcSeconds({ ...midnight, month: 1, day: 1 })) / 86400 + 1
}

/** The week of ISO 8601, and the year it belongs to. */
export function isoWeek(parts: DateParts): { year: number; week: number } {
  const dayFromMonday = (weekday(utcSeconds(parts)) + 6) % 7
  const week = Math.floor((dayOfYear(parts) - 1 - dayFromMonday + 10) / 7)
  if (week < 1) return { year: parts.year - 1, week: weeksIn(parts.year - 1) }
  if (week > weeksIn(parts.year)) return { year: parts.year + 1, week: 1 }
  return { year: parts.year, week }
}

function weeksIn(year: number): number {
  const first = weekday(utcSeconds({ year, month: 1, day: 1, hour: 0, minute: 0, second: 0 }))
  return first === 4 || (first === 3 && isLeapYear(year)) ? 53 : 52
}

/** `+0100` for an offset in seconds east of UTC, whose seconds are left out. */
export function offsetText(offset: number, separator = ''): string {
  const minutes = Math.floor(Math.abs(offset) / 60)
  return `${offset < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}${separator}${twoDigits(minutes % 60)}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

/** `2026-11-15 06:04`, in UTC. */
export function minuteText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
}
