/** Times as `strftime` writes them, in UTC and the C locale. */

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

export function formatTime(format: string, ms: number): string {
  const date = new Date(ms)
  if (Number.isNaN(date.getTime())) return ''
  return format.replace(/%([_0^-]?)([a-zA-Z%+])/g, (whole, flag: string, letter: string) => {
    const field = fieldOf(letter, date)
    if (field === undefined) return whole
    if (typeof field === 'string') return flag === '^' ? field.toUpperCase() : field
    const [value, width, padding] = field
    const filler = flag === '_' ? ' ' : flag === '0' ? '0' : padding
    return flag === '-' ? String(value) : String(value).padStart(width, filler)
  })
}

type Field = string | [value: number, width: number, padding: string]

function fieldOf(letter: string, date: Date): Field | undefined {
  const two = (value: number): Field => [value, 2, '0']
  const at = (format: string) => formatTime(format, date.getTime())
  const yearDay = Math.floor(
    (Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()) - Date.UTC(date.getUTCFullYear(), 0, 1)) /
      dayMs,
  )
  const weekDay = date.getUTCDay()
  const hour12 = date.getUTCHours() % 12 || 12
  switch (letter) {
    case 'a':
      return (days[weekDay] ?? '').slice(0, 3)
    case 'A':
      return days[weekDay] ?? ''
    case 'b':
    case 'h':
      return (months[date.getUTCMonth()] ?? '').slice(0, 3)
    case 'B':
      return months[date.getUTCMonth()] ?? ''
    case 'c':
      return at('%a %b %e %H:%M:%S %Y')
    case 'C':
      return two(Math.floor(date.getUTCFullYear() / 100))
    case 'd':
      return two(date.getUTCDate())
    case 'D':
    case 'x':
      return at('%m/%d/%y')
    case 'e':
      return [date.getUTCDate(), 2, ' ']
    case 'F':
      return at('%Y-%m-%d')
    case 'g':
      return two(isoWeek(date).year % 100)
    case 'G':
      return [isoWeek(date).year, 4, '0']
    case 'H':
      return two(date.getUTCHours())
    case 'I':
      return two(hour12)
    case 'j':
      return [yearDay + 1, 3, '0']
    case 'k':
      return [date.getUTCHours(), 2, ' ']
    case 'l':
      return [hour12, 2, ' ']
    case 'm':
      return two(date.getUTCMonth() + 1)
    case 'M':
      return two(date.getUTCMinutes())
    case 'n':
      return '\n'
    case 'p':
      return date.getUTCHours() < 12 ? 'AM' : 'PM'
    case 'P':
      return date.getUTCHours() < 12 ? 'am' : 'pm'
    case 'r':
      return at('%I:%M:%S %p')
    case 'R':
      return at('%H:%M')
    case 's':
      return String(Math.floor(date.getTime() / 1000))
    case 'S':
      return two(date.getUTCSeconds())
    case 't':
      return '\t'
    case 'T':
    case 'X':
      return at('%H:%M:%S')
    case 'u':
      return String(weekDay || 7)
    case 'U':
      return two(Math.floor((yearDay + 7 - weekDay) / 7))
    case 'V':
      return two(isoWeek(date).week)
    case 'w':
      return String(weekDay)
    case 'W':
      return two(Math.floor((yearDay + 7 - ((weekDay + 6) % 7)) / 7))
    case 'y':
      return two(date.getUTCFullYear() % 100)
    case 'Y':
      return String(date.getUTCFullYear())
    case 'z':
      return '+0000'
    case 'Z':
      return 'UTC'
    case '%':
      return '%'
    default:
      return undefined
  }
}

function isoWeek(date: Date): { year: number; week: number } {
  const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * dayMs)
  const year = thursday.getUTCFullYear()
  return { year, week: Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / dayMs / 7) + 1 }
}
