/** System calls about time. Zones are those of the shell. */
import { dayOfYear, utcParts, utcSeconds, weekday } from '../../../../src/text/calendar.js'
import { localSeconds, type TimeZone, timeZone, type ZoneTime } from '../../data/time-zone.js'
import { type Asking, settled } from './ask.js'
import type { EngineMemory } from './engine-memory.js'

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number | Asking<number>
  /** Milliseconds since some moment. */
  elapsed(): number | Asking<number>
}

/** As the module `time` has them: seconds west of UTC. */
export interface ZoneNames {
  offsets: [number, number]
  names: [string, string]
}

/** The C library has room for as many. */
export const zoneNameBytes = 16
const daySeconds = 86400

export function timeCalls(memory: EngineMemory, clock: Clock) {
  let zone: TimeZone = timeZone(undefined)
  /** Of the last choice of a zone. */
  let year = 1970

  const inYear = (month: number) => zone.at(utcSeconds({ year, month, day: 1, hour: 0, minute: 0, second: 0 }))

  /** Without and with summer time, in this year. */
  function halves(): [ZoneTime, ZoneTime] {
    const [first, second] = [inYear(1), inYear(7)]
    return first.offset <= second.offset ? [first, second] : [second, first]
  }

  function putParts(address: number, seconds: number, offset: number, isSummer: boolean): void {
    const parts = utcParts(seconds + offset)
    const values = [
      parts.second,
      parts.minute,
      parts.hour,
      parts.day,
      parts.month - 1,
      parts.year - 1900,
      weekday(seconds + offset),
      dayOfYear(parts) - 1,
      isSummer ? 1 : 0,
      offset,
    ]
    for (const [index, value] of values.entries()) memory.view().setInt32(address + 4 * index, value, true)
  }

  /** The offset of a year's winter is the smaller one. */
  function isSummerAt(seconds: number): boolean {
    const { year: of } = utcParts(seconds)
    const at = (month: number) => zone.at(utcSeconds({ year: of, month, day: 1, hour: 0, minute: 0, second: 0 })).offset
    return zone.at(seconds).offset > Math.min(at(1), at(7))
  }

  /** They may be beyond their ranges. */
  function parts(address: number) {
    const at = (index: number) => memory.view().getInt32(address + 4 * index, true)
    return { year: at(5) + 1900, month: at(4) + 1, day: at(3), hour: at(2), minute: at(1), second: at(0) }
  }

  function local(address: number): bigint {
    const plain = utcSeconds(parts(address))
    const wanted = memory.view().getInt32(address + 32, true)
    let seconds = localSeconds(utcParts(plain), zone)
    if (wanted >= 0 && isSummerAt(seconds) !== wanted > 0) {
      const other = [
        plain - zone.at(seconds - 180 * daySeconds).offset,
        plain - zone.at(seconds + 180 * daySeconds).offset,
      ]
      seconds = wanted > 0 ? Math.min(...other) : Math.max(...other)
    }
    putParts(address, seconds, zone.at(seconds).offset, isSummerAt(seconds))
    return BigInt(seconds)
  }

  return {
    /** Chooses the zone for a value of `TZ`. */
    *setZone(name: string | undefined): Asking<ZoneNames> {
      year = utcParts((yield* settled(clock.now())) / 1000).year
      zone = timeZone(name)
      const [winter, summer] = halves()
      return { offsets: [-winter.offset, -summer.offset], names: [winter.abbreviation, summer.abbreviation] }
    },
    env: {
      emscripten_date_now: () => settled(clock.now()),
      emscripten_get_now: () => settled(clock.elapsed()),
      _gmtime_js(seconds: bigint, address: number) {
        putParts(address, Number(seconds), 0, false)
      },
      _localtime_js(seconds: bigint, address: number) {
        const at = Number(seconds)
        putParts(address, at, zone.at(at).offset, isSummerAt(at))
      },
      _mktime_js: local,
      _timegm_js(address: number) {
        const seconds = utcSeconds(parts(address))
        putParts(address, seconds, 0, false)
        return BigInt(seconds)
      },
      _tzset_js(offset: number, hasSummer: number, standardName: number, summerName: number) {
        const [winter, summer] = halves()
        memory.view().setInt32(offset, -winter.offset, true)
        memory.putWord(hasSummer, winter.offset === summer.offset ? 0 : 1)
        memory.putText(standardName, winter.abbreviation.slice(0, zoneNameBytes))
        memory.putText(summerName, summer.abbreviation.slice(0, zoneNameBytes))
      },
    },
    standard: {
      *clock_time_get(which: number, _precision: bigint, address: number): Asking<number> {
        const ms = yield* settled(which === 0 ? clock.now() : clock.elapsed())
        memory.view().setBigInt64(address, BigInt(Math.round(ms * 1e6)), true)
        return 0
      },
      clock_res_get(_clock: number, address: number) {
        memory.putLong(address, 1000)
        return 0
      },
    },
  }
}

/** Imports that read the clock. */
export const readsClock = /^(emscripten_date_now|emscripten_get_now|clock_time_get)$/
