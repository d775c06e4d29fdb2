/** Compares two files byte by byte. */
import { entryOf } from '../../../src/text/entry-of.js'
import { describeError } from '../../io/describe-error.js'
import type { ProgramIo } from '../../io/program.js'
import type { ByteReader } from '../../io/streams.js'
import { defineProgram } from '../define-program.js'
import { ProgramError } from '../program-error.js'

const troubleStatus = 2
const suffixes: Readonly<Record<string, number>> = {
  '': 1,
  kB: 1000,
  K: 1 << 10,
  MB: 1e6,
  M: 1 << 20,
  GB: 1e9,
  G: 2 ** 30,
}

const usageHint = "cmp: Try 'cmp --help' for more information."

export const cmp = defineProgram({
  name: 'cmp',
  usage: '[OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]',
  options: {
    printBytes: { names: ['-b', '--print-bytes'] },
    skip: { names: ['-i', '--ignore-initial'], value: 'required' },
    verbose: { names: ['-l', '--verbose'] },
    limit: { names: ['-n', '--bytes'], value: 'required' },
    silent: { names: ['-s', '--quiet', '--silent'] },
  },
  usageStatus: troubleStatus,
  usageHint,
  async run(io, given) {
    const [one, other = '-', skipOne, skipOther] = given.operands
    if (one === undefined) throw new ProgramError(`missing operand after 'cmp'\n${usageHint}`, troubleStatus)
    const [first = '0', second = first] = given.value('skip')?.split(':') ?? []
    const limit = given.value('limit')
    const isSilent = given.has('silent')
    const left = await open(io, one, isSilent)
    const right = await open(io, other, isSilent)
    if (left === undefined || right === undefined) return troubleStatus
    const skips = [bytesOf(skipOne ?? first), bytesOf(skipOther ?? second)] as const
    const max = limit === undefined ? Number.MAX_SAFE_INTEGER : bytesOf(limit)
    return compare(io, {
      names: [one, other],
      readers: [left, right],
      skips,
      limit: max,
      mode: isSilent ? 'silent' : given.has('verbose') ? 'verbose' : 'first',
      printsBytes: given.has('printBytes'),
      width: given.has('verbose') ? await placeWidth(io, [one, other], skips, max) : 0,
      isPortable: ['', 'C', 'POSIX'].includes(messagesLocale(io.env)),
    })
  },
})

/** As wide as the last place in the shorter file. */
async function placeWidth(
  io: ProgramIo,
  names: readonly string[],
  skips: readonly number[],
  max: number,
): Promise<number> {
  let least = max
  for (const [index, name] of names.entries()) {
    const stat = name === '-' ? undefined : await io.fs.stat(name)
    if (stat?.kind === 'file') least = Math.min(least, Math.max(0, (stat.size ?? 0) - (skips[index] ?? 0)))
  }
  return String(least).length
}

function messagesLocale(env: ReadonlyMap<string, string>): string {
  return env.get('LC_ALL') || env.get('LC_MESSAGES') || env.get('LANG') || ''
}

async function open(io: ProgramIo, name: string, isSilent: boolean): Promise<ByteReader | undefined> {
  if (name === '-') return io.stdin
  try {
    return await io.fs.openRead(name)
  } catch (error) {
    const reason = describeError(error)
    if (!isSilent) await io.error(`${name}: ${reason}`)
    return undefined
  }
}

function bytesOf(text: string): number {
  const [, digits, suffix = ''] = /^(\d+)([A-Za-z]*)$/.exec(text) ?? []
  const unit = entryOf(suffixes, suffix)
  if (digits === undefined || unit === undefined)
    throw new ProgramError(`invalid --bytes value '${text}'`, troubleStatus)
  return Number(digits) * unit
}

interface Comparison {
  names: readonly [string, string]
  readers: readonly [ByteReader, ByteReader]
  skips: readonly [number, number]
  limit: number
  mode: 'silent' | 'verbose' | 'first'
  printsBytes: boolean
  /** Of the places in lists. */
  width: number
  /** Messages as POSIX has them. */
  isPortable: boolean
}

async function compare(
  io: ProgramIo,
  { names, readers, skips, limit, mode, printsBytes, width, isPortable }: Comparison,
): Promise<number> {
  const left = byteSource(readers[0], skips[0])
  const right = byteSource(readers[1], skips[1])
  let offset = 0
  let lines = 1
  let endsLine = true
  let status = 0
  while (offset < limit) {
    const [a, b] = [await left.fill(), await right.fill()]
    if (a === 0 && b === 0) return status
    if (a === 0 || b === 0) {
      if (mode !== 'silent') await io.error(endMessage(names[a === 0 ? 0 : 1], offset, lines, mode, endsLine))
      return 1
    }
    const count = Math.min(a, b, limit - offset)
    for (let index = 0; index < count; index += 1) {
      const [x, y] = [left.at(index), right.at(index)]
      if (x === y) {
        endsLine = x === 10
        if (endsLine) lines += 1
        continue
      }
      if (mode === 'silent') return 1
      const place = offset + index + 1
      if (mode === 'first') {
        const unit = isPortable && !printsBytes ? 'char' : 'byte'
        const bytes = printsBytes ? ` is ${octal(x)} ${visible(x)} ${octal(y)} ${visible(y)}` : ''
        await io.stdout.write(`${names[0]} ${names[1]} differ: ${unit} ${place}, line ${lines}${bytes}\n`)
        return 1
      }
      status = 1
      const bytes = printsBytes
        ? `${octal(x)} ${visible(x).padEnd(4)} ${octal(y)} ${visible(y)}`
        : `${octal(x)} ${octal(y)}`
      await io.stdout.write(`${String(place).padStart(width)} ${bytes}\n`)
    }
    left.take(count)
    right.take(count)
    offset += count
  }
  return status
}

function endMessage(name: string, offset: number, lines: number, mode: string, endsLine: boolean): string {
  if (offset === 0) return `EOF on ${name} which is empty`
  if (mode === 'verbose') return `EOF on ${name} after byte ${offset}`
  return endsLine
    ? `EOF on ${name} after byte ${offset}, line ${lines - 1}`
    : `EOF on ${name} after byte ${offset}, in line ${lines}`
}

function octal(byte: number): string {
  return byte.toString(8).padStart(3)
}

/** Control characters as `^X`, bytes above 127 as `M-x`. */
function visible(byte: number): string {
  if (byte >= 128) return `M-${visible(byte - 128)}`
  if (byte < 32) return `^${String.fromCharCode(byte + 64)}`
  return byte === 127 ? '^?' : String.fromCharCode(byte)
}

/** A reader with a window of bytes; `fill` returns how many there are, 0 at the end. */
function byteSource(reader: ByteReader, skip: number) {
  let chunk: Uint8Array = new Uint8Array()
  let start = 0
  let left = skip
  return {
    async fill(): Promise<number> {
      while (start === chunk.length) {
        const next = await reader.read()
        if (next === undefined) return 0
        chunk = next
        start = Math.min(left, next.length)
        left -= start
      }
      return chunk.length - start
    },
    at: (index: number) => chunk[start + index] as number,
    take(count: number) {
      start += count
    },
  }
}
