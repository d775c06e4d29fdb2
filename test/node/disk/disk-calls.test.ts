/** What calls of the disk do at once, and with what they keep from one to the next: nobody may notice the difference. */
import fs from 'node:fs'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type NodeFileSystem, nodeFs } from '../../../node/disk/node-fs.js'
import { contentHash } from '../../../src/change/hash.js'
import { isFsError } from '../../../src/errors.js'
import { soonest } from '../../../src/fs/sync-calls.js'
import { realDisk } from '../../real-disk.js'

let base: string
let root: string
let disk: NodeFileSystem

beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(path.join(realDisk, 'polyfs-kept-')))
  root = path.join(base, 'root')
  fs.mkdirSync(path.join(root, 'd'), { recursive: true })
  fs.mkdirSync(path.join(base, 'outside'))
  fs.writeFileSync(path.join(root, 'd/f'), 'inside')
  fs.writeFileSync(path.join(base, 'outside/f'), 'outside')
  disk = nodeFs(root, { fsync: false })
})

afterEach(() => {
  disk.close()
  fs.rmSync(base, { recursive: true, force: true })
})

const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes)
const write = (at: string) => disk.writeFile(at, new TextEncoder().encode('new'))

/** What this process has open. */
function heldFiles(): string[] {
  return fs.readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [fs.readlinkSync(`/proc/self/fd/${name}`)]
    } catch {
      return []
    }
  })
}

describe('a directory that was used a moment ago', () => {
  beforeEach(async () => {
    expect(text(await disk.readFile('/d/f'))).toBe('inside')
  })

  test('is refused once a link stands in its place', async () => {
    fs.renameSync(path.join(root, 'd'), path.join(root, 'moved'))
    fs.symlinkSync(path.join(base, 'outside'), path.join(root, 'd'))
    await expect(disk.readFile('/d/f')).rejects.toMatchObject({ code: 'IS_LINK' })
    await expect(write('/d/f')).rejects.toMatchObject({ code: 'IS_LINK' })
    expect(fs.readdirSync(path.join(root, 'moved'))).toEqual(['f'])
  })

  test('is not reached any more once it has left the root', async () => {
    fs.renameSync(path.join(root, 'd'), path.join(base, 'left'))
    await expect(disk.readFile('/d/f')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(write('/d/g')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(fs.readdirSync(path.join(base, 'left'))).toEqual(['f'])
  })

  test('is another one once another has its name', async () => {
    fs.renameSync(path.join(root, 'd'), path.join(root, 'old'))
    fs.mkdirSync(path.join(root, 'd'))
    fs.writeFileSync(path.join(root, 'd/f'), 'another')
    expect(text(await disk.readFile('/d/f'))).toBe('another')
    await write('/d/g')
    expect(fs.readdirSync(path.join(root, 'old'))).toEqual(['f'])
  })

  test('is missing once it is removed, and there once it is made again', async () => {
    fs.rmSync(path.join(root, 'd'), { recursive: true })
    await expect(write('/d/g')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    fs.mkdirSync(path.join(root, 'd'))
    await write('/d/g')
    expect(fs.readdirSync(path.join(root, 'd'))).toEqual(['g'])
  })

  test('is found below a root that was moved', async () => {
    fs.renameSync(root, path.join(base, 'elsewhere'))
    expect(text(await disk.readFile('/d/f'))).toBe('inside')
  })

  test('is missing with its root', async () => {
    fs.rmSync(root, { recursive: true })
    await expect(disk.readFile('/d/f')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(write('/f')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test.runIf(process.platform === 'linux')('is let go of after a moment', async () => {
    await expect.poll(() => heldFiles().includes(path.join(root, 'd')), { timeout: 30_000 }).toBe(false)
  })
})

/** What may be done at once may also have to wait, for others to have their turn: then it is tried again, somewhere else. */
async function atOnce(run: (directory: string) => void): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    fs.mkdirSync(path.join(root, `at-once-${attempt}`))
    await nextTurn()
    try {
      return run(`/at-once-${attempt}`)
    } catch (error) {
      if (!isFsError(error, 'IS_LINK')) throw error
    }
  }
}

test.runIf(process.platform === 'linux')('a directory that is moved at once is found at once where it is', async () => {
  await atOnce((directory) => {
    fs.writeFileSync(path.join(root, directory, 'f'), 'inside')
    expect(disk.stat.now?.(`${directory}/f`).kind).toBe('file')
    disk.rename.now?.(directory, `${directory}-moved`)
    let found: string | undefined
    try {
      found = disk.stat.now?.(`${directory}/f`).kind
    } catch (error) {
      if (!isFsError(error, 'NOT_FOUND')) throw error
    }
    expect(found).toBe(undefined)
    expect(disk.stat.now?.(`${directory}-moved/f`).kind).toBe('file')
  })
})

test.runIf(process.getuid?.() === 0)('a file takes the owner that a look at the one before has told', async () => {
  fs.chownSync(path.join(root, 'd/f'), 1234, 5678)
  const { owner } = (await disk.look?.('/d/f', 100)) ?? {}
  const staged = { replaces: '/d/f', ...(owner !== undefined && { owner }) }
  await disk.writeFile('/d/later', new Uint8Array(1), { staged, mode: 0o604 })
  await soonest(disk.writeFile, '/d/at-once', new Uint8Array(1), { staged, mode: 0o604 })
  for (const name of ['later', 'at-once']) {
    const { uid, gid, mode } = fs.statSync(path.join(root, 'd', name))
    expect([uid, gid, mode & 0o7777]).toEqual([1234, 5678, 0o604])
  }
})

test.runIf(process.platform !== 'win32')('files made at once each have the mode they are given', async () => {
  await atOnce((directory) => {
    fs.mkdirSync(path.join(root, directory, 'e'))
    const modes = { '/1': 0o644, '/2': 0o644, '/3': 0o666, '/e/4': 0o666, '/5': 0o666, '/6': 0o600, '/7': 0o644 }
    for (const [at, mode] of Object.entries(modes)) {
      disk.writeFile.now?.(directory + at, new Uint8Array(1), { staged: {}, mode })
    }
    const found = Object.keys(modes).map((at) => [at, fs.statSync(root + directory + at).mode & 0o7777])
    expect(Object.fromEntries(found)).toEqual(modes)
  })
})

test('a look tells what an entry is, and the bytes of a file that is not too large', async () => {
  fs.symlinkSync('d', path.join(root, 'link'))
  // The first read of a file changes when it was last read.
  await disk.readFile('/d/f')
  for (const at of ['/d/f', '/d', '/link']) expect(await disk.look?.(at, 5)).toEqual({ stat: await disk.stat(at) })
  const { stat, bytes } = (await disk.look?.('/d/f', 6)) ?? {}
  expect(stat).toEqual(await disk.stat('/d/f'))
  expect(text(bytes)).toBe('inside')
  await expect(disk.look?.('/link/f', 100)).rejects.toMatchObject({ code: 'IS_LINK' })
  await expect(disk.look?.('/none', 100)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('many calls in a row let others have their turn', async () => {
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const begunMs = performance.now()
  while (performance.now() - begunMs < 200) await disk.stat('/d/f')
  isOver = true
  expect(turns).toBeGreaterThan(1)
})

test('a hash of the platform is the hash of the core', async () => {
  for (const size of [0, 1, 63, 64, 5000]) {
    const bytes = Uint8Array.from({ length: size }, (_, at) => at % 251)
    expect(disk.sha256?.(bytes)).toBe(await contentHash(bytes))
  }
})

test.runIf(process.platform === 'linux')('a file that is replaced or removed has lost its name at once', async () => {
  const removed = () => heldFiles().filter((target) => target.endsWith(' (deleted)') && target.startsWith(root))
  for (let turn = 0; turn < 20; turn += 1) {
    await soonest(disk.writeFile, '/d/staged', new TextEncoder().encode(String(turn)), { staged: { replaces: '/d/f' } })
    await soonest(disk.rename, '/d/staged', '/d/f')
    expect(fs.readFileSync(path.join(root, 'd/f'), 'utf8')).toBe(String(turn))
  }
  await disk.remove('/d/f')
  expect(fs.readdirSync(path.join(root, 'd'))).toEqual([])
  await expect.poll(removed, { timeout: 30_000 }).toEqual([])
})

test('what is done at once is what is done later, and its failures are the same', async () => {
  const bytes = new TextEncoder().encode('new')
  fs.chmodSync(path.join(root, 'd/f'), 0o640)
  await soonest(disk.writeFile, '/d/staged', bytes, { staged: { replaces: '/d/f' } })
  expect((await disk.stat('/d/staged')).mode).toBe(0o640)
  const again = async () => soonest(disk.writeFile, '/d/staged', bytes, { staged: {} })
  await expect(again()).rejects.toMatchObject({ code: 'EXISTS', facts: { path: '/d/staged' } })
  await expect((async () => soonest(disk.rename, '/d/none', '/d/f'))()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect((async () => soonest(disk.stat, '/d/none'))()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(text(disk.look && (await soonest(disk.look, '/d/f', 100)).bytes)).toBe('inside')
})

test('what has to wait is not done at once', async () => {
  const large = new Uint8Array(1_000_000)
  fs.writeFileSync(path.join(root, 'd/large'), large)
  const isRefused = expect.objectContaining({ code: 'IS_LINK' })
  expect(() => disk.writeFile.now?.('/d/new', large, { staged: {} })).toThrow(isRefused)
  expect(() => disk.look?.now?.('/d/large', Infinity)).toThrow(isRefused)
  expect(fs.readdirSync(path.join(root, 'd')).sort()).toEqual(['f', 'large'])
  const durable = nodeFs(root, { fsync: true })
  expect(durable.writeFile.now).toBe(undefined)
  expect(() => durable.rename.now?.('/d/f', '/d/g')).toThrow(isRefused)
  await soonest(durable.rename, '/d/f', '/d/g', { more: true })
  await durable.makeDurable?.('/d')
  await expect(durable.makeDurable?.('/none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  durable.close()
  expect(fs.readdirSync(path.join(root, 'd')).sort()).toEqual(['g', 'large'])
})
