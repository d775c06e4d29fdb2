/** Local time in the zone of the command, where the browser is in another one. */
import { type TimeZone, timeZone } from '../../data/time-zone.js'

const NativeDate = Date
const native = NativeDate.prototype
const dayMs = 86_400_000
const parts = ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'] as const
type Reader = (this: Date) => number
const readers = new Map(
  parts.map((part) => [part, { own: native[`get${part}`] as Reader, utc: native[`getUTC${part}`] as Reader }]),
)
const plainText = native.toString
const plainTime = native.toTimeString
const plainDay = native.toDateString
const utcText = native.toUTCString
const { apply } = Reflect

let zone: TimeZone | undefined

/** The library adds the name of the zone itself. To be called before it is there. */
export function leaveZoneNames(): void {
  define('toString', function (this: Date) {
    return zone === undefined ? withoutName(apply(plainText, this, [])) : `${dayText(this)} ${timeText(this)}`
  })
  define('toTimeString', function (this: Date) {
    return zone === undefined ? withoutName(apply(plainTime, this, [])) : timeText(this)
  })
  define('toDateString', function (this: Date) {
    return zone === undefined ? apply(plainDay, this, []) : dayText(this)
  })
}

/** `name`: what `TZ` says. */
export function useZone(name: string | undefined): void {
  const wanted = timeZone(name)
  const year = new NativeDate().getUTCFullYear()
  const days = Array.from({ length: 24 }, (_, month) => NativeDate.UTC(year, month, 15))
  const isOwn = days.every((ms) => wanted.at(ms / 1000).offset === -new NativeDate(ms).getTimezoneOffset() * 60)
  if (isOwn) return
  zone = wanted
  define('getTimezoneOffset', function (this: Date) {
    return -offsetAt(this.getTime()) / 60_000
  })
  for (const part of parts) {
    const { utc: read } = readers.get(part) as { utc: Reader }
    define(`get${part}`, function (this: Date) {
      return apply(read, localOf(this), [])
    })
    if (part === 'Day') continue
    const write = native[`setUTC${part}`] as (...given: number[]) => number
    define(`set${part}`, function (this: Date, ...given: number[]) {
      const local = localOf(this)
      apply(write, local, given)
      return this.setTime(fromLocal(local.getTime()))
    })
  }
  const Zoned: DateConstructor = new Proxy(NativeDate, {
    apply: () => new NativeDate().toString(),
    construct(target, given, newTarget): Date {
      const own: unknown = newTarget === Zoned ? target : newTarget
      const [first, ...rest] = given as [unknown, ...number[]]
      if (given.length === 0 || (given.length === 1 && typeof first !== 'string'))
        return Reflect.construct(target, given, own as DateConstructor)
      const ms =
        given.length === 1 ? parsed(first as string) : fromLocal(NativeDate.UTC(Number(first), ...(rest as [number])))
      return Reflect.construct(target, [ms], own as DateConstructor)
    },
  })
  Object.defineProperty(NativeDate, 'parse', { value: parsed, writable: true, configurable: true })
  Object.defineProperty(native, 'constructor', { value: Zoned, writable: true, configurable: true })
  Object.defineProperty(globalThis, 'Date', { value: Zoned, writable: true, configurable: true, enumerable: false })
}

function define(name: string, value: (this: Date, ...given: number[]) => unknown): void {
  Object.defineProperty(value, 'name', { value: name, configurable: true })
  Object.defineProperty(native, name, { value, writable: true, configurable: true, enumerable: false })
}

const offsetAt = (ms: number) => (Number.isNaN(ms) ? Number.NaN : (zone?.at(Math.floor(ms / 1000)).offset ?? 0) * 1000)

/** Its UTC parts are the local ones. */
function localOf(date: Date): Date {
  const ms = date.getTime()
  return new NativeDate(ms + offsetAt(ms))
}

/** Where a clock was set back, the first of the two times; where it was set forward, as if it had not been. */
function fromLocal(ms: number): number {
  if (Number.isNaN(ms)) return ms
  const [before, after] = [offsetAt(ms - dayMs), offsetAt(ms + dayMs)]
  for (const offset of [before, after]) if (offsetAt(ms - offset) === offset) return ms - offset
  return ms - before
}

const saysZone =
  /(?:\bZ|\b(?:GMT|UTC?|[ECMP][SD]T)(?:[+-]\d+)?|\d[+-]\d\d:?\d\d|\s[+-]\d{4})\s*(?:\(.*\))?\s*$|\dZ\s*$/i
const isoDay = /^\s*[+-]?\d{4,6}(?:-\d\d(?:-\d\d)?)?\s*$/

function parsed(text: string): number {
  const ms = apply(nativeParse, NativeDate, [text])
  if (Number.isNaN(ms) || saysZone.test(text) || isoDay.test(text)) return ms
  // The browser took it for its own time.
  const date = new NativeDate(ms)
  const [year, month, day, , ...time] = parts.map((part) => apply((readers.get(part) as { own: Reader }).own, date, []))
  return fromLocal(NativeDate.UTC(year as number, month as number, day, ...(time as [number])))
}
const nativeParse = NativeDate.parse

const withoutName = (text: string) => text.replace(/ \(.*\)$/, '')

function dayText(date: Date): string {
  const [week = '', day, month, year] = apply(utcText, localOf(date), []).split(/,? /)
  return week === 'Invalid' ? 'Invalid Date' : `${week} ${month} ${day} ${year}`
}

function timeText(date: Date): string {
  const minutes = -date.getTimezoneOffset()
  if (Number.isNaN(minutes)) return 'Invalid Date'
  const [, time = ''] = /(\d\d:\d\d:\d\d)/.exec(apply(utcText, localOf(date), [])) ?? []
  const [size, two] = [Math.abs(minutes), (value: number) => String(Math.floor(value)).padStart(2, '0')]
  return `${time} GMT${minutes < 0 ? '-' : '+'}${two(size / 60)}${two(size % 60)}`
}
