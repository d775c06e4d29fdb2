/** `strftime` and `mktime`. */
import { strftime } from '../../data/format-date.js'
import { localSeconds, type TimeZone, timeZone } from '../../data/time-zone.js'

const gmt: TimeZone = { at: () => ({ offset: 0, abbreviation: 'GMT' }) }

export function formatTime(env: ReadonlyMap<string, string>, format: string, seconds: number, isUtc: boolean): string {
  return strftime(format, Math.trunc(seconds), isUtc ? gmt : timeZone(env.get('TZ')))
}

/** `YYYY MM DD HH MM SS [DST]`; -1 for anything else. */
export function makeTime(env: ReadonlyMap<string, string>, text: string, isUtc: boolean): number {
  const match = /^\s*(-?\d+)\s+(-?\d+)\s+(-?\d+)\s+(-?\d+)\s+(-?\d+)\s+(-?\d+)(?:\s+-?\d+)?/.exec(text)
  if (match === null) return -1
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number)
  return localSeconds({ year, month, day, hour, minute, second }, timeZone(isUtc ? 'UTC' : env.get('TZ')))
}
