/** Lists directories. */
import { inBatches } from '../../../../src/fs/in-batches.js'
import type { Stat } from '../../../../src/fs/types.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { quotedName } from '../../quoting.js'
import { below, lstatIfThere } from '../shared/facts.js'
import { namePattern } from '../shared/name-pattern.js'
import { type Listed, listed, needsStat, sortEntries } from './ls-entries.js'
import { printEntries, shownName, totalLine } from './ls-format.js'
import { lsOptions } from './ls-options.js'
import { type ListingRules, listingRules } from './ls-rules.js'

const definition = {
  usage: '[OPTION]... [FILE]...',
  options: lsOptions,
  unsupported: ['-D', '--dired'],
  usageStatus: 2,
} as const

export const ls = defineProgram({
  ...definition,
  name: 'ls',
  run: (io, given) => list(io, given.operands, listingRules(io, given)),
})

/** `ls -C -b` under another name. */
export const dir = defineProgram({
  ...definition,
  name: 'dir',
  run(io, given) {
    const rules = listingRules(io, given)
    const format = rules.format === 'single' && !given.has('onePerLine') ? 'columns' : rules.format
    return list(io, given.operands, {
      ...rules,
      format,
      quoting: rules.quoting === 'literal' ? 'escape' : rules.quoting,
    })
  },
})

/** What an entry takes in memory, roughly. */
const entryBytes = 200

interface Listing {
  io: ProgramIo
  rules: ListingRules
  isIgnored(name: string): boolean
  status: number
  hasPrinted: boolean
}

async function list(io: ProgramIo, operands: readonly string[], rules: ListingRules): Promise<number> {
  const listing: Listing = { io, rules, isIgnored: ignorer(rules), status: 0, hasPrinted: false }
  const files: Listed[] = []
  const directories: Listed[] = []
  for (const path of operands.length > 0 ? operands : ['.']) {
    try {
      const entry = await listed(io, { name: path, path, stat: await statOperand(io, path, rules) }, rules)
      if (entry.stat.kind === 'directory' && !rules.isDirectoryItself) directories.push(entry)
      else files.push(entry)
    } catch (error) {
      await io.error(`cannot access ${quotedName(path)}: ${describeError(error)}`)
      listing.status = 2
    }
  }
  if (files.length > 0) {
    await printEntries(io, sortEntries(files, rules), rules)
    listing.hasPrinted = true
  }
  const hasHeaders = operands.length > 1 || rules.isRecursive
  for (const { path } of sortEntries(directories, rules)) await listDirectory(listing, path, hasHeaders, true, [])
  return listing.status
}

async function statOperand(io: ProgramIo, path: string, { follows }: ListingRules): Promise<Stat> {
  if (follows === 'all' || follows === 'operands') return io.fs.stat(path)
  const stat = await io.fs.lstat(path)
  if (follows === 'none' || stat.kind !== 'symlink') return stat
  const target = await io.fs.stat(path).catch(() => undefined)
  return target?.kind === 'directory' ? target : stat
}

function ignorer({ ignored, hidden, shows }: ListingRules): (name: string) => boolean {
  const patterns = [...ignored, ...(shows === 'visible' ? hidden : [])].map((pattern) => {
    const matches = namePattern(pattern)
    return (name: string) => (name.startsWith('.') && !pattern.startsWith('.') ? false : matches(name))
  })
  return (name) => patterns.some((matches) => matches(name))
}

async function listDirectory(
  listing: Listing,
  path: string,
  hasHeader: boolean,
  isOperand: boolean,
  above: readonly string[],
): Promise<void> {
  const { io, rules } = listing
  io.step()
  const real = rules.isRecursive && rules.follows === 'all' ? await io.fs.realPath(path) : path
  if (above.includes(real)) {
    await io.error(`${path}: not listing already-listed directory`)
    listing.status = 2
    return
  }
  let names: Array<{ name: string; stat: Stat }>
  try {
    names = (await io.fs.readDir(path)).map(({ name, kind }) => ({ name, stat: { kind } }))
  } catch (error) {
    await io.error(`cannot open directory ${quotedName(path)}: ${describeError(error)}`)
    listing.status = Math.max(listing.status, isOperand ? 2 : 1)
    return
  }
  const held = names.length * entryBytes
  io.account(held)
  const entries = sortEntries(await entriesOf(listing, path, names), rules)
  const header = hasHeader ? `${listing.hasPrinted ? '\n' : ''}${shownName(path, rules)}:\n` : ''
  listing.hasPrinted = true
  await io.stdout.write(header)
  if (rules.format === 'long' || rules.showsBlocks) await io.stdout.write(totalLine(entries, rules))
  await printEntries(io, entries, rules)
  for (const entry of rules.isRecursive ? entries : []) {
    if (entry.stat.kind !== 'directory' || entry.name === '.' || entry.name === '..') continue
    await listDirectory(listing, entry.path, true, false, [...above, real])
  }
  io.account(-held)
}

async function entriesOf(
  listing: Listing,
  directory: string,
  names: Array<{ name: string; stat: Stat }>,
): Promise<Listed[]> {
  const { io, rules, isIgnored } = listing
  const dots = rules.shows === 'all' ? ['.', '..'].map((name) => ({ name, stat: { kind: 'directory' } as const })) : []
  const wanted = [...dots, ...names].filter(({ name }) => {
    return !(rules.shows === 'visible' && name.startsWith('.')) && !isIgnored(name)
  })
  const look = rules.follows === 'all' ? io.fs.stat : io.fs.lstat
  const looks = needsStat(rules)
    ? await inBatches(wanted, looksAtOnce, ({ name }) => outcomeOf(look(below(directory, name))))
    : wanted.map(({ stat }) => ({ stat }))
  const entries: Listed[] = []
  for (const [at, { name }] of wanted.entries()) {
    const entry = await lookedAt(listing, name, below(directory, name), looks[at] as Look)
    if (entry === undefined) continue
    entries.push('isUnknown' in entry ? { ...entry, links: 1 } : await listed(io, entry, rules))
  }
  return entries
}

/** They are one request to the host. */
const looksAtOnce = 64

type Look = { stat: Stat } | { error: unknown }

async function outcomeOf(looking: Promise<Stat>): Promise<Look> {
  try {
    return { stat: await looking }
  } catch (error) {
    return { error }
  }
}

type Looked = Pick<Listed, 'name' | 'path' | 'stat' | 'isUnknown'>

async function lookedAt(listing: Listing, name: string, path: string, look: Look): Promise<Looked | undefined> {
  if ('stat' in look) return { name, path, stat: look.stat }
  // What is above the root can't be looked at.
  if (name === '..') return { name, path, stat: { kind: 'directory' } }
  await listing.io.error(`cannot access ${quotedName(path.replace(/^\.\//, ''))}: ${describeError(look.error)}`)
  listing.status = Math.max(listing.status, 1)
  return (await lstatIfThere(listing.io.fs, path)) && { name, path, stat: { kind: 'symlink' }, isUnknown: true }
}
