/** Lists and unpacks zip archives. */

import type { ArchiveEntry } from '../../../src/archive/entries.js'
import { type OpenArchive, openArchive } from '../../../src/archive/read-archive.js'
import { isFsError } from '../../../src/errors.js'
import { basename, dirname } from '../../../src/fs/path.js'
import { gather } from '../../../src/fs/pieces.js'
import type { ByteRange, Bytes } from '../../../src/fs/types.js'
import { minuteText } from '../../../src/text/calendar.js'
import { decodeText } from '../../io/byte-text.js'
import type { ProgramIo } from '../../io/program.js'
import { defineProgram } from '../define-program.js'
import type { ParsedArguments } from '../options.js'
import { ProgramError } from '../program-error.js'
import { heldBytes } from './after-checks.js'
import { isThere, makeDirectories, neededDirectories, writeUnpacked } from './replace-file.js'
import { zipNameMatcher } from './zip-names.js'

const options = {
  list: { names: ['-l'] },
  info: { names: ['-Z'] },
  namesOnly: { names: ['-1'] },
  toStdout: { names: ['-p', '-c'] },
  test: { names: ['-t'] },
  quiet: { names: ['-q'] },
  overwrite: { names: ['-o'] },
  never: { names: ['-n'] },
  junk: { names: ['-j'] },
  directory: { names: ['-d'], value: 'required' },
  exclude: { names: ['-x'] },
  verbose: { names: ['-v'] },
} as const

type Given = ParsedArguments<typeof options>

const notFound = 9
const nothingMatched = 11
const damaged = 3
const usage = 10
const damagedEntry = 2
/** Some entries were left out. */
const skippedStatus = 2

export const unzip = defineProgram({
  name: 'unzip',
  usage: '[-Z] [-opts[modifiers]] file[.zip] [list] [-x xlist] [-d exdir]',
  helpNames: ['-h', '--help'],
  options,
  unsupported: ['-a', '-aa', '-b', '-C', '-f', '-u', '-L', '-M', '-P', '-s', '-U', '-V', '-X', '-z', '-K', '-:', '-^'],
  usageStatus: usage,
  usageHint: '',
  rewrite: (args) => (args.length === 0 ? ['--help'] : args.length === 1 && args[0] === '-v' ? ['--version'] : args),
  async run(io, given) {
    const { archive, wanted, excluded } = namesOf(io, given)
    const opened = await open(io, archive)
    const included = wanted.map((pattern) => ({ pattern, matches: zipNameMatcher(pattern), isFound: false }))
    const out = excluded.map(zipNameMatcher)
    const chosen = opened.zip.entries.filter((entry) => {
      const shown = shownName(entry)
      const hits = included.filter(({ matches }) => matches(entry.path) || matches(shown))
      for (const hit of hits) hit.isFound = true
      return (included.length === 0 || hits.length > 0) && !out.some((matches) => matches(entry.path) || matches(shown))
    })
    const status = await act(io, given, opened, chosen)
    const missing = included.filter(({ isFound }) => !isFound)
    for (const { pattern } of missing) await io.stderr.write(`caution: filename not matched:  ${pattern}\n`)
    return missing.length > 0 ? nothingMatched : status
  },
})

function shownName({ path, kind }: ArchiveEntry): string {
  return kind === 'directory' ? `${path}/` : path
}

/** `-x` is followed by names, up to `-d` or the end. */
function namesOf(io: ProgramIo, given: Given) {
  const at = io.args.indexOf('-x')
  const end = at === -1 ? -1 : io.args.findIndex((arg, index) => index > at && arg.startsWith('-'))
  const excluded = at === -1 ? [] : io.args.slice(at + 1, end === -1 ? undefined : end)
  const [archive, ...rest] = given.operands
  if (archive === undefined) throw new ProgramError('name an archive (unzip [OPTION]... ARCHIVE [NAME]...)', usage)
  return { archive, excluded, wanted: rest.filter((name) => !excluded.includes(name)) }
}

/** Up to this size an archive is read at once. */
const wholeArchiveBytes = 8 * 1024 * 1024

async function open(io: ProgramIo, archive: string): Promise<Archive> {
  for (const name of [archive, `${archive}.zip`, `${archive}.ZIP`]) {
    try {
      const { size = 0, kind } = await io.fs.stat(name)
      if (kind === 'directory') continue
      const options = { links: true, isReproducible: io.clock.isVirtual }
      const ranges = { size, read: (range: ByteRange) => io.fs.readFile(name, range) }
      const source = io.clock.isVirtual || size <= wholeArchiveBytes ? await io.fs.readFile(name) : ranges
      return { zip: await io.clock.outside(openArchive(source, options)), name }
    } catch (error) {
      if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY')) continue
      if (isFsError(error, 'BAD_ARCHIVE')) {
        await io.stdout.write(`Archive:  ${name}\n`)
        throw new ProgramError(`cannot use ${name} as an archive: ${error.facts.reason}`, damaged)
      }
      if (isFsError(error, 'ARCHIVE_TOO_LARGE')) throw new ProgramError(`${name}: too large to unpack here`, damaged)
      throw error
    }
  }
  throw new ProgramError(` cannot find or open ${archive}, ${archive}.zip or ${archive}.ZIP.`, notFound)
}

/**
 * The content once it has been compared with its checksum. Where runs can be repeated, all of it is one step: the platform's pieces are not
 * the same everywhere.
 */
async function* contentOf(io: ProgramIo, archive: Archive, entry: ArchiveEntry): AsyncGenerator<Bytes> {
  const pieces = archive.zip.pieces(entry)
  const { size = 0 } = entry
  try {
    if (io.clock.isVirtual || size <= heldBytes) {
      io.account(size)
      yield await io.clock.outside(gather(pieces))
      io.account(-size)
      return
    }
    for await (const _ of pieces()) io.step()
    yield* pieces()
  } catch (error) {
    if (!isFsError(error, 'BAD_ARCHIVE')) throw error
    const { reason } = error.facts
    throw new ProgramError(
      `error:  ${archive.name}: ${entry.path} is damaged (${reason}), and is not unpacked; get the archive again`,
      damagedEntry,
    )
  }
}

interface Archive {
  zip: OpenArchive
  name: string
}

async function act(io: ProgramIo, given: Given, archive: Archive, chosen: ArchiveEntry[]): Promise<number> {
  if (given.has('info')) {
    if (!given.has('namesOnly')) throw new ProgramError("option '-Z' is only supported as -Z1", 2)
    for (const entry of chosen) await io.stdout.write(`${shownName(entry)}\n`)
    return 0
  }
  if (given.has('list') || (given.has('verbose') && !given.has('directory')))
    return list(io, given, archive.name, chosen)
  if (given.has('toStdout')) {
    for (const entry of chosen) {
      for await (const piece of contentOf(io, archive, entry)) await io.stdout.write(piece)
    }
    return 0
  }
  if (given.has('test')) return test(io, given, archive, chosen)
  return extract(io, given, archive, chosen)
}

function time(entry: ArchiveEntry): string {
  return minuteText(entry.modifiedMs ?? 0)
}

async function list(io: ProgramIo, given: Given, name: string, entries: readonly ArchiveEntry[]): Promise<number> {
  if (given.has('verbose')) throw new ProgramError("option '-v' is not supported by this shell", 2)
  const isQuiet = given.has('quiet')
  if (!isQuiet) await io.stdout.write(`Archive:  ${name}\n`)
  await io.stdout.write('  Length      Date    Time    Name\n---------  ---------- -----   ----\n')
  for (const entry of entries) {
    await io.stdout.write(`${String(entry.size ?? 0).padStart(9)}  ${time(entry)}   ${shownName(entry)}\n`)
  }
  const total = entries.reduce((sum, { size = 0 }) => sum + size, 0)
  const files = `${entries.length} file${entries.length === 1 ? '' : 's'}`
  await io.stdout.write(
    `---------                     -------\n${String(total).padStart(9)}                     ${files}\n`,
  )
  return 0
}

async function test(io: ProgramIo, given: Given, archive: Archive, entries: readonly ArchiveEntry[]) {
  const { name } = archive
  if (!given.has('quiet')) await io.stdout.write(`Archive:  ${name}\n`)
  for (const entry of entries) {
    for await (const _ of contentOf(io, archive, entry)) io.step()
    if (!given.has('quiet')) await io.stdout.write(`    testing: ${shownName(entry).padEnd(22)}   OK\n`)
  }
  const isSilent = given.given.filter(({ key }) => key === 'quiet').length > 1
  if (!isSilent) await io.stdout.write(`No errors detected in compressed data of ${name}.\n`)
  return 0
}

async function extract(io: ProgramIo, given: Given, archive: Archive, entries: readonly ArchiveEntry[]) {
  const { name } = archive
  const isQuiet = given.has('quiet')
  const into = given.value('directory')?.replace(/(.)\/+$/, '$1')
  if (!isQuiet) await io.stdout.write(`Archive:  ${name}\n`)
  if (into !== undefined) await makeDirectories(io, io.path(into))
  let status = 0
  const directories = neededDirectories(io)
  const links: UnpackedLink[] = []
  for (const entry of entries) {
    io.step()
    const relative = given.has('junk') ? basename(`/${entry.path}`) : entry.path
    const target = into === undefined ? relative : `${into}/${relative}`
    if (entry.kind === 'directory') {
      if (given.has('junk')) continue
      const isNew = !(await isThere(io, target))
      if (!(await makeFor(entry, target))) continue
      if (isNew && !isQuiet) await io.stdout.write(`   creating: ${target}/\n`)
      continue
    }
    const isNew = !(await isThere(io, target))
    if (!isNew) {
      if (given.has('never')) continue
      if (!given.has('overwrite')) {
        // Nobody answers the question, so nothing is replaced.
        await io.stderr.write(
          `replace ${target}? [y]es, [n]o, [A]ll, [N]one, [r]ename:  NULL\n(EOF or read error, treating as "[N]one" ...)\n`,
        )
        status = 1
        break
      }
    }
    if (!(await makeFor(entry, dirname(io.path(target))))) continue
    if (entry.isLink) {
      const leadsTo = decodeText(await gather(() => contentOf(io, archive, entry)))
      if (!isQuiet) await io.stdout.write(`    linking: ${target.padEnd(22)}  -> ${leadsTo} \n`)
      links.push({ target, leadsTo, relative })
      continue
    }
    const { size = 0, modifiedMs } = entry
    const mode = entry.mode === undefined ? undefined : entry.mode & ~io.umask
    await writeUnpacked(io, target, contentOf(io, archive, entry), { size, mode, modifiedMs, isNew })
    const verb = entry.size === entry.compressedSize ? ' extracting' : '  inflating'
    if (!isQuiet) await io.stdout.write(`${verb}: ${target.padEnd(22)}  \n`)
  }
  return Math.max(status, await makeLinks(io, links, isQuiet))

  /** Makes a directory that an entry needs. False, and reported, if a file is in its place. */
  async function makeFor(entry: ArchiveEntry, directory: string): Promise<boolean> {
    try {
      await directories.make(io.path(directory))
      return true
    } catch (error) {
      if (!isFsError(error, 'NOT_A_DIRECTORY')) throw error
      const reason = `checkdir error:  ${directory} exists but is not directory`
      await io.stderr.write(`${reason}\n                 unable to process ${shownName(entry)}.\n`)
      status = skippedStatus
      return false
    }
  }
}

interface UnpackedLink {
  target: string
  leadsTo: string
  /** Its path within the archive. */
  relative: string
}

/** Links are made after everything else, so that nothing is unpacked through them; none may lead out. */
async function makeLinks(io: ProgramIo, links: readonly UnpackedLink[], isQuiet: boolean): Promise<number> {
  if (links.length > 0 && !isQuiet) await io.stdout.write('finishing deferred symbolic links:\n')
  let status = 0
  for (const { target, leadsTo, relative } of links) {
    if (!staysInside(relative, leadsTo)) {
      await io.stderr.write(`warning:  ${target} -> ${leadsTo}: links that lead out are not unpacked by this shell\n`)
      status = skippedStatus
      continue
    }
    if (!isQuiet) await io.stdout.write(`  ${target.padEnd(22)} -> ${leadsTo}\n`)
    if (await isThere(io, target)) await io.fs.remove(target)
    await io.fs.symlink(leadsTo, target)
  }
  return status
}

/** `..` may only come first: after a name, which may be another link, it could lead anywhere. */
function staysInside(relative: string, leadsTo: string): boolean {
  if (leadsTo.startsWith('/')) return false
  const names = leadsTo.split('/').filter((name) => name !== '' && name !== '.')
  const first = names.findIndex((name) => name !== '..')
  const ups = first === -1 ? names.length : first
  return !names.slice(ups).includes('..') && ups <= relative.split('/').length - 1
}
