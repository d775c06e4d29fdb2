import { shortMonthNames, utcSeconds } from '../src/text/calendar.js'

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

/** The seconds of a date as in `Sun, 06 Nov 1994 08:49:37 GMT`. */
function secondsOf(text: string | undefined): number | undefined {
  const [, day, name = '', year, hour, minute, second] =
    /^\w{3}, (\d\d) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/.exec(text?.trim() ?? '') ?? []
  const month = shortMonthNames.indexOf(name) + 1
  if (month === 0) return undefined
  return utcSeconds({
    year: Number(year),
    month,
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  })
}
