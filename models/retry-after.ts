import { monthNames } from '../src/text/calendar.js'

/** How long a server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date, which is compared with the server's own clock. */
export function retryAfterMs(headers: ReadonlyMap<string, string>): number | undefined {
  const ms = numberIn(headers.get('retry-after-ms'))
  if (ms !== undefined) return ms
  const after = headers.get('retry-after')
  const seconds = numberIn(after)
  if (seconds !== undefined) return seconds * 1000
  const [until, now] = [secondsOf(after), secondsOf(headers.get('date'))]
  return until === undefined || now === undefined ? undefined : Math.max(0, until - now) * 1000
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined
}

/** A date as in `Sun, 06 Nov 1994 08:49:37 GMT`, in seconds from some day on. */
function secondsOf(text: string | undefined): number | undefined {
  const [, day, name, year, hour, minute, second] =
    /^\w{3}, (\d\d) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/.exec(text?.trim() ?? '') ?? []
  const month = monthNames.findIndex((each) => each.slice(0, 3) === name)
  if (month < 0) return undefined
  return ((daysTo(Number(year), month) + Number(day)) * 24 + Number(hour)) * 3600 + Number(minute) * 60 + Number(second)
}

/** Days before a month, counted in years that begin in March, so that a leap day is the last one. */
function daysTo(year: number, month: number): number {
  const shifted = (month + 10) % 12
  const years = shifted >= 10 ? year - 1 : year
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400)
  return years * 365 + leapDays + Math.floor((shifted * 306 + 5) / 10)
}
