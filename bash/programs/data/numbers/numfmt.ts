/** Converts numbers from and to human-readable forms. */
import { entryOf } from '../../../../src/text/entry-of.js'
import { decodeText } from '../../../io/byte-text.js'
import { lineBatches } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'

const options = {
  delimiter: { names: ['-d', '--delimiter'], value: 'required' },
  field: { names: ['--field'], value: 'required' },
  format: { names: ['--format'], value: 'required' },
  from: { names: ['--from'], value: 'required' },
  fromUnit: { names: ['--from-unit'], value: 'required' },
  grouping: { names: ['--grouping'] },
  header: { names: ['--header'], value: 'optional' },
  invalid: { names: ['--invalid'], value: 'required' },
  padding: { names: ['--padding'], value: 'required' },
  round: { names: ['--round'], value: 'required' },
  suffix: { names: ['--suffix'], value: 'required' },
  to: { names: ['--to'], value: 'required' },
  toUnit: { names: ['--to-unit'], value: 'required' },
  zero: { names: ['-z', '--zero-terminated'] },
} as const

type Given = ParsedArguments<typeof options>
type Unit = 'none' | 'auto' | 'si' | 'iec' | 'iec-i'
const letters = 'KMGTPEZY'

export const numfmt = defineProgram({
  name: 'numfmt',
  usage: '[OPTION]... [NUMBER]...',
  options,
  unsupported: ['--debug'],
  async run(io, given) {
    const convert = converter(given)
    const mode = given.value('invalid') ?? 'abort'
    if (!['abort', 'fail', 'warn', 'ignore'].includes(mode)) {
      throw new ProgramError(`invalid argument ‘${mode}’ for ‘--invalid’`)
    }
    let status = 0

    async function line(text: string, end: string): Promise<void> {
      const { text: shown, fault } = convert(text)
      if (fault !== undefined) {
        if (mode === 'abort') throw new ProgramError(fault, 2)
        if (mode !== 'ignore') await io.error(fault)
        if (mode === 'fail') status = 2
      }
      await io.stdout.write(shown + end)
    }

    const end = given.has('zero') ? '\0' : '\n'
    if (given.operands.length > 0) {
      for (const operand of given.operands) await line(operand, end)
      return status
    }
    let headers = headerLines(given)
    for await (const lines of lineBatches(io.stdin, end.charCodeAt(0))) {
      for (const bytes of lines) {
        const whole = decodeText(bytes)
        const text = whole.endsWith(end) ? whole.slice(0, -1) : whole
        if (headers > 0) {
          headers -= 1
          await io.stdout.write(text + end)
        } else await line(text, whole.endsWith(end) ? end : '')
      }
    }
    return status
  },
})

function headerLines(given: Given): number {
  if (!given.has('header')) return 0
  const text = given.value('header')
  if (text === undefined) return 1
  if (!/^\d+$/.test(text) || Number(text) === 0) throw new ProgramError(`invalid header value ‘${text}’`)
  return Number(text)
}

interface Fault {
  text: string
  fault?: string
}

function converter(given: Given): (line: string) => Fault {
  const from = unitOf(given.value('from') ?? 'none', '--from')
  const to = unitOf(given.value('to') ?? 'none', '--to')
  if (to === 'auto') throw new ProgramError('invalid argument ‘auto’ for ‘--to’')
  const fromUnit = unitSize(given.value('fromUnit'))
  const toUnit = unitSize(given.value('toUnit'))
  const suffix = given.value('suffix') ?? ''
  const round = rounding(given.value('round') ?? 'from-zero')
  if (given.has('grouping') && given.has('format'))
    throw new ProgramError('--grouping cannot be combined with --format')
  const format = given.value('format') === undefined ? undefined : parseFormat(given.value('format') as string)
  const padding = paddingOf(given.value('padding')) ?? format?.width ?? 0
  const isSelected = fieldSelector(given.value('field') ?? '1')
  if (given.has('grouping') && to !== 'none') throw new ProgramError('grouping cannot be combined with --to')
  const delimiter = given.value('delimiter')
  if (delimiter !== undefined && [...delimiter].length > 1) {
    throw new ProgramError('the delimiter must be a single character')
  }

  function number(field: string, autoPadding: number): Fault {
    const text = suffix !== '' && field.endsWith(suffix) ? field.slice(0, -suffix.length) : field
    const parsed = parseNumber(text.trim(), from)
    if (typeof parsed === 'string') return { text: field, fault: parsed }
    const scaled = (parsed.value * fromUnit) / toUnit
    const digits = format?.precision ?? (to === 'none' ? parsed.precision : undefined)
    const body = humanText(scaled, to, round, digits, parsed.precision)
    const shown = (format?.zero ? body.padStart(padding, '0') : body) + suffix
    const width = padding !== 0 ? padding : autoPadding
    const padded = width < 0 ? shown.padEnd(-width) : shown.padStart(width)
    return { text: (format?.before ?? '') + padded + (format?.after ?? '') }
  }

  return (line) => {
    let fault: string | undefined
    const pieces = delimiter === undefined ? line.split(/(?<=\S)(?=\s)/) : line.split(delimiter)
    const shown = pieces.map((piece, index) => {
      if (!isSelected(index + 1) || fault !== undefined) return piece
      const isPadded = delimiter === undefined && padding === 0
      const leading = delimiter === undefined ? (/^\s*/.exec(piece)?.[0] ?? '') : ''
      const auto = isPadded && (leading !== '' || index > 0) ? piece.length - (index > 0 ? 1 : 0) : 0
      const result = number(piece.slice(leading.length), auto)
      if (result.fault !== undefined) {
        fault = result.fault
        return piece
      }
      if (!isPadded) return (leading !== '' ? (leading[0] as string) : '') + result.text
      return (index > 0 && leading !== '' ? (leading[0] as string) : '') + result.text
    })
    const text = shown.join(delimiter ?? '')
    return fault === undefined ? { text } : { text: line, fault }
  }
}

function unitOf(name: string, option: string): Unit {
  if (['none', 'auto', 'si', 'iec', 'iec-i'].includes(name)) return name as Unit
  throw new ProgramError(`invalid argument ‘${name}’ for ‘${option}’`)
}

function unitSize(text: string | undefined): number {
  if (text === undefined) return 1
  const [, digits, letter, binary] = /^(\d+)([KMGTPEZY])?(i?)$/.exec(text) ?? []
  if (digits === undefined || Number(digits) === 0) throw new ProgramError(`invalid unit size: ‘${text}’`)
  return Number(digits) * (letter === undefined ? 1 : (binary ? 1024 : 1000) ** (letters.indexOf(letter) + 1))
}

function paddingOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^-?\d+$/.test(text) || Number(text) === 0) throw new ProgramError(`invalid padding value ‘${text}’`)
  return Number(text)
}

function rounding(name: string): (value: number) => number {
  const away = (value: number) => (value < 0 ? Math.floor(value) : Math.ceil(value))
  const methods: Readonly<Record<string, (value: number) => number>> = {
    up: Math.ceil,
    down: Math.floor,
    'from-zero': away,
    'towards-zero': Math.trunc,
    nearest: (value) => (value < 0 ? -Math.round(-value) : Math.round(value)),
  }
  const method = entryOf(methods, name)
  if (method === undefined) throw new ProgramError(`invalid argument ‘${name}’ for ‘--round’`)
  return method
}

interface Format {
  before: string
  after: string
  width: number
  precision: number | undefined
  zero: boolean
}

function parseFormat(text: string): Format {
  const found = /^((?:[^%]|%%)*)%([0'-]*)(\d*)(?:\.(\d*))?f((?:[^%]|%%)*)$/s.exec(text)
  if (found === null) {
    if (!/(^|[^%])(%%)*%[^%]/.test(text)) throw new ProgramError(`format ‘${text}’ has no % directive`)
    throw new ProgramError(`invalid format ‘${text}’, directive must be %[0]['][-][N][.][N]f`)
  }
  const [, before = '', flags = '', width = '', precision, after = ''] = found
  const size = Number(width)
  return {
    before: before.replaceAll('%%', '%'),
    after: after.replaceAll('%%', '%'),
    width: flags.includes('-') ? -size : size,
    precision: precision === undefined ? undefined : Number(precision),
    zero: flags.includes('0'),
  }
}

function fieldSelector(list: string): (field: number) => boolean {
  const ranges = list.split(',').map((range) => {
    const found = /^(\d*)(-?)(\d*)$/.exec(range)
    if (found === null || range === '') throw new ProgramError(`invalid field value ‘${list}’`)
    const [, first = '', dash = '', last = ''] = found
    return [Number(first || 1), dash === '' ? Number(first) : last === '' ? Infinity : Number(last)] as const
  })
  return (field) => ranges.some(([first, last]) => field >= first && field <= last)
}

/** A number with its decimals, or what is wrong with it. */
function parseNumber(text: string, from: Unit): { value: number; precision: number } | string {
  const found = /^(-?)(\d*)(?:\.(\d+))?(.*)$/s.exec(text)
  const [, sign = '', whole = '', fraction = '', rest = ''] = found ?? []
  if (found === null || (whole === '' && fraction === '')) return `invalid number: ‘${text}’`
  const value = Number(`${sign}${whole === '' ? '0' : whole}.${fraction === '' ? '0' : fraction}`)
  const precision = fraction.length
  if (rest === '') return { value, precision }
  const [, letter, binary = '', more = ''] = /^([KMGTPEZY])(i?)(.*)$/s.exec(rest) ?? []
  if (letter === undefined) return `invalid suffix in input: ‘${text}’`
  if (from === 'none') return `rejecting suffix in input: ‘${text}’ (consider using --from)`
  if (more !== '' || (binary !== '' && (from === 'si' || from === 'iec'))) {
    return `invalid suffix in input ‘${text}’: ‘${binary}${more}’`
  }
  if (from === 'iec-i' && binary === '') return `missing 'i' suffix in input: ‘${text}’ (e.g Ki/Mi/Gi)`
  const base = from === 'si' || (from === 'auto' && binary === '') ? 1000 : 1024
  return { value: value * base ** (letters.indexOf(letter) + 1), precision: 0 }
}

function humanText(
  value: number,
  to: Unit,
  round: (value: number) => number,
  digits: number | undefined,
  inputPrecision: number,
): string {
  if (to === 'none') {
    const places = digits ?? inputPrecision
    return roundTo(value, places, round).toFixed(places)
  }
  const base = to === 'si' ? 1000 : 1024
  let power = 0
  let rest = value
  while (Math.abs(rest) >= base && power < letters.length) {
    rest /= base
    power += 1
  }
  const kept = digits === undefined ? (Math.abs(rest) < 10 ? 1 : 0) : Math.min(power * 3, digits)
  let shown = roundTo(rest, kept, round)
  if (Math.abs(shown) >= base && power < letters.length) {
    shown /= base
    power += 1
  }
  const places = digits ?? (power > 0 && Math.abs(shown) < 10 && shown !== 0 ? 1 : 0)
  const letter = power === 0 ? '' : `${letters[power - 1]}${to === 'iec-i' ? 'i' : ''}`
  return printed(shown, places) + letter
}

/** Of two numbers as near as the other, C prints the even one. */
function printed(value: number, places: number): string {
  const scaled = Math.abs(value) * 10 ** places
  const even = scaled % 1 === 0.5 && Math.floor(scaled) % 2 === 0
  return even ? (Math.sign(value) * (Math.floor(scaled) / 10 ** places)).toFixed(places) : value.toFixed(places)
}

function roundTo(value: number, places: number, round: (value: number) => number): number {
  const factor = 10 ** places
  const scaled = value * factor
  // What is not exact only because of binary fractions is not rounded away.
  const near = Math.round(scaled)
  return (Math.abs(scaled - near) < 1e-9 * Math.max(1, Math.abs(scaled)) ? near : round(scaled)) / factor
}
