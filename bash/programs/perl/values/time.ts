/** `localtime`, `gmtime` and `strftime`. */
import { dayOfYear, utcSeconds, weekday } from '../../../../src/text/calendar.js'
import type { ProgramIo } from '../../../io/program.js'
import { strftime } from '../../data/format-date.js'
import { localSeconds, partsAt, timeZone } from '../../data/time-zone.js'
import { fromShell, toShell } from '../run/bytes.js'
import { indexOf, plainNumber } from './numbers.js'
import type { Value } from './values.js'

type Io = Pick<ProgramIo, 'now' | 'env'>

function given(io: Io, value: Value): number {
  return value === undefined ? Math.floor(io.now() / 1000) : Math.floor(plainNumber(value))
}

export function timeParts(io: Io, value: Value, zoneName: string | undefined): Value[] {
  const zone = timeZone(zoneName ?? io.env.get('TZ'))
  const seconds = given(io, value)
  const parts = partsAt(seconds, zone)
  const { year, month, day, hour, minute, second, offset } = parts
  const inMonth = (at: number) => zone.at(utcSeconds({ year, month: at, day: 1, hour: 0, minute: 0, second: 0 })).offset
  const isSummer = offset > Math.min(inMonth(1), inMonth(7)) ? 1 : 0
  return [second, minute, hour, day, month - 1, year - 1900, weekday(utcSeconds(parts)), dayOfYear(parts) - 1, isSummer]
}

export function dateText(io: Io, value: Value, zoneName: string | undefined): string {
  return strftime('%a %b %e %H:%M:%S %Y', given(io, value), timeZone(zoneName ?? io.env.get('TZ')))
}

export function strftimeText(io: Io, format: string, parts: readonly Value[]): string {
  const [second = 0, minute = 0, hour = 0, day = 0, month = 0, year = 0] = parts.map(indexOf)
  const zone = timeZone(io.env.get('TZ'))
  // Parts that are too large go over into the next ones.
  const wanted = Date.UTC(2000, month, day, hour, minute, second) / 1000
  const shifted = new Date(wanted * 1000)
  const seconds = localSeconds(
    {
      year: year + 1900 + shifted.getUTCFullYear() - 2000,
      month: shifted.getUTCMonth() + 1,
      day: shifted.getUTCDate(),
      hour: shifted.getUTCHours(),
      minute: shifted.getUTCMinutes(),
      second: shifted.getUTCSeconds(),
    },
    zone,
  )
  return fromShell(strftime(toShell(format), seconds, zone))
}
