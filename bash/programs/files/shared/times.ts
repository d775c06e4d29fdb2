/** Times of files: as text, and as options give them. */

import type { ProgramIo } from '../../../io/program.js'
import { formatDate } from '../../data/format-date.js'
import { type DateContext, parseDate } from '../../data/parse-date.js'
import { partsAt, timeZone } from '../../data/time-zone.js'

/** A time in the zone of `TZ`, with a format of `date`. */
export function timeText(io: ProgramIo, ms: number, format: string): string {
  const seconds = Math.floor(ms / 1000)
  const parts = partsAt(seconds, timeZone(io.env.get('TZ')))
  return formatDate(format, { ...parts, seconds, nanoseconds: nanosecondsOf(ms) })
}

/** Milliseconds may have fractions; what a double can't hold is cut off. */
export function nanosecondsOf(ms: number): number {
  const whole = Math.floor(ms)
  const rest = ((whole % 1000) + 1000) % 1000
  return rest * 1_000_000 + Math.floor((ms - whole) * 1_000_000)
}

export const fullTime = '%Y-%m-%d %H:%M:%S.%N %z'

/** The text as a date, from now or from another time. */
export function parseTime(io: ProgramIo, text: string, now = io.now()): number | undefined {
  const context: DateContext = { now, timeZone: io.env.get('TZ') }
  return parseDate(text, context)
}
