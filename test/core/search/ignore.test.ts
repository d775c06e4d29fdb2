import { describe, expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { withoutFacets } from '../../../src/fs/without-facets.js'
import { parseIgnoreRules } from '../../../src/search/patterns/ignore-rules.js'
import { createIgnoreStack, type IgnoreOptions } from '../../../src/search/patterns/ignore-stack.js'
import { walkFiles } from '../../../src/search/run/walk-files.js'
import { timed } from '../processor-time.js'

/** The paths of a tree that its ignore rules leave, relative to the directory that is walked. */
async function left(tree: Record<string, string>, options: Partial<IgnoreOptions> & { from?: string } = {}) {
  const { from = '/', ...ignore } = options
  const { next } = walkFiles(memory(tree), from, { ignore: { top: '/', always: ['.git'], ...ignore } })
  const paths: string[] = []
  for (let batch = await next(); batch !== undefined; batch = await next()) {
    for (const { path } of batch) paths.push(path.slice(1))
  }
  return paths
}

describe('where rules come from', () => {
  test('a deeper .gitignore outweighs the ones above it', async () => {
    const tree = {
      '.gitignore': '*.log\n',
      'a.log': '',
      'sub/.gitignore': '!keep.log\n',
      'sub/keep.log': '',
      'sub/b.log': '',
    }
    expect(await left(tree)).toEqual(['.gitignore', 'sub/.gitignore', 'sub/keep.log'])
  })

  test('an entry in an ignored directory can not be re-included', async () => {
    const tree = { '.gitignore': 'build/\n!build/keep\n', 'build/keep': '', 'build/.gitignore': '!*\n', a: '' }
    expect(await left(tree)).toEqual(['.gitignore', 'a'])
  })

  test('.git/info/exclude outweighs the global rules, and any .gitignore outweighs both', async () => {
    const tree = {
      '.git/info/exclude': '*.b\n!x.a\n',
      '.gitignore': '!x.b\n',
      'x.a': '',
      'y.a': '',
      'x.b': '',
      'y.b': '',
    }
    expect(await left(tree, { globalRules: '*.a\n' })).toEqual(['.gitignore', 'x.a', 'x.b'])
  })

  test('.ignore files are read when asked for, and outweigh every .gitignore', async () => {
    const tree = { '.ignore': '!a\nb\n', 'sub/.gitignore': 'a\n!b\n', 'sub/a': '', 'sub/b': '' }
    expect(await left(tree)).toEqual(['.ignore', 'sub/.gitignore', 'sub/b'])
    expect(await left(tree, { dotIgnore: true })).toEqual(['.ignore', 'sub/.gitignore', 'sub/a'])
  })

  test('rules that always hold outweigh all others', async () => {
    const tree = {
      '.gitignore': '!.clarvis\n!.git\n',
      '.git/HEAD': '',
      '.clarvis/x': '',
      'a/.clarvis-tmp-1': '',
      'a/b': '',
    }
    expect(await left(tree, { always: ['.git', '.clarvis', '.clarvis-tmp-*'] })).toEqual(['.gitignore', 'a/b'])
  })

  test('the directories above the start have their say, up to the top', async () => {
    const tree = {
      '.gitignore': '*.log\n/p/src/gen\n',
      'p/.gitignore': '*.tmp\n',
      'p/src/a.log': '',
      'p/src/a.tmp': '',
      'p/src/gen/x': '',
      'p/src/a': '',
    }
    expect(await left(tree, { from: '/p/src' })).toEqual(['p/src/a'])
    expect(await left(tree, { from: '/p/src', top: '/p' })).toEqual(['p/src/a', 'p/src/a.log', 'p/src/gen/x'])
  })

  test('a directory that is asked for is shown even if it is ignored itself', async () => {
    expect(await left({ '.gitignore': 'dist/\n*.map\n', 'dist/a': '', 'dist/b.map': '' }, { from: '/dist' })).toEqual([
      'dist/a',
    ])
  })

  test('a repository inside another uses only its own rules', async () => {
    const tree = {
      '.git/HEAD': '',
      '.gitignore': '*.log\n',
      'in/.git/HEAD': '',
      'in/.gitignore': '*.tmp\n',
      'in/a.log': '',
      'in/a.tmp': '',
      'out/a.log': '',
    }
    expect(await left(tree)).toEqual(['.gitignore', 'in/.gitignore', 'in/a.log'])
    expect(await left(tree, { from: '/in' })).toEqual(['in/.gitignore', 'in/a.log'])
  })

  test('.gitignore files can count always, in repositories alone, or never', async () => {
    const tree = {
      '.gitignore': 'a\n',
      '.ignore': 'b\n',
      a: '',
      b: '',
      'repo/.git/HEAD': '',
      'repo/.gitignore': 'c\n',
      'repo/c': '',
      'repo/d': '',
    }
    const seen = async (git: 'always' | 'in-repository' | 'never') =>
      (await left(tree, { git, dotIgnore: true, globalRules: 'd\n' })).filter((path) => !/ignore$/.test(path))
    expect(await seen('always')).toEqual([])
    expect(await seen('in-repository')).toEqual(['a'])
    expect(await seen('never')).toEqual(['a', 'repo/c', 'repo/d'])
  })

  test('an ignore file that is a link is not read', async () => {
    const fs = memory({ rules: 'a\n', a: '' })
    await fs.symlink?.('rules', '/.gitignore')
    const { next } = walkFiles(fs, '/', { ignore: { top: '/' } })
    expect((await next())?.map(({ name }) => name)).toEqual(['a', 'rules'])
  })
})

describe('hostile ignore files', () => {
  const names = Array.from({ length: 200 }, (_, index) => 'a'.repeat(index + 1))

  test.each([
    ['a hundred rules full of stars', Array.from({ length: 100 }, (_, index) => `*a*a*a*a*a*${index}b`).join('\n')],
    ['a line of 64 KB', '*a'.repeat(32_768)],
    ['a line of 64 KB of stars', '*'.repeat(65_536)],
    ['classes in a row', '[a-z]*'.repeat(10_000)],
    ['stars across directories', `${'**/a*/'.repeat(5_000)}b`],
    [
      'a megabyte of rules',
      Array.from({ length: 20_000 }, (_, index) => `*${index}*a?*a[ab]*${index}x${index}`).join('\n'),
    ],
  ])('%s: two hundred names in less than two seconds', (_title, text) => {
    const { ms } = timed(2000, () => {
      const rules = parseIgnoreRules(text, { ignoreCase: false })
      for (const name of names) rules?.automaton.advance(rules.automaton.start, name)
    })
    expect(ms).toBeLessThan(2000)
  })

  test('ignore files that apply only in part are reported', async () => {
    const costly = Array.from({ length: 20_000 }, (_, index) => `*${index}*a?*a[ab]*`).join('\n')
    const fs = memory({
      '/.gitignore': `a\n${costly}`,
      '/sub/.gitignore': `#${'x'.repeat(1_048_576)}\n`,
      '/a': '',
      '/b': '',
    })
    const { next, incompleteIgnoreFiles } = walkFiles(fs, '/', { ignore: { top: '/' } })
    const seen: string[] = []
    for (let batch = await next(); batch !== undefined; batch = await next())
      seen.push(...batch.map(({ path }) => path))
    expect(seen).toEqual(['/.gitignore', '/b', '/sub/.gitignore'])
    expect(incompleteIgnoreFiles).toEqual(['/.gitignore', '/sub/.gitignore'])
  })

  test('ten thousand plain rules all apply', () => {
    const rules = parseIgnoreRules(Array.from({ length: 10_000 }, (_, index) => `/dir/file-${index}`).join('\n'), {
      ignoreCase: false,
    })
    const state = rules?.automaton.advance(rules.automaton.start, 'dir/file-9999')
    expect([rules?.complete, state?.fileRule]).toEqual([true, 9999])
  })
})

test('nothing is read that a listing does not show', async () => {
  const fs = memory({ 'a/b/c': '', 'a/.gitignore': 'x', 'd/e': '' })
  const reads: string[] = []
  const watched: FileSystem = {
    ...withoutFacets(fs),
    readFile(path) {
      reads.push(path)
      return fs.readFile(path)
    },
  }
  const stack = createIgnoreStack(watched, { top: '/', dotIgnore: true })
  const level = await stack.open('/', await fs.readDir('/'))
  const inner = level.enter('d', await fs.readDir('/d'))
  expect(inner).not.toBeInstanceOf(Promise)
  await level.enter('a', await fs.readDir('/a'))
  expect(reads).toEqual(['/a/.gitignore'])
})
