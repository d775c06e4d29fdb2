/** Prints sequences of numbers. Decimal numbers are counted exactly. */

import type { ProgramIo } from '../../../io/program.js'
import { rawProgram } from '../../define-program.js'
import { parseArguments } from '../../options.js'
import { ProgramError, UsageError } from '../../program-error.js'
import { type Conversion, formatFloat } from '../c-format.js'

const options = {
  format: { names: ['-f', '--format'], value: 'required' },
  separator: { names: ['-s', '--separator'], value: 'required' },
  equalWidth: { names: ['-w', '--equal-width'] },
} as const

export const seq = rawProgram({
  name: 'seq',
  usage: '[OPTION]... LAST\n[OPTION]... FIRST LAST\n[OPTION]... FIRST INCREMENT LAST',
  async run(io) {
    const given = parseArguments(protectNumbers(io.args), options, { stopsAtOperand: true })
    const { operands } = given
    if (operands.length === 0) throw new UsageError('missing operand')
    if (operands.length > 3) throw new UsageError(`extra operand ‘${operands[3]}’`)
    const [first, step, last] = (
      operands.length === 1
        ? ['1', '1', operands[0]]
        : operands.length === 2
          ? [operands[0], '1', operands[1]]
          : operands
    ).map((text) => parseNumber(text as string)) as [Decimal, Decimal, Decimal]
    if (step.digits === 0n && Number.isFinite(step.value)) {
      throw new UsageError(`invalid Zero increment value: ‘${operands[1]}’`)
    }
    const format = given.value('format')
    if (format !== undefined && given.has('equalWidth')) {
      throw new ProgramError('format string may not be specified when printing equal width strings')
    }
    const show = format === undefined ? undefined : formatter(format)
    await print(io, first, step, last, given.has('equalWidth'), given.value('separator') ?? '\n', show)
    return 0
  },
})

/** Options end where a negative number stands. */
function protectNumbers(args: readonly string[]): readonly string[] {
  let at = 0
  while (at < args.length && /^-(?![.\d])./.test(args[at] as string) && args[at] !== '--') {
    at += /^-[fs]$|^--(format|separator)$/.test(args[at] as string) ? 2 : 1
  }
  return /^-[.\d]/.test(args[at] ?? '') ? [...args.slice(0, at), '--', ...args.slice(at)] : args
}

/** `digits` / 10 ** `precision`. */
interface Decimal {
  digits: bigint
  precision: number
  /** Infinite values have no digits. */
  value: number
  /** As it is written, without an exponent: `-w` counts zeros at its start. */
  width: number
}

function parseNumber(text: string): Decimal {
  const trimmed = text.trimStart()
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(trimmed) ?? []
  if (whole !== '' || fraction !== '') {
    const power = Number(exponent)
    const precision = Math.max(0, fraction.length - power)
    const digits = BigInt(whole + fraction) * 10n ** BigInt(precision - fraction.length + power)
    const written = { sign, whole, fraction, hasPoint: /\./.test(trimmed), power }
    return {
      digits: sign === '-' ? -digits : digits,
      precision,
      value: Number(trimmed),
      width: writtenWidth(written, precision),
    }
  }
  const [, hexSign, hex] = /^([+-]?)(0[xX][0-9a-fA-F]+)$/.exec(trimmed) ?? []
  if (hex !== undefined) {
    const digits = hexSign === '-' ? -BigInt(hex) : BigInt(hex)
    return { digits, precision: 0, value: Number(digits), width: 0 }
  }
  const [, infinitySign, infinity] = /^([+-]?)(inf|infinity)$/i.exec(trimmed) ?? []
  if (infinity !== undefined) {
    return { digits: 0n, precision: 0, value: infinitySign === '-' ? -Infinity : Infinity, width: 0 }
  }
  if (/^[+-]?nan$/i.test(trimmed)) throw new UsageError(`invalid ‘not-a-number’ argument: ‘${text}’`)
  throw new UsageError(`invalid floating point argument: ‘${text}’`)
}

interface Written {
  sign: string
  whole: string
  fraction: string
  hasPoint: boolean
  power: number
}

function writtenWidth({ sign, whole, fraction, hasPoint, power }: Written, precision: number): number {
  let width = (sign === '-' ? 1 : 0) + whole.length + fraction.length + (hasPoint ? 1 : 0)
  if (hasPoint) width += fraction === '' ? -1 : whole === '' ? 1 : 0
  if (power < 0) width += hasPoint && fraction !== '' ? 0 : 1
  else if (power > 0 && fraction !== '' && precision === 0) width -= 1
  return width + (power < 0 ? -power : power - Math.min(fraction.length, power))
}

const scaled = ({ digits, precision }: Decimal, to: number) => digits * 10n ** BigInt(to - precision)

async function print(
  io: ProgramIo,
  first: Decimal,
  step: Decimal,
  last: Decimal,
  equalWidth: boolean,
  separator: string,
  show: ((value: number) => string) | undefined,
): Promise<void> {
  const precision = Math.max(first.precision, step.precision)
  const common = Math.max(precision, last.precision)
  const isDown = step.value < 0
  if (!Number.isFinite(first.value) || !Number.isFinite(step.value)) {
    throw new ProgramError('infinite numbers are not supported by this shell', 2)
  }
  const increment = scaled(step, common)
  const end = Number.isFinite(last.value) ? scaled(last, common) : undefined
  const isEndless = end === undefined && last.value > 0 !== isDown
  if (end === undefined && !isEndless) return
  const decimals = 10n ** BigInt(common - precision)
  const text = (digits: bigint) => {
    if (show !== undefined) return show(Number(digits) / 10 ** common)
    return decimalText(digits / decimals, precision)
  }
  const width = equalWidth && end !== undefined ? widest(first, last, precision) : 0
  let written = 0
  let batch: string[] = []
  for (let at = scaled(first, common); isEndless || (isDown ? at >= (end ?? at) : at <= (end ?? at)); at += increment) {
    const number = written === 0 && Object.is(first.value, -0) ? `-${text(at)}` : text(at)
    const shown = width > 0 ? zeroPadded(number, width) : number
    batch.push(written === 0 ? shown : separator + shown)
    written += 1
    if (batch.length < 4096) continue
    await io.stdout.write(batch.join(''))
    batch = []
    io.step()
  }
  if (written > 0) batch.push('\n')
  await io.stdout.write(batch.join(''))
}

function decimalText(digits: bigint, precision: number): string {
  if (precision === 0) return digits.toString()
  const text = (digits < 0n ? -digits : digits).toString().padStart(precision + 1, '0')
  return `${digits < 0n ? '-' : ''}${text.slice(0, -precision)}.${text.slice(-precision)}`
}

function widest(first: Decimal, last: Decimal, precision: number): number {
  const width = (number: Decimal) => {
    const point = (precision > 0 ? 1 : 0) - (number.precision > 0 ? 1 : 0)
    return number.width + precision - number.precision + point
  }
  return Math.max(width(first), width(last))
}

function zeroPadded(text: string, width: number): string {
  return text.startsWith('-') ? `-${text.slice(1).padStart(width - 1, '0')}` : text.padStart(width, '0')
}

/** A format with exactly one conversion for a number. */
function formatter(format: string): (value: number) => string {
  const parts = format.split(/(%%|%[-+ #0']*\d*(?:\.\d*)?[A-Za-z]|%)/)
  const conversions = parts.filter((part) => part.startsWith('%') && part !== '%%')
  const [only] = conversions
  if (only === undefined) throw new ProgramError(`format ‘${format}’ has no % directive`)
  if (conversions.length > 1) throw new ProgramError(`format ‘${format}’ has too many % directives`)
  const [, flags = '', width = '', precision, letter = ''] =
    /^%([-+ #0']*)(\d*)(?:\.(\d*))?([aefgAEFG])$/.exec(only) ?? []
  if (only === '%') throw new ProgramError(`format ‘${format}’ ends in %`)
  if (letter === '') throw new ProgramError(`format ‘${format}’ has unknown %${only.at(-1)} directive`)
  const conversion: Conversion = {
    flags,
    width: Number(width),
    precision: precision === undefined ? undefined : Number(precision),
    letter,
  }
  return (value) =>
    parts.map((part) => (part === '%%' ? '%' : part === only ? formatFloat(value, conversion) : part)).join('')
}
