/** Joins the lines of two sorted files that have the same field. */
import type { Bytes } from '../../../../src/fs/types.js'
import { decodeText } from '../../../io/byte-text.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quoted, shownName } from '../../quoting.js'
import { ByteOutput } from '../common/byte-output.js'
import { misuse, refuseExtra, requireInput } from '../common/inputs.js'
import { compareBytes, LineReader, toUpper } from '../common/line-reader.js'
import { type JoinOptions, type JoinRules, joinOptions, rulesOf } from './join-rules.js'

interface Line {
  whole: Bytes
  fields: readonly Bytes[]
  /** For comparing. */
  key: Bytes
}

const none: Bytes = new Uint8Array()

export const join = defineProgram<JoinOptions>({
  name: 'join',
  usage: '[OPTION]... FILE1 FILE2',
  options: joinOptions,
  async run(io, given) {
    const [first, second] = given.operands
    const rules = rulesOf(io, given)
    if (first === undefined) throw misuse(io, 'missing operand')
    if (second === undefined) throw misuse(io, `missing operand after ${quoted(first)}`)
    refuseExtra(io, given.operands, 2)
    if (first === '-' && second === '-')
      throw new ProgramError('both files cannot be standard input: No such file or directory')
    const sides = [
      new Side(new LineReader(await requireInput(io, first), rules.lineEnd), 0, first, io, rules),
      new Side(new LineReader(await requireInput(io, second), rules.lineEnd), 1, second, io, rules),
    ] as const
    const output = new ByteOutput(io.stdout)
    try {
      await joinSides(sides, rules, writer(output, rules), output)
    } finally {
      await output.flush()
    }
    if (sides.some(({ isDisordered }) => isDisordered)) throw new ProgramError('input is not in sorted order')
    return 0
  },
})

/** The lines of one file. */
class Side {
  line: Line | undefined
  isDisordered = false
  #number = 0

  constructor(
    private readonly reader: LineReader,
    private readonly index: 0 | 1,
    private readonly name: string,
    private readonly io: ProgramIo,
    private readonly rules: JoinRules,
  ) {}

  async advance(isChecked: boolean): Promise<void> {
    const previous = this.line
    const next = this.reader.next()
    const whole = next instanceof Promise ? await next : next
    this.line = whole === undefined ? undefined : lineOf(whole, this.index, this.rules)
    this.#number += 1
    if (isChecked && previous !== undefined && this.line !== undefined) await this.#check(previous, this.line)
  }

  async #check(previous: Line, line: Line): Promise<void> {
    if (this.isDisordered || compareBytes(previous.key, line.key) <= 0) return
    this.isDisordered = true
    const message = `${shownName(this.name)}:${this.#number}: is not sorted: ${decodeText(line.whole)}`
    if (this.rules.order === 'check') throw new ProgramError(message)
    await this.io.error(message)
  }
}

function lineOf(whole: Bytes, index: 0 | 1, rules: JoinRules): Line {
  const fields = split(whole, rules.separator)
  const key = fields[rules.keys[index]] ?? none
  return { whole, fields, key: rules.ignoresCase ? toUpper(key) : key }
}

/** Without a separator fields are between runs of blanks; leading blanks do not count. */
function split(line: Bytes, separator: number | undefined): Bytes[] {
  const fields: Bytes[] = []
  if (separator !== undefined) {
    let start = 0
    for (let end = line.indexOf(separator); end !== -1; end = line.indexOf(separator, start)) {
      fields.push(line.subarray(start, end))
      start = end + 1
    }
    if (line.length > 0) fields.push(line.subarray(start))
    return fields
  }
  let at = 0
  const skipBlanks = () => {
    while (at < line.length && isBlank(line[at])) at += 1
  }
  skipBlanks()
  while (at < line.length) {
    const start = at
    while (at < line.length && !isBlank(line[at])) at += 1
    fields.push(line.subarray(start, at))
    const end = at
    skipBlanks()
    // Trailing blanks begin an empty field.
    if (at === line.length && end < at) fields.push(none)
  }
  return fields
}

function isBlank(byte: number | undefined): boolean {
  return byte === 32 || byte === 9 || byte === 10
}

type Write = (one: Line | undefined, other: Line | undefined) => void

function writer(output: ByteOutput, rules: JoinRules): Write {
  const separator = rules.separator ?? 32
  let isFirst = true

  function field(value: Bytes | undefined): void {
    if (!isFirst) output.byte(separator)
    isFirst = false
    output.bytes(value === undefined || value.length === 0 ? rules.empty : value)
  }

  function others(line: Line | undefined, index: 0 | 1, count: number): void {
    for (let at = 0; at < count; at += 1) if (at !== rules.keys[index]) field(line?.fields[at])
  }

  return (one, other) => {
    isFirst = true
    const key = one === undefined ? other?.fields[rules.keys[1]] : one.fields[rules.keys[0]]
    if (rules.format !== undefined) {
      for (const { file, field: at } of rules.format) {
        field(file === 0 ? key : file === 1 ? one?.fields[at] : other?.fields[at])
      }
    } else {
      field(key)
      others(one, 0, rules.counts?.[0] ?? one?.fields.length ?? 0)
      others(other, 1, rules.counts?.[1] ?? other?.fields.length ?? 0)
    }
    output.byte(rules.lineEnd)
  }
}

async function joinSides(
  sides: readonly [Side, Side],
  rules: JoinRules,
  write: Write,
  output: ByteOutput,
): Promise<void> {
  const [one, other] = sides
  let hasUnpaired = false
  const isChecked = () => rules.order === 'check' || (rules.order === 'warn' && hasUnpaired)
  await one.advance(false)
  await other.advance(false)
  if (rules.format === undefined && rules.isAuto) {
    rules.counts = [one.line?.fields.length ?? 0, other.line?.fields.length ?? 0]
  }
  if (rules.hasHeader && (one.line !== undefined || other.line !== undefined)) {
    write(one.line, other.line)
    // The header takes no part in the order.
    one.line = one.line && { ...one.line, key: none }
    other.line = other.line && { ...other.line, key: none }
    if (one.line !== undefined) await one.advance(false)
    if (other.line !== undefined) await other.advance(false)
  }

  async function unpaired(side: Side, index: 0 | 1): Promise<void> {
    if (rules.showsUnpaired[index]) index === 0 ? write(side.line, undefined) : write(undefined, side.line)
    await side.advance(isChecked())
  }

  /** All lines with the same key. */
  async function group(side: Side): Promise<Line[]> {
    const lines: Line[] = []
    const key = side.line?.key ?? none
    while (side.line !== undefined && compareBytes(side.line.key, key) === 0) {
      lines.push(side.line)
      await side.advance(isChecked())
    }
    return lines
  }

  while (one.line !== undefined && other.line !== undefined) {
    const order = compareBytes(one.line.key, other.line.key)
    if (order !== 0) {
      await (order < 0 ? unpaired(one, 0) : unpaired(other, 1))
      hasUnpaired = true
    } else {
      const lines = await group(one)
      const partners = await group(other)
      if (rules.showsPaired) {
        for (const line of lines) {
          for (const partner of partners) write(line, partner)
          if (output.isFull) await output.drain()
        }
      }
    }
    if (output.isFull) await output.drain()
  }
  for (const [index, side] of [
    [0, one],
    [1, other],
  ] as const) {
    const isNeeded = rules.showsUnpaired[index] || rules.order !== 'ignore'
    while (isNeeded && side.line !== undefined) {
      await unpaired(side, index)
      if (output.isFull) await output.drain()
    }
  }
}
