/** The first part of files. */
import type { Bytes } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import { type ByteReader, lineBatches } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'
import { closeInput, forEachInput, orStdin } from '../common/inputs.js'
import { parseSize } from '../common/numbers.js'
import { titles, unopened } from './titles.js'

interface Amount {
  count: number
  unit: 'lines' | 'bytes'
  /** All but the last `count`. */
  isFromEnd: boolean
}

export const head = defineProgram({
  name: 'head',
  usage: '[OPTION]... [FILE]...',
  options: {
    bytes: { names: ['-c', '--bytes'], value: 'required' },
    lines: { names: ['-n', '--lines'], value: 'required' },
    quiet: { names: ['-q', '--quiet', '--silent'] },
    verbose: { names: ['-v', '--verbose'] },
    zero: { names: ['-z', '--zero-terminated'] },
  },
  rewrite: rewriteHistoric,
  async run(io, given) {
    let amount: Amount = { count: 10, unit: 'lines', isFromEnd: false }
    for (const { key, value = '' } of given.given) if (key === 'bytes' || key === 'lines') amount = amountOf(value, key)
    const delimiter = given.has('zero') ? 0 : 10
    const names = orStdin(given.operands)
    const shown = given.last('quiet', 'verbose')
    const title = titles(io, shown === 'verbose' || (names.length > 1 && shown !== 'quiet'))
    return forEachInput(
      io,
      names,
      async (input) => {
        await title(input.name)
        await copy(io, input.reader, amount, delimiter)
        closeInput(input)
      },
      unopened(title),
    )
  },
})

/** `head -5`, `head -5c`, `head -2kq` */
function rewriteHistoric(args: readonly string[]): readonly string[] {
  const [first = '', ...rest] = args
  const [, digits, letters = ''] = /^-(\d+)([bkmclqvz]*)$/.exec(first) ?? []
  if (digits === undefined) return args
  const unit = /[bkmc]/.test(letters) && !/[cbkm][^cbkm]*l/.test(letters) ? '-c' : '-n'
  const multiplier = letters.replace(/[^bkm]/g, '').at(-1) ?? ''
  const others = [...letters].filter((letter) => 'qvz'.includes(letter)).map((letter) => `-${letter}`)
  return [unit, `${digits}${multiplier}`, ...others, ...rest]
}

function amountOf(text: string, unit: Amount['unit']): Amount {
  const isFromEnd = text.startsWith('-')
  const count = parseSize(isFromEnd ? text.slice(1) : text)
  if (count === undefined)
    throw new ProgramError(`invalid number of ${unit}: ${quoted(isFromEnd ? text.slice(1) : text)}`)
  return { count, unit, isFromEnd }
}

function copy(io: ProgramIo, reader: ByteReader, { count, unit, isFromEnd }: Amount, delimiter: number): Promise<void> {
  if (unit === 'bytes') return isFromEnd ? allButLastBytes(io, reader, count) : firstBytes(io, reader, count)
  return isFromEnd ? allButLastLines(io, reader, count, delimiter) : firstLines(io, reader, count, delimiter)
}

async function firstBytes(io: ProgramIo, reader: ByteReader, count: number): Promise<void> {
  let left = count
  while (left > 0) {
    const chunk = await reader.read()
    if (chunk === undefined) return
    await io.stdout.write(chunk.subarray(0, left))
    reader.unread(chunk.subarray(left))
    left -= chunk.length
  }
}

async function firstLines(io: ProgramIo, reader: ByteReader, count: number, delimiter: number): Promise<void> {
  let left = count
  while (left > 0) {
    const chunk = await reader.read()
    if (chunk === undefined) return
    let end = 0
    while (left > 0) {
      const found = chunk.indexOf(delimiter, end)
      if (found === -1) break
      end = found + 1
      left -= 1
    }
    if (left > 0) end = chunk.length
    await io.stdout.write(chunk.subarray(0, end))
    reader.unread(chunk.subarray(end))
  }
}

async function allButLastBytes(io: ProgramIo, reader: ByteReader, count: number): Promise<void> {
  const held: Bytes[] = []
  let size = 0
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
    held.push(chunk)
    size += chunk.length
    io.account(chunk.length)
    while (size > count) {
      const first = held[0] as Bytes
      const part = first.subarray(0, size - count)
      await io.stdout.write(part)
      size -= part.length
      io.account(-part.length)
      if (part.length === first.length) held.shift()
      else held[0] = first.subarray(part.length)
    }
  }
}

async function allButLastLines(io: ProgramIo, reader: ByteReader, count: number, delimiter: number): Promise<void> {
  let held: Bytes[] = []
  for await (const lines of lineBatches(reader, delimiter)) {
    held = held.concat(lines)
    io.account(sizeOf(lines))
    const surplus = held.splice(0, Math.max(0, held.length - count))
    for (const line of surplus) await io.stdout.write(line)
    io.account(-sizeOf(surplus))
  }
}

function sizeOf(lines: readonly Bytes[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0)
}
