/** Packs, lists and unpacks tar archives, compressed or not. */

import { FsError, isFsError } from '../../../../src/errors.js'
import type { Bytes } from '../../../../src/fs/types.js'
import { minuteText } from '../../../../src/text/calendar.js'
import { groupIds, userIds } from '../../../io/accounts.js'
import { byteCursor } from '../../../io/byte-cursor.js'
import { decodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { type ByteReader, pipe, readAll } from '../../../io/streams.js'
import { nameMatcher } from '../../compare/name-matcher.js'
import { defineProgram } from '../../define-program.js'
import { parseMode, rightsText } from '../../files/shared/modes.js'
import { parseTime } from '../../files/shared/times.js'
import { ProgramError } from '../../program-error.js'
import { shownName, unquotedName } from './names.js'
import { compressedAs, formatOf, formatToWrite, givenFormat, plainReader } from './tar-compression.js'
import { endBlocks, packSources, type Source } from './tar-create.js'
import { extractor } from './tar-extract.js'
import { blockBytes, paddingAfter, readHeader, type TarHeader } from './tar-format.js'
import { rewriteOldStyle, type TarArguments, tarOptions, transformation, unsupportedTarOptions } from './tar-options.js'
import { type Owner, ownerOf } from './tar-owner.js'

const fatal = 2
const previousErrors = 'Exiting with failure status due to previous errors'
const notRecoverable = 'Error is not recoverable: exiting now'
const versionControl = [
  '.git',
  '.gitignore',
  '.gitmodules',
  '.gitattributes',
  '.svn',
  '.hg',
  '.hgignore',
  'CVS',
  '.bzr',
]

const hint = "Try 'tar --help' or 'tar --usage' for more information."

function wrongUsage(message: string): ProgramError {
  return new ProgramError(`${message}\n${hint}`, fatal)
}

export const tar = defineProgram({
  name: 'tar',
  usage: '[OPTION...] [FILE]...',
  options: tarOptions,
  unsupported: unsupportedTarOptions,
  usageStatus: 64,
  usageHint: hint,
  rewrite: rewriteOldStyle,
  async run(io, given) {
    const modes = (['create', 'extract', 'list', 'append', 'update'] as const).filter((mode) => given.has(mode))
    if (modes.length > 1) {
      throw wrongUsage("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option")
    }
    const [mode] = modes
    if (mode === undefined) {
      throw wrongUsage("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options")
    }
    if (mode === 'update') throw new ProgramError("option '-u' is not supported by this shell", fatal)
    if (mode === 'create') return create(io, given)
    if (mode === 'append') return append(io, given)
    return read(io, given, mode)
  },
})

/** `-C` counts for the names after it. */
async function sourcesOf(io: ProgramIo, given: TarArguments): Promise<Source[]> {
  const sources: Source[] = []
  let directory = '.'
  const args = rewriteOldStyle(io.args)
  const operands = new Set(given.operands)
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] as string
    const [, attached] = /^(?:-C|--directory=)(.+)$/s.exec(arg) ?? []
    if (arg === '-C' || arg === '--directory' || attached !== undefined) {
      const next = attached ?? (args[(index += 1)] as string)
      directory = next.startsWith('/') || directory === '.' ? next : `${directory}/${next}`
    } else if (arg === '-T' || arg.startsWith('--files-from')) {
      const file = arg.includes('=') ? arg.slice(arg.indexOf('=') + 1) : (args[(index += 1)] as string)
      for (const name of await namesFrom(io, file, given)) sources.push({ name, directory })
    } else if (isValue(args, index)) continue
    else if (operands.has(arg) && !(arg.startsWith('-') && arg !== '-'))
      sources.push({ name: unquotedName(arg), directory })
  }
  return sources
}

/** True for the value of an option that takes one. */
function isValue(args: readonly string[], index: number): boolean {
  const before = args[index - 1]
  if (before === undefined || !before.startsWith('-') || before.includes('=')) return false
  const name = before.startsWith('--') ? before : `-${before.at(-1)}`
  return Object.values(tarOptions).some((spec) => 'value' in spec && (spec.names as readonly string[]).includes(name))
}

async function namesFrom(io: ProgramIo, file: string, given: TarArguments): Promise<string[]> {
  const bytes = file === '-' ? await readAll(io.stdin) : await listFile(io, file)
  const separator = given.has('null') ? '\0' : '\n'
  return decodeText(bytes)
    .split(separator)
    .filter((name) => name !== '')
    .map((name) => (given.has('null') ? name : unquotedName(name)))
}

async function listFile(io: ProgramIo, file: string): Promise<Bytes> {
  try {
    return await readAll(await io.fs.openRead(file))
  } catch (error) {
    throw new ProgramError(`${file}: ${describeError(error)}\ntar: ${notRecoverable}`, fatal)
  }
}

async function exclusion(io: ProgramIo, given: TarArguments): Promise<(name: string) => boolean> {
  const patterns = [...given.values('exclude'), ...(given.has('excludeVcs') ? versionControl : [])]
  for (const file of given.values('excludeFrom')) {
    const lines = decodeText(await listFile(io, file)).split('\n')
    patterns.push(...lines.filter((line) => line !== ''))
  }
  const matchers = patterns.map((pattern) => nameMatcher(pattern.replace(/\/+$/, '')))
  // A pattern matches a whole name, or the end of one after a slash.
  return (name) => {
    const parts = name.replace(/^\.\//, '').split('/')
    const ends = [name, ...parts.map((_, index) => parts.slice(index).join('/'))]
    return matchers.some((matches) => ends.some(matches))
  }
}

function renaming(given: TarArguments): (name: string) => string {
  const steps = given.values('transform').map(transformation)
  return (name) => {
    const [plain, end] = name.length > 1 && name.endsWith('/') ? [name.slice(0, -1), '/'] : [name, '']
    const renamed = steps.reduce((current, step) => step(current), plain)
    return renamed === '' ? '' : renamed + end
  }
}

function createSettings(io: ProgramIo, given: TarArguments) {
  const mode = given.value('mode')
  const changes = mode === undefined ? undefined : parseMode(mode, io.umask)
  if (mode !== undefined && changes === undefined) {
    throw new ProgramError(`Invalid mode given on option\ntar: ${notRecoverable}`, fatal)
  }
  const mtime = given.value('mtime')
  const modifiedMs = mtime === undefined ? undefined : parseTime(io, mtime)
  if (mtime !== undefined && modifiedMs === undefined) {
    throw new ProgramError(`Invalid time stamp: '${mtime}'`, fatal)
  }
  return {
    rename: renaming(given),
    recurses: !given.has('noRecursion') || given.last('recursion', 'noRecursion') === 'recursion',
    dereferences: given.has('dereference'),
    keepsAbsolute: given.has('absoluteNames'),
    ...(changes !== undefined && { mode: changes }),
    ...(modifiedMs !== undefined && { modifiedMs }),
    owner: ownerOf(given.value('owner'), userIds),
    group: ownerOf(given.value('group'), groupIds),
  }
}

async function create(io: ProgramIo, given: TarArguments): Promise<number> {
  const archive = archiveName(given)
  const sources = await sourcesOf(io, given)
  if (sources.length === 0 && !given.has('filesFrom')) {
    throw wrongUsage('Cowardly refusing to create an empty archive')
  }
  const writer = archive === undefined ? undefined : await openArchive(io, archive, given)
  const put = async (bytes: Uint8Array) => void (await (writer ?? io.stdout).write(bytes))
  const isComplete = await pack(io, given, sources, put, archive)
  await writer?.close()
  return done(io, isComplete)
}

async function openArchive(io: ProgramIo, archive: string, given: TarArguments) {
  try {
    return await io.fs.openWrite(archive)
  } catch (error) {
    throw await cannotOpen(io, archive, error, given)
  }
}

async function pack(
  io: ProgramIo,
  given: TarArguments,
  sources: readonly Source[],
  put: (bytes: Uint8Array) => Promise<void>,
  archive: string | undefined,
): Promise<boolean> {
  const packed: string[] = []
  const isExcluded = await exclusion(io, given)
  const options = {
    ...createSettings(io, given),
    sources,
    isExcluded,
    ...(archive !== undefined && { archive: io.path(archive) }),
    async onEntry(header: TarHeader, name: string) {
      if (!given.has('verbose')) return
      const line = lineOf(given.has('showStored') ? header : { ...header, name }, given)
      await (archive === undefined ? io.stderr : io.stdout).write(`${line}\n`)
    },
    onPacked: (path: string) => packed.push(path),
  }
  let isComplete: boolean
  const format = formatToWrite(given, archive)
  if (format !== undefined) {
    const { reader, writer } = pipe()
    const compressed = compressedAs(format, reader, io)
    const packing = packInto((bytes) => writer.write(bytes) ?? Promise.resolve())
    for (let chunk = await compressed.read(); chunk !== undefined; chunk = await compressed.read()) await put(chunk)
    isComplete = await packing

    async function packInto(write: (bytes: Uint8Array) => Promise<void>): Promise<boolean> {
      try {
        return await packAll(write)
      } finally {
        await writer.close()
      }
    }
  } else isComplete = await packAll(put)

  async function packAll(write: (bytes: Uint8Array) => Promise<void>): Promise<boolean> {
    let written = 0
    const counted = async (bytes: Uint8Array) => {
      written += bytes.length
      await write(bytes)
    }
    const result = await packSources(io, counted, options)
    await write(endBlocks(written))
    return result
  }

  if (given.has('removeFiles')) for (const path of packed.reverse()) await io.fs.remove(path)
  return isComplete
}

function archiveName(given: TarArguments): string | undefined {
  const name = given.value('file')
  return name === '-' ? undefined : name
}

async function done(io: ProgramIo, isComplete: boolean): Promise<number> {
  if (isComplete) return 0
  await io.error(previousErrors)
  return fatal
}

/** The new entries replace the end of the archive. */
async function append(io: ProgramIo, given: TarArguments): Promise<number> {
  const archive = archiveName(given)
  if (archive === undefined) throw new ProgramError("Options '-Aru' are incompatible with '-f -'", fatal)
  const format = givenFormat(given)
  if (format !== undefined) throw new ProgramError(`Cannot update compressed archives\ntar: ${notRecoverable}`, fatal)
  const old = await io.fs.readFile(archive).catch((error) => {
    if (isFsError(error, 'NOT_FOUND')) return new Uint8Array()
    throw error
  })
  if (formatOf(old) !== undefined)
    throw new ProgramError(`Cannot update compressed archives\ntar: ${notRecoverable}`, fatal)
  io.account(old.length)
  let end = 0
  while (end + blockBytes <= old.length && !old.subarray(end, end + blockBytes).every((byte) => byte === 0)) {
    const size = Number.parseInt(decodeText(old.subarray(end + 124, end + 135)).trim() || '0', 8)
    end += blockBytes + size + paddingAfter(size)
  }
  const sources = await sourcesOf(io, given)
  const writer = await openArchive(io, archive, given)
  await writer.write(old.slice(0, end))
  const isComplete = await pack(io, given, sources, async (bytes) => void (await writer.write(bytes)), archive)
  await writer.close()
  return done(io, isComplete)
}

/** What compresses or decompresses runs in a process of its own, and says so. */
async function cannotOpen(io: ProgramIo, archive: string, error: unknown, given: TarArguments): Promise<ProgramError> {
  const message = `${archive}: Cannot open: ${describeError(error)}`
  if (givenFormat(given) === undefined) return new ProgramError(`${message}\ntar: ${notRecoverable}`, fatal)
  await io.stderr.write(`tar (child): ${message}\ntar (child): ${notRecoverable}\n`)
  return new ProgramError(`Child returned status 2\ntar: ${notRecoverable}`, fatal)
}

async function openInput(io: ProgramIo, given: TarArguments): Promise<ByteReader> {
  const archive = archiveName(given)
  let reader = io.stdin
  try {
    if (archive !== undefined) reader = await io.fs.openRead(archive)
  } catch (error) {
    throw await cannotOpen(io, archive ?? '-', error, given)
  }
  const start = await reader.read()
  if (start === undefined) {
    const format = givenFormat(given)
    if (format !== undefined) return plainReader(reader, new Uint8Array(), { given, io, again: undefined })
    throw new ProgramError(`This does not look like a tar archive\ntar: ${previousErrors}`, fatal)
  }
  reader.unread(start)
  const again = archive === undefined ? undefined : () => io.fs.openRead(archive)
  return plainReader(reader, start, { given, io, again })
}

async function read(io: ProgramIo, given: TarArguments, mode: 'extract' | 'list'): Promise<number> {
  const cursor = byteCursor(await openInput(io, given))
  const wanted = given.operands
    .map(unquotedName)
    .map((pattern) => ({ pattern, isFound: false, matches: wantedRule(pattern, given) }))
  const isExcluded = await exclusion(io, given)
  const rename = renaming(given)
  const strip = Number(given.value('strip') ?? 0)
  const existing = given.has('keepOld') ? 'keep' : given.has('skipOld') ? 'skip' : 'replace'
  if (mode === 'extract') await requireDirectory(io, given.value('directory'))
  await warnOfPatterns(io, given)
  const unpack = extractor(io, {
    directory: given.value('directory') ?? '.',
    existing,
    setsTimes: !given.has('touch'),
    keepsModes: given.last('preserve', 'noSamePermissions') === 'preserve',
  })
  // The name that a hard link leads to changes as all names do.
  const linkOf = ({ kind, target }: TarHeader) =>
    kind === 'hardlink' && target !== undefined ? { target: rename(stripped(target, strip)) } : {}
  let isComplete = true
  let hasWarned = false
  for (let header = await readHeader(cursor); header !== undefined; header = await readHeader(cursor)) {
    io.step()
    const { name, size } = header
    const plain = name.replace(/(.)\/+$/, '$1')
    const hits = wanted.filter(({ matches }) => matches(plain))
    for (const hit of hits) hit.isFound = true
    const isChosen = (wanted.length === 0 || hits.length > 0) && !isExcluded(plain)
    const target = rename(stripped(name, strip))
    if (!isChosen || (mode === 'extract' && target === '')) await cursor.skip(size)
    else if (mode === 'list') {
      await io.stdout.write(`${lineOf(header, given)}\n`)
      await cursor.skip(size)
    } else {
      const shown = `${lineOf(given.has('showStored') ? { ...header, name: target } : header, given)}\n`
      if (target.startsWith('/') && !hasWarned && !given.has('toStdout')) {
        await io.error("Removing leading `/' from member names")
        hasWarned = true
      }
      if (given.has('verbose')) await (given.has('toStdout') ? io.stderr : io.stdout).write(shown)
      if (given.has('toStdout')) await copyContent(io, cursor, size)
      else if (!(await unpack.extract({ ...header, name: target, ...linkOf(header) }, cursor))) isComplete = false
    }
    await cursor.skip(paddingAfter(size))
  }
  await unpack.finish()
  for (const { pattern, isFound } of wanted) {
    if (isFound) continue
    await io.error(`${pattern}: Not found in archive`)
    isComplete = false
  }
  return done(io, isComplete)
}

async function copyContent(io: ProgramIo, cursor: ReturnType<typeof byteCursor>, size: number): Promise<void> {
  let missing = size
  while (missing > 0) {
    const piece = await cursor.some(missing)
    if (piece === undefined) return
    missing -= piece.length
    await io.stdout.write(piece)
  }
}

function wantedRule(pattern: string, given: TarArguments): (name: string) => boolean {
  const plain = pattern.replace(/(.)\/+$/, '$1')
  if (given.has('wildcards')) {
    const matches = nameMatcher(plain)
    return (name) => matches(name)
  }
  return (name) => name === plain || name.startsWith(`${plain}/`)
}

async function requireDirectory(io: ProgramIo, name: string | undefined): Promise<void> {
  if (name === undefined) return
  try {
    if ((await io.fs.stat(name)).kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path: name })
  } catch (error) {
    throw new ProgramError(`${name}: Cannot open: ${describeError(error)}\ntar: ${notRecoverable}`, fatal)
  }
}

async function warnOfPatterns(io: ProgramIo, given: TarArguments): Promise<void> {
  const decided = given.has('wildcards') || given.has('noWildcards')
  if (decided || !given.operands.some((name) => /[*?[]/.test(name))) return
  await io.error('Pattern matching characters used in file names')
  await io.error('Use --wildcards to enable pattern matching, or --no-wildcards to suppress this warning')
}

/** The name without its first components; empty when nothing is left. */
function stripped(name: string, count: number): string {
  if (count === 0) return name
  const isDirectory = name.endsWith('/')
  const parts = name.split('/').filter((part) => part !== '')
  const rest = parts.slice(count).join('/')
  return rest === '' ? '' : `${rest}${isDirectory ? '/' : ''}`
}

function lineOf(header: TarHeader, given: TarArguments): string {
  const isLong = given.has('list')
    ? given.has('verbose')
    : given.given.filter(({ key }) => key === 'verbose').length > 1
  const name = shownName(header.name)
  if (!isLong) return name
  const letter = { file: '-', directory: 'd', symlink: 'l', hardlink: 'h' }[header.kind]
  const shown = ({ name, id }: Owner) => (given.has('numericOwner') || name === '' ? id : name)
  const owner = `${shown(header.owner)}/${shown(header.group)}`
  const size = String(header.size)
  const columnWidth = Math.max(19, owner.length + 1 + size.length)
  const time = given.has('fullTime') ? fullTime(header.modifiedMs) : minuteText(header.modifiedMs)
  const link =
    header.kind === 'symlink'
      ? ` -> ${shownName(header.target ?? '')}`
      : header.kind === 'hardlink'
        ? ` link to ${shownName(header.target ?? '')}`
        : ''
  const padding = ' '.repeat(Math.max(1, columnWidth - owner.length - size.length))
  return `${letter}${rightsText(header.mode)} ${owner}${padding}${size} ${time} ${name}${link}`
}

/** With the part of a second that pax headers may have. */
function fullTime(ms: number): string {
  const [, seconds = '', part = ''] = /^(.{19})\.(\d+)Z$/.exec(new Date(ms).toISOString()) ?? []
  return `${seconds.replace('T', ' ')}${part === '000' ? '' : `.${part.replace(/0+$/, '')}`}`
}
