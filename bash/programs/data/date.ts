/** Prints the time, or another one, in any format. Setting the clock is refused. */
import { decodeText } from '../../io/byte-text.js'
import { describeError } from '../../io/describe-error.js'
import type { ProgramIo } from '../../io/program.js'
import { lineBatches } from '../../io/streams.js'
import { defineProgram } from '../define-program.js'
import type { ParsedArguments } from '../options.js'
import { ProgramError } from '../program-error.js'
import { formatDate } from './format-date.js'
import { type ExactTime, parseExactDate } from './parse-date.js'
import { partsAt, timeZone } from './time-zone.js'

const options = {
  date: { names: ['-d', '--date'], value: 'required' },
  debug: { names: ['--debug'] },
  file: { names: ['-f', '--file'], value: 'required' },
  iso: { names: ['-I', '--iso-8601'], value: 'optional' },
  reference: { names: ['-r', '--reference'], value: 'required' },
  resolution: { names: ['--resolution'] },
  rfcEmail: { names: ['-R', '--rfc-email', '--rfc-822', '--rfc-2822'] },
  rfc3339: { names: ['--rfc-3339'], value: 'required' },
  set: { names: ['-s', '--set'], value: 'required' },
  utc: { names: ['-u', '--utc', '--universal', '--uct'] },
} as const

const isoFormats: Readonly<Record<string, string>> = {
  date: '%Y-%m-%d',
  hours: '%Y-%m-%dT%H%:z',
  minutes: '%Y-%m-%dT%H:%M%:z',
  seconds: '%Y-%m-%dT%H:%M:%S%:z',
  ns: '%Y-%m-%dT%H:%M:%S,%N%:z',
}
const rfc3339Formats: Readonly<Record<string, string>> = {
  date: '%Y-%m-%d',
  seconds: '%Y-%m-%d %H:%M:%S%:z',
  ns: '%Y-%m-%d %H:%M:%S.%N%:z',
}

export const date = defineProgram({
  name: 'date',
  usage: '[OPTION]... [+FORMAT]\n[-u|--utc|--universal] [MMDDhhmm[[CC]YY][.ss]]',
  options,
  unsupported: ['--debug'],
  async run(io, given) {
    const zoneName = given.has('utc') ? 'UTC0' : io.env.get('TZ')
    const format = formatOf(given)
    const print = async ({ seconds, nanoseconds }: ExactTime) => {
      const parts = partsAt(seconds, timeZone(zoneName))
      await io.stdout.write(`${formatDate(format, { ...parts, seconds, nanoseconds })}\n`)
    }
    const sources = given.given.filter(({ key }) => key === 'date' || key === 'file' || key === 'reference')
    if (new Set(sources.map(({ key }) => key)).size + (given.has('resolution') ? 1 : 0) > 1) {
      throw new ProgramError('the options to specify dates for printing are mutually exclusive')
    }
    const setting = given.value('set')
    if (setting !== undefined) return refuseToSet(io, setting, zoneName)
    const file = given.value('file')
    if (file !== undefined) return printLines(io, file, zoneName, print)
    const reference = given.value('reference')
    if (given.has('resolution')) await print({ seconds: 0, nanoseconds: 1 })
    else if (reference !== undefined) await print(await modified(io, reference))
    else {
      const text = given.value('date')
      const time = text === undefined ? exactly(io.now()) : parseExactDate(text, { now: io.now(), timeZone: zoneName })
      if (time === undefined) throw new ProgramError(`invalid date ‘${text}’`)
      await print(time)
    }
    return 0
  },
})

function formatOf({ given, operands }: ParsedArguments<typeof options>): string {
  const formats: string[] = []
  for (const { key, value } of given) {
    if (key === 'iso') formats.push(chosen(isoFormats, value ?? 'date', '--iso-8601'))
    if (key === 'rfc3339') formats.push(chosen(rfc3339Formats, value ?? '', '--rfc-3339'))
    if (key === 'rfcEmail') formats.push('%a, %d %b %Y %H:%M:%S %z')
    if (key === 'resolution') formats.push('%s.%N')
  }
  const [first, second] = operands
  if (second !== undefined) throw new ProgramError(`extra operand ‘${second}’`)
  if (first?.startsWith('+')) formats.push(first.slice(1))
  else if (first !== undefined) {
    if (given.some(({ key }) => key === 'date' || key === 'file' || key === 'reference')) {
      throw new ProgramError(`the argument ‘${first}’ lacks a leading '+';\n${formatNeeded}`)
    }
    throw new ProgramError(/^\d{8}(\d\d){0,2}(\.\d\d)?$/.test(first) ? cannotSet : `invalid date ‘${first}’`)
  }
  if (formats.length > 1) throw new ProgramError('multiple output formats specified')
  return formats[0] ?? '%a %b %e %H:%M:%S %Z %Y'
}

/** A name of these may be shortened. */
function chosen(formats: Readonly<Record<string, string>>, name: string, option: string): string {
  const found = Object.keys(formats).filter((known) => known.startsWith(name))
  const [only] = found
  if (name !== '' && found.length === 1 && only !== undefined) return formats[only] as string
  const valid = Object.keys(formats).map((known) => `\n  - ‘${known}’`)
  throw new ProgramError(`invalid argument ‘${name}’ for ‘${option}’\nValid arguments are:${valid.join('')}`)
}

const formatNeeded =
  "when using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'"
const cannotSet = 'cannot set date: Operation not permitted'

async function refuseToSet(io: ProgramIo, text: string, zoneName: string | undefined): Promise<number> {
  const time = parseExactDate(text, { now: io.now(), timeZone: zoneName })
  throw new ProgramError(time === undefined ? `invalid date ‘${text}’` : cannotSet)
}

async function printLines(
  io: ProgramIo,
  file: string,
  zoneName: string | undefined,
  print: (time: ExactTime) => Promise<void>,
): Promise<number> {
  let status = 0
  const reader = file === '-' ? io.stdin : await open(io, file)
  for await (const lines of lineBatches(reader)) {
    for (const line of lines) {
      const text = decodeText(line).replace(/\n$/, '')
      const time = parseExactDate(text, { now: io.now(), timeZone: zoneName })
      if (time !== undefined) await print(time)
      else {
        await io.error(`invalid date ‘${text}’`)
        status = 1
      }
    }
  }
  return status
}

async function open(io: ProgramIo, file: string) {
  try {
    return await io.fs.openRead(file)
  } catch (error) {
    throw new ProgramError(`${file}: ${describeError(error)}`)
  }
}

async function modified(io: ProgramIo, file: string): Promise<ExactTime> {
  try {
    const { modifiedMs = io.now() } = await io.fs.stat(file)
    return exactly(modifiedMs)
  } catch (error) {
    throw new ProgramError(`${file}: ${describeError(error)}`)
  }
}

function exactly(milliseconds: number): ExactTime {
  const seconds = Math.floor(milliseconds / 1000)
  return { seconds, nanoseconds: Math.floor((milliseconds - seconds * 1000) * 1e6) }
}
