/** Lookups that return undefined for a missing entry agree with `stat`, through every wrapper. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { nodeFs } from '../../../node/disk/node-fs.js'
import { isFsError } from '../../../src/errors.js'
import { limitBytes, roomFor } from '../../../src/fs/backends/limit-bytes.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { mirror } from '../../../src/fs/backends/mirror.js'
import { mount } from '../../../src/fs/backends/mount.js'
import { createPack, openPack } from '../../../src/fs/backends/pack/pack.js'
import { confine } from '../../../src/fs/gate/confine.js'
import { find, statIfThere } from '../../../src/fs/if-there.js'
import type { FileSystem, Stat } from '../../../src/fs/types.js'
import { emptyDisk, segmentsOn } from './crashing-segments.js'

const made: string[] = []

afterAll(() => {
  for (const directory of made) rmSync(directory, { recursive: true })
})

async function inMemory(): Promise<FileSystem> {
  const fs = memory({ 'a.txt': 'a', 'sub/b.txt': 'b', 'closed/c.txt': 'c' })
  await fs.symlink?.('/sub', '/link')
  await fs.symlink?.('/nowhere', '/dangling')
  await fs.setMode?.('/closed', 0)
  return fs
}

function onDisk(): FileSystem {
  const directory = mkdtempSync(join(tmpdir(), 'polyfs-find-'))
  made.push(directory)
  mkdirSync(join(directory, 'sub'))
  mkdirSync(join(directory, 'closed'))
  writeFileSync(join(directory, 'a.txt'), 'a')
  writeFileSync(join(directory, 'sub/b.txt'), 'b')
  symlinkSync('sub', join(directory, 'link'))
  symlinkSync('nowhere', join(directory, 'dangling'))
  return nodeFs(directory)
}

async function packed(): Promise<FileSystem> {
  const segments = segmentsOn(emptyDisk(), { calls: 0, killAt: Number.POSITIVE_INFINITY, random: () => 0 })
  await createPack(segments, [memory({ 'a.txt': 'a', 'sub/b.txt': 'b' }).snapshot()])
  const pack = await openPack(segments, { now: Date.now, trees: 1 })
  return pack?.trees[0] as FileSystem
}

const backends: Readonly<Record<string, () => Promise<FileSystem>>> = {
  memory: inMemory,
  'a disk': async () => onDisk(),
  'a budget': async () => limitBytes(await inMemory(), roomFor(1000)),
  'a mount at the root': async () => mount({ '/': await inMemory(), '/deep/er/point': memory({ x: 'x' }) }),
  'mounts without a root': async () => mount({ '/sub': await inMemory(), '/deep/er/point': onDisk() }),
  'a mirror': async () => mirror(memory({ 'a.txt': 'a', 'sub/b.txt': 'b' })),
  'a pack': packed,
  'a gate': async () =>
    confine(await inMemory(), {
      roots: [{ path: '/sub', access: 'read-write' }],
      protect: { git: false },
    }),
  'a gate around all': async () =>
    confine(await inMemory(), { roots: [{ path: '/', access: 'read-write' }], protect: { git: false } }),
}

const paths = [
  ...['/', '/a.txt', '/sub', '/sub/b.txt', '/link', '/dangling', '/missing', '/missing/too', '/a.txt/below'],
  ...['/link/b.txt', '/link/missing', '/dangling/x', '/closed', '/closed/c.txt', '/closed/missing', '/sub/sub/b.txt'],
  ...['/deep', '/deep/er', '/deep/er/point', '/deep/er/point/x', '/deep/er/point/y', '/deep/other', '/sub/missing/x'],
  ...['/../x', '/sub/../a.txt', '', '/nul\0', `/${'n'.repeat(300)}`],
]

test.each(Object.entries(backends))('%s', async (_name, open) => {
  const fs = await open()
  expect(fs.sync?.find).toBeTypeOf('function')
  for (const path of paths) {
    const expected = await outcome(() => fs.stat(path))
    expect([path, await outcome(() => find(fs, path))]).toEqual([path, without(expected, 'NOT_FOUND')])
    expect([path, await outcome(() => statIfThere(fs, path))]).toEqual([
      path,
      without(expected, 'NOT_FOUND', 'NOT_A_DIRECTORY', 'IS_LINK'),
    ])
  }
})

function without(outcome: unknown, ...codes: string[]): unknown {
  return codes.includes(outcome as string) ? undefined : outcome
}

/** The stat without the time of the last access, or the code of the failure. */
async function outcome(look: () => Stat | undefined | Promise<Stat | undefined>): Promise<unknown> {
  try {
    const found = await look()
    if (found === undefined) return undefined
    const { accessedMs: _, ...stat } = found
    return stat
  } catch (error) {
    if (!isFsError(error)) throw error
    return error.code
  }
}
