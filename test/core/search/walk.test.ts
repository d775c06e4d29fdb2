import { describe, expect, test } from 'vitest'
import { FsError } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { confine } from '../../../src/fs/gate/confine.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { openWalk, type Rest, type Walk, type WalkOptions, walk } from '../../../src/fs/walk/walk.js'
import { withoutFacets } from '../../../src/fs/without-facets.js'
import { compileGlobs, defaultGlobRules } from '../../../src/search/patterns/glob.js'
import { type FileWalkOptions, fileWalks, walkFiles } from '../../../src/search/run/walk-files.js'
import { globRules } from './glob-rules.js'

async function paths({ next }: Pick<Walk, 'next'>): Promise<string[]> {
  const all: string[] = []
  for (let batch = await next(); batch !== undefined; batch = await next()) all.push(...batch.map(({ path }) => path))
  return all
}

async function walked(fs: FileSystem, options: WalkOptions = {}) {
  const open = openWalk(fs, '/', options)
  return { paths: await paths(open), summary: open.summary }
}

const tree = memory({ '/b/c/d': '', '/b/a': '', '/B': '', '/a': '', '/b.x': '', '/empty/': '' })

describe('the order and the bounds of a walk', () => {
  test('depth first, names in code-unit order', async () => {
    expect(await walked(tree)).toEqual({
      paths: ['/B', '/a', '/b', '/b/a', '/b/c', '/b/c/d', '/b.x', '/empty'],
      summary: { entries: 8, directories: 4, unreadable: 0, links: 0, tooDeep: 0, ignored: 0 },
    })
  })

  test('as a generator: the same entries, one by one', async () => {
    const entries = []
    for await (const entry of walk(tree, '/b', { maxDepth: 1 })) entries.push(entry)
    expect(entries).toEqual([
      { path: '/b/a', name: 'a', kind: 'file', depth: 1 },
      { path: '/b/c', name: 'c', kind: 'directory', depth: 1 },
    ])
  })

  test('no deeper than requested, and skipped entries are counted', async () => {
    expect(await walked(tree, { maxDepth: 1 })).toEqual({
      paths: ['/B', '/a', '/b', '/b.x', '/empty'],
      summary: { entries: 5, directories: 1, unreadable: 0, links: 0, tooDeep: 2, ignored: 0 },
    })
  })

  test('no more entries than asked, and only a walk that was cut says so', async () => {
    const cut = await walked(tree, { maxEntries: 4 })
    expect([cut.paths, cut.summary.truncated]).toEqual([['/B', '/a', '/b', '/b/a'], 'entries'])
    expect((await walked(tree, { maxEntries: 8 })).summary.truncated).toBeUndefined()
  })

  test.each([1, 2, 3, 4, 5])('other walks finish what is left after %i steps, alike', async (steps) => {
    const fs = memory({
      '/.gitignore': '*.log\n/b/x',
      '/a.log': '',
      '/b/.gitignore': '!y.log',
      '/b/c/.ignore': '*.ts',
      '/b/c/d.ts': '',
      '/b/c/e/y.log': '',
      '/b/x/z': '',
      '/b/z': '',
      '/c/y.log': '',
      '/d': '',
    })
    const ignore = { top: '/', dotIgnore: true, always: ['/d'] }
    const options = { ignore, include: compileGlobs(['{b,c}/**'], defaultGlobRules), alsoReport: { directories: true } }
    const whole = walkFiles(fs, '/', options)
    const expected = await paths(whole)
    const walks = fileWalks(fs, '/', options)
    const seenPaths: string[] = []
    let ignored = 0
    const go = async (rest?: Rest): Promise<void> => {
      const part = walks({ ...(rest && { rest }) })
      for (let i = 0; i < steps; i += 1) seenPaths.push(...((await part.next()) ?? []).map(({ path }) => path))
      const left = await part.leave()
      ignored += part.summary.ignored
      for (const each of left) await go(each)
    }
    await go()
    expect([seenPaths, ignored]).toEqual([expected, whole.summary.ignored])
    expect(expected).toEqual(['/b/.gitignore', '/b/c', '/b/c/.ignore', '/b/c/e', '/b/c/e/y.log', '/b/z'])
  })

  test('a deadline ends it without an error', async () => {
    const late = await walked(tree, { deadlineMs: 0 })
    expect([late.paths, late.summary.truncated]).toEqual([[], 'deadline'])
  })

  test('a directory is left unentered when the hook says so', async () => {
    const { paths: seen } = await walked(tree, { enter: ({ name }) => name !== 'c' })
    expect(seen).toEqual(['/B', '/a', '/b', '/b/a', '/b/c', '/b.x', '/empty'])
  })

  test('nothing is listed before it is needed', async () => {
    const { fs, listed } = watched(tree)
    for await (const { path } of walk(fs, '/')) if (path === '/b') break
    expect(listed).toEqual(['/'])
  })

  test('it can be aborted at any entry', async () => {
    const controller = new AbortController()
    const seen: string[] = []
    const walking = (async () => {
      for await (const { path } of walk(tree, '/', { signal: controller.signal })) {
        seen.push(path)
        if (path === '/a') controller.abort(new Error('enough'))
      }
    })()
    await expect(walking).rejects.toThrow('enough')
    expect(seen).toEqual(['/B', '/a'])
  })

  test('other work has its turn during a long walk', async () => {
    const many = memory(Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`/${index}/f`, ''])))
    const slow: FileSystem = {
      ...withoutFacets(many),
      readDir(path) {
        spin(1)
        return many.readDir(path)
      },
    }
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('timer')), 5)
    await expect(paths(openWalk(slow, '/', { signal: controller.signal }))).rejects.toThrow('timer')
  })

  test('a tree thousands of directories deep is walked', async () => {
    const deep: FileSystem = {
      ...withoutFacets(tree),
      readDir: async (path) => (path.length < 6000 ? [{ name: 'd', kind: 'directory' }] : []),
    }
    expect((await walked(deep)).summary.directories).toBe(3001)
  })
})

/** The same tree, and which of its directories were listed. */
function watched(fs: FileSystem): { fs: FileSystem; listed: string[] } {
  const listed: string[] = []
  const readDir = (path: string) => {
    listed.push(path)
    return fs.readDir(path)
  }
  return { fs: { ...withoutFacets(fs), readDir }, listed }
}

function spin(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

describe('unreadable directories', () => {
  const failing = (code: 'DENIED' | 'NOT_FOUND' | 'IO'): FileSystem => ({
    ...withoutFacets(tree),
    readDir: (path) =>
      path === '/b' ? Promise.reject(new FsError(code, { path, detail: 'EIO' })) : tree.readDir(path),
  })

  test('an unreadable directory is counted and reported, and the walk continues', async () => {
    const seenPaths: string[] = []
    const result = await walked(failing('DENIED'), {
      onUnreadable: (path, { code }) => seenPaths.push(`${path} ${code}`),
    })
    expect(result).toEqual({
      paths: ['/B', '/a', '/b', '/b.x', '/empty'],
      summary: { entries: 5, directories: 2, unreadable: 1, links: 0, tooDeep: 0, ignored: 0 },
    })
    expect(seenPaths).toEqual(['/b DENIED'])
  })

  test('one that vanished is passed over', async () => {
    expect((await walked(failing('NOT_FOUND'))).summary.unreadable).toBe(0)
  })

  test('the start itself must be there', async () => {
    await expect(paths(openWalk(tree, '/nowhere'))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('links', () => {
  async function linked() {
    const fs = memory({ '/work/a/x': '', '/other/y': '', '/other/deep/z': '', '/secret/s': '' })
    await fs.symlink?.('../other', '/work/other')
    await fs.symlink?.('../../other/deep', '/work/a/deep')
    await fs.symlink?.('.', '/work/self')
    await fs.symlink?.('..', '/work/up')
    await fs.symlink?.('../secret', '/work/secret')
    await fs.symlink?.('/other', '/other/loop')
    await fs.symlink?.('a/x', '/work/file')
    await fs.symlink?.('nowhere', '/work/broken')
    return confine(fs, {
      roots: [
        { path: '/work', access: 'read-write' },
        { path: '/other', access: 'read-only' },
      ],
    })
  }

  test('they are reported and not followed', async () => {
    const open = openWalk(await linked(), '/work')
    expect(await paths(open)).toEqual(
      ['a', 'a/deep', 'a/x', 'broken', 'file', 'other', 'secret', 'self', 'up'].map((name) => `/work/${name}`),
    )
    expect(open.summary.links).toBe(7)
  })

  test('followed, they lead to each directory once, and never out of the roots', async () => {
    const fs = await linked()
    const open = openWalk(fs, '/work', { followLinks: fs.realPath })
    expect(await paths(open)).toEqual(
      [
        'a',
        'a/deep',
        'a/deep/z',
        'a/x',
        'broken',
        'file',
        'other',
        'other/deep',
        'other/loop',
        'other/y',
        'secret',
        'self',
        'up',
      ].map((name) => `/work/${name}`),
    )
  })
})

describe('files by glob', () => {
  const project = memory({
    '/README.md': '',
    '/.env': '',
    '/src/a.ts': '',
    '/src/b/c.ts': '',
    '/src/b/c.js': '',
    '/.h/d.ts': '',
    '/vendor/e.ts': '',
    '/vendor/x/f.ts': '',
  })
  async function found(options: FileWalkOptions, from = '/') {
    const { fs: listing, listed } = watched(project)
    return { paths: await paths(walkFiles(listing, from, options)), listed }
  }
  const { anyCase, fromBase, fromBaseDotsNamed, starsCross, wildAtAnyDepth } = globRules

  test('only directories that can hold a match are listed', async () => {
    expect(await found({ include: compileGlobs(['src/*.ts', 'vendor/x/*'], fromBase) })).toEqual({
      paths: ['/src/a.ts', '/vendor/x/f.ts'],
      listed: ['/', '/src', '/vendor', '/vendor/x'],
    })
  })

  test('an excluded directory is not listed, however it is named', async () => {
    const include = compileGlobs(['*.ts'], anyCase)
    for (const pattern of ['vendor', 'vendor/', 'vendor/**', 'VENDOR', 'ven*']) {
      expect(await found({ include, exclude: compileGlobs([pattern], wildAtAnyDepth) })).toEqual({
        paths: ['/.h/d.ts', '/src/a.ts', '/src/b/c.ts'],
        listed: ['/', '/.h', '/src', '/src/b'],
      })
    }
  })

  test('excludes that do not prune leave the entries below', async () => {
    const exclude = compileGlobs(['vendor', 'src/b*'], starsCross)
    const { paths: seen } = await found({ exclude, excludePrunes: false, hidden: false })
    expect(seen).toEqual(['/README.md', '/src/a.ts', '/vendor/e.ts', '/vendor/x/f.ts'])
  })

  test('globs may count from above the start', async () => {
    const include = compileGlobs(['src/b/*'], fromBase)
    expect((await found({ include, globBase: '/' }, '/src')).paths).toEqual(['/src/b/c.js', '/src/b/c.ts'])
  })

  test('hidden names are left out when asked, or when no pattern names the dot', async () => {
    expect((await found({ include: compileGlobs(['**/*.ts', '.env'], fromBaseDotsNamed) })).paths).toEqual([
      '/.env',
      '/src/a.ts',
      '/src/b/c.ts',
      '/vendor/e.ts',
      '/vendor/x/f.ts',
    ])
    expect((await found({ hidden: false, exclude: compileGlobs(['vendor'], defaultGlobRules) })).paths).toEqual([
      '/README.md',
      '/src/a.ts',
      '/src/b/c.js',
      '/src/b/c.ts',
    ])
  })

  test('directories are reported on request', async () => {
    const exclude = compileGlobs(['vendor/**', '.h'], defaultGlobRules)
    expect((await found({ exclude, alsoReport: { directories: true } })).paths).toEqual([
      '/.env',
      '/README.md',
      '/src',
      '/src/a.ts',
      '/src/b',
      '/src/b/c.js',
      '/src/b/c.ts',
      '/vendor',
    ])
  })
})
