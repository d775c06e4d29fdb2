/** Time zones as files of `/usr/share/zoneinfo` (RFC 8536), for programs that read those themselves. */

import type { Bytes } from '../../../src/fs/types.js'
import { utcParts, utcSeconds, weekday } from '../../../src/text/calendar.js'
import { type TimeZone, type ZoneTime, zoneNamed } from './time-zone.js'

interface Transition extends ZoneTime {
  at: number
  isSummer: boolean
}

/** From the first second of 32 bits to the last year of them. */
const first = -(2 ** 31)
const lastYear = 2037
const end = yearStart(lastYear + 1)
/** No zone changes twice in less. */
const stepSeconds = 10 * 86400
/** At which a rule without a time begins. */
const usualTime = 7200
const rulesFrom = 2030
const longestSummer = 320 * 86400
const headerBytes = 44

/** Undefined for a zone that does not exist. */
export function zoneFile(name: string): Bytes | undefined {
  const zone = zoneNamed(name)
  if (zone === undefined) return undefined
  const changes = transitions(zone)
  const footer = new TextEncoder().encode(`\n${posixRule(zone, changes)}\n`)
  const parts = [block(changes, 4), block(changes, 8), footer]
  const file = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    file.set(part, at)
    at += part.length
  }
  return file
}

function yearStart(year: number): number {
  return utcSeconds({ year, month: 1, day: 1, hour: 0, minute: 0, second: 0 })
}

function transitions(zone: TimeZone): Transition[] {
  const found = [first]
  let before = zone.at(first)
  for (let at = first + stepSeconds; at < end; at += stepSeconds) {
    const now = zone.at(at)
    if (isSame(before, now)) continue
    let [low, high] = [at - stepSeconds, at]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (isSame(before, zone.at(middle))) low = middle
      else high = middle
    }
    found.push(high)
    before = now
  }
  return found.map((at, index) => ({ ...zone.at(at), at, isSummer: isSummer(zone, found, index) }))
}

/** Later than before and after, and not for a whole year. */
function isSummer(zone: TimeZone, changes: readonly number[], index: number): boolean {
  const [before, at, after] = [changes[index - 1], changes[index], changes[index + 1]]
  if (before === undefined || at === undefined) return false
  const { offset } = zone.at(at)
  // The last of all began in the last year.
  const isShort = (after ?? end) - at < longestSummer
  return isShort && offset > zone.at(before).offset && (after === undefined || offset > zone.at(after).offset)
}

function isSame(a: ZoneTime, b: ZoneTime): boolean {
  return a.offset === b.offset && a.abbreviation === b.abbreviation
}

/** The header and its data, with times of 4 or 8 bytes. */
function block(changes: readonly Transition[], timeBytes: 4 | 8): Bytes {
  const types: Transition[] = []
  const indexes = changes.map((change) => {
    const known = types.findIndex((type) => isSame(type, change) && type.isSummer === change.isSummer)
    return known === -1 ? types.push(change) - 1 : known
  })
  const names = [...new Set(types.map(({ abbreviation }) => abbreviation))]
  const text = new TextEncoder().encode(names.map((name) => `${name}\0`).join(''))
  const count = changes.length
  const bytes = new Uint8Array(headerBytes + count * (timeBytes + 1) + types.length * 6 + text.length)
  const view = new DataView(bytes.buffer)
  bytes.set(new TextEncoder().encode('TZif2'))
  for (const [index, value] of [0, 0, 0, count, types.length, text.length].entries())
    view.setUint32(20 + 4 * index, value)
  let at = headerBytes
  for (const change of changes) {
    if (timeBytes === 4) view.setInt32(at, change.at)
    else view.setBigInt64(at, BigInt(change.at))
    at += timeBytes
  }
  for (const index of indexes) bytes[at++] = index
  for (const { offset, isSummer, abbreviation } of types) {
    view.setInt32(at, offset)
    bytes[at + 4] = isSummer ? 1 : 0
    bytes[at + 5] = names.slice(0, names.indexOf(abbreviation)).reduce((sum, name) => sum + name.length + 1, 0)
    at += 6
  }
  bytes.set(text, at)
  return bytes
}

/** What holds after the last year: a rule that is right for the years before, or nothing. */
function posixRule(zone: TimeZone, changes: readonly Transition[]): string {
  const recent = changes.filter(({ at }) => at >= yearStart(rulesFrom))
  const last = zone.at(end - 1)
  if (recent.length === 0) return named(last)
  const toSummer = recent.filter(({ isSummer }) => isSummer)
  const toWinter = recent.filter(({ isSummer }) => !isSummer)
  const years = lastYear - rulesFrom + 1
  const [summer, winter] = [toSummer.at(-1), toWinter.at(-1)]
  if (summer === undefined || winter === undefined || toSummer.length !== years || toWinter.length !== years) return ''
  const [begins, ends] = [ruleOf(toSummer, winter.offset), ruleOf(toWinter, summer.offset)]
  if (begins === undefined || ends === undefined) return ''
  const shift = summer.offset === winter.offset + 3600 ? '' : clock(-summer.offset)
  return `${named(winter)}${nameText(summer.abbreviation)}${shift},${begins},${ends}`
}

function named({ offset, abbreviation }: ZoneTime): string {
  return `${nameText(abbreviation)}${clock(-offset)}`
}

function nameText(abbreviation: string): string {
  return /^[A-Za-z]{3,}$/.test(abbreviation) ? abbreviation : `<${abbreviation}>`
}

/** For example `-5:30`. */
function clock(seconds: number): string {
  const rest = Math.abs(seconds)
  const minutes = Math.floor(rest / 60) % 60
  return `${seconds < 0 ? '-' : ''}${Math.floor(rest / 3600)}${minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`}`
}

/** Month, week and weekday that all these changes have, by the clock before them. Midnight may belong to the day before. */
function ruleOf(changes: readonly Transition[], offsetBefore: number): string | undefined {
  return weekRule(changes, offsetBefore, 0) ?? weekRule(changes, offsetBefore, 86400)
}

function weekRule(changes: readonly Transition[], offsetBefore: number, later: number): string | undefined {
  const local = changes.map(({ at }) => {
    const shown = at + offsetBefore - later
    const parts = utcParts(shown)
    return { ...parts, weekday: weekday(shown), time: parts.hour * 3600 + parts.minute * 60 + parts.second + later }
  })
  const [one] = local
  const isAlike = ({ month, weekday, time }: (typeof local)[number]) =>
    month === one?.month && weekday === one.weekday && time === one.time
  if (one === undefined || !local.every(isAlike)) return undefined
  const weeks = new Set(local.map(({ day }) => Math.ceil(day / 7)))
  const week = local.every(isLastOfMonth) ? 5 : weeks.size === 1 ? [...weeks][0] : undefined
  if (week === undefined) return undefined
  return `M${one.month}.${week}.${one.weekday}${one.time === usualTime ? '' : `/${clock(one.time)}`}`
}

function isLastOfMonth({ year, month, day }: { year: number; month: number; day: number }): boolean {
  return utcParts(utcSeconds({ year, month, day: day + 7, hour: 0, minute: 0, second: 0 })).month !== month
}
