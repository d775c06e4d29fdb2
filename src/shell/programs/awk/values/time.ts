/** `strftime` and `mktime`. */
import { AwkFatal } from '../syntax/awk-error.js'

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const dayMs = 86_400_000

/** Only UTC is known here. */
function requireUtc(env: ReadonlyMap<string, string>, isUtc: boolean): void {
  const zone = env.get('TZ') ?? ''
  if (isUtc || /^:?(|UTC0?|GMT0?|Etc\/UTC|Etc\/GMT|Universal|Zulu)$/.test(zone)) return
  throw new AwkFatal(`times in the zone TZ=${zone} are not supported by this shell`)
}

export function formatTime(env: ReadonlyMap<string, string>, format: string, seconds: number, isUtc: boolean): string {
  requireUtc(env, isUtc)
  const date = new Date(Math.trunc(seconds) * 1000)
  return format.replace(
    /%([-_0^#]?)(\d*)([EO]?)([a-zA-Z%+])/g,
    (whole, flag: string, width: string, _: string, letter: string) => {
      const made = field(letter, date, isUtc)
      if (made === undefined) return whole
      return adjusted(made, flag, width)
    },
  )
}

/** Text, or a number with the width and the character it is filled with. */
type Field = string | { value: number; width: number; fill: string }

function adjusted(made: Field, flag: string, width: string): string {
  if (typeof made === 'string') {
    const text = flag === '^' || flag === '#' ? made.toUpperCase() : made
    return text.padStart(Number(width), flag === '0' ? '0' : ' ')
  }
  const digits = `${Math.abs(made.value)}`
  if (flag === '-') return `${made.value}`
  const fill = flag === '_' ? ' ' : flag === '0' ? '0' : made.fill
  return (made.value < 0 ? '-' : '') + digits.padStart(Number(width) || made.width, fill)
}

function field(letter: string, date: Date, isUtc: boolean): Field | undefined {
  const two = (value: number): Field => ({ value, width: 2, fill: '0' })
  const blank = (value: number): Field => ({ value, width: 2, fill: ' ' })
  const year = date.getUTCFullYear()
  const weekday = date.getUTCDay()
  const hour = date.getUTCHours()
  const composed = (format: string) => formatTime(new Map(), format, date.getTime() / 1000, true)
  switch (letter) {
    case 'a':
      return (days[weekday] as string).slice(0, 3)
    case 'A':
      return days[weekday]
    case 'b':
    case 'h':
      return (months[date.getUTCMonth()] as string).slice(0, 3)
    case 'B':
      return months[date.getUTCMonth()]
    case 'c':
      return composed('%a %b %e %H:%M:%S %Y')
    case 'C':
      return two(Math.floor(year / 100))
    case 'd':
      return two(date.getUTCDate())
    case 'D':
    case 'x':
      return composed('%m/%d/%y')
    case 'e':
      return blank(date.getUTCDate())
    case 'F':
      return composed('%Y-%m-%d')
    case 'G':
      return { value: isoWeek(date).year, width: 4, fill: '0' }
    case 'g':
      return two(isoWeek(date).year % 100)
    case 'V':
      return two(isoWeek(date).week)
    case 'H':
      return two(hour)
    case 'I':
      return two(hour % 12 || 12)
    case 'k':
      return blank(hour)
    case 'l':
      return blank(hour % 12 || 12)
    case 'j':
      return { value: yearDay(date) + 1, width: 3, fill: '0' }
    case 'm':
      return two(date.getUTCMonth() + 1)
    case 'M':
      return two(date.getUTCMinutes())
    case 'n':
      return '\n'
    case 't':
      return '\t'
    case 'p':
      return hour < 12 ? 'AM' : 'PM'
    case 'P':
      return hour < 12 ? 'am' : 'pm'
    case 'r':
      return composed('%I:%M:%S %p')
    case 'R':
      return composed('%H:%M')
    case 's':
      return `${date.getTime() / 1000}`
    case 'S':
      return two(date.getUTCSeconds())
    case 'T':
    case 'X':
      return composed('%H:%M:%S')
    case 'u':
      return `${weekday || 7}`
    case 'w':
      return `${weekday}`
    case 'U':
      return two(Math.floor((yearDay(date) + 7 - weekday) / 7))
    case 'W':
      return two(Math.floor((yearDay(date) + 7 - ((weekday + 6) % 7)) / 7))
    case 'y':
      return two(((year % 100) + 100) % 100)
    case 'Y':
      return `${year}`
    case 'z':
      return '+0000'
    case 'Z':
      return isUtc ? 'GMT' : 'UTC'
    case '%':
      return '%'
    default:
      return undefined
  }
}

function yearDay(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMs)
}

/** Weeks begin on Monday; the first one has the year's first Thursday. */
function isoWeek(date: Date): { year: number; week: number } {
  const thursday = new Date(date.getTime() + (3 - ((date.getUTCDay() + 6) % 7)) * dayMs)
  return { year: thursday.getUTCFullYear(), week: Math.floor(yearDay(thursday) / 7) + 1 }
}

/** `YYYY MM DD HH MM SS [DST]`; -1 for anything else. */
export function makeTime(env: ReadonlyMap<string, string>, text: string, isUtc: boolean): number {
  requireUtc(env, isUtc)
  const match = /^\s*(-?\d+)\s+(-?\d+)\s+(-?\d+)\s+(-?\d+)\s+(-?\d+)\s+(-?\d+)(?:\s+-?\d+)?/.exec(text)
  if (match === null) return -1
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number)
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second)
  return date.getTime() / 1000
}
