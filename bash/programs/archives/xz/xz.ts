/** Compresses and decompresses files in xz format. The old `.lzma` format is not supported. */
import { isFsError } from '../../../../src/errors.js'
import { describeError } from '../../../io/describe-error.js'
import type { Program, ProgramIo } from '../../../io/program.js'
import type { ByteReader } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { afterChecks } from '../after-checks.js'
import { BadData, type Meter, readerOfPieces } from '../codec.js'
import { countedReader, isThere, writeBeside } from '../replace-file.js'
import { checkIds } from './checks.js'
import { xzPieces } from './compress.js'
import { unxzPieces } from './decompress.js'
import { badTexts, listFiles, niceSize, ratioText } from './list-files.js'

const options = {
  compress: { names: ['-z', '--compress'] },
  decompress: { names: ['-d', '--decompress', '--uncompress'] },
  test: { names: ['-t', '--test'] },
  list: { names: ['-l', '--list'] },
  keep: { names: ['-k', '--keep'] },
  force: { names: ['-f', '--force'] },
  stdout: { names: ['-c', '--stdout', '--to-stdout'] },
  suffix: { names: ['-S', '--suffix'], value: 'required' },
  check: { names: ['-C', '--check'], value: 'required' },
  format: { names: ['-F', '--format'], value: 'required' },
  level: { names: ['-0', '-1', '-2', '-3', '-4', '-5', '-6', '-7', '-8', '-9'] },
  fast: { names: ['--fast'] },
  best: { names: ['--best'] },
  quiet: { names: ['-q', '--quiet'] },
  verbose: { names: ['-v', '--verbose'] },
  noWarn: { names: ['-Q', '--no-warn'] },
  // These change nothing here: there is one thread and one way to look for matches, and memory is limited anyway.
  extreme: { names: ['-e', '--extreme'] },
  threads: { names: ['-T', '--threads'], value: 'required' },
  memory: { names: ['-M', '--memlimit', '--memory'], value: 'required' },
  memoryPack: { names: ['--memlimit-compress'], value: 'required' },
  memoryUnpack: { names: ['--memlimit-decompress'], value: 'required' },
  noSparse: { names: ['--no-sparse'] },
  noAdjust: { names: ['--no-adjust'] },
} as const

type Given = ParsedArguments<typeof options>

interface Mode {
  action: 'compress' | 'decompress' | 'test'
  toStdout: boolean
  level: number
  check: number
  suffix: string
}

const warningStatus = 2

export function xzed(reader: ByteReader, level: number, check: number, meter: Meter): ByteReader {
  return readerOfPieces(xzPieces(reader, level, check, meter), () => reader.close())
}

export function unxzed(reader: ByteReader, meter: Meter): ByteReader {
  return readerOfPieces(unxzPieces(reader, meter), () => reader.close())
}

function xzProgram(name: string, preset: { decompress?: boolean; stdout?: boolean }): Program {
  return defineProgram({
    name,
    usage: '[OPTION]... [FILE]...',
    usageHint: `${name}: Try \`${name} --help' for more information.`,
    options,
    unsupported: [
      '--robot',
      '--files',
      '--files0',
      '--block-size',
      '--block-list',
      '--flush-timeout',
      '--single-stream',
      '--ignore-check',
      '--lzma1',
      '--lzma2',
      '--x86',
      '--arm',
      '--armthumb',
      '--arm64',
      '--powerpc',
      '--ia64',
      '--sparc',
      '--delta',
      '--info-memory',
      '-H',
      '--long-help',
      '--memlimit-mt-decompress',
    ],
    async run(io, given) {
      const names = given.operands.length > 0 ? given.operands : ['-']
      const last = given.last('decompress', 'compress', 'test', 'list')
      if (last === 'list') return listFiles(io, names, given.has('verbose'))
      const action = (last as Mode['action'] | undefined) ?? (preset.decompress === true ? 'decompress' : 'compress')
      const mode: Mode = {
        action,
        toStdout: preset.stdout === true || given.has('stdout'),
        level: levelOf(given),
        check: checkOf(given),
        suffix: given.value('suffix') ?? '.xz',
      }
      requireFormat(given)
      let status = 0
      for (const one of names) status = worse(status, await each(io, given, one, mode))
      return status === warningStatus && given.has('noWarn') ? 0 : status
    },
  })
}

export const xz = xzProgram('xz', {})
export const unxz = xzProgram('unxz', { decompress: true })
export const xzcat = xzProgram('xzcat', { decompress: true, stdout: true })

/** An error counts more than a warning. */
function worse(before: number, now: number): number {
  return before === 1 || now === 1 ? 1 : Math.max(before, now)
}

function levelOf(given: Given): number {
  const last = given.given.filter(({ key }) => key === 'level' || key === 'fast' || key === 'best').at(-1)
  if (last?.key === 'fast') return 0
  if (last?.key === 'best') return 9
  return last === undefined ? 6 : Number(last.name.slice(1))
}

function checkOf(given: Given): number {
  const name = given.value('check') ?? 'crc64'
  const id = Object.entries(checkIds).find(([known]) => known === name)?.[1]
  if (id === undefined) throw new ProgramError(`${name}: Unsupported integrity check type`)
  return id
}

function requireFormat(given: Given): void {
  const format = given.value('format') ?? 'auto'
  if (format !== 'auto' && format !== 'xz')
    throw new ProgramError(`format '${format}' is not supported by this shell`, 2)
}

async function each(io: ProgramIo, given: Given, name: string, mode: Mode): Promise<number> {
  const shown = name === '-' ? '(stdin)' : name
  try {
    if (name === '-') return await toOutput(io, given, io.stdin, shown, mode)
    const { kind } = await io.fs.lstat(name)
    if (kind === 'symlink' && !mode.toStdout && mode.action !== 'test' && !given.has('force')) {
      return await warn(io, given, `${name}: Is a symbolic link, skipping`)
    }
    if ((await io.fs.stat(name)).kind === 'directory') {
      return await warn(io, given, `${name}: Is a directory, skipping`)
    }
    if (mode.toStdout || mode.action === 'test') {
      return await toOutput(io, given, await io.fs.openRead(name), name, mode)
    }
    return await replace(io, given, name, mode)
  } catch (error) {
    if (error instanceof BadData) {
      await io.error(`${shown}: ${badTexts[error.reason]}`)
      return 1
    }
    if (!isFsError(error)) throw error
    await io.error(`${shown}: ${describeError(error)}`)
    return 1
  }
}

async function warn(io: ProgramIo, given: Given, message: string): Promise<number> {
  if (!given.has('quiet')) await io.error(message)
  return warningStatus
}

function changed(io: ProgramIo, given: Given, name: string, input: ByteReader, mode: Mode) {
  const { reader, count } = countedReader(input)
  return {
    content: mode.action === 'compress' ? xzed(reader, mode.level, mode.check, io) : unxzed(reader, io),
    async report(size: number): Promise<void> {
      if (!given.has('verbose')) return
      const [packed, plain] = mode.action === 'compress' ? [size, count()] : [count(), size]
      await io.stderr.write(`${name}: ${niceSize(packed)} / ${niceSize(plain)} = ${ratioText(packed, plain)}\n`)
    },
  }
}

async function toOutput(io: ProgramIo, given: Given, input: ByteReader, name: string, mode: Mode): Promise<number> {
  const { content: made, report } = changed(io, given, name, input, mode)
  const again = async () => unxzed(await io.fs.openRead(name), io)
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
  const packs = mode.action === 'compress'
  const suffix = [mode.suffix, '.xz', '.txz'].find((known) => name.endsWith(known) && name.length > known.length)
  if (packs && suffix !== undefined && !given.has('force')) {
    return warn(io, given, `${name}: File already has \`${suffix}' suffix, skipping`)
  }
  const target = packs ? `${name}${mode.suffix}` : unpackedName(name, suffix)
  if (!packs && suffix === undefined) await requireXz(io, name, mode)
  if (target === undefined) return warn(io, given, `${name}: Filename has an unknown suffix, skipping`)
  if (await isThere(io, target)) {
    if (!given.has('force')) {
      await io.error(`${target}: File exists`)
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

/** The content is looked at before the name. */
async function requireXz(io: ProgramIo, name: string, mode: Mode): Promise<void> {
  const reader = await io.fs.openRead(name)
  try {
    await unxzed(reader, io).read()
  } finally {
    if (mode.action === 'decompress') reader.close()
  }
}

function unpackedName(name: string, suffix: string | undefined): string | undefined {
  if (suffix === undefined) return undefined
  return `${name.slice(0, -suffix.length)}${suffix === '.txz' ? '.tar' : ''}`
}
