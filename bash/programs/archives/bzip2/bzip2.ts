/** Compresses and decompresses files in bzip2 format. */
import { isFsError } from '../../../../src/errors.js'
import { describeError } from '../../../io/describe-error.js'
import type { Program, ProgramIo } from '../../../io/program.js'
import type { ByteReader } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { afterChecks } from '../after-checks.js'
import { BadData, type Meter, readerOfPieces } from '../codec.js'
import { countedReader, isThere, writeBeside } from '../replace-file.js'
import { bzip2Pieces } from './compress.js'
import { bunzip2Pieces } from './decompress.js'

const options = {
  decompress: { names: ['-d', '--decompress'] },
  compress: { names: ['-z', '--compress'] },
  keep: { names: ['-k', '--keep'] },
  force: { names: ['-f', '--force'] },
  test: { names: ['-t', '--test'] },
  stdout: { names: ['-c', '--stdout'] },
  quiet: { names: ['-q', '--quiet'] },
  verbose: { names: ['-v', '--verbose'] },
  small: { names: ['-s', '--small'] },
  fast: { names: ['--fast'] },
  best: { names: ['--best'] },
  level: { names: ['-1', '-2', '-3', '-4', '-5', '-6', '-7', '-8', '-9'] },
} as const

type Given = ParsedArguments<typeof options>

const damagedStatus = 2
const suffixes = [
  ['.bz2', ''],
  ['.bz', ''],
  ['.tbz2', '.tar'],
  ['.tbz', '.tar'],
] as const

export function bzip2ed(reader: ByteReader, level: number, meter: Meter): ByteReader {
  return readerOfPieces(bzip2Pieces(reader, level, meter), () => reader.close())
}

/** Bytes after the last stream end the data, as the original has it. */
export function bunzip2ed(reader: ByteReader, meter: Meter, onTrailing?: () => Promise<void>): ByteReader {
  async function* pieces() {
    try {
      yield* bunzip2Pieces(reader, meter)
    } catch (error) {
      if (!(error instanceof BadData) || error.reason !== 'trailing') throw error
      await onTrailing?.()
    }
  }
  return readerOfPieces(pieces(), () => reader.close())
}

interface Mode {
  action: 'compress' | 'decompress' | 'test'
  toStdout: boolean
  level: number
}

function bzip2Program(name: string, preset: { decompress?: boolean; stdout?: boolean }): Program {
  return defineProgram({
    name,
    usage: '[flags and input files in any order]',
    usageHint: `usage: ${name} [flags and input files in any order]`,
    options,
    unsupported: ['--repetitive-fast', '--repetitive-best', '--exponential'],
    async run(io, given) {
      const last = given.last('decompress', 'compress', 'test') as Mode['action'] | undefined
      const action = last ?? (preset.decompress === true ? 'decompress' : 'compress')
      const mode: Mode = { action, toStdout: preset.stdout === true || given.has('stdout'), level: levelOf(given) }
      const names = given.operands.length > 0 ? given.operands : ['-']
      let status = 0
      for (const one of names) status = Math.max(status, await each(io, given, one, mode))
      return status
    },
  })
}

export const bzip2 = bzip2Program('bzip2', {})
export const bunzip2 = bzip2Program('bunzip2', { decompress: true })
export const bzcat = bzip2Program('bzcat', { decompress: true, stdout: true })

function levelOf(given: Given): number {
  const last = given.given.filter(({ key }) => key === 'level' || key === 'fast' || key === 'best').at(-1)
  if (last?.key === 'fast') return 1
  return last?.key === 'level' ? Number(last.name.slice(1)) : 9
}

async function each(io: ProgramIo, given: Given, name: string, mode: Mode): Promise<number> {
  try {
    if (name === '-') return await toOutput(io, given, io.stdin, '(stdin)', mode)
    const { kind } = await io.fs.lstat(name)
    if (kind === 'directory' || (kind === 'symlink' && (await io.fs.stat(name)).kind === 'directory')) {
      await io.error(`Input file ${name} is a directory.`)
      return 1
    }
    if (mode.toStdout || mode.action === 'test') {
      return await toOutput(io, given, await io.fs.openRead(name), name, mode)
    }
    if (kind !== 'file' && !given.has('force')) {
      await io.error(`Input file ${name} is not a normal file.`)
      return 1
    }
    return await replace(io, given, name, mode)
  } catch (error) {
    if (error instanceof BadData) return await reportBad(io, given, name, mode, error)
    if (!isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY', 'DENIED', 'OUTSIDE', 'LINK_LOOP')) throw error
    await io.error(`Can't open input file ${name}: ${describeError(error)}.`)
    return 1
  }
}

async function reportBad(io: ProgramIo, given: Given, name: string, mode: Mode, error: BadData): Promise<number> {
  const shown = name === '-' ? '(stdin)' : name
  const { reason } = error
  if (reason === 'unsupported') {
    await io.error(`${shown}: randomised blocks are not supported by this shell`)
    return damagedStatus
  }
  if (mode.action === 'test') {
    const messages = {
      format: 'bad magic number (file not created by bzip2)',
      truncated: 'file ends unexpectedly',
      damaged: 'data integrity (CRC) error in data',
      trailing: 'trailing garbage after EOF ignored',
    }
    await io.error(`${shown}: ${messages[reason]}`)
    return damagedStatus
  }
  if (reason === 'format') {
    await io.error(`${shown} is not a bzip2 file.`)
    return given.has('force') && mode.toStdout ? 1 : damagedStatus
  }
  const message =
    reason === 'truncated'
      ? 'Compressed file ends unexpectedly;\n\tperhaps it is corrupted?  *Possible* reason follows.'
      : 'Data integrity error when decompressing.'
  await io.stderr.write(`\n${io.name}: ${message}\n\tInput file = ${shown}, output file = ${outputName(name, mode)}\n`)
  return damagedStatus
}

function outputName(name: string, mode: Mode): string {
  return mode.toStdout || name === '-' ? '(stdout)' : (unpackedName(name) ?? `${name}.out`)
}

function unpackedName(name: string): string | undefined {
  const known = suffixes.find(([suffix]) => name.endsWith(suffix))
  return known === undefined ? undefined : `${name.slice(0, -known[0].length)}${known[1]}`
}

/** What the program makes of an input, with lines for `-v` about it. */
function changed(io: ProgramIo, given: Given, name: string, input: ByteReader, mode: Mode) {
  const { reader, count } = countedReader(input)
  const onTrailing = async () => {
    if (!given.has('quiet')) await io.stderr.write(`\n${io.name}: ${name}: trailing garbage after EOF ignored\n`)
  }
  return {
    content: mode.action === 'compress' ? bzip2ed(reader, mode.level, io) : bunzip2ed(reader, io, onTrailing),
    async report(size: number): Promise<void> {
      if (!given.has('verbose')) return
      const result = { compress: ratio(count(), size), decompress: 'done', test: 'ok' }[mode.action]
      await io.stderr.write(`  ${name}: ${' '.repeat(padding(given, name))}${result}\n`)
    },
  }
}

/** Results of all files begin in the same column. */
function padding(given: Given, name: string): number {
  const longest = Math.max('(stdin)'.length, ...given.operands.map(({ length }) => length))
  return Math.max(0, longest - name.length)
}

function ratio(size: number, packed: number): string {
  if (size === 0) return ' no data compressed.'
  const times = (size / packed).toFixed(3).padStart(6)
  const bits = ((packed * 8) / size).toFixed(3).padStart(6)
  const saved = (100 * (1 - packed / size)).toFixed(2).padStart(5)
  return `${times}:1, ${bits} bits/byte, ${saved}% saved, ${size} in, ${packed} out.`
}

async function toOutput(io: ProgramIo, given: Given, input: ByteReader, name: string, mode: Mode): Promise<number> {
  const { content: made, report } = changed(io, given, name, input, mode)
  const again = async () => bunzip2ed(await io.fs.openRead(name), io)
  const content = mode.action === 'decompress' ? afterChecks(made, io, input === io.stdin ? undefined : again) : made
  let size = 0
  for (let chunk = await content.read(); chunk !== undefined; chunk = await content.read()) {
    io.step()
    size += chunk.length
    if (mode.action !== 'test') await io.stdout.write(chunk)
  }
  await report(size)
  return 0
}

async function replace(io: ProgramIo, given: Given, name: string, mode: Mode): Promise<number> {
  const suffix = suffixes.find(([known]) => name.endsWith(known))?.[0]
  if (mode.action === 'compress' && suffix !== undefined) {
    await io.error(`Input file ${name} already has ${suffix} suffix.`)
    return 1
  }
  const plain = unpackedName(name)
  const target = mode.action === 'compress' ? `${name}.bz2` : (plain ?? `${name}.out`)
  if (mode.action === 'decompress' && plain === undefined && !given.has('quiet')) {
    await io.error(`Can't guess original name for ${name} -- using ${target}`)
  }
  if (await isThere(io, target)) {
    if (!given.has('force')) {
      await io.error(`Output file ${target} already exists.`)
      return 1
    }
    await io.fs.remove(target)
  }
  const { content, report } = changed(io, given, name, await io.fs.openRead(name), mode)
  const size = await writeBeside(io, name, target, content)
  if (!given.has('keep')) await io.fs.remove(name)
  await report(size)
  return 0
}
