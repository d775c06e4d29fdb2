/** The thread pool, and synchronous reads from memory, report exactly what the portable search reports. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NodeFsOptions } from '../../../node/disk/node-fs.js'
import { searchPool } from '../../../node/threads/search-pool.js'
import type { WorkerSetup } from '../../../node/threads/thread-messages.js'
import { poolThreads } from '../../../node/threads/thread-pool.js'
import { type DirectoryWorkspace, openDirectories } from '../../../node/workspace/directory-workspace.js'
import { memory } from '../../../src/fs/backends/memory.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { withoutFacets } from '../../../src/fs/without-facets.js'
import { fileToSearch, type SearchContext, type SearchRequest } from '../../../src/search/run/records.js'
import { collectMatches, search } from '../../../src/search/run/searcher.js'
import { encoder, filesIn, randomFrom, requestFrom, treeFrom } from '../../core/search/generated-trees.js'
import { isFull, longTest, sample } from '../../scale.js'
import { built } from '../cli/built.js'

/** The built worker. */
const searchWorker = built('node/search-worker.js')

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'polyfs-parity-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

async function plant(tree: Record<string, Uint8Array>): Promise<string> {
  const root = await mkdtemp(join(scratch, 'tree-'))
  for (const directory of new Set(Object.keys(tree).map((path) => dirname(path)))) {
    await mkdir(join(root, directory), { recursive: true })
  }
  await Promise.all(Object.entries(tree).map(([path, content]) => writeFile(join(root, path), content)))
  return root
}

function openPool(root: string, options: NodeFsOptions = {}): Promise<DirectoryWorkspace> {
  const threads = { searchWorker, searchThreads: 2 }
  return openDirectories([{ directory: root, access: 'read-only' }], { readOnly: true, ...threads, ...options })
}

/** A pool that takes every search, even of few files. */
function poolOf({ fs, disks }: DirectoryWorkspace, root: string, { threads: count }: { threads: number }) {
  const threads = poolThreads({ roots: disks.map((disk) => disk.share()), workerFile: searchWorker, count })
  return { ...searchPool({ fs, points: [root], threads, fewFiles: 0 }), close: threads.close }
}

function portable(fs: FileSystem, root: string, request: SearchRequest) {
  return collectMatches(search(asyncOnly(fs), filesIn(fs, root), request))
}

/** The same file system without synchronous reads. */
function asyncOnly(fs: FileSystem): FileSystem {
  return {
    ...withoutFacets(fs),
    capabilities: { ...fs.capabilities, sync: false },
  }
}

function pooled(
  { internals: { searcher }, fs }: DirectoryWorkspace,
  root: string,
  request: SearchRequest,
  context?: SearchContext,
) {
  if (searcher === undefined) throw new Error('there is no pool')
  return collectMatches(searcher.search(filesIn(fs, root), request, context))
}

describe('on generated trees', () => {
  it.each([
    ...sample([1, 2, 3, 4, 5, 6]).map((seed) => ({ seed, anchor: 'descriptor' as const })),
    ...sample([7, 8]).map((seed) => ({ seed, anchor: 'walk' as const })),
  ])(
    'generated trees give the same in threads, in memory and portably (seed $seed, anchor $anchor)',
    async ({ seed, anchor }) => {
      const random = randomFrom(seed)
      const trees = Array.from({ length: isFull ? 30 : 5 }, (_, i): [string, Record<string, Uint8Array>] => [
        `/t${i}`,
        treeFrom(random, { files: 1 + random(24), directories: random(6) }),
      ])
      const all = Object.fromEntries(
        trees.flatMap(([top, tree]) => Object.entries(tree).map(([path, content]) => [top + path, content])),
      )
      const root = await plant(all)
      const kept = memory(Object.fromEntries(Object.entries(all).map(([path, content]) => [root + path, content])))
      const disk = await openPool(root, { anchor })
      const pool = poolOf(disk, root, { threads: 2 })
      for (const [top] of trees) {
        for (let i = 0; i < 2; i += 1) {
          const request = requestFrom(random)
          const expected = await portable(disk.fs, root + top, request)
          const inThreads = await collectMatches(pool.search(filesIn(disk.fs, root + top), request))
          expect({ request, ...inThreads }).toEqual({ request, ...expected })
          const inMemory = await collectMatches(search(kept, filesIn(kept, root + top), request))
          expect({ request, ...inMemory }).toEqual({ request, ...expected })
        }
      }
      pool.close()
      disk.close()
    },
  )

  longTest('as the searcher of a workspace, too', async () => {
    const random = randomFrom(1)
    const root = await plant(treeFrom(random))
    const disk = await openPool(root)
    for (let i = 0; i < 25; i += 1) {
      const request = requestFrom(random)
      const expected = await portable(disk.fs, root, request)
      expect({ request, ...(await pooled(disk, root, request)) }).toEqual({ request, ...expected })
    }
    disk.close()
  })

  it('of large files, whose first part may decide', async () => {
    const filler = 'nothing here\n'.repeat(8_000)
    const late = filler.length - 100
    const root = await plant({
      '/early': encoder.encode(`a foo\r\n${filler}`),
      '/late': encoder.encode(`${filler}a foo`),
      '/never': encoder.encode(filler),
      '/nul-first': encoder.encode(`\0foo\n${filler}`),
      '/nul-late': encoder.encode(`foo\n${filler}\0`),
      '/no-line-ends': encoder.encode(`foo(x) ${filler.replaceAll('\n', ' ')}`),
      '/returns': encoder.encode(`${filler.replaceAll('\n', '\r')}foo`),
      '/mark': encoder.encode(`\ufefffoo\n${filler}`),
      '/utf-16': new Uint8Array(Buffer.from(`\ufefffoo\n${filler}`, 'utf16le')),
      '/no-utf-8': new Uint8Array([...encoder.encode(`foo\n${filler}`), 0xff]),
    })
    const disk = await openPool(root)
    const pool = poolOf(disk, root, { threads: 1 })
    const patterns = ['foo', 'fo+', '^foo$', 'fo+\\(x', 'here\\nfoo', 'foo.*']
    const limits: Partial<SearchRequest>[] = [
      {},
      { maxFileBytes: late },
      { maxFileBytes: 1_000_000, text: { nul: { first: 8192 } } },
      { text: { nul: { first: 8192, last: 10 } } },
      { text: { nul: { first: 1_000_000 } } },
      { text: { onlyUtf8: true } },
      { carriageReturnEndsLine: true },
    ]
    for (const pattern of patterns) {
      for (const mode of ['files', 'count', 'content'] as const) {
        for (const more of limits) {
          const multiline = pattern.includes('n')
          const request: SearchRequest = { matcher: { pattern, syntax: 'rust', multiline }, mode, ...more }
          const expected = await portable(disk.fs, root, request)
          const inThreads = await collectMatches(pool.search(filesIn(disk.fs, root), request))
          expect({ request, ...inThreads }).toEqual({ request, ...expected })
        }
      }
    }
    pool.close()
    disk.close()
  })

  it('of files that are read in parts, with a match at each edge of a part', async () => {
    const part = 1 << 18
    const step = part - 512
    const start = 1 << 20
    const length = start + 2 * part + 1_000
    const filler = 'nothing at all here\n'.repeat(length / 20).slice(0, length)
    const place = (offset: number, text: string) => filler.slice(0, offset) + text + filler.slice(offset + text.length)
    const edges = [1 << 16, part, start - 512, start, start + step - 512, start + step]
    const offsets = edges.flatMap((edge) =>
      (isFull ? [-300, -256, -255, -230, -20, -3, -1, 0, 1] : [-230, -3]).map((by) => edge + by),
    )
    const long = `needle${'x'.repeat(250)}`
    const root = await plant({
      ...Object.fromEntries(offsets.map((offset) => [`/short-${offset}`, encoder.encode(place(offset, 'a needle.'))])),
      ...Object.fromEntries(offsets.map((offset) => [`/long-${offset}`, encoder.encode(place(offset, long))])),
      '/never': encoder.encode(filler),
      '/whole': encoder.encode(filler.slice(0, start + step)),
      '/nul': encoder.encode(place(start + 10, '\0')),
      '/nul-and-needle': encoder.encode(place(start + 10, '\0 needle')),
      '/latin': new Uint8Array(Buffer.from(place(start + step + 10, 'caf\u00e9'), 'latin1')),
    })
    const disk = await openPool(root)
    const pool = poolOf(disk, root, { threads: 2 })
    const matchers: SearchRequest['matcher'][] = [
      { pattern: 'needle', syntax: 'literal' },
      { pattern: long, syntax: 'literal' },
      { pattern: 'NEEDLE', syntax: 'literal', ignoreCase: true },
      { pattern: 'needle', syntax: 'rust', wholeWord: true },
      { pattern: '\\bn[de]+le\\.', syntax: 'rust' },
      { pattern: '[aeo] needle|needlex{200}', syntax: 'rust' },
      { pattern: 'needle\\.(.*\\n){2}', syntax: 'rust', multiline: true },
      { pattern: 'caf\u00e9', syntax: 'literal' },
    ]
    const nul = { first: 8192 }
    const texts: NonNullable<SearchRequest['text']>[] = isFull
      ? [{ nul }, { nul: { first: start + 100 } }, { detectEncoding: true }]
      : [{ nul }]
    const requests: SearchRequest[] = [
      ...matchers.flatMap((matcher) => texts.map((text) => ({ matcher, mode: 'content' as const, text }))),
      { matcher: matchers[0]!, mode: 'files', text: { nul } },
      { matcher: matchers[0]!, mode: 'content', text: { nul: { first: start + 100 } } },
      { matcher: matchers.at(-1)!, mode: 'content', text: { detectEncoding: true } },
    ]
    let found = 0
    for (const request of requests) {
      const expected = await portable(disk.fs, root, request)
      const inThreads = await collectMatches(pool.search(filesIn(disk.fs, root), request))
      expect({ request, ...inThreads }).toEqual({ request, ...expected })
      found += inThreads.files.length
    }
    expect(found).toBeGreaterThan(5 * offsets.length)
    pool.close()
    disk.close()
  })

  it('of whole words', async () => {
    const filler = 'nothing here\n'.repeat(8_000)
    const root = await plant({
      '/alone': encoder.encode('foo'),
      '/edges': encoder.encode('foo bar\r\nfoo_bar\na-foo-b\n_foo\nfoo9\nxfoo foo\n(foo)\nfoo'),
      '/beyond': encoder.encode('éfoo\nfooé\nfoo é\nfoo\n“foo”\n'),
      '/mark': encoder.encode('\ufefffoo\n'),
      '/latin': new Uint8Array([0xe9, ...encoder.encode('foo\nfoo\n')]),
      '/utf-16': new Uint8Array(Buffer.from('\ufefffoo\nfoobar\n', 'utf16le')),
      '/returns': encoder.encode('foo\rfoobar\rfoo'),
      '/large': encoder.encode(`foobar\n${filler}a foo`),
      '/never': encoder.encode(`foobar\n${filler}barfoo`),
      '/long': encoder.encode(`${'x'.repeat(20_000)} foo\n${'foobar '.repeat(3_000)}foo\n`),
    })
    const disk = await openPool(root)
    const pool = poolOf(disk, root, { threads: 1 })
    const specs: Partial<SearchRequest['matcher']>[] = [
      {},
      { ignoreCase: true },
      { syntax: 'ecmascript' },
      { pattern: 'here' },
    ]
    const limits: Partial<SearchRequest>[] = [
      {},
      { text: { detectEncoding: true } },
      { text: { nul: { first: 8192 } }, maxReportedUnits: 300 },
      { carriageReturnEndsLine: true },
    ]
    for (const spec of specs) {
      for (const mode of ['files', 'count', 'content'] as const) {
        for (const more of limits) {
          const matcher = { pattern: 'foo', syntax: 'rust', wholeWord: true, ...spec } as const
          const request: SearchRequest = { matcher, mode, ...more }
          const expected = await portable(disk.fs, root, request)
          const inThreads = await collectMatches(pool.search(filesIn(disk.fs, root), request))
          expect({ request, ...inThreads }).toEqual({ request, ...expected })
        }
      }
    }
    pool.close()
    disk.close()
  })

  it('of files with more lines than are collected in one step', async () => {
    const many = `foo ${'x'.repeat(400)}\n`.repeat(3_000)
    const root = await plant({
      '/before': encoder.encode('a foo\n'),
      '/many': encoder.encode(many),
      '/many-but-ascii': encoder.encode(`${many}foo é\n`),
      '/long': encoder.encode(`é ${'x'.repeat(20_000)} foo\n${'x'.repeat(20_000)} foo é\nfoo${'x'.repeat(9_997)}\n`),
      '/then': encoder.encode('another foo'),
    })
    const disk = await openPool(root)
    const pool = poolOf(disk, root, { threads: 1 })
    for (const more of [{}, { maxReportedUnits: 300 }, { maxTextBytes: 1_300_000 }, { maxReportedUnits: 100_000 }]) {
      const request: SearchRequest = { matcher: { pattern: 'foo', syntax: 'literal' }, mode: 'content', ...more }
      const expected = await portable(disk.fs, root, request)
      const inThreads = await collectMatches(pool.search(filesIn(disk.fs, root), request))
      expect({ request, ...inThreads }).toEqual({ request, ...expected })
    }
    pool.close()
    disk.close()
  })

  it('files are reported in the order of their paths', async () => {
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
  it('is reported as by the gate: links, special files, unreadable and missing files', async () => {
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
    ].map((path) => fileToSearch(root + path))
    async function* these() {
      yield* named
    }
    const request: SearchRequest = { matcher: { pattern: 'foo', syntax: 'literal' }, mode: 'content' }
    const expected = await collectMatches(search(disk.fs, these(), request))
    const { files, summary } = await collectMatches(disk.internals.searcher!.search(these(), request))
    expect({ files, summary }).toEqual(expected)
    expect(files.filter(({ records }) => records.some(({ text }) => text.includes('outside')))).toEqual([])
    expect(files.map(({ path }) => path)).toContain(`${root}/inside/in.txt`)
    expect(summary.skipped.unreadable).toBeGreaterThanOrEqual(6)
    disk.close()
  })

  it.skipIf(process.getuid?.() !== 0).each(['descriptor', 'walk'] as const)(
    'what another user may not read is counted, in threads as elsewhere (needs root to become one; anchor: %s)',
    async (anchor) => {
      const root = await plant({ ...treeFrom(randomFrom(8)), '/closed/in.txt': encoder.encode('foo\n') })
      await chmod(scratch, 0o755)
      await chmod(root, 0o755)
      const files = Array.from({ length: 20 }, (_, i) => `/locked-${i}.txt`)
      await Promise.all(files.map((path) => writeFile(root + path, 'foo\n', { mode: 0 })))
      const disk = await openPool(root, { anchor })
      async function* these() {
        yield* filesIn(disk.fs, root)
        for (const path of [...files, '/closed/in.txt', '/closed/none.txt']) {
          const { directory, entries } = fileToSearch(root + path)
          yield { directory, entries: entries.map(({ name }) => ({ name, kind: 'file' as const })) }
        }
      }
      const request: SearchRequest = { matcher: { pattern: 'foo', syntax: 'literal' }, mode: 'content' }
      await chmod(join(root, 'closed'), 0)
      process.seteuid?.(65_534)
      try {
        const expected = await collectMatches(search(asyncOnly(disk.fs), these(), request))
        expect(await collectMatches(disk.internals.searcher!.search(these(), request))).toEqual(expected)
        expect(expected.summary.skipped.unreadable).toBe(2 * files.length + 2)
      } finally {
        process.seteuid?.(0)
        disk.close()
      }
    },
  )

  it('a directory that is swapped for a link to the outside never shows what is behind the link', async () => {
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
      yield* Object.keys(tree).map((path) => fileToSearch(root + path))
    }
    let found = 0
    for (let round = 0; round < 60; round += 1) {
      const request: SearchRequest = { matcher: { pattern: 'side', syntax: 'literal' }, mode: 'content' }
      const { files } = await collectMatches(disk.internals.searcher!.search(these(), request))
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
  it('can start from the built worker', async () => {
    const setup: WorkerSetup = { polyfs: 'search-worker', roots: [], inHand: new Int32Array(new SharedArrayBuffer(8)) }
    const worker = new Worker(searchWorker, { workerData: setup })
    expect(await once(worker, 'message')).toEqual([{ kind: 'ready' }])
    await worker.terminate()
  })

  it('ends at an abort, and the next one is answered', async () => {
    const root = await plant(treeFrom(randomFrom(3)))
    const disk = await openPool(root)
    const aborter = new AbortController()
    const request: SearchRequest = { matcher: { pattern: 'foo', syntax: 'literal' }, mode: 'content' }
    const searching = disk.internals.searcher!.search(filesIn(disk.fs, root), request, { signal: aborter.signal })
    expect((await searching.next()).done).toBe(false)
    aborter.abort()
    let last = await searching.next()
    while (last.done !== true) last = await searching.next()
    expect(last.value.truncated).toBe('aborted')
    expect(await pooled(disk, root, request)).toEqual(await portable(disk.fs, root, request))
    disk.close()
  })

  it('ends when its consumer stops early', async () => {
    const root = await plant(treeFrom(randomFrom(4)))
    const disk = await openPool(root)
    const request: SearchRequest = { matcher: { pattern: 'foo', syntax: 'literal' }, mode: 'files' }
    for await (const [first] of disk.internals.searcher!.search(filesIn(disk.fs, root), request)) {
      expect(first?.matches).toBe(1)
      break
    }
    expect(await pooled(disk, root, request)).toEqual(await portable(disk.fs, root, request))
    disk.close()
  })

  it.each([
    ['is a few thousand files ahead of its consumer, however many there are', 'needle\n', 7_000],
    ['is less far ahead if results are large', `needle ${'x'.repeat(9_000)}\n`.repeat(4), 2_600],
  ])('%s', async (_, text, most) => {
    const names = Array.from({ length: 50 }, (_, i) => `file-${i}`)
    const root = await plant(Object.fromEntries(names.map((name) => [`/${name}`, encoder.encode(text)])))
    const disk = await openPool(root)
    let ahead = 0
    let furthest = 0
    async function* manyFiles() {
      for (let i = 0; i < 200; i += 1) {
        ahead += names.length
        furthest = Math.max(furthest, ahead)
        yield { directory: root, entries: names.map((name) => ({ name, kind: 'file' as const })) }
      }
    }
    const request: SearchRequest = { matcher: { pattern: 'needle', syntax: 'literal' }, mode: 'content' }
    let reported = 0
    for await (const files of disk.internals.searcher!.search(manyFiles(), request)) {
      reported += files.length
      ahead -= files.length
      await new Promise((resume) => setImmediate(resume))
    }
    expect(reported).toBe(10_000)
    expect(furthest).toBeLessThan(most)
    disk.close()
  })

  it('of names that no file can have reads no other', async () => {
    const root = await plant({ '/shown': encoder.encode('needle\n'), '/hidden/file': encoder.encode('needle\n') })
    const disk = await openPool(root)
    const pool = poolOf(disk, root, { threads: 1 })
    async function* named() {
      const entries = ['shown', 'x\u00000\u00001\u0000/hidden\u0000file'].map((name) => ({
        name,
        kind: 'file' as const,
      }))
      yield { directory: root, entries }
    }
    const request: SearchRequest = { matcher: { pattern: 'needle', syntax: 'literal' }, mode: 'files' }
    const { files, summary } = await collectMatches(pool.search(named(), request))
    expect(files.map(({ path }) => path)).toEqual([join(root, 'shown')])
    expect(summary).toMatchObject({ filesSearched: 1, skipped: { unreadable: 1 } })
    pool.close()
    disk.close()
  })

  it('several concurrent ones each get their own results', async () => {
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
