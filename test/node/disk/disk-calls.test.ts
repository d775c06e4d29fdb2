/** Synchronous calls of the disk, and directory handles that are cached between calls: neither may change an outcome. */
import fs from 'node:fs'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type NodeFileSystem, nodeFs } from '../../../node/disk/node-fs.js'
import { contentHash } from '../../../src/change/content-hash.js'
import { isFsError } from '../../../src/errors.js'
import { syncOrAsync, type WouldBlock, wouldBlock } from '../../../src/fs/sync.js'
import type { StageOptions } from '../../../src/fs/transactional-types.js'
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

  test('is not reached after it has left the root', async () => {
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

  test.runIf(process.platform === 'linux')('is closed after a moment', async () => {
    await expect.poll(() => heldFiles().includes(path.join(root, 'd')), { timeout: 30_000 }).toBe(false)
  })
})

/** The result of a call that must not block. It may when other work is due: then `unblocked` tries all again. */
function now<Result>(result: Result | WouldBlock): Result {
  if (result === wouldBlock) throw wouldBlock
  return result
}

async function unblocked(run: (directory: string) => void): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    fs.mkdirSync(path.join(root, `sync-${attempt}`))
    await nextTurn()
    try {
      return run(`/sync-${attempt}`)
    } catch (error) {
      if (error !== wouldBlock) throw error
    }
  }
}

/** As the change engine does it: synchronously where that is possible. */
async function stageFile(at: string, bytes: Uint8Array, options: StageOptions): Promise<void> {
  const { sync, stageFile } = disk.transactional
  if (sync?.stageFile?.(at, bytes, options) === wouldBlock) await stageFile(at, bytes, options)
}

async function rename(from: string, to: string): Promise<void> {
  const { sync, rename } = disk.transactional
  if (sync?.rename?.(from, to) === wouldBlock) await rename(from, to)
}

async function remove(at: string): Promise<void> {
  const { sync, remove } = disk.transactional
  if (sync?.remove?.(at) === wouldBlock) await remove(at)
}

test.runIf(process.platform === 'linux')('a directory that was just renamed is found under its new name', async () => {
  await unblocked((directory) => {
    fs.writeFileSync(path.join(root, directory, 'f'), 'inside')
    expect(now(disk.sync.stat(`${directory}/f`)).kind).toBe('file')
    now(disk.transactional.sync?.rename?.(directory, `${directory}-moved`))
    let found: string | undefined
    try {
      found = now(disk.sync.stat(`${directory}/f`)).kind
    } catch (error) {
      if (!isFsError(error, 'NOT_FOUND')) throw error
    }
    expect(found).toBe(undefined)
    expect(now(disk.sync.stat(`${directory}-moved/f`)).kind).toBe('file')
  })
})

test.runIf(process.getuid?.() === 0)('a staged file gets the owner that statAndRead returned', async () => {
  fs.chownSync(path.join(root, 'd/f'), 1234, 5678)
  const { owner } = await disk.transactional.statAndRead('/d/f', 100)
  const options = { replaces: '/d/f', mode: 0o604, ...(owner !== undefined && { owner }) }
  await disk.transactional.stageFile('/d/async', new Uint8Array(1), options)
  await stageFile('/d/sync', new Uint8Array(1), options)
  for (const name of ['async', 'sync']) {
    const { uid, gid, mode } = fs.statSync(path.join(root, 'd', name))
    expect([uid, gid, mode & 0o7777]).toEqual([1234, 5678, 0o604])
  }
})

test.runIf(process.platform !== 'win32')(
  'files staged one after another each have the mode they are given',
  async () => {
    await unblocked((directory) => {
      fs.mkdirSync(path.join(root, directory, 'e'))
      const modes = { '/1': 0o644, '/2': 0o644, '/3': 0o666, '/e/4': 0o666, '/5': 0o666, '/6': 0o600, '/7': 0o644 }
      for (const [at, mode] of Object.entries(modes)) {
        now(disk.transactional.sync?.stageFile?.(directory + at, new Uint8Array(1), { mode }))
      }
      const found = Object.keys(modes).map((at) => [at, fs.statSync(root + directory + at).mode & 0o7777])
      expect(Object.fromEntries(found)).toEqual(modes)
    })
  },
)

test.runIf(process.platform !== 'win32')(
  'directories have the mode they are given, whatever the umask is',
  async () => {
    const umask = process.umask()
    onTestFinished(() => void process.umask(umask))
    for (const mask of [0o022, 0o077]) {
      process.umask(mask)
      for (const mode of [0o755, 0o700, 0o775, 0o500, 0o1777, 0o2755]) {
        const name = `${mask}-${mode}`
        await disk.transactional.makeDir?.(`/${name}`, mode)
        expect([name, fs.statSync(path.join(root, name)).mode & 0o7777]).toEqual([name, mode])
      }
    }
    fs.chmodSync(path.join(root, 'd'), 0o2755)
    await disk.transactional.makeDir?.('/d/below', 0o755)
    expect(fs.statSync(path.join(root, 'd/below')).mode & 0o7777).toBe(0o755)
  },
)

test('statAndRead returns the stat of an entry, and the bytes of a file that is not too large', async () => {
  const { statAndRead } = disk.transactional
  fs.symlinkSync('d', path.join(root, 'link'))
  // The first read of a file changes when it was last read.
  await disk.readFile('/d/f')
  for (const at of ['/d/f', '/d', '/link']) expect(await statAndRead(at, 5)).toEqual({ stat: await disk.stat(at) })
  const { stat, bytes } = await statAndRead('/d/f', 6)
  expect(stat).toEqual(await disk.stat('/d/f'))
  expect(text(bytes)).toBe('inside')
  await expect(statAndRead('/link/f', 100)).rejects.toMatchObject({ code: 'IS_LINK' })
  await expect(statAndRead('/none', 100)).rejects.toMatchObject({ code: 'NOT_FOUND' })
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
  while (turns < 2 && performance.now() - begunMs < 10_000) await disk.stat('/d/f')
  isOver = true
  expect(turns).toBeGreaterThan(1)
})

test('a hash of the platform is the hash of the core', async () => {
  for (const size of [0, 1, 63, 64, 5000]) {
    const bytes = Uint8Array.from({ length: size }, (_, at) => at % 251)
    expect(disk.transactional.sha256?.(bytes)).toBe(await contentHash(bytes))
  }
})

test.runIf(process.platform === 'linux')('a file that is replaced or removed has lost its name at once', async () => {
  const removed = () => heldFiles().filter((target) => target.endsWith(' (deleted)') && target.startsWith(root))
  for (let turn = 0; turn < 20; turn += 1) {
    await stageFile('/d/staged', new TextEncoder().encode(String(turn)), { replaces: '/d/f' })
    await rename('/d/staged', '/d/f')
    expect(fs.readFileSync(path.join(root, 'd/f'), 'utf8')).toBe(String(turn))
  }
  await disk.remove('/d/f')
  expect(fs.readdirSync(path.join(root, 'd'))).toEqual([])
  await expect.poll(removed, { timeout: 30_000 }).toEqual([])
})

test('synchronous calls do the same as the others, and fail with the same errors', async () => {
  const bytes = new TextEncoder().encode('new')
  fs.chmodSync(path.join(root, 'd/f'), 0o640)
  await stageFile('/d/staged', bytes, { replaces: '/d/f' })
  expect((await disk.stat('/d/staged')).mode).toBe(0o640)
  await expect(stageFile('/d/staged', bytes, {})).rejects.toMatchObject({
    code: 'EXISTS',
    facts: { path: '/d/staged' },
  })
  await expect(rename('/d/none', '/d/f')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  fs.symlinkSync('d', path.join(root, 'link'))
  await expect(rename('/d/staged', '/link/f')).rejects.toMatchObject({ code: 'IS_LINK', facts: { path: '/link/f' } })
  await expect(rename('/d/staged', '/none/f')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(remove('/link/f')).rejects.toMatchObject({ code: 'IS_LINK', facts: { path: '/link/f' } })
  await expect(remove('/d/none')).rejects.toMatchObject({ code: 'NOT_FOUND', facts: { path: '/d/none' } })
  await expect(remove('/d')).rejects.toMatchObject({ code: 'NOT_EMPTY', facts: { path: '/d' } })
  await remove('/link')
  await rename('/d/staged', '/elsewhere')
  expect(fs.readdirSync(root).sort()).toEqual(['d', 'elsewhere'])
  const missing = async () => syncOrAsync(disk.sync.stat('/d/none'), () => disk.stat('/d/none'))
  await expect(missing()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const { sync, statAndRead } = disk.transactional
  const read = await syncOrAsync(sync?.statAndRead('/d/f', 100), () => statAndRead('/d/f', 100))
  expect(text(read.bytes)).toBe('inside')
})

test('calls that have to wait would block, and do nothing', async () => {
  const large = new Uint8Array(1_000_000)
  fs.writeFileSync(path.join(root, 'd/large'), large)
  const { sync } = disk.transactional
  expect(sync?.stageFile?.('/d/new', large, {})).toBe(wouldBlock)
  expect(sync?.statAndRead('/d/large', Infinity)).toBe(wouldBlock)
  expect(fs.readdirSync(path.join(root, 'd')).sort()).toEqual(['f', 'large'])
  const durable = nodeFs(root, { fsync: true })
  expect(durable.transactional.sync?.stageFile).toBe(undefined)
  expect(durable.transactional.sync?.rename?.('/d/f', '/')).toBe(wouldBlock)
  expect(durable.transactional.sync?.remove?.('/')).toBe(wouldBlock)
  await durable.transactional.rename('/d/f', '/d/g')
  await durable.transactional.makeDurable?.('/d')
  await expect(durable.transactional.makeDurable?.('/none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  durable.close()
  expect(fs.readdirSync(path.join(root, 'd')).sort()).toEqual(['g', 'large'])
})
