import { describe, expect, test } from 'vitest'
import { fs } from '../../src/dialects/fs/tools.js'
import { type MemoryTree, memory } from '../../src/fs/backends/memory.js'
import { callTool, offeredTools, ToolProtocolError } from '../../src/tools/call-tool.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Limits } from '../../src/workspace/limits.js'

async function call(tree: MemoryTree, tool: string, args: object, limits: Partial<Limits> = {}): Promise<unknown> {
  const raw = memory({ 'work/': '', ...under('work', tree), 'outside/o.txt': 'secret\n' })
  await raw.symlink?.('../outside', '/work/out')
  const workspace = createWorkspace({ fs: raw, roots: [{ path: '/work', access: 'read-only' }], limits })
  const { content } = await callTool(workspace, fs, tool, args)
  expect(content).toHaveLength(1)
  return JSON.parse(content[0]?.type === 'text' ? content[0].text : '')
}

function under(directory: string, tree: MemoryTree): MemoryTree {
  return Object.fromEntries(Object.entries(tree).map(([path, content]) => [`${directory}/${path}`, content]))
}

async function failure(tree: MemoryTree, tool: string, args: object): Promise<unknown> {
  const error = await call(tree, tool, args).catch((thrown: unknown) => thrown)
  if (!(error instanceof ToolProtocolError)) throw error
  return [error.code, error.message]
}

test('the three tools are listed with the label of the server, and answer without it', async () => {
  const workspace = createWorkspace({ fs: memory({}) })
  expect(offeredTools(fs, workspace).map(({ name }) => name)).toEqual([
    'fs.list_files',
    'fs.read_file',
    'fs.search_text',
  ])
  expect(await call({ a: 'x' }, 'read_file', { path: 'a' })).toEqual(
    await call({ a: 'x' }, 'fs.read_file', { path: 'a' }),
  )
})

describe('list_files', () => {
  async function paths(tree: MemoryTree, args: object): Promise<string[]> {
    const { entries } = (await call(tree, 'fs.list_files', args)) as { entries: { path: string }[] }
    return entries.map(({ path }) => path).filter((path) => path !== 'out')
  }

  const tree = { 'a.rs': '', 'src/a.rs': '', 'src/deep/b.rs': '', 'src/c.md': '', 'src.rs/x': '' }

  test.each<[globs: object, found: string[]]>([
    [{ include_globs: ['*.rs'] }, ['a.rs', 'src/a.rs', 'src/deep/b.rs']],
    [{ include_globs: ['**/*.rs'] }, ['a.rs', 'src/a.rs', 'src/deep/b.rs']],
    [{ include_globs: ['a.rs'] }, ['a.rs']],
    [{ include_globs: ['src/*.rs'] }, ['src/a.rs', 'src/deep/b.rs']],
    [{ include_globs: ['src?a.rs'] }, ['src/a.rs']],
    [{ include_globs: ['*.{md,x}', '[a-b].rs'] }, ['a.rs', 'src/c.md']],
    [{ include_globs: ['*.{md}', 'a.{r{s}}'] }, ['a.rs', 'src/c.md']],
    [{ include_globs: ['*.RS'] }, []],
    [{ include_globs: [] }, ['a.rs', 'src.rs/x', 'src/a.rs', 'src/c.md', 'src/deep/b.rs']],
    [{ include_globs: ['src/**'], exclude_globs: ['*.md', 'src/deep/*'] }, ['src/a.rs']],
    [{ root: 'src', include_globs: ['src/a.rs'] }, ['src/a.rs']],
    [{ root: 'src', include_globs: ['a.rs'] }, []],
  ])('%j', async (args, found) => {
    expect(await paths(tree, args)).toEqual(found)
  })

  test('excluding a directory does not exclude its entries', async () => {
    expect(await paths({ 'd/a': '', 'd/b/c': '' }, { include_dirs: true, exclude_globs: ['d', 'd/b'] })).toEqual([
      'd/a',
      'd/b/c',
    ])
  })

  test('include_globs hold for directories as well', async () => {
    expect(await paths({ 'd/a': '', 'e/d/b': '' }, { include_dirs: true, include_globs: ['*d'] })).toEqual(['d', 'e/d'])
  })

  test('ignore files are heeded with or without a repository, those above the start too', async () => {
    const ignoring = { '.gitignore': '*.log\n', 'd/.ignore': 'x\n', 'd/a.log': '', 'd/x': '', 'd/y': '' }
    expect(await paths(ignoring, { root: 'd' })).toEqual(['d/y'])
    expect(await paths({ ...ignoring, '.git/HEAD': '' }, {})).toEqual(['d/y'])
  })

  test('pages follow one order, and has_more says whether there is another', async () => {
    const files = { 'b/x': '', a: '', 'b.c': '' }
    const page = (skip: number, max_results: number) => {
      return call(files, 'fs.list_files', { skip, max_results, exclude_globs: ['out'] })
    }
    const [first, second, third] = ['a', 'b.c', 'b/x'].map((path) => ({ path, is_dir: false }))
    expect(await page(0, 2)).toEqual({ entries: [first, second], has_more: true })
    expect(await page(1, 2)).toEqual({ entries: [second, third], has_more: false })
    expect(await page(3, 2)).toEqual({ entries: [], has_more: false })
    expect(await page(0, 0)).toEqual({ entries: [], has_more: true })
  })

  test('a link is listed as an entry, and nothing behind it', async () => {
    expect(await call({}, 'fs.list_files', {})).toEqual({ entries: [{ path: 'out', is_dir: false }], has_more: false })
  })

  test('metadata is a size and whole seconds, of directories too', async () => {
    const args = { include_dirs: true, include_metadata: true, include_globs: ['d*'] }
    const { entries } = (await call({ 'd/f': '12345' }, 'fs.list_files', args)) as { entries: object[] }
    expect(entries).toEqual([
      { path: 'd', is_dir: true, size: 0, modified: expect.any(Number) },
      { path: 'd/f', is_dir: false, size: 5, modified: expect.any(Number) },
    ])
  })

  test('null and unknown parameters are as good as none', async () => {
    expect(await paths({ a: '' }, { root: null, max_results: null, recursive: null, colour: 'red' })).toEqual(['a'])
    expect(await paths({ a: '' }, { root: '' })).toEqual(['a'])
  })
})

describe('read_file', () => {
  type Read = [text: string, range: object, content: string, truncated: boolean]

  test.each<Read>([
    ['0123456789', { offset_bytes: 4, max_bytes: 3 }, '456', true],
    ['0123456789', { offset_bytes: 7, max_bytes: 3 }, '789', false],
    ['0123456789', { offset_bytes: 10 }, '', false],
    ['0123456789', { offset_bytes: 99, max_bytes: 1 }, '', false],
    ['0123456789', { max_bytes: 0 }, '', true],
    ['aéb', { max_bytes: 2 }, 'a', true],
    ['aéb', { offset_bytes: 2 }, 'b', false],
    ['aéb', { max_bytes: 3 }, 'aé', true],
    ['😀', { max_bytes: 3 }, '', true],
    ['a\0b', {}, 'a\0b', false],
    ['\ufeffa', {}, '\ufeffa', false],
    ['a\nb\nc\n', { max_lines: 2 }, 'a\nb\n', true],
    ['a\nb\nc\n', { start_line: 2, max_lines: 2 }, 'b\nc\n', false],
    ['a\nb', { start_line: 2 }, 'b\n', false],
    ['a\r\nb\rc\r\n', { range_type: 'lines' }, 'a\nb\rc\n', false],
    ['a\n', { start_line: 9 }, '', false],
    ['a\n', { max_lines: 0 }, '', true],
    ['', { range_type: 'lines' }, '', false],
  ])('%j %j', async (text, range, content, is_truncated) => {
    expect(await call({ f: text }, 'fs.read_file', { path: 'f', ...range })).toMatchObject({ content, is_truncated })
  })

  test('the range is reported with its defaults, and null where it does not apply', async () => {
    expect(await call({ 'd/f': 'x\n' }, 'fs.read_file', { path: './d/../d/f' })).toEqual({
      path: 'd/f',
      content: 'x\n',
      is_truncated: false,
      range: { range_type: 'bytes', offset_bytes: 0, max_bytes: 65536, start_line: null, max_lines: null },
    })
    expect(await call({ 'd/f': 'x\n' }, 'fs.read_file', { path: 'd/f', start_line: 1 })).toEqual({
      path: 'd/f',
      content: 'x\n',
      is_truncated: false,
      range: { range_type: 'lines', offset_bytes: null, max_bytes: null, start_line: 1, max_lines: 200 },
    })
  })

  test('a file of any size is read in parts', async () => {
    const limits = { maxFileBytes: 4 }
    const large = { f: 'aa\nbb\ncc\n' }
    expect(await call(large, 'fs.read_file', { path: 'f', max_bytes: 100 }, limits)).toMatchObject({
      content: 'aa\nb',
      is_truncated: true,
    })
    expect(await call(large, 'fs.read_file', { path: 'f', start_line: 2 }, limits)).toMatchObject({
      content: 'bb\ncc\n',
      is_truncated: false,
    })
  })
})

describe('search_text', () => {
  test('one hit a line, its place in bytes, and the lines around it even where they are hits', async () => {
    expect(await call({ f: 'é tok tok\r\nTOK\n\nlast' }, 'fs.search_text', { query: 'tok', context_lines: 1 })).toEqual(
      {
        hits: [
          { path: 'f', line: 1, column: 3, line_text: 'é tok tok', context_before: [], context_after: ['TOK'] },
          { path: 'f', line: 2, column: 0, line_text: 'TOK', context_before: ['é tok tok'], context_after: [''] },
        ],
        has_more: false,
      },
    )
  })

  test('each page continues where the last one ended', async () => {
    const page = (skip: number, max_results: number) =>
      call({ a: 'x\nx\n', b: 'x\n' }, 'fs.search_text', { query: 'x', context_lines: 0, skip, max_results })
    const hit = (path: string, line: number) => {
      return { path, line, column: 0, line_text: 'x', context_before: [], context_after: [] }
    }
    expect(await page(0, 2)).toEqual({ hits: [hit('a', 1), hit('a', 2)], has_more: true })
    expect(await page(1, 2)).toEqual({ hits: [hit('a', 2), hit('b', 1)], has_more: false })
    expect(await page(3, 2)).toEqual({ hits: [], has_more: false })
    expect(await page(0, 0)).toEqual({ hits: [], has_more: true })
  })

  test.each<[query: object, lines: number[]]>([
    [{ query: '' }, [1, 2, 3]],
    [{ query: 'A.' }, [2]],
    [{ query: 'A.', mode: 'regex' }, [1, 2]],
    [{ query: 'A.', mode: 'regex', case_sensitive: true }, [2]],
    [{ query: '^b$', mode: 'regex' }, [3]],
    [{ query: 'É' }, [1]],
    [{ query: 'a', include_globs: ['*.md'] }, []],
  ])('%j', async (args, lines) => {
    const { hits } = (await call({ f: 'aé\nA.\nb\n' }, 'fs.search_text', args)) as { hits: { line: number }[] }
    expect(hits.map(({ line }) => line)).toEqual(lines)
  })

  test('the start may be a file; files that are not UTF-8 are left out', async () => {
    const tree = { a: 'tok', b: 'tok', c: new Uint8Array([0x74, 0x6f, 0x6b, 0xff]) }
    const hit = { line: 1, column: 0, line_text: 'tok', context_before: [], context_after: [] }
    expect(await call(tree, 'fs.search_text', { query: 'tok', root: 'b' })).toEqual({
      hits: [{ path: 'b', ...hit }],
      has_more: false,
    })
    expect(await call(tree, 'fs.search_text', { query: 'tok' })).toEqual({
      hits: [
        { path: 'a', ...hit },
        { path: 'b', ...hit },
      ],
      has_more: false,
    })
  })

  test('the globs hold for a file that is the start as well', async () => {
    const found = async (globs: object) => {
      const args = { query: 'tok', root: 'd/f.rs', ...globs }
      const { hits } = (await call({ 'd/f.rs': 'tok' }, 'fs.search_text', args)) as { hits: unknown[] }
      return hits.length
    }
    expect(await found({ include_globs: ['*.md', '**/*.rs'] })).toBe(1)
    expect(await found({ include_globs: ['f.rs'] })).toBe(0)
    expect(await found({ exclude_globs: ['d/**'] })).toBe(0)
  })

  test('results stay within limits, and has_more says that there is more', async () => {
    const args = { query: 'x', context_lines: 9 }
    const { hits, has_more } = (await call({ f: 'x\n'.repeat(20) }, 'fs.search_text', args, { maxFileBytes: 50 })) as {
      hits: unknown[]
      has_more: boolean
    }
    expect([hits.length, has_more]).toEqual([4, true])
  })
})

describe('failures', () => {
  const tree = { 'd/f': 'x', bin: new Uint8Array([0xff, 0xfe, 0x80]) }

  test.each<[tool: string, args: object, code: number, message: string]>([
    ['read_file', { path: 'no' }, -32603, 'read_file_failed: failed to canonicalize path: /work/no'],
    ['fs.read_file', { path: 'd' }, -32603, 'read_file_failed: read_file target is not a regular file: /work/d'],
    ['fs.read_file', { path: '../o' }, -32603, 'read_file_failed: path escapes repository root: /o'],
    ['fs.read_file', { path: 'out/o.txt' }, -32603, 'read_file_failed: path escapes repository root: /work/out/o.txt'],
    [
      'fs.read_file',
      { path: 'bin' },
      -32603,
      'read_file_failed: file is not valid UTF-8, binary files are not supported: /work/bin',
    ],
    [
      'fs.read_file',
      { path: 'bin', max_lines: 1 },
      -32603,
      'read_file_failed: file is not valid UTF-8, binary files are not supported: /work/bin',
    ],
    ['fs.read_file', { path: 'd/f', start_line: 0 }, -32603, 'read_file_failed: start_line must be >= 1'],
    [
      'fs.read_file',
      { path: 'd/f', range_type: 'bytes', start_line: 1 },
      -32603,
      'read_file_failed: invalid read_file arguments: start_line/max_lines cannot be used with bytes range_type',
    ],
    [
      'fs.read_file',
      { path: 'd/f', start_line: 1, max_bytes: 1 },
      -32603,
      'read_file_failed: invalid read_file arguments: offset_bytes/max_bytes cannot be used with lines range_type',
    ],
    ['fs.list_files', { root: 'no' }, -32603, 'list_files_failed: list_files root path does not exist: no'],
    ['fs.list_files', { root: 'd/f' }, -32603, 'list_files_failed: list_files root path is not a directory: d/f'],
    ['fs.list_files', { root: '..' }, -32603, 'list_files_failed: list_files root escapes repository root: ..'],
    ['fs.list_files', { root: 'out' }, -32603, 'list_files_failed: list_files root escapes repository root: out'],
    ['fs.list_files', { include_globs: ['[a'] }, -32603, 'list_files_failed: invalid glob pattern: [a'],
    [
      'fs.search_text',
      { query: 'x', root: 'no' },
      -32603,
      'search_text_failed: search_text root path does not exist: no',
    ],
    ['fs.search_text', { query: 'a(', mode: 'regex' }, -32603, 'search_text_failed: invalid regex: a('],
    ['fs.search_text', { query: 'a', exclude_globs: ['{a'] }, -32603, 'search_text_failed: invalid glob pattern: {a'],
    ['fs.read_file', {}, -32602, 'failed to deserialize parameters: missing field `path`'],
    ['fs.read_file', { path: 5 }, -32602, 'failed to deserialize parameters: invalid type for `path`, expected string'],
    ['fs.list_files', { skip: -1 }, -32602, 'failed to deserialize parameters: invalid value for `skip`, bound is 0'],
    [
      'fs.search_text',
      { query: 'x', mode: 'Regex' },
      -32602,
      'failed to deserialize parameters: unknown variant for `mode`, expected one of literal, regex',
    ],
    ['fs.write_file', {}, -32602, 'tool not found'],
  ])('%s %j', async (tool, args, code, message) => {
    expect(await failure(tree, tool, args)).toEqual([code, message])
  })
})
