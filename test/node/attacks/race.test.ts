/**
 * Another process swaps links under our feet; no call may ever reach the outside.
 * `POLYFS_RACE_MS` sets how long each round lasts.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { mkdirSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type NodeFileSystem, nodeFs } from '../../../node/disk/node-fs.js'
import { FsError } from '../../../src/errors.js'
import { mount } from '../../../src/fs/backends/mount.js'
import { type ConfinedFileSystem, confine } from '../../../src/fs/gate/confine.js'
import { syncOrAsync, wouldBlock } from '../../../src/fs/sync.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { canary } from '../../attacks/layout.js'
import { scaled } from '../../scale.js'
import { outsideState } from './stage.js'

const roundMs = Number(process.env.POLYFS_RACE_MS ?? scaled(2500))
const callsInFlight = 4
/** Far longer than any round takes: what ends one is a count, not a clock. */
const longestRoundMs = roundMs + 300_000

/**
 * A call made over and over. Whatever it returns must be of the inside. What it needs there it lays out first, at `inside`, which
 * no swap moves: then whether it succeeds depends on the swaps alone, and on no other call.
 */
type Call = (fs: ConfinedFileSystem, root: string, turn: number, inside: string) => Promise<unknown>

const looks: Record<string, Call> = {
  'read through a directory': async (fs, root) => text(await fs.readFile(`${root}/swap/file.txt`)),
  'read a file': async (fs, root) => text(await fs.readFile(`${root}/swap.txt`)),
  open: async (fs, root) => {
    const source = await fs.open?.(`${root}/swap/file.txt`)
    try {
      return text((await source?.read({ start: 0, end: 100 })) ?? new Uint8Array())
    } finally {
      await source?.close()
    }
  },
  list: (fs, root) => fs.readDir(`${root}/swap`),
  'stat through a directory': async (fs, root) => sizeOf(await fs.stat(`${root}/swap/file.txt`)),
  'stat a file': async (fs, root) => sizeOf(await fs.stat(await fs.realPath(`${root}/swap.txt`))),
  walk: async (fs, root) => {
    const names: string[] = []
    for await (const entry of walk(fs, `${root}/swap`, {})) names.push(entry.path)
    return names
  },
}

const changes: Record<string, Call> = {
  write: (fs, root) => fs.writeFile(`${root}/swap/written.txt`, bytes('written inside\n')),
  'write a new file': (fs, root, turn) =>
    fs.writeFile(`${root}/swap/new-${turn}.txt`, bytes('inside\n'), { exclusive: true }),
  'make a directory': (fs, root, turn) => fs.makeDir(`${root}/swap/made-${turn}`),
  'remove a directory': (fs, root, turn, inside) => {
    mkdirSync(`${inside}/empty-${turn % 16}`, { recursive: true })
    return fs.remove(`${root}/swap/empty-${turn % 16}`)
  },
  'remove a file': (fs, root, turn, inside) => {
    writeFileSync(`${inside}/gone-${turn % 16}.txt`, 'inside\n')
    return fs.remove(`${root}/swap/gone-${turn % 16}.txt`)
  },
  'move from': async (fs, root, turn, inside) => {
    writeFileSync(`${inside}/leaving-${turn % 16}.txt`, 'inside\n')
    await fs.rename(`${root}/swap/leaving-${turn % 16}.txt`, `${root}/landing/${turn % 16}.txt`)
    return text(await fs.readFile(`${root}/landing/${turn % 16}.txt`))
  },
  'move to': async (fs, root, turn) => {
    await fs.writeFile(`${root}/landing/out-${turn % 16}.txt`, bytes('inside\n'))
    await fs.rename(`${root}/landing/out-${turn % 16}.txt`, `${root}/swap/written.txt`)
  },
  'set mode': async (fs, root, turn) => fs.setMode?.(`${root}/swap/file.txt`, turn % 2 === 0 ? 0o600 : 0o640),
  'set mode of a file': async (fs, root) => fs.setMode?.(`${root}/swap.txt`, 0o600),
  'set modified': async (fs, root) => fs.setModified?.(`${root}/swap/file.txt`, 1_000_000_000_000),
  link: (fs, root, turn) => fs.symlink?.('file.txt', `${root}/swap/link-${turn}`) ?? Promise.resolve(),
}

/** The synchronous calls of the change engine. They follow no link, so none of them gets through one. */
const exactLooks: Record<string, Call> = {
  'synchronous stat and read': async ({ exact }, root) => {
    const path = `${root}/swap/file.txt`
    const found = exact.transactional?.sync?.statAndRead(path, 1000)
    const { bytes } = found && found !== wouldBlock ? found : await exact.transactional!.statAndRead(path, 1000)
    return text(bytes ?? new Uint8Array())
  },
  'synchronous stat': async ({ exact }, root) => {
    const path = `${root}/swap/file.txt`
    return sizeOf(await syncOrAsync(exact.sync?.stat(path), () => exact.stat(path)))
  },
}

const exactChanges: Record<string, Call> = {
  'synchronous staged write': async ({ exact }, root, turn) => {
    const { sync, stageFile } = exact.transactional!
    const [path, content] = [`${root}/swap/staged-${turn}.txt`, bytes('inside\n')]
    const options = { replaces: `${root}/swap/file.txt` }
    const staged = sync?.stageFile ? sync.stageFile(path, content, options) : wouldBlock
    if (staged === wouldBlock) await stageFile(path, content, options)
  },
  'synchronous rename': async ({ exact }, root, turn, inside) => {
    writeFileSync(`${inside}/moving-${turn % 16}.txt`, 'inside\n')
    const { sync, rename } = exact.transactional!
    const [from, to] = [`${root}/swap/moving-${turn % 16}.txt`, `${root}/swap/moved-${turn % 16}.txt`]
    const renamed = sync?.rename ? sync.rename(from, to) : wouldBlock
    if (renamed === wouldBlock) await rename(from, to)
  },
  'synchronous move to': async ({ exact }, root, turn) => {
    await exact.writeFile(`${root}/landing/going-${turn % 16}.txt`, bytes('inside\n'))
    const { sync, rename } = exact.transactional!
    const [from, to] = [`${root}/landing/going-${turn % 16}.txt`, `${root}/swap/gone-${turn % 16}.txt`]
    const renamed = sync?.rename ? sync.rename(from, to) : wouldBlock
    if (renamed === wouldBlock) await rename(from, to)
  },
  'synchronous remove': async ({ exact }, root, turn, inside) => {
    writeFileSync(`${inside}/removed-${turn % 16}.txt`, 'inside\n')
    const { sync, remove } = exact.transactional!
    const path = `${root}/swap/removed-${turn % 16}.txt`
    const removed = sync?.remove ? sync.remove(path) : wouldBlock
    if (removed === wouldBlock) await remove(path)
  },
}

const modes = {
  links: 'a link to the inside and a link to the outside take turns',
  directory: 'a directory and a link to the outside take turns',
}
const promises = {
  'nothing of the outside is seen': looks,
  'nothing of the outside is changed': changes,
}
const speeds = { 'as fast as they can': 0, 'every millisecond': 1 }

for (const [how, what] of Object.entries(modes)) describe(what, () => describeRace(how))

function describeRace(how: string): void {
  let base: string
  let root: string
  let outside: string
  let disk: NodeFileSystem
  let confined: ConfinedFileSystem
  let swapper: ChildProcess | undefined
  let insideDescriptor: number

  beforeEach(() => {
    base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-race-')))
    root = path.join(base, 'root')
    outside = path.join(base, 'outside')
    fs.mkdirSync(path.join(root, 'landing'), { recursive: true })
    const inside = path.join(root, how === 'links' ? 'inside' : 'swap')
    layOut(inside, 'inside\n')
    insideDescriptor = fs.openSync(inside, 'r')
    layOut(outside, `${canary} that is longer than anything inside\n`)
    fs.writeFileSync(path.join(outside, `${canary}.txt`), '')
    if (how === 'links') {
      fs.symlinkSync('inside', path.join(root, 'swap'))
      fs.symlinkSync('inside/file.txt', path.join(root, 'swap.txt'))
    } else {
      fs.writeFileSync(path.join(root, 'swap.txt'), 'inside\n')
      fs.symlinkSync(outside, path.join(root, 'link'))
      fs.symlinkSync(path.join(outside, 'file.txt'), path.join(root, 'link.txt'))
    }
    disk = nodeFs(root, { fsync: false })
    confined = confine(mount({ [root]: disk }), { roots: [{ path: root, access: 'read-write' }] })
  })

  afterEach(async () => {
    await stop(swapper)
    disk.close()
    fs.closeSync(insideDescriptor)
    fs.rmSync(base, { recursive: true })
  })

  for (const [promise, followed] of Object.entries(promises)) {
    const exact = followed === looks ? exactLooks : exactChanges
    const calls = how === 'directory' ? { ...followed, ...exact } : followed
    for (const [speed, pauseMs] of Object.entries(speeds)) {
      test(`${speed}: ${promise}`, () => race(calls, speed, pauseMs), longestRoundMs)
    }
  }

  async function race(calls: Record<string, Call>, speed: string, pauseMs: number): Promise<void> {
    const before = outsideState(base, root)
    const countFile = path.join(root, 'count')
    swapper = startSwapper(how, root, outside, pauseMs, countFile)
    await hasBegun(swapper, countFile)
    const end = Date.now() + roundMs
    const inside = `/proc/self/fd/${insideDescriptor}`
    const swaps = () => Number(fs.readFileSync(countFile, 'utf8'))

    const [control, ...tallies] = await Promise.all([
      readUnguarded(root, end),
      ...Object.entries(calls).map(([name, call]) =>
        repeat(name, (turn) => call(confined, root, turn, inside), { end, swaps }),
      ),
    ])
    expect(swapper.exitCode, 'the swapper was still at it').toBeNull()
    await stop(swapper)

    const lines = tallies.map(({ name, done, refused }) => `  ${name}: ${done + refused} calls, ${refused} refused`)
    const { plain, checked, reads } = control
    console.log(
      [
        `${how}, ${speed}: ${swaps()} swaps`,
        ...lines,
        `  control: of ${reads} unguarded reads ${plain} saw the outside, with realpath checked first ${checked}`,
      ].join('\n'),
    )
    expect(tallies.map(({ name, escapes }) => ({ name, escapes }))).toEqual(
      tallies.map(({ name }) => ({ name, escapes: [] })),
    )
    expect(tallies.filter(isOneSided), 'each call was seen both done and refused').toEqual([])
    expect(plain, 'unguarded reads of the outside').toBeGreaterThan(0)
    expect(outsideState(base, root)).toBe(before)
    expect(strays(root)).toEqual([])
  }
}

interface Tally {
  name: string
  done: number
  refused: number
  escapes: string[]
}

/** Calls, and swaps, after which one that was never seen both ways never will be. */
const patience = 2_000

function isOneSided({ done, refused }: Tally): boolean {
  return done === 0 || refused === 0
}

/** Until the time is up, and until the call has been seen both to succeed and to be refused. */
async function repeat(
  name: string,
  call: (turn: number) => Promise<unknown>,
  { end, swaps }: { end: number; swaps: () => number },
): Promise<Tally> {
  const tally: Tally = { name, done: 0, refused: 0, escapes: [] }
  let turn = 0

  async function worker(): Promise<void> {
    while (Date.now() < end || (isOneSided(tally) && (turn < patience || swaps() < patience))) {
      turn += 1
      try {
        const seen = JSON.stringify(await call(turn)) ?? ''
        if (seen.includes(canary)) tally.escapes.push(seen)
        tally.done += 1
      } catch (error) {
        if (!(error instanceof FsError)) throw error
        if (JSON.stringify(error.facts).includes(canary)) tally.escapes.push(error.message)
        tally.refused += 1
      }
      await nextTurn()
    }
  }

  await Promise.all(Array.from({ length: callsInFlight }, worker))
  return tally
}

/** Proves that the race is on: an unguarded read gets the outside sooner or later, and one that checks first may too. */
async function readUnguarded(root: string, end: number): Promise<{ reads: number; plain: number; checked: number }> {
  const file = path.join(root, 'swap/file.txt')
  const counts = { reads: 0, plain: 0, checked: 0 }
  while (Date.now() < end || (counts.plain === 0 && counts.reads < 10 * patience)) {
    counts.reads += 1
    if (await sees(async () => fs.readFileSync(file, 'utf8'))) counts.plain += 1
    if (await sees(() => readChecked(root, file))) counts.checked += 1
    await nextTurn()
  }
  return counts
}

async function readChecked(root: string, file: string): Promise<string> {
  const real = await fs.promises.realpath(file)
  return real.startsWith(`${root}/`) ? fs.promises.readFile(file, 'utf8') : ''
}

async function sees(read: () => Promise<string>): Promise<boolean> {
  try {
    return (await read()).includes(canary)
  } catch (error) {
    // Between two renames nothing is there.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

function startSwapper(how: string, root: string, outside: string, pauseMs: number, countFile: string): ChildProcess {
  const script = fileURLToPath(new URL('swapper.mjs', import.meta.url))
  return spawn(process.execPath, [script, how, root, outside, String(pauseMs), String(longestRoundMs), countFile], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function hasBegun(child: ChildProcess, countFile: string): Promise<void> {
  while (!fs.statSync(countFile, { throwIfNoEntry: false })?.size) {
    if (child.exitCode !== null) throw new Error('the swapper ended before its first swap')
    await nextTurn()
  }
}

async function stop(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** The same names inside and outside, so that every call has something to hit on either side. */
function layOut(directory: string, content: string): void {
  fs.mkdirSync(directory)
  const numbered = Array.from({ length: 16 }, (_, number) => [`gone-${number}.txt`, `leaving-${number}.txt`])
  for (const name of ['file.txt', 'written.txt', 'new-3.txt', 'new-7.txt', ...numbered.flat()]) {
    fs.writeFileSync(path.join(directory, name), content)
  }
  for (let number = 0; number < 16; number += 1) fs.mkdirSync(path.join(directory, `empty-${number}`))
}

/** What should not be in the root: content from the outside, and temporary files of writes that are over. */
function strays(directory: string): string[] {
  return fs.readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(directory, entry.name)
    if (entry.isDirectory()) return strays(file)
    const stray = entry.name.endsWith('.tmp') || (entry.isFile() && fs.readFileSync(file, 'utf8').includes(canary))
    return stray ? [file] : []
  })
}

/** The outside's files are longer than any inside: a size gives away which one was seen. */
function sizeOf({ size = 0 }: { size?: number }): string {
  return size > 20 ? `${canary} of ${size} bytes` : `${size} bytes`
}

function bytes(content: string): Uint8Array {
  return new TextEncoder().encode(content)
}

function text(content: Uint8Array): string {
  return new TextDecoder().decode(content)
}
