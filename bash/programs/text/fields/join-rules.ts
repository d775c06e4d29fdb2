/** The options of `join` and what they mean. */
import type { Bytes } from '../../../../src/fs/types.js'
import { encodeText } from '../../../io/byte-text.js'
import type { ProgramIo } from '../../../io/program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'
import { misuse } from '../common/inputs.js'

export const joinOptions = {
  all: { names: ['-a'], value: 'required' },
  empty: { names: ['-e'], value: 'required' },
  ignoreCase: { names: ['-i', '--ignore-case'] },
  both: { names: ['-j'], value: 'required' },
  format: { names: ['-o'], value: 'required' },
  separator: { names: ['-t'], value: 'required' },
  unpaired: { names: ['-v'], value: 'required' },
  first: { names: ['-1'], value: 'required' },
  second: { names: ['-2'], value: 'required' },
  checkOrder: { names: ['--check-order'] },
  noCheckOrder: { names: ['--nocheck-order'] },
  header: { names: ['--header'] },
  zero: { names: ['-z', '--zero-terminated'] },
} as const

export type JoinOptions = typeof joinOptions

/** One column of the output; file 0 stands for the field that joins. */
export interface Column {
  file: 0 | 1 | 2
  field: number
}

export interface JoinRules {
  /** The fields to join by, from 0. */
  keys: readonly [number, number]
  separator: number | undefined
  empty: Bytes
  ignoresCase: boolean
  format: readonly Column[] | undefined
  isAuto: boolean
  /** With `-o auto`: the number of fields of the first line of each file. */
  counts?: readonly [number, number]
  showsPaired: boolean
  showsUnpaired: readonly [boolean, boolean]
  order: 'check' | 'warn' | 'ignore'
  hasHeader: boolean
  lineEnd: number
}

export function rulesOf(io: ProgramIo, given: ParsedArguments<JoinOptions>): JoinRules {
  const unpaired = [...given.values('all'), ...given.values('unpaired')].map((value) => fileNumber(value))
  const formats = given.values('format')
  const isAuto = formats.at(-1) === 'auto'
  const order = given.last('checkOrder', 'noCheckOrder')
  const both = given.values('both')
  return {
    keys: [keyOf([...both, ...given.values('first')]), keyOf([...both, ...given.values('second')])],
    separator: separatorOf(given.values('separator'), given.has('zero')),
    empty: encodeText(given.value('empty') ?? ''),
    ignoresCase: given.has('ignoreCase'),
    format: isAuto || formats.length === 0 ? undefined : formats.flatMap((format) => columnsOf(io, format)),
    isAuto,
    showsPaired: !given.has('unpaired'),
    showsUnpaired: [unpaired.includes(1), unpaired.includes(2)],
    order: order === 'checkOrder' ? 'check' : order === 'noCheckOrder' ? 'ignore' : 'warn',
    hasHeader: given.has('header'),
    lineEnd: given.has('zero') ? 0 : 10,
  }
}

function fileNumber(text: string): number {
  if (text !== '1' && text !== '2') throw new ProgramError(`invalid file number: ${quoted(text)}`)
  return Number(text)
}

function fieldNumber(text: string): number {
  if (!/^\d+$/.test(text) || Number(text) === 0) throw new ProgramError(`invalid field number: ${quoted(text)}`)
  return Number(text) - 1
}

function keyOf(values: readonly string[]): number {
  const numbers = [...new Set(values.map(fieldNumber))]
  if (numbers.length > 1) {
    throw new ProgramError(`incompatible join fields ${numbers.map((number) => number + 1).join(', ')}`)
  }
  return numbers[0] ?? 0
}

function separatorOf([text, ...others]: readonly string[], isZero: boolean): number | undefined {
  if (text === undefined) return undefined
  if (others.some((other) => other !== text)) throw new ProgramError('incompatible tabs')
  // An empty separator makes the whole line one field.
  if (text === '') return isZero ? 0 : 10
  if (text === '\\0') return 0
  const bytes = encodeText(text)
  if (bytes.length > 1) throw new ProgramError(`multi-character tab ${quoted(text)}`)
  return bytes[0]
}

function columnsOf(io: ProgramIo, format: string): Column[] {
  return format.split(/[,\s]+/).map((item): Column => {
    if (item === '0') return { file: 0, field: 0 }
    const [, file, field] = /^([12])\.(\d+)$/.exec(item) ?? []
    if (file !== undefined && field !== undefined) return { file: file === '1' ? 1 : 2, field: fieldNumber(field) }
    if (/^[12]/.test(item)) throw new ProgramError(`invalid field specifier: ${quoted(item)}`)
    throw misuse(io, `invalid file number in field spec: ${quoted(item)}`)
  })
}
