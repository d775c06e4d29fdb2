/** Authors, committers and taggers, with their times, as objects and reflogs write them. */
import { offsetText } from '../../text/calendar.js'

export interface Person {
  name: string
  email: string
  /** Seconds since 1970. */
  timestamp: number
  /** Minutes west of UTC, as in `Date`. */
  timezoneOffset: number
}

/** Parses as much as possible: git also shows commits with malformed names. */
export function parsePerson(text: string): Person {
  const [open, close] = [text.indexOf('<'), text.lastIndexOf('>')]
  const [, seconds = '0', sign, hours, minutes] =
    /^\s*(\d{1,15})(?:\s+([+-])(\d\d)(\d\d))?/.exec(text.slice(close + 1)) ?? []
  return {
    name: text.slice(0, open === -1 ? undefined : open).trim(),
    email: open === -1 || close < open ? '' : text.slice(open + 1, close),
    timestamp: Number(seconds),
    timezoneOffset: minutesWest(sign, hours, minutes),
  }
}

/** The offset of a zone as in `+0100`. */
export function minutesWest(sign = '+', hours = '0', minutes = '0'): number {
  const total = Number(hours) * 60 + Number(minutes)
  return total === 0 ? 0 : sign === '-' ? total : -total
}

export function writtenPerson(person: Person): string {
  return `${person.name} <${person.email}> ${person.timestamp} ${zoneText(person)}`
}

/** `+0100` */
export function zoneText({ timezoneOffset }: Pick<Person, 'timezoneOffset'>): string {
  return offsetText(-timezoneOffset * 60)
}
