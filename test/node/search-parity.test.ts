/** The pool of threads, and the path without waiting in memory, tell exactly what the portable search tells. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { WorkerSetup } from '../../node/search-messages.js'
import { type DirectoryWorkspace, openDirectories } from '../../node/workspace.js'
import { memory } from '../../src/fs/memory.js'
import type { FileSystem } from '../../src/fs/types.js'
import type { MatcherSpec } from '../../src/search/matcher.js'
import type { FileToSearch, SearchRequest } from '../../src/search/records.js'
import { collectMatches, type SearchContext, search } from '../../src/search/searcher.js'
import { walkFiles } from '../../src/search/walk-files.js'

/** As it is shipped. */
const searchWorker = fileURLToPath(new URL('../../dist/node/search-worker.js', import.meta.url))

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'polyfs-parity-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

type Random = (below: number) => number

function randomFrom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const words = ['foo', 'Foo', 'bar', 'foobar', 'needle', 'näh', '😀', 'error(x)', 'İstanbul', 'K', 'ſ', '  ', '', '\t']
const breaks = ['\n', '\n', '\n', '\r\n', '\r', '\n\n']
const names = ['a', 'a-b', 'a.b', 'ab', 'B', 'lib', 'src', 'x y', 'ü', 'node_modules', 'z.png', '.hidden']
const encoder = new TextEncoder()

function contentFrom(random: Random): Uint8Array {
  const kind = random(24)
  if (kind === 0) return new Uint8Array(0)
  if (kind === 1) return encoder.encode('foo\0bar\n')
  if (kind === 2) return new Uint8Array([0xff, 0xfe, 0x66, 0, 0x6f, 0, 0x6f, 0, 0x0a, 0])
  if (kind === 3) return new Uint8Array([0x66, 0x6f, 0x6f, 0xff, 0x0a, 0xc3, 0x28, 0x0a])
  if (kind === 4) return encoder.encode(`foo${'x'.repeat(30_000)}bar\nfoo`)
  let text = kind === 5 ? '\ufeff' : ''
  for (let lines = random(14); lines >= 0; lines -= 1) {
    for (let count = random(5); count > 0; count -= 1) text += words[random(words.length)]
    text += breaks[random(breaks.length)]
  }
  return encoder.encode(text)
}

/** Enough files that the pool takes the search, in directories whose order as names and as paths differs. */
function treeFrom(random: Random): Record<string, Uint8Array> {
  const tree: Record<string, Uint8Array> = {}
  const directories = ['']
  for (let i = 0; i < 14; i += 1) {
    directories.push(`${directories[random(directories.length)]}/${names[random(names.length)]}${random(3)}`)
  }
  for (let i = 0; i < 260; i += 1) {
    const extension = ['', '.ts', '.png', '-x', '.md'][random(5)]
    tree[`${directories[random(directories.length)]}/${names[random(names.length)]}${i + 10}${extension}`] =
      contentFrom(random)
  }
  return tree
}

function requestFrom(random: Random): SearchRequest {
  const matchers: MatcherSpec[] = [
    { pattern: 'foo', syntax: 'literal' },
    { pattern: 'needle', syntax: 'literal' },
    { pattern: 'FOO', syntax: 'literal', ignoreCase: true },
    { pattern: 'k', syntax: 'rust', ignoreCase: true },
    { pattern: 'foo', syntax: 'rust', wholeWord: true },
    { pattern: 'foo|needle|bar', syntax: 'rust' },
    { pattern: '[a-z]+\\(x\\)', syntax: 'ecmascript' },
    { pattern: 'o+\\b', syntax: 'ecmascript' },
    { pattern: '\\w', syntax: 'rust' },
    { pattern: '^$', syntax: 'rust' },
    { pattern: 'foo\\s+', syntax: 'rust', multiline: true },
    { pattern: 'nowhere', syntax: 'literal' },
  ]
  const maybe = <Value>(key: string, value: Value) => (random(3) === 0 ? { [key]: value } : {})
  return {
    matcher: matchers[random(matchers.length)] as MatcherSpec,
    mode: (['content', 'content', 'files', 'count'] as const)[random(4)] ?? 'content',
    ...maybe('before', random(3)),
    ...maybe('after', random(3)),
    ...maybe('occurrences', true),
    ...maybe('skip', random(60)),
    ...maybe('limit', random(80)),
    ...maybe('total', true),
    ...maybe('limitPerFile', 1 + random(4)),
    ...maybe('maxFiles', random(400)),
    ...maybe('maxFileBytes', random(2) === 0 ? 100 : 31_000),
    ...maybe('maxTextBytes', random(4000)),
    ...maybe('maxLineUnits', 5 + random(50)),
    ...maybe('maxShownUnits', 3 + random(20)),
    ...maybe('carriageReturnEndsLine', true),
    text: {
      ...maybe('nul', { first: 8000, last: 100 }),
      ...maybe('binaryExtensions', ['png']),
      ...maybe('onlyUtf8', true),
      ...maybe('utf16', 'skip'),
    },
  }
}

async function plant(tree: Record<string, Uint8Array>): Promise<string> {
  const root = await mkdtemp(join(scratch, 'tree-'))
  for (const directory of new Set(Object.keys(tree).map((path) => dirname(path)))) {
    await mkdir(join(root, directory), { recursive: true })
  }
  await Promise.all(Object.entries(tree).map(([path, content]) => writeFile(join(root, path), content)))
  return root
}

function openPool(root: string): Promise<DirectoryWorkspace> {
  return openDirectories([{ directory: root, access: 'read-only' }], { readOnly: true, searchWorker, searchThreads: 2 })
}

async function* filesIn(fs: FileSystem, root: string): AsyncGenerator<readonly FileToSearch[]> {
  const walk = walkFiles(fs, root, { order: 'paths' })
  for (let batch = await walk.next(); batch !== undefined; batch = await walk.next()) yield batch
}

function portable(fs: FileSystem, root: string, request: SearchRequest) {
  return collectMatches(search(waiting(fs), filesIn(fs, root), request))
}

/** The same file system, which has to be waited for. */
function waiting(fs: FileSystem): FileSystem {
  return {
    ...fs,
    capabilities: { ...fs.capabilities, sync: false },
    readFile: (path, range) => fs.readFile(path, range),
    readDir: (path) => fs.readDir(path),
  }
}

function pooled({ searcher, fs }: DirectoryWorkspace, root: string, request: SearchRequest, context?: SearchContext) {
  if (searcher === undefined) throw new Error('there is no pool')
  return collectMatches(searcher.search(filesIn(fs, root), request, context))
}

describe('on generated trees', () => {
  it.each(Array.from({ length: 8 }, (_, seed) => seed + 1))(
    'twenty-five searches tell the same in threads, in memory and portably (seed %i)',
    async (seed) => {
      const random = randomFrom(seed)
      const tree = treeFrom(random)
      const root = await plant(tree)
      const disk = await openPool(root)
      const kept = memory(Object.fromEntries(Object.entries(tree).map(([path, content]) => [root + path, content])))
      for (let i = 0; i < 25; i += 1) {
        const request = requestFrom(random)
        const expected = await portable(disk.fs, root, request)
        expect({ request, ...(await pooled(disk, root, request)) }).toEqual({ request, ...expected })
        const inMemory = await collectMatches(search(kept, filesIn(kept, root), request))
        expect({ request, ...inMemory }).toEqual({ request, ...expected })
      }
      disk.close()
    },
  )

  it('files are told in the order of their paths', async () => {
    const random = randomFrom(99)
    const root = await plant(treeFrom(random))
    const disk = await openPool(root)
    const { files } = await pooled(disk, root, { matcher: { pattern: '', syntax: 'literal' }, mode: 'files' })
    const paths = files.map(({ path }) => path)
    expect(paths.length).toBeGreaterThan(150)
    expect(paths).toEqual([...paths].sort())
    disk.close()
  })
})

describe('what is not plainly a file', () => {
  it('is told as the gate tells it: links, special files, what may not be read, what is gone', async () => {
    const tree = treeFrom(randomFrom(7))
    const root = await plant({
      ...tree,
      '/kept/secret.txt': encoder.encode('foo\n'),
      '/real/in.txt': encoder.encode('foo\n'),
    })
    const outside = await plant({ '/secret/other.txt': encoder.encode('foo outside\n') })
    await symlink(join(outside, 'secret'), join(root, 'way-out'))
    await symlink(join(outside, 'secret/other.txt'), join(root, 'file-out'))
    await symlink('real', join(root, 'inside'))
    await symlink('real/in.txt', join(root, 'in-link.txt'))
    execFileSync('mkfifo', [join(root, 'pipe')])
    const disk = await openPool(root)
    const named = [
      ...Object.keys(tree).sort(),
      '/way-out/other.txt',
      '/file-out',
      '/inside/in.txt',
      '/in-link.txt',
      '/pipe',
      '/kept',
      '/missing',
      '/no/such.txt',
      '/kept/../kept/secret.txt',
    ].map((path) => ({ path: root + path }))
    async function* these() {
      yield named
    }
    const request: SearchRequest = { matcher: { pattern: 'foo', syntax: 'literal' }, mode: 'content' }
    const expected = await collectMatches(search(disk.fs, these(), request))
    const { files, summary } = await collectMatches(disk.searcher!.search(these(), request))
    expect({ files, summary }).toEqual(expected)
    expect(files.filter(({ records }) => records.some(({ text }) => text.includes('outside')))).toEqual([])
    expect(files.map(({ path }) => path)).toContain(`${root}/inside/in.txt`)
    expect(summary.skipped.unreadable).toBeGreaterThanOrEqual(6)
    disk.close()
  })

  it('a directory that is swapped for a link to the outside never shows what is there', async () => {
    const tree = Object.fromEntries(
      Array.from({ length: 400 }, (_, i) => [`/d${i % 4}/f${i}.txt`, encoder.encode(`inside ${i}\n`)]),
    )
    const root = await plant(tree)
    const outside = await plant(
      Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`/f${i}.txt`, encoder.encode(`outside ${i}\n`)])),
    )
    const disk = await openPool(root)
    let swapping = true
    const swapper = (async () => {
      await symlink(outside, join(root, 'link'))
      while (swapping) {
        await rename(join(root, 'd1'), join(root, 'aside'))
        await rename(join(root, 'link'), join(root, 'd1'))
        await rename(join(root, 'd1'), join(root, 'link'))
        await rename(join(root, 'aside'), join(root, 'd1'))
      }
    })()
    async function* these() {
      yield Object.keys(tree).map((path) => ({ path: root + path }))
    }
    let found = 0
    for (let round = 0; round < 60; round += 1) {
      const request: SearchRequest = { matcher: { pattern: 'side', syntax: 'literal' }, mode: 'content' }
      const { files } = await collectMatches(disk.searcher!.search(these(), request))
      found += files.length
      expect(files.flatMap(({ records }) => records).filter(({ text }) => text.startsWith('outside'))).toEqual([])
    }
    expect(found).toBeGreaterThan(60 * 300)
    swapping = false
    await swapper
    disk.close()
  })
})

describe('a search in threads', () => {
  it.each(['search-worker.js', 'cli.js'])('can start from %s', async (name) => {
    const setup: WorkerSetup = { polyfs: 'search-worker', roots: [], inHand: new Int32Array(new SharedArrayBuffer(8)) }
    const worker = new Worker(join(dirname(searchWorker), name), { workerData: setup })
    expect(await once(worker, 'message')).toEqual([{ kind: 'ready' }])
    await worker.terminate()
  })

  it('ends at an abort, and the next one is answered', async () => {
    const root = await plant(treeFrom(randomFrom(3)))
    const disk = await openPool(root)
    const aborter = new AbortController()
    const request: SearchRequest = { matcher: { pattern: 'foo', syntax: 'literal' }, mode: 'content' }
    const searching = disk.searcher!.search(filesIn(disk.fs, root), request, { signal: aborter.signal })
    expect((await searching.next()).done).toBe(false)
    aborter.abort()
    let last = await searching.next()
    while (last.done !== true) last = await searching.next()
    expect(last.value.truncated).toBe('aborted')
    expect(await pooled(disk, root, request)).toEqual(await portable(disk.fs, root, request))
    disk.close()
  })

  it('ends when whoever takes the results goes away', async () => {
    const root = await plant(treeFrom(randomFrom(4)))
    const disk = await openPool(root)
    const request: SearchRequest = { matcher: { pattern: 'foo', syntax: 'literal' }, mode: 'files' }
    for await (const { matches } of disk.searcher!.search(filesIn(disk.fs, root), request)) {
      expect(matches).toBe(1)
      break
    }
    expect(await pooled(disk, root, request)).toEqual(await portable(disk.fs, root, request))
    disk.close()
  })

  it('several at once each get their own', async () => {
    const root = await plant(treeFrom(randomFrom(5)))
    const disk = await openPool(root)
    const requests = ['foo', 'bar', 'needle', 'error', 'nowhere'].map(
      (pattern): SearchRequest => ({ matcher: { pattern, syntax: 'literal' }, mode: 'content' }),
    )
    const expected = await Promise.all(requests.map((request) => portable(disk.fs, root, request)))
    expect(await Promise.all(requests.map((request) => pooled(disk, root, request)))).toEqual(expected)
    disk.close()
  })

  it('is done by the program itself where threads are turned off, or have nothing to start from', async () => {
    const root = await plant(treeFrom(randomFrom(6)))
    const directory = { directory: root, access: 'read-only' as const }
    const request: SearchRequest = { matcher: { pattern: 'foo', syntax: 'literal' }, mode: 'content' }
    for (const options of [{ searchThreads: 0 }, { searchWorker: join(root, 'missing.js') }]) {
      const disk = await openDirectories([directory], { readOnly: true, ...options })
      expect(await pooled(disk, root, request)).toEqual(await portable(disk.fs, root, request))
      disk.close()
    }
    const broken = join(await plant({ '/broken.mjs': encoder.encode('throw new Error("no")') }), 'broken.mjs')
    const disk = await openDirectories([directory], { readOnly: true, searchWorker: broken })
    expect(await pooled(disk, root, request)).toEqual(await portable(disk.fs, root, request))
    disk.close()
  })
})
