/** Packs files into a zip archive. */

import type { ArchiveEntry } from '../../../src/archive/entries.js'
import { readArchive } from '../../../src/archive/read-archive.js'
import { type ArchiveInput, archivePieces } from '../../../src/archive/write-archive.js'
import { isFsError } from '../../../src/errors.js'
import { basename } from '../../../src/fs/path.js'
import type { Bytes } from '../../../src/fs/types.js'
import { decodeText, encodeText } from '../../io/byte-text.js'
import type { ProgramIo } from '../../io/program.js'
import { readAll } from '../../io/streams.js'
import { defineProgram } from '../define-program.js'
import type { ParsedArguments } from '../options.js'
import { ProgramError } from '../program-error.js'
import { zipNameMatcher } from './zip-names.js'

const options = {
  recursive: { names: ['-r', '--recurse-paths'] },
  quiet: { names: ['-q', '--quiet'] },
  junk: { names: ['-j', '--junk-paths'] },
  noDirectories: { names: ['-D', '--no-dir-entries'] },
  noExtra: { names: ['-X', '--no-extra'] },
  move: { names: ['-m', '--move'] },
  update: { names: ['-u', '--update'] },
  delete: { names: ['-d', '--delete'] },
  names: { names: ['-@', '--names-stdin'] },
  exclude: { names: ['-x', '--exclude'] },
  include: { names: ['-i', '--include'] },
  verbose: { names: ['-v', '--verbose'] },
  level: { names: ['-0', '-1', '-2', '-3', '-4', '-5', '-6', '-7', '-8', '-9'] },
  test: { names: ['-T', '--test'] },
  links: { names: ['-y', '--symlinks'] },
} as const

type Given = ParsedArguments<typeof options>

const nothingToDo = 12
const usage = 16

export const zip = defineProgram({
  name: 'zip',
  usage: '[-options] [-b path] [-t mmddyyyy] [-n suffixes] [zipfile list] [-xi list]',
  helpNames: ['-h', '--help'],
  options,
  unsupported: [
    '-e',
    '--encrypt',
    '-P',
    '--password',
    '-f',
    '--freshen',
    '-s',
    '-A',
    '-b',
    '-l',
    '-n',
    '-o',
    '-t',
    '-FS',
  ],
  usageStatus: usage,
  usageHint: '',
  rewrite: (args) => (args.length === 1 && args[0] === '-v' ? ['--version'] : args),
  async run(io, given) {
    const { archive, names, excluded, included } = await split(io, given)
    const path = /\.[^/]*$/.test(archive) ? archive : `${archive}.zip`
    const isChosen = chooser(excluded, included)
    const old = await readOld(io, path)
    if (given.has('delete')) return remove(io, given, path, old, names)
    if (names.length === 0) throw new ProgramError(`zip error: Nothing to do! (${path})`, nothingToDo)
    const added = await collect(io, given, names, isChosen, path).catch((error: unknown) => {
      if (error instanceof RepeatedName) return undefined
      throw error
    })
    if (added === undefined) {
      await io.stdout.write('\nzip error: Invalid command arguments (cannot repeat names in zip file)\n')
      return usage
    }
    if (added.length === 0) {
      await io.stdout.write(`\nzip error: Nothing to do! (${path})\n`)
      return nothingToDo
    }
    const fresh = new Set(added.map(({ path: name }) => name))
    const before = new Set(old.map(({ path: name }) => name))
    const kept = old.filter(({ path: name }) => !fresh.has(name))
    const sizes = await store(io, path, [...kept, ...added])
    for (const entry of added) {
      if (given.has('quiet')) break
      const verb = before.has(entry.path) ? 'updating' : '  adding'
      const shown = `${entry.path}${entry.kind === 'directory' ? '/' : ''}`
      await io.stdout.write(`${verb}: ${shown} ${share(entry.bytes?.length ?? 0, sizes.get(entry.path) ?? 0)}\n`)
    }
    if (given.has('move')) await removePacked(io, names)
    return 0
  },
})

class RepeatedName extends Error {}

/** Patterns follow `-x` and `-i` up to the next option or `@`. */
async function split(io: ProgramIo, given: Given) {
  const [excluded, included, plain]: [string[], string[], string[]] = [[], [], []]
  let into = plain
  const operands = new Set(given.operands)
  for (const arg of io.args) {
    if (arg === '-x' || arg === '--exclude') into = excluded
    else if (arg === '-i' || arg === '--include') into = included
    else if (arg === '@') into = plain
    else if (arg.startsWith('-') && arg !== '-') {
      const [, option, pattern] = /^-(x|i)(.+)$/.exec(arg) ?? []
      if (option === 'x' && pattern !== undefined) excluded.push(pattern)
      else if (into !== plain) into = plain
    } else if (operands.has(arg)) into.push(arg)
  }
  const [archive, ...names] = plain
  if (archive === undefined) throw new ProgramError('error: name an archive (zip [OPTION]... ARCHIVE FILE...)', usage)
  if (given.has('names')) {
    names.push(
      ...decodeText(await readAll(io.stdin))
        .split('\n')
        .filter((name) => name !== ''),
    )
  }
  return { archive, names, excluded, included }
}

function chooser(excluded: readonly string[], included: readonly string[]): (name: string) => boolean {
  const [out, only] = [excluded.map(zipNameMatcher), included.map(zipNameMatcher)]
  return (name) => !out.some((matches) => matches(name)) && (only.length === 0 || only.some((matches) => matches(name)))
}

async function readOld(io: ProgramIo, path: string): Promise<ArchiveInput[]> {
  let bytes: Bytes
  try {
    bytes = await io.fs.readFile(path)
  } catch (error) {
    if (isFsError(error, 'NOT_FOUND')) return []
    throw error
  }
  io.account(bytes.length)
  const isReproducible = io.clock.isVirtual
  const { files } = await io.clock.outside(readArchive(bytes, { links: true, isReproducible }))
  return files.map(({ compressedSize: _, size: __, ...entry }) => entry)
}

async function collect(
  io: ProgramIo,
  given: Given,
  names: readonly string[],
  isChosen: (name: string) => boolean,
  archive: string,
): Promise<ArchiveInput[]> {
  const found: ArchiveInput[] = []
  const own = io.path(archive)
  const sources = new Map<string, string>()

  async function add(name: string): Promise<void> {
    io.step()
    const stat = await (given.has('links') ? io.fs.lstat(name) : io.fs.stat(name))
    if (io.path(name) === own) return
    const plain = name.replace(/^(\.\/+|\/+)+/, '').replace(/\/+$/, '')
    const common = {
      ...(stat.mode !== undefined && { mode: stat.mode }),
      ...(stat.modifiedMs !== undefined && { modifiedMs: stat.modifiedMs }),
    }
    if (stat.kind === 'directory') {
      const hasEntry = plain !== '' && plain !== '.' && !given.has('noDirectories') && !given.has('junk')
      if (hasEntry && isChosen(`${plain}/`) && !isRepeated(`${plain}/`, name))
        found.push({ path: plain, kind: 'directory', ...common })
      if (!given.has('recursive')) return
      const inside = (await io.fs.readDir(name)).map((entry) => entry.name).sort()
      for (const inner of inside) await addOrWarn(`${name.replace(/\/+$/, '')}/${inner}`)
      return
    }
    const path = given.has('junk') ? basename(`/${plain}`) : plain
    if (!isChosen(plain) || isRepeated(path, name)) return
    const isLink = stat.kind === 'symlink'
    const bytes = isLink ? encodeText(await io.fs.readLink(name)) : await io.fs.readFile(name)
    io.account(bytes.length)
    found.push({ path, kind: 'file', bytes, ...common, ...(isLink && { isLink, mode: 0o777 }) })
  }

  /** The same file again is left out; another one can't have the same name. */
  function isRepeated(path: string, name: string): boolean {
    const before = sources.get(path)
    sources.set(path, before ?? name)
    if (before === undefined) return false
    if (before === name) return true
    throw new RepeatedName()
  }

  async function addOrWarn(name: string): Promise<void> {
    try {
      await add(name)
    } catch (error) {
      if (!isFsError(error, 'NOT_FOUND')) throw error
      await io.stdout.write(`\tzip warning: name not matched: ${name}\n`)
    }
  }

  for (const name of names) await addOrWarn(name)
  return found
}

/** The packed size of each file, from the archive that was written. */
async function store(io: ProgramIo, path: string, entries: readonly ArchiveInput[]): Promise<Map<string, number>> {
  const writer = await io.fs.openWrite(path)
  for await (const piece of archivePieces(entries, { isReproducible: io.clock.isVirtual })) await writer.write(piece)
  await writer.close()
  const sizes = new Map<string, number>()
  const written: Bytes = await io.fs.readFile(path)
  const reading = readArchive(written, { limits: { maxRatio: Number.POSITIVE_INFINITY }, links: true })
  const { files } = await io.clock.outside(reading)
  for (const file of files as ArchiveEntry[]) sizes.set(file.path, file.compressedSize ?? 0)
  return sizes
}

function share(size: number, packed: number): string {
  if (size === 0 || packed >= size) return '(stored 0%)'
  return `(deflated ${Math.round(100 * (1 - packed / size))}%)`
}

async function remove(io: ProgramIo, given: Given, path: string, old: ArchiveInput[], names: readonly string[]) {
  const matchers = names.map(zipNameMatcher)
  const isGone = ({ path: name, kind }: ArchiveInput) =>
    matchers.some((matches) => matches(name) || (kind === 'directory' && matches(`${name}/`)))
  const gone = old.filter(isGone)
  if (gone.length === 0) {
    await io.stdout.write(
      `\tzip warning: name not matched: ${names.join(' ')}\n\nzip error: Nothing to do! (${path})\n`,
    )
    return nothingToDo
  }
  if (!given.has('quiet')) for (const { path: name } of gone) await io.stdout.write(`deleting: ${name}\n`)
  const rest = old.filter((entry) => !isGone(entry))
  if (rest.length === 0) await io.fs.remove(path)
  else await store(io, path, rest)
  return 0
}

async function removePacked(io: ProgramIo, names: readonly string[]): Promise<void> {
  for (const name of names) await io.run(['rm', '-rf', '--', name])
}
