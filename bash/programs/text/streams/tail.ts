/** The last part of files. */
import type { Bytes } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import type { ByteReader } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'
import { forEachInput, type Input, orStdin } from '../common/inputs.js'
import { parseSize } from '../common/numbers.js'
import { follow } from './follow.js'
import { titles, unopened } from './titles.js'

interface Amount {
  count: number
  unit: 'lines' | 'bytes'
  /** From the line or byte with this number on. */
  isFromStart: boolean
}

const blockBytes = 64 * 1024

export const tail = defineProgram({
  name: 'tail',
  usage: '[OPTION]... [FILE]...',
  options: {
    bytes: { names: ['-c', '--bytes'], value: 'required' },
    lines: { names: ['-n', '--lines'], value: 'required' },
    quiet: { names: ['-q', '--quiet', '--silent'] },
    verbose: { names: ['-v', '--verbose'] },
    zero: { names: ['-z', '--zero-terminated'] },
    follow: { names: ['-f'] },
    followBy: { names: ['--follow'], value: 'optional' },
    followName: { names: ['-F'] },
    retry: { names: ['--retry'] },
    // How often the original looks where it is not told of changes.
    interval: { names: ['-s', '--sleep-interval'], value: 'required' },
    unchanged: { names: ['--max-unchanged-stats'], value: 'required' },
  },
  unsupported: ['--pid'],
  rewrite: rewriteHistoric,
  async run(io, given) {
    let amount: Amount = { count: 10, unit: 'lines', isFromStart: false }
    for (const { key, value = '' } of given.given) if (key === 'bytes' || key === 'lines') amount = amountOf(value, key)
    const mode = given.last('follow', 'followBy', 'followName') as Mode | undefined
    if (amount.count === 0 && !amount.isFromStart && mode === undefined) return 0
    const delimiter = given.has('zero') ? 0 : 10
    const names = orStdin(given.operands)
    const shown = given.last('quiet', 'verbose')
    const title = titles(io, shown === 'verbose' || (names.length > 1 && shown !== 'quiet'))
    const status = await forEachInput(
      io,
      names,
      async (input) => {
        await title(input.name)
        await copy(io, input, amount, delimiter)
      },
      unopened(title),
    )
    const followed = names.filter((name) => name !== '-')
    if (mode === undefined || followed.length === 0) return status
    return follow(io, { names: followed, ...followRules(given, mode), title })
  },
})

interface FollowArguments {
  has(key: 'retry'): boolean
  value(key: 'followBy'): string | undefined
}

type Mode = 'follow' | 'followBy' | 'followName'

function followRules(given: FollowArguments, mode: Mode) {
  const how = given.value('followBy') ?? 'descriptor'
  const hows = ['name', 'descriptor'].filter((one) => how !== '' && one.startsWith(how))
  if (hows.length !== 1) throw new ProgramError(`invalid argument ${quoted(how)} for ${quoted('--follow')}`)
  const byName = mode === 'followName' || (mode === 'followBy' && hows[0] === 'name')
  return { byName, retries: mode === 'followName' || given.has('retry') }
}

/** `tail -5`, `tail +3`, `tail -5c`: only as the first of at most two arguments. */
function rewriteHistoric(args: readonly string[]): readonly string[] {
  const [first = '', ...rest] = args
  const [, sign, digits = '', letter = ''] = /^([+-])(\d*)([bcl]?)f?$/.exec(first) ?? []
  if (sign === undefined || (digits === '' && letter === '') || first === '-c') return args
  if (sign === '-' && digits === '') return args
  const isAlone = rest.length <= 1 || (rest.length === 2 && rest[0] === '--')
  if (!isAlone && sign === '+') return args
  if (!isAlone) throw new ProgramError(`option used in invalid context -- ${digits[0]}`)
  const follow = first.endsWith('f') ? ['-f'] : []
  const count = `${digits === '' ? '10' : digits}${letter === 'b' ? 'b' : ''}`
  return [letter === 'c' || letter === 'b' ? '-c' : '-n', `${sign}${count}`, ...follow, ...rest]
}

function amountOf(text: string, unit: Amount['unit']): Amount {
  const isFromStart = text.startsWith('+')
  const bare = /^[+-]/.test(text) ? text.slice(1) : text
  const count = parseSize(bare)
  if (count === undefined) throw new ProgramError(`invalid number of ${unit}: ${quoted(text.replace(/^-/, ''))}`)
  return { count, unit, isFromStart }
}

async function copy(io: ProgramIo, input: Input, amount: Amount, delimiter: number): Promise<void> {
  const { count, unit, isFromStart } = amount
  if (isFromStart) {
    return unit === 'bytes'
      ? fromByte(io, input.reader, Math.max(0, count - 1))
      : fromLine(io, input.reader, Math.max(0, count - 1), delimiter)
  }
  const size = input.name === '-' ? undefined : await sizeOf(io, input.name)
  if (size !== undefined) {
    const start =
      unit === 'bytes' ? Math.max(0, size - count) : await lineStart(io, input.name, size, amount, delimiter)
    return copyFrom(io, input.name, start, size)
  }
  const last =
    unit === 'bytes' ? await lastBytes(io, input.reader, count) : await lastLines(io, input.reader, count, delimiter)
  for (const chunk of last) await io.stdout.write(chunk)
}

/** The size of a regular file, which can be read from its end. */
async function sizeOf(io: ProgramIo, name: string): Promise<number | undefined> {
  const { kind, size } = await io.fs.stat(name)
  return kind === 'file' ? size : undefined
}

async function fromByte(io: ProgramIo, reader: ByteReader, skip: number): Promise<void> {
  let left = skip
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
    await io.stdout.write(chunk.subarray(Math.min(left, chunk.length)))
    left = Math.max(0, left - chunk.length)
  }
}

async function fromLine(io: ProgramIo, reader: ByteReader, skip: number, delimiter: number): Promise<void> {
  let left = skip
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
    let start = 0
    while (left > 0) {
      const found = chunk.indexOf(delimiter, start)
      if (found === -1) break
      start = found + 1
      left -= 1
    }
    if (left === 0) await io.stdout.write(chunk.subarray(start))
  }
}

/** Where the last lines of a file begin, found from its end. */
async function lineStart(
  io: ProgramIo,
  name: string,
  size: number,
  { count }: Amount,
  delimiter: number,
): Promise<number> {
  if (count === 0) return size
  let left = count
  let end = size
  while (end > 0) {
    const start = Math.max(0, end - blockBytes)
    const block = await io.fs.readFile(name, { start, end })
    let at = block.length
    // The delimiter of the last line does not begin another one.
    if (end === size && block[at - 1] === delimiter) at -= 1
    while (at > 0) {
      const found = block.lastIndexOf(delimiter, at - 1)
      if (found === -1) break
      left -= 1
      if (left === 0) return start + found + 1
      at = found
    }
    end = start
  }
  return 0
}

async function copyFrom(io: ProgramIo, name: string, from: number, size: number): Promise<void> {
  for (let start = from; start < size; start += 4 * blockBytes) {
    await io.stdout.write(await io.fs.readFile(name, { start, end: Math.min(size, start + 4 * blockBytes) }))
  }
}

async function lastBytes(io: ProgramIo, reader: ByteReader, count: number): Promise<Bytes[]> {
  const held: Bytes[] = []
  let size = 0
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
    held.push(chunk)
    size += chunk.length
    io.account(chunk.length)
    while (held[0] !== undefined && size - held[0].length >= count) {
      size -= held[0].length
      io.account(-held[0].length)
      held.shift()
    }
  }
  if (held[0] !== undefined && size > count) held[0] = held[0].subarray(size - count)
  return held
}

/** Keeps the chunks that can hold the last lines. */
async function lastLines(io: ProgramIo, reader: ByteReader, count: number, delimiter: number): Promise<Bytes[]> {
  const held: Array<{ chunk: Bytes; lines: number }> = []
  let lines = 0
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
    const counted = { chunk, lines: countOf(chunk, delimiter) }
    held.push(counted)
    lines += counted.lines
    io.account(chunk.length)
    while (held[0] !== undefined && held.length > 1 && lines - held[0].lines > count) {
      lines -= held[0].lines
      io.account(-held[0].chunk.length)
      held.shift()
    }
  }
  const chunks = held.map(({ chunk }) => chunk)
  const last = chunks.at(-1)
  if (last === undefined || count === 0) return []
  const isComplete = last[last.length - 1] === delimiter
  return dropLines(chunks, lines + (isComplete ? 0 : 1) - count, delimiter)
}

function dropLines(chunks: Bytes[], count: number, delimiter: number): Bytes[] {
  let left = count
  let [first] = chunks
  const rest = chunks.slice(1)
  while (left > 0 && first !== undefined) {
    const found = first.indexOf(delimiter)
    if (found === -1) {
      first = rest.shift()
      continue
    }
    first = first.subarray(found + 1)
    left -= 1
  }
  return first === undefined ? rest : [first, ...rest]
}

function countOf(chunk: Bytes, delimiter: number): number {
  let count = 0
  for (let at = 0; at < chunk.length; at += 1) if (chunk[at] === delimiter) count += 1
  return count
}
