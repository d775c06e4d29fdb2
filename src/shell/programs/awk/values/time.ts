/** `strftime` and `mktime`. */
import { formatDate } from '../../data/format-date.js'
import { localSeconds, partsAt, timeZone } from '../../data/time-zone.js'

export function formatTime(env: ReadonlyMap<string, string>, format: string, seconds: number, isUtc: boolean): string {
  const whole = Math.trunc(seconds)
  const parts = partsAt(whole, timeZone(isUtc ? 'UTC' : env.get('TZ')))
  const abbreviation = isUtc ? 'GMT' : parts.abbreviation
  // The C library knows no nanoseconds.
  const known = format.replace(/%[%N]/g, (directive) => (directive === '%N' ? '%%N' : directive))
  return formatDate(known, { ...parts, abbreviation, seconds: whole, nanoseconds: 0 })
}

/** `YYYY MM DD HH MM SS [DST]`; -1 for anything else. */
export function makeTime(env: ReadonlyMap<string, string>, text: string, isUtc: boolean): number {
  const match = /^\s*(-?\d+)\s+(-?\d+)\s+(-?\d+)\s+(-?\d+)\s+(-?\d+)\s+(-?\d+)(?:\s+-?\d+)?/.exec(text)
  if (match === null) return -1
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number)
  return localSeconds({ year, month, day, hour, minute, second }, timeZone(isUtc ? 'UTC' : env.get('TZ')))
}
