/** Generated archives: other programs read ours, we read theirs, and a damaged one is refused whole or read as others read it. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DirectoryWorkspace, openDirectories } from '../../node/workspace/directory-workspace.js'
import { FsError } from '../../src/errors.js'
import { createArchive } from '../../src/ops/archive/create-archive.js'
import { extractArchive } from '../../src/ops/archive/extract-archive.js'
import { listArchiveFile } from '../../src/ops/archive/list-archive.js'
import { type Random, randomFrom } from '../core/search/generated-trees.js'
import { mutated } from './archive-damage.js'
import { type Made, type Python, startPython } from './archive-python.js'
import { clear, type Found, plantTree, treeAt } from './archive-trees.js'

const firstSeed = Number(process.env.POLYFS_TORTURE_SEED ?? 1)
const cases = Number(process.env.POLYFS_TORTURE_SEQUENCES ?? 250)
const mutationsPerArchive = 40

const absent = ['zip', 'unzip', 'python3'].filter((program) => spawnSync(program, ['--help']).error !== undefined)
const missing = absent.length === 0 ? undefined : `this machine has no ${absent.join(' and no ')}`

let root: string
let workspace: DirectoryWorkspace
let python: Python
beforeAll(async () => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-torture-archives-')))
  workspace = await openDirectories([{ directory: root, access: 'read-write' }], { durable: false, fsync: false })
  python = startPython()
})
afterAll(() => {
  python.close()
  workspace.close()
  clear(root)
})

test('unzip and Python read our archives, and so do we', async ({ skip }) => {
  if (missing !== undefined) skip(missing)
  const counts = { trees: 0, entries: 0, bytes: 0, leftOut: 0, unportable: 0 }
  const failures = await forEachSeed(async (seed, random) => {
    plantTree(at('tree'), random, { links: random(2) === 0, odd: random(3) === 0, largeOneIn: 20 })
    const planted = treeAt(at('tree'))
    const links = Object.keys(planted).filter((name) => planted[name]?.kind === 'link')
    const packed = Object.fromEntries(Object.entries(planted).filter(([, { kind }]) => kind !== 'link'))
    const made = await createArchive.run(createArchive.input.parse({ path: 'a.zip', base: 'tree' }), workspace, {})
    expect(made.leftOut.map((name) => path.relative(at('tree'), name)).sort(), `${seed}`).toEqual(links.sort())

    const tested = spawnSync('unzip', ['-tqq', at('a.zip')], { encoding: 'utf8' })
    // unzip warns about an empty archive.
    expect(tested.stdout + tested.stderr, `${seed}`).toEqual(Object.keys(packed).length > 0 ? '' : expect.anything())
    expect(unzip('unzipped'), `${seed}`).toEqual(packed)
    const read = await python.read(at('a.zip'))
    expect(read, `${seed}`).toEqual({ entries: expect.any(Array) })
    if ('entries' in read) expect(byName(read.entries), `${seed}`).toEqual(contentsOf(packed))
    if (made.unportable.length === 0) expect(await extracted(), `${seed}`).toEqual(packed)
    else expect(await refusal(), `${seed}`).toMatchObject({ code: 'BAD_ARCHIVE' })
    counts.trees += 1
    counts.entries += Object.keys(packed).length
    counts.bytes += made.totalBytes
    counts.leftOut += links.length
    counts.unportable += made.unportable.length
  })
  console.log(`our archives, seeds from ${firstSeed}: ${JSON.stringify(counts)}`)
  expect(failures).toEqual([])
  expect(counts.trees).toBe(cases)
})

test('we read the archives of zip and Python as unzip and Python do', async ({ skip }) => {
  if (missing !== undefined) skip(missing)
  const counts: Record<string, number> = {}
  const failures = await forEachSeed(async (seed, random) => {
    plantTree(at('tree'), random, { links: random(8) === 0, largeOneIn: 30 })
    const made = await foreignArchive(random)
    const context = `${seed} ${JSON.stringify(made)}`.slice(0, 500)
    counts[made.by] = (counts[made.by] ?? 0) + 1
    if (made.refused !== undefined) {
      counts[made.refused] = (counts[made.refused] ?? 0) + 1
      // zip itself makes some damaged ones, with 64-bit records for piped input.
      const isDamaged = made.by === 'zip piped' && typeof unzip('unzipped') === 'string'
      const reasons = isDamaged ? [made.refused, 'damaged'] : [made.refused]
      expect(reasons, context).toContain(((await refusal()) as FsError<'BAD_ARCHIVE'>).facts.reason)
      return
    }
    const theirs = unzip('unzipped')
    const listed = await listArchiveFile.run({ path: 'a.zip' }, workspace, {}).catch((error: Error) => error)
    if (listed instanceof Error) {
      expect({ listed, theirs }, context).toEqual({ listed: expect.any(FsError), theirs: expect.any(String) })
      counts['refused by unzip too'] = (counts['refused by unzip too'] ?? 0) + 1
      return
    }
    const ours = await extracted()
    const read = await python.read(at('a.zip'))
    if ('error' in read) throw new Error(`${context}: ${read.error}`)
    const names = read.entries.map(({ name }) => name)
    expect(listed.entries.length, context).toBe(names.length)
    const unlikePython = unlike(contentsOf(ours), { ...byName(read.entries), ...impliedBy(read.entries) })
    // Only what the archive stores is compared.
    const known = new Map(listed.entries.map((entry) => [entry.path, entry]))
    const said = (tree: Record<string, Found>) =>
      Object.fromEntries(
        Object.entries(tree).map(([name, { mode, modified, ...rest }]) => {
          const { mode: hasMode, modifiedMs: hasTime } = known.get(name) ?? {}
          return [name, { ...rest, ...(hasMode !== undefined && { mode }), ...(hasTime !== undefined && { modified }) }]
        }),
      )
    if (typeof theirs === 'string') counts['not for unzip'] = (counts['not for unzip'] ?? 0) + 1
    const unlikeUnzip = typeof theirs === 'string' ? unlikePython : unlike(said(ours), said(theirs))
    // Without a stored encoding of names, the two differ.
    if (names.every(isAscii))
      expect({ unlikePython, unlikeUnzip }, context).toEqual({ unlikePython: [], unlikeUnzip: [] })
    else expect([unlikePython, unlikeUnzip], context).toContainEqual([])
    if (unlikePython.length > 0) counts['only as unzip'] = (counts['only as unzip'] ?? 0) + 1
    if (unlikeUnzip.length > 0) counts['only as Python'] = (counts['only as Python'] ?? 0) + 1
    counts.entries = (counts.entries ?? 0) + listed.entries.length
  })
  console.log(`archives of others, seeds from ${firstSeed}: ${JSON.stringify(counts)}`)
  expect(failures).toEqual([])
})

test('a damaged archive is refused whole, or read as Python reads it', async ({ skip }) => {
  if (missing !== undefined) skip(missing)
  const counts: Record<string, number> = { mutations: 0, accepted: 0, 'of these refused by Python': 0 }
  const failures = await forEachSeed(async (seed, random) => {
    if (seed % 4 !== 0) return
    plantTree(at('tree'), random, { largeOneIn: 1000 })
    fs.writeFileSync(at('tree/always.txt'), 'always there')
    if (random(2) === 0)
      await createArchive.run(createArchive.input.parse({ path: 'a.zip', base: 'tree' }), workspace, {})
    else await foreignArchive(random)
    const whole = fs.readFileSync(at('a.zip'))
    clear(at('tree'))
    for (let mutation = 0; mutation < mutationsPerArchive; mutation += 1) {
      fs.writeFileSync(at('a.zip'), mutated(whole, random))
      fs.mkdirSync(at('out'))
      fs.writeFileSync(at('out/mine.txt'), 'mine')
      const before = treeAt(root)
      const context = `seed ${seed}, mutation ${mutation}`
      const failure = await attempt('skip')
      counts.mutations = (counts.mutations ?? 0) + 1
      if (failure !== undefined) {
        const reason = String('reason' in failure.facts ? failure.facts.reason : failure.code)
        counts[reason] = (counts[reason] ?? 0) + 1
        expect(treeAt(root), context).toEqual(before)
      } else {
        counts.accepted = (counts.accepted ?? 0) + 1
        const read = await python.read(at('a.zip'))
        fs.rmSync(at('out/mine.txt'))
        if ('entries' in read) {
          // The damage may have changed the encoding of a name.
          const contents = (tree: Contents) => Object.values(tree).filter((content) => content !== null)
          const theirs = contents(byName(read.entries)).sort()
          expect(contents(contentsOf(treeAt(at('out')))).sort(), context).toEqual(theirs)
        } else counts['of these refused by Python'] = (counts['of these refused by Python'] ?? 0) + 1
        clear(at('out'))
        const { out: _, ...rest } = before
        delete rest['out/mine.txt']
        expect(treeAt(root), context).toEqual(rest)
      }
      clear(at('out'))
    }
  })
  console.log(`damaged archives, seeds from ${firstSeed}: ${JSON.stringify(counts)}`)
  expect(failures).toEqual([])
  expect(counts.mutations).toBeGreaterThan(cases * 5)
  expect(counts.accepted).toBeGreaterThan(0)
})

function at(name: string): string {
  return path.join(root, name)
}

/** Each in an empty directory; the failures, with their seeds. */
async function forEachSeed(run: (seed: number, random: Random) => Promise<void>): Promise<string[]> {
  const failures: string[] = []
  for (let seed = firstSeed; seed < firstSeed + cases; seed += 1) {
    for (const name of fs.readdirSync(root)) clear(at(name))
    fs.mkdirSync(at('tree'))
    await run(seed, randomFrom(Math.imul(seed, 2_654_435_761))).catch((error: Error & { actual?: unknown }) => {
      const details =
        error instanceof FsError ? JSON.stringify(error.facts) : JSON.stringify(error.actual ?? error.stack)
      failures.push(`seed ${seed}: ${error.message}\n${details}`.slice(0, 2000))
    })
  }
  return failures
}

/** What unzip extracts from the archive, or why it refuses it. */
function unzip(to: string): Record<string, Found> | string {
  clear(at(to))
  fs.mkdirSync(at(to))
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  // Keeps control characters, and suffixes that look like a version, in names.
  const { status, stderr } = spawnSync('unzip', ['-q', '-^', '-V', at('a.zip'), '-d', at(to)], {
    env,
    encoding: 'utf8',
  })
  if ((status ?? 9) > 1) return stderr
  return treeAt(at(to))
}

async function extracted(): Promise<Record<string, Found>> {
  const failure = await attempt('refuse')
  if (failure !== undefined) throw new Error(`refused: ${failure.code} ${JSON.stringify(failure.facts)}`)
  return treeAt(at('out'))
}

async function refusal(): Promise<FsError | undefined> {
  const failure = await attempt('refuse')
  expect(fs.existsSync(at('out'))).toBe(false)
  return failure
}

/** Timeout of a program, far above what it needs. */
const hangMs = 120_000

/** Undefined when all is extracted, else the error. Fails on any error that is not an FsError. */
async function attempt(onExisting: 'refuse' | 'skip'): Promise<FsError | undefined> {
  const input = extractArchive.input.parse({ path: 'a.zip', to: 'out', onExisting })
  try {
    await extractArchive.run(input, workspace, { signal: AbortSignal.timeout(hangMs) })
    return undefined
  } catch (error) {
    if (!(error instanceof FsError) || error.code === 'ABORTED' || error.code === 'IO') throw error
    return error
  }
}

type Contents = Record<string, string | null>

function contentsOf(tree: Record<string, Found>): Contents {
  return Object.fromEntries(Object.entries(tree).map(([name, { content }]) => [name, content ?? null]))
}

function byName(entries: readonly { name: string; content: string | null }[]): Contents {
  return Object.fromEntries(entries.map(({ name, content }) => [name.replace(/\/$/, ''), content]))
}

/** Up to five lines of differences. */
function unlike(ours: Readonly<Record<string, unknown>>, theirs: Readonly<Record<string, unknown>>): string[] {
  const rows = (tree: Readonly<Record<string, unknown>>) =>
    Object.entries(tree).map(([name, value]) => `${JSON.stringify(name)} ${JSON.stringify(value)}`)
  const [mine, other] = [rows(ours), rows(theirs)]
  const only = (some: string[], others: string[], whose: string) =>
    some.filter((row) => !others.includes(row)).map((row) => `${whose} ${row}`)
  return [...only(mine, other, 'ours'), ...only(other, mine, 'theirs')].slice(0, 5)
}

function isAscii(name: string): boolean {
  return /^[\0-\x7f]*$/.test(name)
}

/** Directories without an entry of their own in the archive. */
function impliedBy(entries: readonly { name: string }[]): Contents {
  const above = entries.flatMap(({ name }) => {
    const parts = name.replace(/\/$/, '').split('/')
    return parts.slice(1).map((_, depth) => parts.slice(0, depth + 1).join('/'))
  })
  return Object.fromEntries(above.map((name) => [name, null]))
}

interface Foreign {
  by: string
  /** Why we refuse it. */
  refused?: string
}

const [stored, deflated, bzip2, lzma] = [0, 8, 12, 14]

/** Creates `a.zip` from the tree. */
async function foreignArchive(random: Random): Promise<Foreign> {
  const made = random(2) === 0 ? zipArchive(random) : undefined
  if (made !== undefined) return made
  fs.rmSync(at('a.zip'), { force: true })
  return pythonArchive(random)
}

/** Undefined where zip fails, as it does for some names and links. */
function zipArchive(random: Random): Foreign | undefined {
  // Both -fz and -fd make an archive that unzip refuses too.
  const options = ['-0', '-9', '-X', '-D', random(2) === 0 ? '-fz' : '-fd'].filter(() => random(4) === 0)
  const isPiped = random(3) === 0
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  fs.writeFileSync(at('tree/one.txt'), 'so that there is one')
  const zip = (args: string[], input = '') =>
    spawnSync('zip', args, { cwd: at('tree'), env, maxBuffer: 1 << 28, input })
  // Stores links as links: following one may never end.
  const { status, stdout } = zip(['-q', '-r', '-y', ...options, isPiped ? '-' : '../a.zip', '.'])
  if (status !== 0) return undefined
  if (isPiped) fs.writeFileSync(at('a.zip'), stdout)
  if (random(4) === 0 && zip(['-qz', '../a.zip'], 'a comment\n.\n').status !== 0) return undefined
  const hasLinks = Object.values(treeAt(at('tree'))).some(({ kind }) => kind === 'link')
  return { by: `zip${isPiped ? ' piped' : ''}`, ...(hasLinks && { refused: 'link' }) }
}

async function pythonArchive(random: Random): Promise<Foreign> {
  fs.writeFileSync(at('tree/one.txt'), 'so that there is one')
  const tree = treeAt(at('tree'))
  const named = Object.keys(tree).filter((name) => tree[name]?.kind !== 'link')
  const methods = random(12) === 0 ? [bzip2, lzma] : [stored, deflated]
  const stream = random(3) === 0
  const zip64 = random(4) === 0
  const entries = named.map((name): Made => {
    const isFile = tree[name]?.kind === 'file'
    return {
      name: isFile ? name : `${name}/`,
      method: isFile ? (methods[random(2)] as number) : stored,
      comment: random(5) === 0 ? [...Buffer.from('of this entry')] : [],
      // An unknown one.
      extra: random(5) === 0 ? [0xca, 0xfe, 3, 0, 1, 2, 3] : [],
      zip64,
      unix: random(4) > 0,
    }
  })
  const prefix = random(5) === 0 ? [...Buffer.from('#!/bin/sh\nexec unzip "$0"\n')] : []
  const joined = prefix.length > 0 && random(2) === 0
  const comment = random(4) === 0 ? [...Buffer.from('of the archive')] : []
  const made = await python.make({ archive: at('a.zip'), tree: at('tree'), entries, prefix, joined, stream, comment })
  if (made.error !== undefined) throw new Error(made.error)
  const by = `Python${stream ? ' streamed' : ''}${prefix.length > 0 ? (joined ? ' joined' : ' prefixed') : ''}${zip64 ? ' zip64' : ''}`
  return { by, ...(methods[0] === bzip2 && { refused: 'unknown-compression' }) }
}
