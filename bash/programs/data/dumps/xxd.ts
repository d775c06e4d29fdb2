/** Makes a hex dump, or bytes of one. */
import { decodeText, encodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import type { Output, ProgramIo } from '../../../io/program.js'
import { readAll } from '../../../io/streams.js'
import { rawProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { boundedInput } from '../bounded-input.js'
import { revertBits, revertHex } from './xxd-revert.js'

interface Settings {
  mode: 'hex' | 'bits' | 'little' | 'plain' | 'include'
  reverse: boolean
  columns: number | undefined
  group: number | undefined
  length: number | undefined
  offset: number
  seek: string | undefined
  upper: boolean
  autoskip: boolean
  decimal: boolean
  capitalize: boolean
  name: string | undefined
  operands: string[]
}

export const xxd = rawProgram({
  name: 'xxd',
  usage: '[options] [infile [outfile]]\n-r [-s [-]offset] [-c cols] [-ps] [infile [outfile]]',
  async run(io) {
    const settings = parse(io)
    const [input = '-', output] = settings.operands
    if (settings.operands.length > 2) throw new ProgramError('too many operands')
    if (output === undefined || output === '-') return run(io, settings, input, io.stdout)
    const writer = await io.fs.openWrite(output)
    const sink: Output = {
      write: (data) => writer.write(typeof data === 'string' ? encodeText(data) : data),
      flush: async () => {},
    }
    const status = await run(io, settings, input, sink)
    await writer.close()
    return status
  },
})

const valued = ['c', 'g', 'l', 'o', 's', 'n'] as const

/** Only the first letter of an option counts, and options are not combined. */
function parse(io: ProgramIo): Settings {
  const settings: Settings = {
    mode: 'hex',
    reverse: false,
    columns: undefined,
    group: undefined,
    length: undefined,
    offset: 0,
    seek: undefined,
    upper: false,
    autoskip: false,
    decimal: false,
    capitalize: false,
    name: undefined,
    operands: [],
  }
  const args = [...io.args]
  while (args.length > 0) {
    const arg = args.shift() as string
    if (arg === '--') {
      settings.operands.push(...args)
      break
    }
    if (!arg.startsWith('-') || arg === '-') {
      settings.operands.push(arg)
      continue
    }
    const text = arg.startsWith('--') ? arg.slice(1) : arg
    const letter = text[1] as string
    if ((valued as readonly string[]).includes(letter)) {
      const attached = /^-(?:cols|group|len|seek|offset|name)$/.test(text) ? '' : text.slice(2)
      const value = attached !== '' ? attached : args.shift()
      if (value === undefined) throw new ProgramError(`option '${arg}' requires an argument`)
      setValue(settings, letter as (typeof valued)[number], value)
    } else setFlag(settings, letter, arg)
  }
  return settings
}

function setFlag(settings: Settings, letter: string, arg: string): void {
  if (letter === 'a') settings.autoskip = !settings.autoskip
  else if (letter === 'b') settings.mode = 'bits'
  else if (letter === 'e') settings.mode = 'little'
  else if (letter === 'p') settings.mode = 'plain'
  else if (letter === 'i') settings.mode = 'include'
  else if (letter === 'r') settings.reverse = true
  else if (letter === 'u') settings.upper = true
  else if (letter === 'd') settings.decimal = true
  else if (letter === 'C') settings.capitalize = true
  else throw new ProgramError(`option '${arg}' is not supported by this shell`, 2)
}

function setValue(settings: Settings, letter: (typeof valued)[number], value: string): void {
  if (letter === 'n') settings.name = value
  else if (letter === 's') settings.seek = value
  else if (letter === 'c') settings.columns = number(value)
  else if (letter === 'g') settings.group = number(value)
  else if (letter === 'l') settings.length = number(value)
  else settings.offset = number(value)
}

function number(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1
  const digits = text.replace(/^[+-]/, '')
  if (/^0[xX][0-9a-fA-F]+/.test(digits)) return sign * Number.parseInt(digits, 16)
  return sign * (Number.parseInt(digits, digits.startsWith('0') ? 8 : 10) || 0)
}

async function run(io: ProgramIo, settings: Settings, input: string, output: Output): Promise<number> {
  if (settings.reverse) return revert(io, settings, input, output)
  const seek = number(settings.seek ?? '0')
  const skip = seek < 0 ? Math.max(0, (await sizeOf(io, input)) + seek) : seek
  const bounds = settings.length === undefined || settings.length < 0 ? { skip } : { skip, limit: settings.length }
  const source = boundedInput(io, [input], bounds)
  const skipped = await source.skipped()
  if (source.failed()) return 2
  if (skipped < skip) throw new ProgramError('Sorry, cannot seek.', 4)
  if (settings.mode === 'plain') await plain(source.read, settings, output)
  else if (settings.mode === 'include') await include(source.read, settings, input, output)
  else await dump(source.read, settings, skip, output, io)
  return source.failed() ? 2 : 0
}

async function sizeOf(io: ProgramIo, input: string): Promise<number> {
  if (input === '-') throw new ProgramError('Sorry, cannot seek.', 4)
  const stat = await io.fs.stat(input)
  return 'size' in stat ? (stat.size ?? 0) : 0
}

type Read = (size: number) => Promise<Uint8Array>

const hexOf = (byte: number, upper: boolean) => {
  const text = byte.toString(16).padStart(2, '0')
  return upper ? text.toUpperCase() : text
}

/** The text for each byte. */
const bytesAs = (show: (byte: number) => string) => Array.from({ length: 256 }, (_, byte) => show(byte))

const printable = bytesAs((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.'))

async function plain(read: Read, { columns = 30, upper }: Settings, output: Output): Promise<void> {
  const perLine = columns > 0 ? columns : Number.POSITIVE_INFINITY
  const cells = bytesAs((byte) => hexOf(byte, upper))
  let onLine = 0
  for (let block = await read(65536); block.length > 0; block = await read(65536)) {
    const pieces: string[] = []
    for (let at = 0; at < block.length; at += 1) {
      pieces.push(cells[block[at] as number] as string)
      onLine += 1
      if (onLine < perLine) continue
      pieces.push('\n')
      onLine = 0
    }
    await output.write(pieces.join(''))
  }
  if (onLine > 0 || columns === 0) await output.write('\n')
}

async function include(read: Read, settings: Settings, input: string, output: Output): Promise<void> {
  const { columns = 12, upper, capitalize } = settings
  const own = settings.name ?? (input === '-' ? undefined : input)
  const identifier = own?.replace(/^(?=\d)/, '__').replace(/[^A-Za-z0-9]/g, '_')
  const name = capitalize ? identifier?.toUpperCase() : identifier
  if (name !== undefined) await output.write(`unsigned char ${name}[] = {`)
  let count = 0
  for (let block = await read(65536); block.length > 0; block = await read(65536)) {
    const pieces: string[] = []
    for (let at = 0; at < block.length; at += 1) {
      const start = count === 0 ? (name === undefined ? '  ' : '\n  ') : count % columns === 0 ? ',\n  ' : ', '
      pieces.push(`${start}0${upper ? 'X' : 'x'}${hexOf(block[at] as number, upper)}`)
      count += 1
    }
    await output.write(pieces.join(''))
  }
  if (count > 0 || name !== undefined) await output.write('\n')
  if (name === undefined) return
  const suffix = capitalize ? '_LEN' : '_len'
  await output.write(`};\nunsigned int ${name}${suffix} = ${count};\n`)
}

async function dump(read: Read, settings: Settings, skip: number, output: Output, io: ProgramIo): Promise<void> {
  const { mode, upper, autoskip, decimal } = settings
  const perLine = settings.columns || (mode === 'bits' ? 6 : 16)
  const given = settings.group ?? (mode === 'bits' ? 1 : mode === 'little' ? 4 : 2)
  const group = given > 0 ? given : perLine
  if (mode === 'little' && (group & (group - 1)) !== 0) {
    throw new ProgramError('number of octets per group must be a power of 2 with -e.')
  }
  const groupWidth = group * (mode === 'bits' ? 8 : 2) + 1
  const hexWidth = Math.floor((groupWidth * perLine - 1) / group)
  const cells = bytesAs((byte) => (mode === 'bits' ? byte.toString(2).padStart(8, '0') : hexOf(byte, upper)))
  let address = skip + settings.offset
  let zeros = 0
  const linesPerRead = Math.max(1, Math.floor(65536 / perLine))
  for (;;) {
    const block = await read(perLine * linesPerRead)
    if (block.length === 0) break
    const lines: string[] = []
    for (let at = 0; at < block.length; at += perLine) {
      const end = Math.min(at + perLine, block.length)
      const isLast = block.length < perLine * linesPerRead && end === block.length
      const isZero = autoskip && !isLast && block.subarray(at, end).every((byte) => byte === 0)
      zeros = isZero ? zeros + 1 : 0
      if (zeros === 2) lines.push('*\n')
      if (zeros < 2) lines.push(dumpLine(block, at, end))
      address += end - at
    }
    await output.write(lines.join(''))
    io.step()
  }

  function dumpLine(block: Uint8Array, from: number, to: number): string {
    let hex = ''
    for (let at = from; at < to; at += group) {
      const end = Math.min(at + group, to)
      if (mode === 'little') {
        let cell = ''
        for (let index = end - 1; index >= at; index -= 1) cell += cells[block[index] as number]
        hex += cell.padStart(group * 2)
      } else for (let index = at; index < end; index += 1) hex += cells[block[index] as number]
      hex += ' '
    }
    let text = ''
    for (let at = from; at < to; at += 1) text += printable[block[at] as number]
    const shown = decimal ? String(address).padStart(8, '0') : address.toString(16).padStart(8, '0')
    return `${shown}: ${hex.trimEnd().padEnd(hexWidth)}  ${text}\n`
  }
}

async function revert(io: ProgramIo, settings: Settings, input: string, output: Output): Promise<number> {
  try {
    const reader = input === '-' ? io.stdin : await io.fs.openRead(input)
    const bytes = await readAll(reader)
    io.account(bytes.length)
    const text = decodeText(bytes)
    const columns = settings.columns || 16
    const seek = number(settings.seek ?? '0')
    const canSeek = output !== io.stdout || io.stdout.path !== undefined
    const { bytes: result, failure } =
      settings.mode === 'bits'
        ? revertBits(text, columns, seek)
        : revertHex(text, { columns, seek, isPlain: settings.mode === 'plain', canSeek })
    await output.write(result)
    if (failure !== undefined) throw failure
    return 0
  } catch (error) {
    if (error instanceof ProgramError) throw error
    await io.error(`${input}: ${describeError(error)}`)
    return 2
  }
}
