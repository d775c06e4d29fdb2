import { describe, expect, test } from 'vitest'
import type * as z from 'zod'
import { type MemoryTree, memory } from '../../../src/fs/backends/memory.js'
import { directoryTree, type TreeNode } from '../../../src/ops/directory-tree.js'
import { findFiles } from '../../../src/ops/find-files.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { globRules } from './glob-rules.js'

const project: MemoryTree = {
  '/.gitignore': 'dist/\n*.log\n',
  '/README.md': '12345',
  '/dist/out.js': '',
  '/src/a.ts': '1',
  '/src/b.ts': '123',
  '/src/b/c.ts': '12',
  '/src/err.log': '',
}

async function find(input: z.input<typeof findFiles.input>, tree = project) {
  const fs = memory(tree)
  for (const [index, path] of Object.keys(tree).entries()) await fs.setModified?.(path, 1_700_000_000_000 + index)
  return findFiles.run(findFiles.input.parse(input), createWorkspace({ fs }), {})
}

const pathsOf = ({ entries }: { entries: { path: string }[] }) => entries.map(({ path }) => path)

describe('findFiles', () => {
  test('all files, depth first, with counts of entries seen', async () => {
    const { entries, ...rest } = await find({ path: '/src' })
    expect(entries).toEqual([
      { path: 'a.ts', name: 'a.ts', kind: 'file', depth: 1 },
      { path: 'b/c.ts', name: 'c.ts', kind: 'file', depth: 2 },
      { path: 'b.ts', name: 'b.ts', kind: 'file', depth: 1 },
      { path: 'err.log', name: 'err.log', kind: 'file', depth: 1 },
    ])
    expect(rest).toEqual({
      path: '/src',
      more: false,
      total: 4,
      summary: {
        entries: 5,
        directories: 2,
        unreadable: 0,
        links: 0,
        tooDeep: 0,
        ignored: 0,
        incompleteIgnoreFiles: [],
      },
    })
  })

  test('past ignore rules, which are counted', async () => {
    const result = await find({ ignore: {} })
    expect(pathsOf(result)).toEqual(['.gitignore', 'README.md', 'src/a.ts', 'src/b/c.ts', 'src/b.ts'])
    expect(result.summary.ignored).toBe(2)
  })

  test('in every order', async () => {
    const order = async (sortBy: 'path' | 'name' | 'type' | 'size' | 'modified') =>
      pathsOf(await find({ path: '/src', sortBy, directories: true, exclude: ['*.log'] }))
    expect(await order('path')).toEqual(['a.ts', 'b', 'b.ts', 'b/c.ts'])
    expect(await order('name')).toEqual(['a.ts', 'b', 'b.ts', 'b/c.ts'])
    expect(await order('type')).toEqual(['b', 'a.ts', 'b.ts', 'b/c.ts'])
    expect(await order('size')).toEqual(['b.ts', 'b/c.ts', 'a.ts', 'b'])
    const files = await find({ path: '/src', sortBy: 'modified' })
    expect(pathsOf(files)).toEqual(['err.log', 'b/c.ts', 'b.ts', 'a.ts'])
  })

  test('page by page, and only the last page says there is no more', async () => {
    const page = async (skip: number) => {
      const result = await find({ path: '/src', skip, limit: 2 })
      return [pathsOf(result), result.more]
    }
    expect(await page(0)).toEqual([['a.ts', 'b/c.ts'], true])
    expect(await page(2)).toEqual([['b.ts', 'err.log'], false])
    expect(await page(4)).toEqual([[], false])
  })

  test('size and times when asked for', async () => {
    const { entries } = await find({ include: ['README.md'], metadata: true })
    expect(entries).toEqual([
      expect.objectContaining({ path: 'README.md', kind: 'file', size: 5, modifiedMs: 1_700_000_000_001 }),
    ])
  })

  test('patterns may count from the workspace root', async () => {
    const input = {
      path: '/src',
      include: ['src/b*'],
      includeRules: globRules.starsCross,
      patternsFrom: 'root' as const,
    }
    expect(pathsOf(await find(input))).toEqual(['b/c.ts', 'b.ts'])
  })

  test('a search that ran out of room says so', async () => {
    const result = await find({ maxEntries: 3 })
    expect([pathsOf(result), result.total, result.summary.truncated]).toEqual([
      ['.gitignore', 'README.md'],
      undefined,
      'entries',
    ])
  })
})

describe('directoryTree', () => {
  async function tree(input: z.input<typeof directoryTree.input>, files = project) {
    const result = await directoryTree.run(directoryTree.input.parse(input), createWorkspace({ fs: memory(files) }), {})
    return { ...result, tree: drawn(result.tree) }
  }

  /** `name(children …)`, with `+2` for two left out and `?room` for why it was not listed. */
  function drawn({ name, children, omitted, unlisted }: TreeNode): string {
    const inside = [...(children ?? []).map(drawn), ...(omitted === undefined ? [] : [`+${omitted}`])].join(' ')
    return `${name}${children ? `(${inside})` : ''}${unlisted ? `?${unlisted}` : ''}`
  }

  test('whole', async () => {
    expect(await tree({})).toEqual({
      path: '/',
      tree: '(.gitignore README.md dist(out.js) src(a.ts b(c.ts) b.ts err.log))',
      entries: 10,
      truncated: false,
    })
  })

  test('past ignore rules and hidden names', async () => {
    expect((await tree({ ignore: {}, hidden: false })).tree).toBe('(README.md src(a.ts b(c.ts) b.ts))')
  })

  test('to a depth', async () => {
    expect((await tree({ maxDepth: 0 })).tree).toBe('?depth')
    expect((await tree({ maxDepth: 1 })).tree).toBe('(.gitignore README.md dist?depth src?depth)')
  })

  test('within its limit: upper levels first, shared fairly, omissions reported', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 90 }, (_, index) => [`/${['a', 'b', 'c'][index % 3]}/d${index % 2}/f${index}`, '']),
    )
    expect(await tree({ maxEntries: 15 }, many)).toEqual({
      path: '/',
      tree: '(a(d0(f0 +14) d1(f15 +14)) b(d0(f10 +14) d1(f1 +14)) c(d0(f14 +14) d1(f11 +14)))',
      entries: 15,
      truncated: true,
    })
    expect((await tree({ maxEntries: 5 }, many)).tree).toBe('(a(d0?room +1) b(d0?room +1) c?room)')
  })

  test('a tree of ten thousand directories stays small', async () => {
    const huge = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`/p${index % 100}/q${index}/f`, '']))
    const { entries, truncated } = await tree({ maxEntries: 500 }, huge)
    expect([entries, truncated]).toEqual([500, true])
  })
})
