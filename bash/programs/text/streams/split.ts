/** Splits a file into pieces. */
import { isFsError } from '../../../../src/errors.js'
import { encodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { type ByteReader, type ByteWriter, lineBatches, pipe } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { quoted, quotedName, shownName } from '../../quoting.js'
import { misuse, refuseExtra, requireInput } from '../common/inputs.js'
import { parseSize } from '../common/numbers.js'
import { type Chunks, intoChunks, type Pieces, parseChunks } from './split-chunks.js'
import { type SuffixRules, suffixes } from './split-suffixes.js'

const options = {
  suffixLength: { names: ['-a', '--suffix-length'], value: 'required' },
  additional: { names: ['--additional-suffix'], value: 'required' },
  bytes: { names: ['-b', '--bytes'], value: 'required' },
  lineBytes: { names: ['-C', '--line-bytes'], value: 'required' },
  numericShort: { names: ['-d'] },
  numeric: { names: ['--numeric-suffixes'], value: 'optional' },
  hexShort: { names: ['-x'] },
  hex: { names: ['--hex-suffixes'], value: 'optional' },
  elide: { names: ['-e', '--elide-empty-files'] },
  filter: { names: ['--filter'], value: 'required' },
  lines: { names: ['-l', '--lines'], value: 'required' },
  number: { names: ['-n', '--number'], value: 'required' },
  separator: { names: ['-t', '--separator'], value: 'required' },
  unbuffered: { names: ['-u', '--unbuffered'] },
  verbose: { names: ['--verbose'] },
} as const

type Given = ParsedArguments<typeof options>

export const split = defineProgram({
  name: 'split',
  usage: '[OPTION]... [FILE [PREFIX]]',
  options,
  rewrite: (args) => args.flatMap((arg) => (/^-\d+$/.test(arg) ? ['-l', arg.slice(1)] : [arg])),
  async run(io, given) {
    refuseExtra(io, given.operands, 2)
    const [name = '-', prefix = 'x'] = given.operands
    const kinds = given.given.filter(({ key }) => ['bytes', 'lineBytes', 'lines', 'number'].includes(key))
    if (kinds.length > 1) throw misuse(io, 'cannot split in more than one way')
    const [kind] = kinds
    const chunks = kind?.key === 'number' ? parseChunks(kind.value ?? '') : undefined
    const amount =
      kind === undefined ? 1000 : chunks !== undefined ? 0 : amountOf(kind.key as AmountKey, kind.value ?? '')
    const delimiter = separatorOf(given.value('separator'))
    const names = suffixes(suffixRules(given, prefix, chunks))
    const reader = await requireInput(io, name, (reason) =>
      reason === 'Is a directory'
        ? `${shownName(name)}: read error: ${reason}`
        : `cannot open ${quotedName(name)} for reading: ${reason}`,
    )
    const pieces = outputPieces(io, given, names)
    if (chunks !== undefined) {
      await intoChunks(io, { name, reader, chunks, delimiter, pieces, isElided: given.has('elide') })
    } else if (kind?.key === 'bytes') await byBytes(reader, amount, pieces)
    else if (kind?.key === 'lineBytes') await byLineBytes(reader, amount, delimiter, pieces)
    else await byLines(reader, amount, delimiter, pieces)
    await pieces.end()
    return 0
  },
})

type AmountKey = 'bytes' | 'lineBytes' | 'lines'

function amountOf(key: AmountKey, text: string): number {
  const amount = key === 'lines' && !/^\s*\+?\d+$/.test(text) ? undefined : parseSize(text)
  if (amount === undefined || amount === 0) {
    const reason = amount === 0 ? ': Numerical result out of range' : ''
    throw new ProgramError(`invalid number of ${key === 'lines' ? 'lines' : 'bytes'}: ${quoted(text)}${reason}`)
  }
  return amount
}

function separatorOf(text: string | undefined): number {
  if (text === undefined) return 10
  if (text === '\\0') return 0
  const bytes = encodeText(text)
  if (bytes.length === 0) throw new ProgramError('empty record separator')
  if (bytes.length > 1) throw new ProgramError(`multi-character separator ${quoted(text)}`)
  return bytes[0] as number
}

function suffixRules(given: Given, prefix: string, chunks: Chunks | undefined): SuffixRules {
  const kind = given.last('numericShort', 'numeric', 'hexShort', 'hex')
  const isHex = kind === 'hex' || kind === 'hexShort'
  const start = kind === 'numeric' || kind === 'hex' ? given.value(kind) : undefined
  const additional = given.value('additional') ?? ''
  if (additional.includes('/')) {
    throw new ProgramError(`invalid suffix ${quoted(additional)}, contains directory separator`)
  }
  const length = given.value('suffixLength')
  if (length !== undefined && !/^\d+$/.test(length)) throw new ProgramError(`invalid suffix length: ${quoted(length)}`)
  if (start !== undefined && !(isHex ? /^[\da-f]+$/ : /^\d+$/).test(start)) {
    throw new ProgramError(`${start}: invalid start value for ${isHex ? 'hexadecimal' : 'numerical'} suffix`)
  }
  return {
    prefix,
    additional,
    alphabet: kind === undefined ? 'abcdefghijklmnopqrstuvwxyz' : isHex ? '0123456789abcdef' : '0123456789',
    length: Number(length ?? 0),
    start,
    pieces: chunks?.only === undefined ? chunks?.count : undefined,
  }
}

function outputPieces(io: ProgramIo, given: Given, names: Iterator<string>): Pieces {
  const filter = given.value('filter')
  let current: { writer: ByteWriter; ended?: Promise<number> } | undefined

  async function close(): Promise<void> {
    await current?.writer.close()
    const status = await current?.ended
    current = undefined
    if (status !== undefined && status !== 0)
      throw new ProgramError(`with FILE=${name}, exit ${status} from command: ${filter}`)
  }

  let name = ''

  async function open(): Promise<void> {
    name = names.next().value as string
    if (given.has('verbose')) {
      await io.stdout.write(
        `${filter === undefined ? 'creating' : 'executing with FILE='}${filter === undefined ? ' file ' : ''}${quotedName(name)}\n`,
      )
    }
    if (filter !== undefined) {
      const { reader, writer } = pipe()
      const ended = io.run(['sh', '-c', filter], { stdin: reader, env: new Map([...io.env, ['FILE', name]]) })
      current = { writer, ended: ended.finally(() => reader.close()) }
      return
    }
    try {
      current = { writer: await io.fs.openWrite(name) }
    } catch (error) {
      if (!isFsError(error)) throw error
      throw new ProgramError(`${shownName(name)}: ${describeError(error)}`)
    }
  }

  return {
    async next() {
      await close()
      await open()
    },
    async write(bytes) {
      if (current === undefined) await open()
      await current?.writer.write(bytes)
    },
    end: close,
  }
}

async function byBytes(reader: ByteReader, amount: number, pieces: Pieces): Promise<void> {
  let left = 0
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
    for (let at = 0; at < chunk.length; ) {
      if (left === 0) {
        await pieces.next()
        left = amount
      }
      const part = chunk.subarray(at, at + left)
      await pieces.write(part)
      at += part.length
      left -= part.length
    }
  }
}

async function byLines(reader: ByteReader, amount: number, delimiter: number, pieces: Pieces): Promise<void> {
  let left = 0
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
    let start = 0
    while (start < chunk.length) {
      if (left === 0) {
        await pieces.next()
        left = amount
      }
      let end = start
      while (left > 0) {
        const found = chunk.indexOf(delimiter, end)
        if (found === -1) break
        end = found + 1
        left -= 1
      }
      if (left > 0) end = chunk.length
      await pieces.write(chunk.subarray(start, end))
      start = end
    }
  }
}

/** Whole lines, at most `amount` bytes; longer lines are cut. */
async function byLineBytes(reader: ByteReader, amount: number, delimiter: number, pieces: Pieces): Promise<void> {
  let left = 0
  for await (const lines of lineBatches(reader, delimiter)) {
    for (let line of lines) {
      // A last line without its delimiter has to leave room for one.
      if (line.length > left || (line.length === left && line[line.length - 1] !== delimiter && left < amount)) {
        await pieces.next()
        left = amount
      }
      while (line.length > left) {
        await pieces.write(line.subarray(0, left))
        line = line.subarray(left)
        await pieces.next()
        left = amount
      }
      await pieces.write(line)
      left -= line.length
    }
  }
}
