import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FsError } from '../../../src/errors.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { directoryHandle } from '../../../web/fs-access/fs-access.js'
import { fromDomException } from '../../../web/fs-access/fs-access-errors.js'
import { namesIn, put, scratchDirectory, textOf } from '../opfs/scratch.js'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (data: Uint8Array) => new TextDecoder().decode(data)

let root: FileSystemDirectoryHandle
let fs: FileSystem
beforeEach(async () => {
  root = await scratchDirectory()
  fs = directoryHandle(root)
})

test('capabilities match what the API can do', () => {
  expect(fs.capabilities).toEqual({
    symlinks: false,
    atomicRename: false,
    modeBits: false,
    modified: 'read',
    watch: true,
    caseSensitive: true,
    writable: true,
    sync: false,
  })
})

describe('directory handles', () => {
  const prototype = FileSystemDirectoryHandle.prototype
  const getDirectoryHandle = prototype.getDirectoryHandle
  let lookedUp: string[]
  beforeEach(async () => {
    let directory = root
    for (const name of ['a', 'b', 'c', 'd', 'e']) directory = await directory.getDirectoryHandle(name, { create: true })
    await put(directory, 'f.txt', 'deep')
    lookedUp = []
    prototype.getDirectoryHandle = function (name, options) {
      lookedUp.push(name)
      return getDirectoryHandle.call(this, name, options)
    }
  })
  afterEach(() => {
    prototype.getDirectoryHandle = getDirectoryHandle
  })

  test('a deep directory is resolved level by level only once', async () => {
    for (let round = 0; round < 3; round += 1) await fs.readFile('/a/b/c/d/e/f.txt')
    await fs.stat('/a/b/c/d/e/f.txt')
    await fs.writeFile('/a/b/c/d/e/g.txt', bytes('new'))
    await fs.readDir('/a/b/c')
    expect(lookedUp).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('concurrent lookups share their steps', async () => {
    await Promise.all(Array.from({ length: 20 }, () => fs.readFile('/a/b/c/d/e/f.txt')))
    expect(lookedUp).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('a walk takes handles from the listings', async () => {
    for (const path of ['/', '/a', '/a/b', '/a/b/c', '/a/b/c/d', '/a/b/c/d/e']) await fs.readDir(path)
    await fs.readFile('/a/b/c/d/e/f.txt')
    expect(lookedUp).toEqual([])
  })

  test('a missing file costs one additional lookup at any depth', async () => {
    await fs.readFile('/a/b/c/d/e/f.txt')
    lookedUp.length = 0
    await expect(fs.stat('/a/b/c/d/e/missing')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(lookedUp).toEqual(['e'])
  })

  test('a renamed directory is resolved again', async () => {
    await fs.readFile('/a/b/c/d/e/f.txt')
    await fs.rename('/a/b', '/a/x')
    await expect(fs.readFile('/a/b/c/d/e/f.txt')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(text(await fs.readFile('/a/x/c/d/e/f.txt'))).toBe('deep')
  })

  test('a directory that was replaced by a file is no longer a directory', async () => {
    await fs.readFile('/a/b/c/d/e/f.txt')
    const a = await root.getDirectoryHandle('a')
    await a.removeEntry('b', { recursive: true })
    await put(a, 'b', 'a file now')
    await expect(fs.readFile('/a/b/c/d/e/f.txt')).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY' })
  })

  test('a directory that was removed and created again is found', async () => {
    await fs.readFile('/a/b/c/d/e/f.txt')
    await root.removeEntry('a', { recursive: true })
    await put(await root.getDirectoryHandle('a', { create: true }), 'f.txt', 'again')
    await expect(fs.readFile('/a/b/c/d/e/f.txt')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(text(await fs.readFile('/a/f.txt'))).toBe('again')
  })
})

describe('writes', () => {
  test('a write in progress is neither listed nor removed', async () => {
    const writable = await (await put(root, 'f', 'old')).createWritable()
    await writable.write('new')
    expect(await namesIn(root)).toEqual(['f', 'f.crswap'])
    expect(await fs.readDir('/')).toEqual([{ name: 'f', kind: 'file' }])
    await writable.close()
    expect(await textOf(root, 'f')).toBe('new')
  })

  test('the leftover of a crash is not listed, and is removed', async () => {
    for (const name of ['f', 'f.crswap', 'f.1.crswap', 'g.polyfs-new', 'h.polyfs-new.crswap'])
      await put(root, name, name)
    expect(await fs.readDir('/')).toEqual([{ name: 'f', kind: 'file' }])
    expect(await namesIn(root)).toEqual(['f'])
  })

  test('a directory with nothing but leftovers is empty', async () => {
    await put(await root.getDirectoryHandle('d', { create: true }), 'f.crswap', 'left')
    await fs.remove('/d')
    expect(await namesIn(root)).toEqual([])
  })

  test('names of writes in progress are reserved', async () => {
    for (const path of ['/f.crswap', '/f.polyfs-new']) {
      await expect(fs.writeFile(path, bytes('x'))).rejects.toMatchObject({
        code: 'INVALID_PATH',
        facts: { path, reason: 'reserved-name' },
      })
    }
  })

  test('a new file is never seen empty', async () => {
    let ended = false
    const writing = fs.writeFile('/f', new Uint8Array(4_000_000).fill(7)).finally(() => {
      ended = true
    })
    const seen: (number | string | undefined)[] = []
    while (!ended)
      seen.push(
        await fs.stat('/f').then(
          ({ size }) => size,
          (error) => error.code,
        ),
      )
    await writing
    // Checked at least once before the file existed; otherwise nothing was tested.
    expect(seen[0]).toBe('NOT_FOUND')
    expect([...new Set(seen)].filter((each) => each !== 'NOT_FOUND' && each !== 4_000_000)).toEqual([])
  })

  test('of concurrent writes the last one started wins, as a whole', async () => {
    const contents = Array.from({ length: 12 }, (_, index) => String.fromCharCode(97 + index).repeat(50_000 - index))
    await Promise.all(contents.map((content) => fs.writeFile('/f', bytes(content))))
    expect(await textOf(root, 'f')).toBe(contents.at(-1))
    expect(await namesIn(root)).toEqual(['f'])
  })

  test('exactly one of several exclusive creations on separate file systems of one directory succeeds', async () => {
    const others = Array.from({ length: 8 }, () => directoryHandle(root))
    const outcomes = await Promise.allSettled(
      others.map((other, index) => other.writeFile('/f', bytes(`${index}`), { exclusive: true })),
    )
    const winners = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [`${index}`] : []))
    expect(winners).toEqual([await textOf(root, 'f')])
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'EXISTS' })
    }
  })

  test('file systems on overlapping directories do not interfere with each other', async () => {
    await root.getDirectoryHandle('d', { create: true })
    const below = directoryHandle(await root.getDirectoryHandle('d'))
    const outcomes = await Promise.allSettled([
      fs.writeFile('/d/f', bytes('above'), { exclusive: true }),
      below.writeFile('/f', bytes('below'), { exclusive: true }),
    ])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('a write that the browser refuses leaves the old bytes and no swap file', async () => {
    const handle = await put(root, 'f', 'old')
    const writable = await (handle as unknown as ExclusiveWritable).createWritable({ mode: 'exclusive' })
    await expect(fs.writeFile('/f', bytes('new'))).rejects.toMatchObject({ code: 'BUSY' })
    await writable.abort()
    expect(await textOf(root, 'f')).toBe('old')
    expect(await namesIn(root)).toEqual(['f'])
  })
})

interface ExclusiveWritable {
  createWritable(options: { mode: 'exclusive' }): Promise<FileSystemWritableFileStream>
}

describe('a directory', () => {
  test('of 1000 entries lists every one', async () => {
    const names = Array.from({ length: 1000 }, (_, index) => `f${index}`)
    await Promise.all(names.map((name) => root.getFileHandle(name, { create: true })))
    const entries = await fs.readDir('/')
    expect(entries.map(({ name }) => name).sort()).toEqual(names.sort())
  })

  test('is renamed with its content', async () => {
    const d = await root.getDirectoryHandle('d', { create: true })
    await put(d, 'f.crswap', 'left behind')
    for (let index = 0; index < 40; index += 1) await put(d, `f${index}`, `${index}`)
    await put(await d.getDirectoryHandle('sub', { create: true }), 'g', 'below')
    await fs.rename('/d', '/e')
    expect(await namesIn(root)).toEqual(['e'])
    const e = await root.getDirectoryHandle('e')
    expect(await namesIn(e)).toEqual([...Array.from({ length: 40 }, (_, index) => `f${index}`), 'sub'].sort())
    expect(await textOf(e, 'f39')).toBe('39')
    expect(await textOf(await e.getDirectoryHandle('sub'), 'g')).toBe('below')
  })

  test('is left unchanged when someone else changes it during the rename', async () => {
    const d = await root.getDirectoryHandle('d', { create: true })
    for (let index = 0; index < 40; index += 1) await put(d, `f${index}`, `${index}`)
    const renaming = fs.rename('/d', '/e')
    await untilThere(root, 'e')
    await put(d, 'late', 'not in the copy')
    await expect(renaming).rejects.toMatchObject({ code: 'BUSY', facts: { path: '/d' } })
    expect(await namesIn(root)).toEqual(['d'])
    expect((await namesIn(d)).length).toBe(41)
  })

  test('is renamed only after an earlier write into it has ended', async () => {
    await root.getDirectoryHandle('d', { create: true })
    const writing = fs.writeFile('/d/f', new Uint8Array(1_000_000).fill(65))
    await fs.rename('/d', '/e')
    await writing
    expect((await fs.stat('/e/f')).size).toBe(1_000_000)
    expect(await namesIn(root)).toEqual(['e'])
  })
})

async function untilThere(directory: FileSystemDirectoryHandle, name: string): Promise<void> {
  while (!(await namesIn(directory)).includes(name)) await new Promise((resolve) => setTimeout(resolve))
}

describe('errors', () => {
  test.each([
    ['NotFoundError', 'NOT_FOUND'],
    ['TypeMismatchError', 'NOT_A_DIRECTORY'],
    ['InvalidModificationError', 'NOT_EMPTY'],
    ['NoModificationAllowedError', 'BUSY'],
    ['InvalidStateError', 'BUSY'],
    ['NotReadableError', 'BUSY'],
    ['NotAllowedError', 'DENIED'],
    ['SecurityError', 'DENIED'],
    ['AbortError', 'DENIED'],
    ['QuotaExceededError', 'NO_SPACE'],
  ])('%s becomes %s', (name, code) => {
    const cause = new DOMException('', name)
    const error = fromDomException(cause, '/p')
    expect(error).toMatchObject({ code, facts: { path: '/p' }, cause })
  })

  test('an error without a code of its own keeps its name', () => {
    expect(fromDomException(new DOMException('', 'EncodingError'), '/p')).toMatchObject({
      code: 'IO',
      facts: { path: '/p', detail: 'EncodingError' },
    })
  })

  test('an FsError is passed on', () => {
    const error = new FsError('EXISTS', { path: '/q' })
    expect(fromDomException(error, '/p')).toBe(error)
  })

  test.each([
    ['/a\\b', 'reserved-character'],
    [`/${'é'.repeat(128)}`, 'name-too-long'],
    ['/a\0b', 'nul'],
  ])('%j is refused as %s', async (path, reason) => {
    const invalid = { code: 'INVALID_PATH', facts: { path, reason } }
    await expect(fs.writeFile(path, bytes('x'))).rejects.toMatchObject(invalid)
    await expect(fs.makeDir(path)).rejects.toMatchObject(invalid)
    await put(root, 'f', 'x')
    await expect(fs.rename('/f', path)).rejects.toMatchObject(invalid)
  })

  test('a file where a directory is needed, and the reverse', async () => {
    await put(root, 'f', 'x')
    await root.getDirectoryHandle('d', { create: true })
    await expect(fs.readDir('/f')).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY', facts: { path: '/f' } })
    for (const path of ['/f/x', '/f/x/y']) {
      const expected = { code: 'NOT_A_DIRECTORY', facts: { path } }
      await expect(fs.stat(path)).rejects.toMatchObject(expected)
      await expect(fs.readFile(path)).rejects.toMatchObject(expected)
      await expect(fs.writeFile(path, bytes(''))).rejects.toMatchObject(expected)
      await expect(fs.makeDir(path)).rejects.toMatchObject(expected)
      await expect(fs.remove(path)).rejects.toMatchObject(expected)
      await expect(fs.readDir(path)).rejects.toMatchObject(expected)
    }
    await expect(fs.readFile('/d')).rejects.toMatchObject({ code: 'IS_A_DIRECTORY', facts: { path: '/d' } })
    await expect(fs.writeFile('/d', bytes(''))).rejects.toMatchObject({ code: 'IS_A_DIRECTORY' })
    await expect(fs.open?.('/d')).rejects.toMatchObject({ code: 'IS_A_DIRECTORY' })
  })
})

test('a file held open fails with BUSY once it has been replaced', async () => {
  await put(root, 'f', 'old old old')
  const source = await fs.open?.('/f')
  expect(text((await source?.read({ start: 4, end: 7 })) ?? new Uint8Array())).toBe('old')
  await fs.writeFile('/f', bytes('new'))
  await expect(source?.read({ start: 0, end: 3 })).rejects.toMatchObject({ code: 'BUSY' })
  await source?.close()
})

test('reads during replacements give one version or another, never an error', async () => {
  const versions = ['a', 'b'].map((letter) => letter.repeat(200_000))
  await put(root, 'f', versions[0] as string)
  let ended = false
  const writing = (async () => {
    for (let round = 0; round < 60; round += 1) await fs.writeFile('/f', bytes(versions[round % 2] as string))
    ended = true
  })()
  while (!ended) expect(versions).toContain(text(await fs.readFile('/f')))
  await writing
})
