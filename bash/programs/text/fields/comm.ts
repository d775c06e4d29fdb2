/** Compares two sorted files line by line. */
import type { Bytes } from '../../../../src/fs/types.js'
import { encodeText } from '../../../io/byte-text.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'
import { ByteOutput } from '../common/byte-output.js'
import { misuse, refuseExtra, requireInput } from '../common/inputs.js'
import { compareBytes, LineReader } from '../common/line-reader.js'

const options = {
  hideFirst: { names: ['-1'] },
  hideSecond: { names: ['-2'] },
  hideCommon: { names: ['-3'] },
  checkOrder: { names: ['--check-order'] },
  noCheckOrder: { names: ['--nocheck-order'] },
  outputDelimiter: { names: ['--output-delimiter'], value: 'required' },
  total: { names: ['--total'] },
  zero: { names: ['-z', '--zero-terminated'] },
} as const

type Given = ParsedArguments<typeof options>

export const comm = defineProgram({
  name: 'comm',
  usage: '[OPTION]... FILE1 FILE2',
  options,
  async run(io, given) {
    const [first, second] = given.operands
    if (first === undefined) throw misuse(io, 'missing operand')
    if (second === undefined) throw misuse(io, `missing operand after ${quoted(first)}`)
    refuseExtra(io, given.operands, 2)
    const lineEnd = given.has('zero') ? 0 : 10
    const one = new LineReader(await requireInput(io, first), lineEnd)
    const other = new LineReader(await requireInput(io, second), lineEnd)
    return compare(io, given, new Checked(one, '1', io, given), new Checked(other, '2', io, given), lineEnd)
  },
})

/** The lines of one file, with a warning when they are not sorted. */
class Checked {
  line: Bytes | undefined
  isDisordered = false

  constructor(
    private readonly reader: LineReader,
    private readonly number: string,
    private readonly io: ProgramIo,
    private readonly given: Given,
  ) {}

  async advance(hasUnpaired: boolean): Promise<void> {
    const previous = this.line
    const next = this.reader.next()
    this.line = next instanceof Promise ? await next : next
    if (previous === undefined || this.line === undefined || this.isDisordered) return
    const order = this.given.last('checkOrder', 'noCheckOrder')
    if (order === 'noCheckOrder' || (order === undefined && !hasUnpaired)) return
    if (compareBytes(previous, this.line) <= 0) return
    this.isDisordered = true
    const message = `file ${this.number} is not in sorted order`
    if (order === 'checkOrder') throw new ProgramError(message)
    await this.io.error(message)
  }
}

async function compare(io: ProgramIo, given: Given, one: Checked, other: Checked, lineEnd: number): Promise<number> {
  const output = new ByteOutput({ write: (data) => io.stdout.write(data) })
  const text = given.value('outputDelimiter')
  const separator = text === undefined ? Uint8Array.of(9) : text === '' ? new Uint8Array(1) : encodeText(text)
  const isHidden = [given.has('hideFirst'), given.has('hideSecond'), given.has('hideCommon')]
  const counts: [number, number, number] = [0, 0, 0]

  function write(column: 0 | 1 | 2, line: Bytes): void {
    counts[column] += 1
    if (isHidden[column]) return
    for (let before = 0; before < column; before += 1) if (!isHidden[before]) output.bytes(separator)
    output.bytes(line)
    output.byte(lineEnd)
  }

  let hasUnpaired = false
  await one.advance(false)
  await other.advance(false)
  while (one.line !== undefined || other.line !== undefined) {
    const order = one.line === undefined ? 1 : other.line === undefined ? -1 : compareBytes(one.line, other.line)
    if (order !== 0) hasUnpaired = true
    if (order === 0 && one.line !== undefined) write(2, one.line)
    else if (order < 0 && one.line !== undefined) write(0, one.line)
    else if (other.line !== undefined) write(1, other.line)
    if (output.isFull) await output.drain()
    try {
      if (order <= 0) await one.advance(hasUnpaired)
      if (order >= 0) await other.advance(hasUnpaired)
    } finally {
      // What came before a wrong order is still written.
      if (one.isDisordered || other.isDisordered) await output.flush()
    }
  }
  if (given.has('total')) {
    const numbers = counts.flatMap((count) => [encodeText(String(count)), separator])
    for (const piece of numbers) output.bytes(piece)
    output.text('total')
    output.byte(lineEnd)
  }
  await output.flush()
  if (!one.isDisordered && !other.isDisordered) return 0
  throw new ProgramError('input is not in sorted order')
}
