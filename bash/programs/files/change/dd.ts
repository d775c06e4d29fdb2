/** Copies bytes in blocks. */

import type { Bytes } from '../../../../src/fs/types.js'
import { entryOf } from '../../../../src/text/entry-of.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { type ByteReader, concat } from '../../../io/streams.js'
import { rawProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quoted, quotedName } from '../../quoting.js'
import { lstatIfThere } from '../shared/facts.js'
import { humanSize, unitFactor } from '../shared/sizes.js'
import { usageError } from '../shared/usage.js'

const gapBytes = 64 * 1024

interface Plan {
  input?: string
  output?: string
  inputBlock: number
  outputBlock: number
  /** In bytes or blocks, see `flags`. */
  count?: number
  skip: number
  seek: number
  conversions: Set<string>
  inputFlags: Set<string>
  outputFlags: Set<string>
  status: string
}

const conversions = [
  'notrunc',
  'ucase',
  'lcase',
  'swab',
  'sync',
  'noerror',
  'fsync',
  'fdatasync',
  'excl',
  'nocreat',
  'sparse',
]
const inputFlags = [
  'fullblock',
  'count_bytes',
  'skip_bytes',
  'direct',
  'dsync',
  'sync',
  'nonblock',
  'noatime',
  'nocache',
  'binary',
  'text',
]
const outputFlags = ['append', 'seek_bytes', 'direct', 'dsync', 'sync', 'nonblock', 'nocache', 'binary', 'text']

export const dd = rawProgram({
  name: 'dd',
  usage: '[OPERAND]...\nOPTION',
  async run(io) {
    return transfer(io, planOf(io))
  },
})

function planOf(io: ProgramIo): Plan {
  const plan: Plan = {
    inputBlock: 512,
    outputBlock: 512,
    skip: 0,
    seek: 0,
    conversions: new Set(),
    inputFlags: new Set(),
    outputFlags: new Set(),
    status: '',
  }
  for (const operand of io.args) {
    if (operand === '--') continue
    const [, key = '', value = ''] = /^([a-z]+)=(.*)$/s.exec(operand) ?? []
    const set = entryOf(setters, key)
    if (set === undefined) throw usageError(io, `unrecognized operand ${quoted(operand)}`)
    set(plan, value)
  }
  return plan
}

const setters: Readonly<Record<string, (plan: Plan, value: string) => void>> = {
  if: (plan, value) => void (plan.input = value),
  of: (plan, value) => void (plan.output = value),
  bs: (plan, value) => void (plan.inputBlock = plan.outputBlock = blockSize(value)),
  ibs: (plan, value) => void (plan.inputBlock = blockSize(value)),
  obs: (plan, value) => void (plan.outputBlock = blockSize(value)),
  count: (plan, value) => amount(plan, value, (count) => (plan.count = count), plan.inputFlags, 'count_bytes'),
  skip: (plan, value) => amount(plan, value, (skip) => (plan.skip = skip), plan.inputFlags, 'skip_bytes'),
  iseek: (plan, value) => amount(plan, value, (skip) => (plan.skip = skip), plan.inputFlags, 'skip_bytes'),
  seek: (plan, value) => amount(plan, value, (seek) => (plan.seek = seek), plan.outputFlags, 'seek_bytes'),
  oseek: (plan, value) => amount(plan, value, (seek) => (plan.seek = seek), plan.outputFlags, 'seek_bytes'),
  conv: (plan, value) => addAll(plan.conversions, value, conversions, 'conversion', 'conv'),
  iflag: (plan, value) => addAll(plan.inputFlags, value, inputFlags, 'input flag', 'iflag'),
  oflag: (plan, value) => addAll(plan.outputFlags, value, outputFlags, 'output flag', 'oflag'),
  status(plan, value) {
    if (!['none', 'noxfer', 'progress'].includes(value))
      throw new ProgramError(`invalid status level: ${quoted(value)}`)
    plan.status = value
  },
}

/** A count that ends with `B` is one of bytes. */
function amount(_: Plan, value: string, set: (amount: number) => void, flags: Set<string>, byteFlag: string): void {
  const isBytes = /\dB$/.test(value)
  if (isBytes) flags.add(byteFlag)
  set(number(isBytes ? value.slice(0, -1) : value))
}

function blockSize(value: string): number {
  const size = number(value)
  if (size === 0) throw new ProgramError(`invalid number: ${quoted(value)}`)
  return size
}

/** `4`, `4k`, `2x512`; `c`, `w` and `b` are 1, 2 and 512 bytes. */
function number(value: string): number {
  const factors = value.split('x')
  const invalid = new ProgramError(`invalid number: ${quoted(value)}`)
  if (factors.length > 2) throw invalid
  let product = 1
  for (const factor of factors) {
    const [, digits, unit = ''] = /^[\t-\r ]*\+?(\d+)(.*)$/s.exec(factor) ?? []
    const bytes = entryOf({ c: 1, w: 2, b: 512, B: 1 }, unit) ?? unitFactor(unit)
    if (digits === undefined || bytes === undefined) throw invalid
    product *= Number(digits) * bytes
  }
  return product
}

function addAll(set: Set<string>, value: string, known: readonly string[], what: string, key: string): void {
  for (const one of value.split(',')) {
    if (['ascii', 'ebcdic', 'ibm', 'block', 'unblock', 'directory', 'nofollow', 'nolinks', 'cio'].includes(one)) {
      throw new ProgramError(`'${key}=${one}' is not supported by this shell`, 2)
    }
    if (!known.includes(one)) throw new ProgramError(`invalid ${what}: ${quoted(one)}`)
    set.add(one)
  }
}

async function transfer(io: ProgramIo, plan: Plan): Promise<number> {
  const started = io.now()
  let reader = await openInput(io, plan)
  const output = await openOutput(io, plan)
  // Opening the output may have emptied the file that is the input.
  if (plan.input !== undefined && plan.output !== undefined && io.path(plan.input) === io.path(plan.output)) {
    reader.close()
    reader = await openInput(io, plan)
  }
  const skipped = plan.inputFlags.has('skip_bytes') ? plan.skip : plan.skip * plan.inputBlock
  const blocks = blockReader(reader)
  await blocks.skip(skipped)
  const limit =
    plan.count === undefined
      ? Number.POSITIVE_INFINITY
      : plan.inputFlags.has('count_bytes')
        ? plan.count
        : plan.count * plan.inputBlock
  let full = 0
  let partial = 0
  let written = 0
  for (let rest = limit; rest > 0; ) {
    io.step()
    const size = Math.min(plan.inputBlock, rest)
    const block = await blocks.read(size)
    if (block.length === 0) break
    if (block.length === plan.inputBlock) full += 1
    else partial += 1
    rest -= size
    const data = converted(block, plan)
    written += data.length
    await output.write(data)
  }
  if (plan.input !== undefined) reader.close()
  await output.close()
  const flush = ['fsync', 'fdatasync'].find((one) => plan.conversions.has(one))
  const cantFlush = flush !== undefined && plan.output === undefined && io.stdout.path === undefined
  if (cantFlush) await io.error(`${flush} failed for ${quoted('standard output')}: Invalid argument`)
  await report(io, plan, { full, partial, written, seconds: (io.now() - started) / 1000 })
  return cantFlush ? 1 : 0
}

async function openInput(io: ProgramIo, { input }: Plan): Promise<ByteReader> {
  if (input === undefined) return io.stdin
  try {
    return await io.fs.openRead(input)
  } catch (error) {
    const reason = describeError(error)
    throw new ProgramError(
      reason === 'Is a directory'
        ? `error reading ${quotedName(input)}: ${reason}`
        : `failed to open ${quotedName(input)}: ${reason}`,
    )
  }
}

interface BlockOutput {
  write(bytes: Bytes): Promise<void> | undefined
  close(): Promise<void>
}

async function openOutput(io: ProgramIo, plan: Plan): Promise<BlockOutput> {
  const { output, conversions: done } = plan
  if (output === undefined) {
    const seek = plan.outputFlags.has('seek_bytes') ? plan.seek : plan.seek * plan.outputBlock
    if (seek > 0 && io.stdout.path === undefined) {
      throw new ProgramError(`${quoted('standard output')}: cannot seek: Illegal seek`)
    }
    // What is sought stands at the end of the file, so the gap is written.
    for (let rest = seek; rest > 0; rest -= gapBytes) await io.stdout.write(new Uint8Array(Math.min(rest, gapBytes)))
    return { write: (bytes) => io.stdout.write(bytes), close: async () => {} }
  }
  try {
    const there = await lstatIfThere(io.fs, output)
    if (there !== undefined && done.has('excl'))
      throw new ProgramError(`failed to open ${quotedName(output)}: File exists`)
    if (there === undefined && done.has('nocreat')) {
      throw new ProgramError(`failed to open ${quotedName(output)}: No such file or directory`)
    }
    const seek = plan.outputFlags.has('seek_bytes') ? plan.seek : plan.seek * plan.outputBlock
    if (plan.outputFlags.has('append')) {
      if (!done.has('notrunc')) await (await io.fs.openWrite(output)).close()
      return await io.fs.openWrite(output, { append: true })
    }
    if (there?.kind === 'other' || (seek === 0 && !done.has('notrunc'))) return await io.fs.openWrite(output)
    return await patchingOutput(io, output, seek, there !== undefined, done.has('notrunc'))
  } catch (error) {
    if (error instanceof ProgramError) throw error
    throw new ProgramError(`failed to open ${quotedName(output)}: ${describeError(error)}`)
  }
}

/** Writes into a file that exists: what is before and, with `notrunc`, after stays. */
async function patchingOutput(
  io: ProgramIo,
  path: string,
  seek: number,
  isThere: boolean,
  keepsRest: boolean,
): Promise<BlockOutput> {
  const before = isThere ? await io.fs.readFile(path) : new Uint8Array()
  // Fails now where the file can't be written.
  await (await io.fs.openWrite(path, { append: true })).close()
  const pieces: Bytes[] = []
  let size = 0
  return {
    write(bytes) {
      io.account(bytes.length)
      pieces.push(bytes.slice())
      size += bytes.length
      return undefined
    },
    async close() {
      const gap = new Uint8Array(Math.max(0, seek - before.length))
      const rest = keepsRest ? before.subarray(seek + size) : new Uint8Array()
      await io.fs.writeFile(path, concat([before.subarray(0, seek), gap, ...pieces, rest]))
    },
  }
}

/** Whole blocks, whatever pieces the input comes in. */
function blockReader(reader: ByteReader) {
  async function read(size: number): Promise<Bytes> {
    const pieces: Bytes[] = []
    let missing = size
    while (missing > 0) {
      const chunk = await reader.read()
      if (chunk === undefined) break
      pieces.push(chunk.subarray(0, missing))
      if (chunk.length > missing) reader.unread(chunk.subarray(missing))
      missing -= Math.min(chunk.length, missing)
    }
    return concat(pieces)
  }

  async function skip(size: number): Promise<void> {
    for (let missing = size; missing > 0; ) {
      const chunk = await reader.read()
      if (chunk === undefined) return
      if (chunk.length > missing) reader.unread(chunk.subarray(missing))
      missing -= Math.min(chunk.length, missing)
    }
  }

  return { read, skip }
}

function converted(block: Bytes, { conversions: done, inputBlock }: Plan): Bytes {
  const isPadded = done.has('sync') && block.length < inputBlock
  if (!isPadded && !done.has('ucase') && !done.has('lcase') && !done.has('swab')) return block
  const data = new Uint8Array(isPadded ? inputBlock : block.length)
  data.set(block)
  for (let at = 0; at < data.length; at += 1) {
    const byte = data[at] as number
    if (done.has('ucase') && byte >= 0x61 && byte <= 0x7a) data[at] = byte - 0x20
    if (done.has('lcase') && byte >= 0x41 && byte <= 0x5a) data[at] = byte + 0x20
  }
  if (!done.has('swab')) return data
  for (let at = 0; at + 1 < data.length; at += 2) {
    const first = data[at] as number
    data[at] = data[at + 1] as number
    data[at + 1] = first
  }
  return data
}

async function report(
  io: ProgramIo,
  plan: Plan,
  { full, partial, written, seconds }: { full: number; partial: number; written: number; seconds: number },
): Promise<void> {
  if (plan.status === 'none') return
  const fullOut = Math.floor(written / plan.outputBlock)
  const partialOut = written % plan.outputBlock > 0 ? 1 : 0
  await io.stderr.write(`${full}+${partial} records in\n${fullOut}+${partialOut} records out\n`)
  if (plan.status === 'noxfer') return
  const sizes =
    written < 1000 ? '' : written < 1024 ? ` (${decimal(written)})` : ` (${decimal(written)}, ${binary(written)})`
  const speed = seconds > 0 ? `${decimal(Math.round(written / seconds))}/s` : 'Infinity B/s'
  const unit = written === 1 ? 'byte' : 'bytes'
  await io.stderr.write(`${written} ${unit}${sizes} copied, ${Number(seconds.toPrecision(6))} s, ${speed}\n`)
}

const decimal = (bytes: number) => humanSize(bytes, 1000).replace(/[kMGTPEZY]?$/, (letter) => ` ${letter}B`)
const binary = (bytes: number) => humanSize(bytes, 1024).replace(/[KMGTPEZY]?$/, (letter) => ` ${letter}iB`)
