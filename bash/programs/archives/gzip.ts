/** Compresses and decompresses files in gzip format. */
import type { Bytes } from '../../../src/fs/types.js'
import { describeError } from '../../io/describe-error.js'
import type { Program, ProgramIo } from '../../io/program.js'
import type { ByteReader } from '../../io/streams.js'
import { defineProgram } from '../define-program.js'
import type { ParsedArguments } from '../options.js'
import { ProgramError } from '../program-error.js'
import { type Checked, gunzipped, gzipped } from './compression.js'
import { isThere, writeBeside } from './replace-file.js'

const options = {
  stdout: { names: ['-c', '--stdout', '--to-stdout'] },
  decompress: { names: ['-d', '--decompress', '--uncompress'] },
  force: { names: ['-f', '--force'] },
  keep: { names: ['-k', '--keep'] },
  list: { names: ['-l', '--list'] },
  noName: { names: ['-n', '--no-name'] },
  name: { names: ['-N', '--name'] },
  quiet: { names: ['-q', '--quiet'] },
  recursive: { names: ['-r', '--recursive'] },
  suffix: { names: ['-S', '--suffix'], value: 'required' },
  test: { names: ['-t', '--test'] },
  verbose: { names: ['-v', '--verbose'] },
  fast: { names: ['-1', '--fast'] },
  best: { names: ['-9', '--best'] },
  level: { names: ['-2', '-3', '-4', '-5', '-6', '-7', '-8'] },
} as const

type Given = ParsedArguments<typeof options>

const warningStatus = 2

function gzipProgram(name: string, preset: { decompress?: boolean; stdout?: boolean }): Program {
  return defineProgram({
    name,
    usage: '[OPTION]... [FILE]...',
    options,
    unsupported: ['--rsyncable', '--synchronous', '-a', '--ascii'],
    usageHint: "Try `gzip --help' for more information.",
    async run(io, given) {
      const mode = {
        decompress: preset.decompress === true || given.has('decompress'),
        toStdout: preset.stdout === true || given.has('stdout'),
      }
      const names = given.operands.length > 0 ? given.operands : ['-']
      if (given.has('list')) return list(io, names)
      let status = 0
      for (const one of names) status = Math.max(status, await each(io, given, one, mode))
      return status
    },
  })
}

export const gzip = gzipProgram('gzip', {})
export const gunzip = gzipProgram('gunzip', { decompress: true })
export const zcat = gzipProgram('zcat', { decompress: true, stdout: true })

interface Mode {
  decompress: boolean
  toStdout: boolean
}

async function each(io: ProgramIo, given: Given, name: string, mode: Mode): Promise<number> {
  try {
    if (name === '-') return await toOutput(io, io.stdin, 'stdin', given, mode)
    const stat = await io.fs.stat(name)
    if (stat.kind === 'directory') {
      if (given.has('recursive')) return await directory(io, given, name, mode)
      await io.error(`${name} is a directory -- ignored`)
      return warningStatus
    }
    if (mode.toStdout || given.has('test')) return await toOutput(io, await io.fs.openRead(name), name, given, mode)
    return await replace(io, given, name, mode)
  } catch (error) {
    if (error instanceof ProgramError) {
      await io.error(`${error.message}`)
      return error.status
    }
    await io.error(`${name}: ${describeError(error)}`)
    return 1
  }
}

async function directory(io: ProgramIo, given: Given, name: string, mode: Mode): Promise<number> {
  let status = 0
  const entries = (await io.fs.readDir(name)).map((entry) => entry.name).sort()
  for (const entry of entries)
    status = Math.max(status, await each(io, given, `${name.replace(/\/$/, '')}/${entry}`, mode))
  return status
}

function changed(io: ProgramIo, reader: ByteReader, name: string, { decompress }: Mode, checked?: Checked): ByteReader {
  return decompress ? gunzipped(reader, `${name}: not in gzip format`, io, checked) : gzipped(reader, io)
}

async function toOutput(io: ProgramIo, reader: ByteReader, name: string, given: Given, mode: Mode): Promise<number> {
  const isTest = given.has('test')
  const again = reader === io.stdin ? undefined : () => io.fs.openRead(name)
  const result = isTest
    ? changed(io, reader, name, { ...mode, decompress: true })
    : changed(io, reader, name, mode, { again })
  for (let chunk = await result.read(); chunk !== undefined; chunk = await result.read()) {
    if (!isTest) await io.stdout.write(chunk)
  }
  if (isTest && given.has('verbose')) await io.error(`${name}:\t OK`)
  return 0
}

async function replace(io: ProgramIo, given: Given, name: string, mode: Mode): Promise<number> {
  const suffix = given.value('suffix') ?? '.gz'
  const target = mode.decompress ? unpackedName(name, suffix) : `${name}${suffix}`
  if (target === undefined) {
    if (!given.has('quiet')) await io.error(`${name}: unknown suffix -- ignored`)
    return warningStatus
  }
  if (!mode.decompress && name.endsWith(suffix)) {
    if (!given.has('quiet')) await io.error(`${name} already has ${suffix} suffix -- unchanged`)
    return warningStatus
  }
  if (!given.has('force') && (await isThere(io, target))) {
    await io.error(`${target} already exists;\tnot overwritten`)
    return warningStatus
  }
  const stat = await io.fs.stat(name)
  const size = await writeBeside(io, name, target, changed(io, await io.fs.openRead(name), name, mode))
  if (!given.has('keep')) await io.fs.remove(name)
  if (given.has('verbose')) {
    const [packed, plain] = mode.decompress ? [stat.size ?? 0, size] : [size, stat.size ?? 0]
    await io.stderr.write(
      `${name}:\t${ratio(packed, plain)} -- ${given.has('keep') ? 'created' : 'replaced with'} ${target}\n`,
    )
  }
  return 0
}

function unpackedName(name: string, suffix: string): string | undefined {
  if (name.endsWith('.tgz')) return `${name.slice(0, -4)}.tar`
  for (const one of [suffix, '.gz', '-gz', '.z']) {
    if (name.endsWith(one) && name.length > one.length) return name.slice(0, -one.length)
  }
  return undefined
}

function ratio(packed: number, plain: number): string {
  const saved = plain === 0 ? 0 : 100 * (1 - (packed - 18) / plain)
  return `${saved.toFixed(1).padStart(5)}%`
}

/** Sizes as the trailer has them. */
async function list(io: ProgramIo, names: readonly string[]): Promise<number> {
  await io.stdout.write('         compressed        uncompressed  ratio uncompressed_name\n')
  for (const name of names) {
    const bytes: Bytes = await io.fs.readFile(name)
    const size = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 4, 4).getUint32(0, true)
    const columns = [String(bytes.length).padStart(19), String(size).padStart(19), ratio(bytes.length, size)]
    await io.stdout.write(`${columns.join(' ')} ${name.replace(/\.gz$/, '')}\n`)
  }
  return 0
}
