import { expect, test } from 'vitest'
import {
  dayNames,
  dayOfYear,
  isoWeek,
  minuteText,
  offsetText,
  shortDayNames,
  shortMonthNames,
  utcParts,
  utcSeconds,
  weekday,
} from '../../../src/text/calendar.js'

/** Days in steps that meet every day of the week, of every month, in leap years and others. */
function* days(firstYear: number, lastYear: number) {
  const first = new Date(0).setUTCFullYear(firstYear, 0, 1)
  const last = new Date(0).setUTCFullYear(lastYear, 11, 31)
  for (let ms = first; ms <= last; ms += 86_400_000 * 59 + 7_654_321_000) yield new Date(ms)
}

test('dates are those of Date, before year 0 too', () => {
  let count = 0
  for (const date of days(-9999, 9999)) {
    const parts = {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
    }
    const seconds = date.getTime() / 1000
    const newYear = new Date(date).setUTCMonth(0, 1)
    expect(utcParts(seconds)).toEqual(parts)
    expect(utcSeconds(parts)).toBe(seconds)
    expect(weekday(seconds)).toBe(date.getUTCDay())
    expect(dayOfYear(parts)).toBe((date.getTime() - newYear) / 86_400_000 + 1)
    count += 1
  }
  expect(count).toBeGreaterThan(10_000)
})

test('parts that exceed their ranges are carried', () => {
  const time = { hour: 25, minute: -1, second: 61 }
  expect(utcSeconds({ year: 2024, month: 14, day: 30, ...time })).toBe(Date.UTC(2024, 13, 30, 25, -1, 61) / 1000)
  expect(utcSeconds({ year: 2024, month: -1, day: 0, ...time })).toBe(Date.UTC(2024, -2, 0, 25, -1, 61) / 1000)
})

test('a week belongs to the year that has its Thursday', () => {
  for (const date of days(1600, 2400)) {
    const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * 86_400_000)
    const year = thursday.getUTCFullYear()
    const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / 86_400_000 / 7) + 1
    expect(isoWeek(utcParts(date.getTime() / 1000))).toEqual({ year, week })
  }
})

test('short names have three letters', () => {
  expect(dayNames[weekday(0)]).toBe('Thursday')
  expect(shortDayNames.join(' ')).toBe('Sun Mon Tue Wed Thu Fri Sat')
  expect(shortMonthNames.join(' ')).toBe('Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec')
})

test('an offset has a sign and two digits for hours and for minutes', () => {
  expect([0, -0, 3600, -12_600, 34_259].map((offset) => offsetText(offset))).toEqual([
    '+0000',
    '+0000',
    '+0100',
    '-0330',
    '+0930',
  ])
  expect(offsetText(-16_200, ':')).toBe('-04:30')
  expect(minuteText(Date.UTC(2026, 10, 15, 6, 4, 59))).toBe('2026-11-15 06:04')
})
