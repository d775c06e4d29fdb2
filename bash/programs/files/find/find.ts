/** Searches directories. */
import { isFsError } from '../../../../src/errors.js'
import type { Entry, Stat } from '../../../../src/fs/types.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { RegexError } from '../../../regex/index.js'
import { rawProgram } from '../../define-program.js'
import { helpText, versionText } from '../../originals.js'
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'
import { below } from '../shared/facts.js'
import { type Found, type Search, searchError, type Test } from './found.js'
import { parseExpression } from './parse.js'

export const find = rawProgram({
  name: 'find',
  async run(io) {
    if (io.args.includes('--help') || io.args.includes('-help')) {
      await io.stdout.write(helpText('find', '[-H] [-L] [-P] [-Olevel] [-D debugopts] [path...] [expression]'))
      return 0
    }
    if (io.args.includes('--version') || io.args.includes('-version')) {
      await io.stdout.write(versionText('find'))
      return 0
    }
    const search: Search = {
      io,
      follows: 'none',
      maxDepth: Number.POSITIVE_INFINITY,
      minDepth: 0,
      isDepthFirst: false,
      fromDayStart: false,
      now: io.now(),
      status: 0,
      isPruned: false,
      hasQuit: false,
      atEnd: [],
    }
    const { starts, words } = splitArguments(io, search)
    const test = await parsed(words, search)
    for (const start of starts.length > 0 ? starts : ['.']) {
      if (search.hasQuit) break
      await searchFrom(search, start, test)
    }
    for (const end of search.atEnd) await end()
    return search.status
  },
})

async function parsed(words: readonly string[], search: Search): Promise<Test> {
  try {
    return await parseExpression(words, search)
  } catch (error) {
    if (error instanceof RegexError) throw new ProgramError(`failed to compile regular expression: ${error.message}`)
    throw error
  }
}

/** Options, start points, and the expression, which starts at the first word that looks like one. */
function splitArguments(io: ProgramIo, search: Search): { starts: string[]; words: readonly string[] } {
  const { args } = io
  let at = 0
  for (; at < args.length; at += 1) {
    const arg = args[at] as string
    if (arg === '-H') search.follows = 'operands'
    else if (arg === '-L') search.follows = 'all'
    else if (arg === '-P') search.follows = 'none'
    else if (/^-O\d*$/.test(arg)) continue
    else if (arg === '-D' || arg.startsWith('-D'))
      throw new ProgramError("option '-D' is not supported by this shell", 2)
    else if (arg === '--') {
      at += 1
      break
    } else break
  }
  const isExpression = (arg: string) => (arg.startsWith('-') && arg !== '-') || ['(', ')', ',', '!'].includes(arg)
  const first = args.findIndex((arg, index) => index >= at && isExpression(arg))
  const end = first === -1 ? args.length : first
  return { starts: args.slice(at, end), words: args.slice(end) }
}

async function searchFrom(search: Search, start: string, test: Test): Promise<void> {
  const { io, follows } = search
  let stat: Stat
  try {
    stat = await io.fs.lstat(start)
    if (follows !== 'none' && stat.kind === 'symlink') stat = await io.fs.stat(start).catch(() => stat)
  } catch (error) {
    await searchError(search, `${quoted(start)}: ${describeError(error)}`)
    return
  }
  const known = stat
  const found: Found = { path: start, start, depth: 0, kind: stat.kind, stat: async () => known }
  await visit(search, found, test, [])
}

/** A directory on the way to an entry, under its real path. Only kept where links are followed and could form a loop. */
interface Above {
  path: string
  real: string
}

async function visit(search: Search, found: Found, test: Test, above: readonly Above[]): Promise<void> {
  search.io.step()
  const inside = search.follows === 'all' && found.kind === 'directory' ? await wayInto(search, found, above) : above
  if (inside === undefined) return
  if (!search.isDepthFirst) await apply(search, found, test)
  const isPruned = search.isPruned && !search.isDepthFirst
  search.isPruned = false
  if (found.kind === 'directory' && !isPruned && !search.hasQuit && found.depth < search.maxDepth) {
    await visitInside(search, found, test, inside)
  }
  if (search.isDepthFirst && !search.hasQuit) await apply(search, found, test)
  search.isPruned = false
}

/** Undefined, after a message, when the directory is one of those that lead to it. */
async function wayInto(search: Search, { path }: Found, above: readonly Above[]): Promise<Above[] | undefined> {
  const real = await search.io.fs.realPath(path)
  const same = above.find((one) => one.real === real)
  if (same === undefined) return [...above, { path, real }]
  const loop = `${quoted(path)} is part of the same file system loop as ${quoted(same.path)}`
  await searchError(search, `File system loop detected; ${loop}.`)
  return undefined
}

async function apply(search: Search, found: Found, test: Test): Promise<void> {
  if (found.depth < search.minDepth) return
  try {
    const result = test(found, search)
    if (typeof result !== 'boolean') await result
  } catch (error) {
    if (!isFsError(error)) throw error
    await searchError(search, `${quoted(found.path)}: ${describeError(error)}`)
  }
}

async function visitInside(search: Search, directory: Found, test: Test, above: readonly Above[]): Promise<void> {
  const { io, follows } = search
  let entries: Entry[]
  try {
    entries = await io.fs.readDir(directory.path)
  } catch (error) {
    await searchError(search, `${quoted(directory.path)}: ${describeError(error)}`)
    return
  }
  for (const entry of entries) {
    if (search.hasQuit) return
    const found = foundIn(search, directory, entry)
    if (found.kind === 'directory' || found.kind === 'symlink') {
      await visit(search, follows === 'all' ? await followed(search, found) : found, test, above)
      continue
    }
    io.step()
    await apply(search, found, test)
    search.isPruned = false
  }
}

function foundIn({ io }: Search, { path, start, depth }: Found, { name, kind }: Entry): Found {
  const at = below(path, name)
  let stat: Promise<Stat> | undefined
  return {
    path: at,
    start,
    depth: depth + 1,
    kind,
    stat() {
      stat ??= io.fs.lstat(at)
      return stat
    },
  }
}

/** A link that leads nowhere stays a link. */
async function followed({ io }: Search, found: Found): Promise<Found> {
  if (found.kind !== 'symlink') return found
  const stat = await io.fs.stat(found.path).catch(() => undefined)
  return stat === undefined ? found : { ...found, kind: stat.kind, stat: async () => stat }
}
