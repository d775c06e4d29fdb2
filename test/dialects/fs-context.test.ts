import { describe, expect, test } from 'vitest'
import { defaultExcludes } from '../../src/dialects/fs-context/default-excludes.js'
import { instructions } from '../../src/dialects/fs-context/instructions.js'
import * as output from '../../src/dialects/fs-context/output.js'
import { listingGlobs } from '../../src/dialects/fs-context/parameters.js'
import { formatBytes } from '../../src/dialects/fs-context/print.js'
import { fsContext } from '../../src/dialects/fs-context/tools.js'
import { type MemoryTree, memory } from '../../src/fs/backends/memory.js'
import type { Root } from '../../src/fs/gate/confine.js'
import type { FileSystem } from '../../src/fs/types.js'
import { withoutFacets } from '../../src/fs/without-facets.js'
import { compileGlobs } from '../../src/search/patterns/glob.js'
import { callTool, ToolProtocolError } from '../../src/tools/call-tool.js'
import type { ToolResult } from '../../src/tools/dialect.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Limits } from '../../src/workspace/limits.js'

const times = { old: 1_700_000_000_000, new: 1_700_000_300_000 }

interface Stage {
  links?: Record<string, string>
  modified?: Record<string, number>
  roots?: readonly [Root, ...Root[]]
  limits?: Partial<Limits>
}

const schemas = {
  list_allowed_directories: output.allowedDirectories,
  list_directory: output.listing,
  search_files: output.foundFiles,
  search_content: output.foundLines,
  read_file: output.fileContent,
  read_multiple_files: output.fileContents,
  get_file_info: output.fileInfo,
  get_multiple_file_info: output.fileInfos,
}
type Name = keyof typeof schemas

/** The tree lies in `/w`, by default the only root; `/out/secret` lies beside it. */
async function stage(tree: MemoryTree, { links = {}, modified = {}, roots, limits = {} }: Stage = {}) {
  const inside = Object.entries(tree).map(([path, content]) => [`/w/${path}`, content])
  const fs: FileSystem = memory({ '/w/': '', '/out/secret': 's', ...Object.fromEntries(inside) })
  for (const [path, target] of Object.entries(links)) await fs.symlink?.(target, `/w/${path}`)
  for (const [path, ms] of Object.entries(modified)) await fs.setModified?.(`/w/${path}`, ms)
  return createWorkspace({ fs, limits, roots: roots ?? [{ path: '/w', access: 'read-only' }] })
}

/** Every answer, of success or failure, matches the tool's output schema. */
async function call(tree: MemoryTree, name: Name, args: object, staged?: Stage): Promise<ToolResult> {
  const result = await callTool(await stage(tree, staged), fsContext, name, args)
  expect(schemas[name].parse(result.structuredContent)).toEqual(result.structuredContent)
  return result
}

async function text(tree: MemoryTree, name: Name, args: object, staged?: Stage): Promise<string> {
  const { content, isError } = await call(tree, name, args, staged)
  expect(isError).toBeUndefined()
  expect(content).toHaveLength(1)
  return content[0]?.type === 'text' ? content[0].text : ''
}

async function data(tree: MemoryTree, name: Name, args: object, staged?: Stage) {
  const { structuredContent, isError } = await call(tree, name, args, staged)
  expect(isError).toBeUndefined()
  return structuredContent ?? {}
}

/** Code and message of a failure. */
async function failure(tree: MemoryTree, name: Name, args: object, staged?: Stage): Promise<string> {
  const { structuredContent, isError } = await call(tree, name, args, staged)
  expect(isError).toBe(true)
  const { code, message } = (structuredContent as { error: { code: string; message: string } }).error
  return `${code} ${message}`
}

describe('the server', () => {
  test('has eight tools that only read, each with a title, a description and an output schema', () => {
    expect(fsContext.tools.map(({ name }) => name)).toEqual(Object.keys(schemas))
    for (const { mutates, annotations, title, description, schema } of fsContext.tools) {
      expect({ mutates, readOnly: annotations.readOnlyHint, idempotent: annotations.idempotentHint }).toEqual({
        mutates: false,
        readOnly: true,
        idempotent: true,
      })
      expect(schema().output?.properties).toHaveProperty('ok')
      expect(`${title}: ${description}`.length).toBeLessThan(200)
    }
  })

  test('sends its manual when a client connects', () => {
    expect(fsContext.serverInfo?.name).toBe('filesystem-context-mcp')
    expect(fsContext.instructions).toBe(instructions)
    expect(instructions).toMatch(/^# Filesystem Context MCP Server\n/)
    expect(instructions).toContain("| `baseNameMatch`   | false    | Match basename for patterns without '/'  |")
  })

  test('a tool that is not there is an error of the protocol', async () => {
    const calling = callTool(await stage({}), fsContext, 'write_file', { path: 'x' })
    await expect(calling).rejects.toThrow(new ToolProtocolError(-32602, 'Tool write_file not found'))
  })
})

describe('failures', () => {
  test('are reported as text with path and suggestion, and as data', async () => {
    expect(await call({}, 'read_file', { path: 'gone.txt' })).toEqual({
      isError: true,
      content: [
        {
          type: 'text',
          text: 'Error [E_NOT_FOUND]: Path does not exist: /w/gone.txt\nPath: gone.txt\nSuggestion: Verify the path exists. Use list_directory to explore available files and directories.',
        },
      ],
      structuredContent: {
        ok: false,
        error: {
          code: 'E_NOT_FOUND',
          message: 'Path does not exist: /w/gone.txt',
          path: 'gone.txt',
          suggestion: 'Verify the path exists. Use list_directory to explore available files and directories.',
        },
      },
    })
  })

  const tree = { 'f.txt': 'hit', 'd/': '', 'p.png': 'text' }
  const links = { out: '/out/secret', round: 'round' }
  test.each<[Name, object, string]>([
    [
      'read_file',
      { path: '/out/secret' },
      "E_ACCESS_DENIED Access denied: Path '/out/secret' is outside allowed directories",
    ],
    [
      'read_file',
      { path: '../out/gone' },
      "E_ACCESS_DENIED Access denied: Path '../out/gone' is outside allowed directories",
    ],
    [
      'read_file',
      { path: 'out' },
      "E_ACCESS_DENIED Access denied: Path '/w/out' is outside allowed directories.\nAllowed: /w",
    ],
    [
      'get_file_info',
      { path: 'out' },
      "E_ACCESS_DENIED Access denied: Path '/w/out' is outside allowed directories.\nAllowed: /w",
    ],
    ['read_file', { path: 'round' }, 'E_SYMLINK_NOT_ALLOWED Too many symbolic links: /w/round'],
    ['read_file', { path: 'd' }, 'E_NOT_FILE Not a file: /w/d'],
    ['read_file', { path: 'f.txt/x' }, 'E_NOT_DIRECTORY Not a directory: /w/f.txt/x'],
    ['read_file', { path: '  ' }, 'E_INVALID_INPUT Path cannot be empty or whitespace'],
    ['read_file', { path: 'a\0b' }, 'E_INVALID_INPUT Path contains null bytes'],
    [
      'read_file',
      { path: 'p.png' },
      'E_INVALID_INPUT Binary file detected: /w/p.png. Set skipBinary=false to read as text.',
    ],
    ['list_directory', { path: 'f.txt' }, 'E_NOT_DIRECTORY Not a directory: /w/f.txt'],
    ['search_files', { path: 'f.txt', pattern: '*' }, 'E_NOT_DIRECTORY Not a directory: /w/f.txt'],
    ['search_content', { path: 'f.txt', pattern: 'hit' }, 'E_NOT_DIRECTORY Not a directory: /w/f.txt'],
    ['search_content', { path: 'gone', pattern: 'hit' }, 'E_NOT_FOUND Path does not exist: /w/gone'],
  ])('%s %j', async (name, args, printed) => {
    expect(await failure(tree, name, args, { links })).toBe(printed)
  })

  test.each<[Name, object, string]>([
    [
      'read_file',
      {},
      'Input validation error: Invalid arguments for tool read_file: path: Invalid input: expected string, received undefined',
    ],
    [
      'read_file',
      { path: 'a', head: 0 },
      'Input validation error: Invalid arguments for tool read_file: head: Too small: expected number to be >=1',
    ],
    [
      'read_file',
      { path: 'a', head: 1, tail: 1 },
      'Cannot specify multiple of lineRange, head, or tail simultaneously',
    ],
    ['read_file', { path: 'a', head: 1, lineEnd: 2 }, 'head/tail cannot be combined with lineStart/lineEnd'],
    ['read_file', { path: 'a', lineStart: 1 }, 'Invalid lineRange: lineStart requires lineEnd to also be specified'],
    ['read_file', { path: 'a', lineEnd: 1 }, 'Invalid lineRange: lineEnd requires lineStart to also be specified'],
    ['read_file', { path: 'a', lineStart: 3, lineEnd: 2 }, 'Invalid lineRange: lineEnd (2) must be >= lineStart (3)'],
    [
      'read_file',
      { path: 'a', lineStart: 1, lineEnd: 100_001 },
      'Invalid lineRange: range too large (max 100000 lines)',
    ],
    [
      'read_multiple_files',
      { paths: ['a'], tail: 1, lineStart: 1, lineEnd: 1 },
      'head/tail cannot be combined with lineStart/lineEnd',
    ],
    [
      'search_files',
      { path: '.', pattern: '*', skipSymlinks: false },
      'Following symbolic links is not supported for security reasons',
    ],
    [
      'list_directory',
      { path: '.', excludePatterns: ['**/**/**/a'] },
      'Exclude pattern is too complex (too many ** segments)',
    ],
  ])('%s refuses %j', async (name, args, message) => {
    expect(await failure({ a: '1\n2\n3\n' }, name, args)).toBe(`E_INVALID_INPUT ${message}`)
  })

  test.each<[Name, object, string]>([
    ['search_files', { pattern: '' }, 'Pattern cannot be empty'],
    ['search_files', { pattern: 'a'.repeat(1001) }, 'Pattern is too long'],
    ['search_files', { pattern: 'src\\*.ts' }, 'Glob patterns must use forward slashes, not backslashes'],
    [
      'search_files',
      { pattern: '/etc/*' },
      'Pattern must be relative (no absolute paths, no .. segments, no leading slash)',
    ],
    [
      'search_files',
      { pattern: 'a/../b' },
      'Pattern must be relative (no absolute paths, no .. segments, no leading slash)',
    ],
    ['search_files', { pattern: '**/**/**/a' }, 'Pattern is too complex (too many ** segments)'],
    [
      'search_files',
      { pattern: `{${'a,'.repeat(100)}a}` },
      'Pattern is too complex (more than 100 items in one brace group)',
    ],
    ['search_files', { pattern: 'a[b' }, 'Invalid glob pattern: a[b (a [ is never closed)'],
    [
      'list_directory',
      { pattern: '../*' },
      'Pattern must be relative (no absolute paths, no .. segments, no leading slash)',
    ],
    [
      'search_content',
      { pattern: 'x', filePattern: '../*' },
      'Pattern must be relative (no absolute paths, no .. segments, no leading slash)',
    ],
    ['search_content', { pattern: 'x', filePattern: '{a' }, 'Invalid glob pattern: {a (a { is never closed)'],
    ['search_content', { pattern: 'a**' }, 'Invalid regular expression: a** (nothing to repeat)'],
    ['search_content', { pattern: '(?=a)' }, 'Invalid regular expression: (?=a) (look-around is not supported)'],
    ['search_content', { pattern: '(a)\\1' }, 'Invalid regular expression: (a)\\1 (back-references are not supported)'],
    [
      'search_content',
      { pattern: '(a+)+$' },
      'Potentially unsafe regular expression (ReDoS risk): (a+)+$. Avoid nested quantifiers.',
    ],
  ])('%s refuses the pattern of %j', async (name, args, message) => {
    expect(await failure({ a: '' }, name, { path: '.', ...args })).toBe(`E_INVALID_PATTERN ${message}`)
  })

  test('arguments a tool does not know are ignored', async () => {
    expect(await text({ a: 'x' }, 'read_file', { path: 'a', followSymlinks: true })).toBe('x\nTotal lines: 1')
  })

  test('a name shown as text can not draw on the screen, and the data has it as it is', async () => {
    const { content, structuredContent } = await call({ 'a\u202eb': '' }, 'list_directory', { path: '.' })
    expect(content).toEqual([{ type: 'text', text: '/w (0 dirs, 1 files):\n[FILE] a\\u{202e}b (0 B)' }])
    expect(structuredContent?.entries).toMatchObject([{ name: 'a\u202eb' }])
  })
})

describe('list_allowed_directories', () => {
  test('lists the only one', async () => {
    const result = await call({}, 'list_allowed_directories', {})
    expect(result).toEqual({
      content: [{ type: 'text', text: 'Allowed directories (1):\n/w [readable]' }],
      structuredContent: {
        ok: true,
        allowedDirectories: ['/w'],
        count: 1,
        accessStatus: [{ path: '/w', accessible: true, readable: true }],
        hint: 'Single directory configured. All operations are sandboxed here.',
      },
    })
  })

  test('lists each also under the name it was given by, and whether it exists', async () => {
    const roots: [Root, Root] = [
      { path: '/w', access: 'read-only', aliases: ['/alias'] },
      { path: '/gone', access: 'read-only' },
    ]
    expect(await text({}, 'list_allowed_directories', {}, { roots })).toBe(
      'Allowed directories (3):\n/alias [readable]\n/w [readable]\n/gone [inaccessible]',
    )
    expect(await data({}, 'list_allowed_directories', {}, { roots })).toMatchObject({
      hint: '3 directories configured. Operations work across all of them.',
    })
  })
})

describe('list_directory', () => {
  const tree = { 'b.txt': 'x'.repeat(1536), 'a.md': '1', 'sub/c.ts': '123', 'sub/deep/d.ts': '12', '.h': 'h' }

  test('lists directories first, then files with their size', async () => {
    expect(await text(tree, 'list_directory', { path: '.' })).toBe(
      '/w (1 dirs, 2 files):\n[DIR] sub\n[FILE] a.md (1 B)\n[FILE] b.txt (1.5 KB)',
    )
  })

  test('returns the same as data, in the requested order', async () => {
    const modified = { 'a.md': times.old, 'b.txt': times.old, sub: times.old }
    expect(await data(tree, 'list_directory', { path: '/w' }, { modified })).toEqual({
      ok: true,
      path: '/w',
      entries: [
        {
          name: 'a.md',
          relativePath: 'a.md',
          type: 'file',
          extension: 'md',
          size: 1,
          modified: '2023-11-14T22:13:20.000Z',
        },
        {
          name: 'b.txt',
          relativePath: 'b.txt',
          type: 'file',
          extension: 'txt',
          size: 1536,
          modified: '2023-11-14T22:13:20.000Z',
        },
        { name: 'sub', relativePath: 'sub', type: 'directory', modified: '2023-11-14T22:13:20.000Z' },
      ],
      summary: {
        totalEntries: 3,
        totalFiles: 2,
        totalDirectories: 1,
        maxDepthReached: 0,
        truncated: false,
        skippedInaccessible: 0,
        symlinksNotFollowed: 0,
      },
    })
  })

  async function listed(args: object, staged?: Stage, of: MemoryTree = tree): Promise<string[]> {
    const { entries } = await data(of, 'list_directory', { path: '.', ...args }, staged)
    return (entries as { relativePath: string }[]).map(({ relativePath }) => relativePath)
  }

  test.each<[object, string[]]>([
    [{ recursive: true }, ['a.md', 'b.txt', 'sub/c.ts', 'sub/deep/d.ts', 'sub/deep', 'sub']],
    [{ recursive: true, sortBy: 'type' }, ['sub/deep', 'sub', 'a.md', 'b.txt', 'sub/c.ts', 'sub/deep/d.ts']],
    [{ recursive: true, maxDepth: 0 }, ['a.md', 'b.txt', 'sub']],
    [{ recursive: true, maxDepth: 1 }, ['a.md', 'b.txt', 'sub/c.ts', 'sub/deep', 'sub']],
    [{ recursive: true, pattern: '**/*.ts' }, ['sub/c.ts', 'sub/deep/d.ts']],
    [{ recursive: true, pattern: '*.ts' }, []],
    [{ recursive: true, excludePatterns: ['deep'] }, ['a.md', 'b.txt', 'sub/c.ts', 'sub']],
    [{ recursive: true, excludePatterns: ['sub/**', '!*.md'] }, ['b.txt', 'sub']],
    [{ includeHidden: true }, ['.h', 'a.md', 'b.txt', 'sub']],
    [{ sortBy: 'size' }, ['b.txt', 'a.md', 'sub']],
    [{ maxEntries: 1, sortBy: 'size' }, ['b.txt']],
  ])('%j', async (args, paths) => {
    expect(await listed(args)).toEqual(paths)
  })

  test('the newest come first when sorted by date', async () => {
    const modified = { 'a.md': times.old, 'b.txt': times.new, sub: times.old }
    expect(await listed({ sortBy: 'modified' }, { modified })).toEqual(['b.txt', 'a.md', 'sub'])
  })

  test('links have a size to sort by, and ties are sorted by name and then by path', async () => {
    const of = { 'z/a': '123', 'y/a': '123', b: '123', c: '12345', d: '' }
    const args = { path: '.', recursive: true, sortBy: 'size' }
    const { entries } = (await data(of, 'list_directory', args, { links: { ln: 'z/a/' } })) as {
      entries: { relativePath: string; size?: number }[]
    }
    expect(entries.map(({ relativePath, size }) => [relativePath, size])).toEqual([
      ['c', 5],
      ['ln', 4],
      ['y/a', 3],
      ['z/a', 3],
      ['b', 3],
      ['d', 0],
      ['y', undefined],
      ['z', undefined],
    ])
  })

  test('says how deep it went', async () => {
    expect(await data(tree, 'list_directory', { path: '.', recursive: true })).toMatchObject({
      summary: { maxDepthReached: 2 },
    })
    const shallow = { path: '.', recursive: true, maxDepth: 1 }
    expect(await data(tree, 'list_directory', shallow)).toMatchObject({ summary: { maxDepthReached: 1 } })
  })

  test('says that there is more', async () => {
    expect(await text(tree, 'list_directory', { path: '.', maxEntries: 1 })).toBe(
      '/w (0 dirs, 1 files):\n[FILE] a.md (1 B)\n[truncated: reached max entries limit (1 returned)] [tip: Increase maxEntries or reduce maxDepth to see more results.]',
    )
  })

  test('links are listed and not followed; their targets only on request, and never outside', async () => {
    const links = { in: 'real', out: '/out/secret' }
    const of = { 'real/f': '1' }
    expect(await text(of, 'list_directory', { path: '.', recursive: true }, { links })).toBe(
      '/w (1 dirs, 3 files):\n[DIR] real\n[FILE] real/f (1 B)\n[LINK] in (4 B)\n[LINK] out\n[2 symlinks not followed]',
    )
    expect(await text(of, 'list_directory', { path: '.', includeSymlinkTargets: true }, { links })).toBe(
      '/w (1 dirs, 2 files):\n[DIR] real\n[LINK] in (4 B) -> real\n[LINK] out\n[2 symlinks not followed]',
    )
  })

  test('an empty directory, and one of which nothing is shown', async () => {
    expect(await text({ 'e/': '' }, 'list_directory', { path: 'e' })).toBe('Empty directory')
    expect(await text({ '.h': '' }, 'list_directory', { path: '.' })).toBe(
      'Empty directory\n(All entries are filtered out. Set includeHidden=true, or change pattern or excludePatterns.)',
    )
  })
})

describe('search_files', () => {
  const tree = {
    'a.ts': '1',
    'src/b.ts': '123',
    'src/x/c.ts': '12',
    'node_modules/p/e.ts': '1',
    'dist/f.ts': '1',
    '.h/g.ts': '1',
    '.dot.ts': '1',
  }

  test('prints paths that can be passed to read_file, and relative ones as data', async () => {
    const modified = { 'a.ts': times.old, 'src/b.ts': times.old, 'src/x/c.ts': times.old }
    const args = { path: '.', pattern: '**/*.ts' }
    expect(await text(tree, 'search_files', args)).toBe(
      'Found 3:\n[FILE] /w/a.ts (1 B)\n[FILE] /w/src/b.ts (3 B)\n[FILE] /w/src/x/c.ts (2 B)',
    )
    const date = '2023-11-14T22:13:20.000Z'
    expect(await data(tree, 'search_files', args, { modified })).toEqual({
      ok: true,
      basePath: '/w',
      pattern: '**/*.ts',
      results: [
        { path: 'a.ts', type: 'file', size: 1, modified: date },
        { path: 'src/b.ts', type: 'file', size: 3, modified: date },
        { path: 'src/x/c.ts', type: 'file', size: 2, modified: date },
      ],
      summary: { matched: 3, truncated: false, skippedInaccessible: 0, filesScanned: 3 },
    })
  })

  async function found(args: object): Promise<string[]> {
    const { results } = await data(tree, 'search_files', { path: '.', ...args }, { links: { 'ln.ts': 'a.ts' } })
    return (results as { path: string }[]).map(({ path }) => path)
  }

  test.each<[object, string[]]>([
    [{ pattern: '*.ts' }, ['a.ts']],
    [{ pattern: '*.ts', baseNameMatch: true }, ['a.ts', 'src/b.ts', 'src/x/c.ts']],
    [{ pattern: '**/*.TS' }, []],
    [{ pattern: '**/*.ts', includeHidden: true }, ['.dot.ts', '.h/g.ts', 'a.ts', 'src/b.ts', 'src/x/c.ts']],
    [{ pattern: '.h/*.ts' }, ['.h/g.ts']],
    [
      { pattern: '**/*.ts', excludePatterns: [] },
      ['a.ts', 'dist/f.ts', 'node_modules/p/e.ts', 'src/b.ts', 'src/x/c.ts'],
    ],
    [{ pattern: '**/*.ts', excludePatterns: ['!**/node_modules/**', 'src/x'] }, ['a.ts', 'dist/f.ts', 'src/b.ts']],
    [{ pattern: 'src/**/*.{js,ts}' }, ['src/b.ts', 'src/x/c.ts']],
    [{ pattern: '**/*.ts', maxDepth: 0 }, ['a.ts']],
    [{ pattern: '**/*.ts', maxDepth: 1 }, ['a.ts', 'src/b.ts']],
    [{ pattern: '**/*.ts', sortBy: 'size' }, ['src/b.ts', 'src/x/c.ts', 'a.ts']],
  ])('%j', async (args, paths) => {
    expect(await found(args)).toEqual(paths)
  })

  test.each<[object, string]>([
    [
      { maxResults: 2 },
      'Found 2:\n[FILE] /w/a.ts (1 B)\n[FILE] /w/src/b.ts (3 B)\n[truncated: reached max results limit (2 returned)] [tip: Increase maxResults or use more specific pattern to see more results.]',
    ],
    [
      { maxFilesScanned: 1 },
      'Found 1:\n[FILE] /w/a.ts (1 B)\n[truncated: reached max files limit (1 scanned)] [tip: Increase maxFilesScanned or use more specific pattern.]',
    ],
  ])('says why it is not all: %j', async (args, printed) => {
    expect(await text(tree, 'search_files', { path: '.', pattern: '**/*.ts', ...args })).toBe(printed)
  })

  test('exactly as many as asked for is all', async () => {
    expect(
      await data(tree, 'search_files', { path: '.', pattern: '**/*.ts', maxResults: 3, maxFilesScanned: 3 }),
    ).toMatchObject({
      summary: { truncated: false },
    })
  })

  test('finding nothing is no failure', async () => {
    expect(await text(tree, 'search_files', { path: '.', pattern: '*.zig' })).toBe(
      'No matches\n(Try a broader pattern, remove excludePatterns, or set includeHidden=true if searching dotfiles.)',
    )
  })
})

describe('search_content', () => {
  test('prints lines by file, with the lines around them', async () => {
    const tree = { 'a.ts': '1\n2  \n// TODO: todo\n4\n', 'b.ts': 'todo\n' }
    expect(await text(tree, 'search_content', { path: '.', pattern: 'TODO', contextLines: 1 })).toBe(
      [
        'Found 2:',
        'a.ts (2 matches):',
        '       2: 2',
        '  >    3: // TODO: todo',
        '       4: 4',
        '    ---',
        '',
        'b.ts (1 match):',
        '  >    1: todo',
        '',
      ].join('\n'),
    )
  })

  test('returns the same as data; a match is also context of its neighbour', async () => {
    const tree = { 'a.ts': '1\nhit\nhit\n4\n' }
    expect(await data(tree, 'search_content', { path: '.', pattern: 'hit', contextLines: 1 })).toEqual({
      ok: true,
      basePath: '/w',
      pattern: 'hit',
      filePattern: '**/*',
      matches: [
        { file: 'a.ts', line: 2, content: 'hit', contextBefore: ['1'], contextAfter: ['hit'], matchCount: 1 },
        { file: 'a.ts', line: 3, content: 'hit', contextBefore: ['hit'], contextAfter: ['4'], matchCount: 1 },
      ],
      summary: { filesScanned: 1, filesMatched: 1, totalMatches: 2, truncated: false },
    })
  })

  async function lines(tree: MemoryTree, args: object): Promise<string[]> {
    const { matches } = await data(tree, 'search_content', { path: '.', ...args })
    return (matches as { file: string; line: number }[]).map(({ file, line }) => `${file}:${line}`)
  }

  const tree = {
    'a.txt': 'Test {\ntesting\ncontest\na.b(c)\naxb(c)\n',
    'x/B.TXT': 'test',
    'dist/o.txt': 'test',
    '.h': 'test',
  }
  test.each<[object, string[]]>([
    [{ pattern: 'test' }, ['a.txt:1', 'a.txt:2', 'a.txt:3', 'x/B.TXT:1']],
    [{ pattern: 'test', caseSensitive: true }, ['a.txt:2', 'a.txt:3', 'x/B.TXT:1']],
    [{ pattern: 'test', wholeWord: true }, ['a.txt:1', 'x/B.TXT:1']],
    [{ pattern: 'test {' }, ['a.txt:1']],
    [{ pattern: '(?-i)test$' }, ['a.txt:3', 'x/B.TXT:1']],
    [{ pattern: 'a.b(c)', isLiteral: true }, ['a.txt:4']],
    [{ pattern: 'test', filePattern: '*.txt' }, ['a.txt:1', 'a.txt:2', 'a.txt:3']],
    [
      { pattern: 'con|^test$', filePattern: '*.txt', baseNameMatch: true, caseSensitiveFileMatch: false },
      ['a.txt:3', 'x/B.TXT:1'],
    ],
    [{ pattern: '^test$', excludePatterns: [] }, ['dist/o.txt:1', 'x/B.TXT:1']],
    [{ pattern: '^test$', includeHidden: true }, ['.h:1', 'x/B.TXT:1']],
  ])('%j', async (args, found) => {
    expect(await lines(tree, args)).toEqual(found)
  })

  test('a line is truncated to 200 characters', async () => {
    const { matches } = await data({ a: `${'x'.repeat(300)}\n` }, 'search_content', { path: '.', pattern: '^x' })
    expect(matches).toEqual([{ file: 'a', line: 1, content: 'x'.repeat(200), matchCount: 1 }])
  })

  test('reports what was skipped', async () => {
    const skipped = { 'p.png': 'hit', 'b.x': 'hit\0', 'big.txt': 'hit and more', 'a.txt': 'hit' }
    const args = { path: '.', pattern: 'hit', maxFileSize: 5 }
    expect(await text(skipped, 'search_content', args)).toBe(
      'Found 1:\na.txt (1 match):\n  >    1: hit\n\n[1 skipped: too large] [2 skipped: binary]',
    )
    expect(await data(skipped, 'search_content', args)).toMatchObject({
      summary: { filesScanned: 4, filesMatched: 1, skippedTooLarge: 1, skippedBinary: 2 },
    })
    expect(await lines(skipped, { pattern: 'hit', skipBinary: false })).toEqual([
      'a.txt:1',
      'b.x:1',
      'big.txt:1',
      'p.png:1',
    ])
  })

  test.each<[object, string]>([
    [
      { maxResults: 1 },
      'Found 1:\na (1 match):\n  >    1: hit\n\n[truncated: reached max results limit (1)]\nScanned 1 files, found 1 matches in 1 files.',
    ],
    [
      { maxFilesScanned: 1 },
      'Found 2:\na (2 matches):\n  >    1: hit\n  >    2: hit\n\n[truncated: reached max files limit (1 scanned)]\nScanned 1 files, found 2 matches in 1 files.',
    ],
    [{ pattern: 'zzz' }, 'No matches'],
  ])('%j', async (args, printed) => {
    expect(await text({ a: 'hit\nhit\n', b: 'hit\n' }, 'search_content', { path: '.', pattern: 'hit', ...args })).toBe(
      printed,
    )
  })

  test.each<[Name, object]>([
    ['search_content', { pattern: 'hit' }],
    ['search_files', { pattern: '**' }],
  ])('%s that runs out of time is a result that says so', async (name, args) => {
    const fs = memory({ a: 'hit', 'd/b': 'hit' })
    const slow: FileSystem = { ...withoutFacets(fs), readDir: (path) => later(150).then(() => fs.readDir(path)) }
    const given = { path: '.', timeoutMs: 100, ...args }
    const result = await callTool(createWorkspace({ fs: slow }), fsContext, name, given)
    expect(result.isError).toBeUndefined()
    expect(result.structuredContent).toMatchObject({ summary: { truncated: true, stoppedReason: 'timeout' } })
  })
})

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

describe('read_file', () => {
  const tree = { 'a.txt': 'one\r\ntwo\nthree\n', e: '', 'l.txt': new Uint8Array([0x63, 0xe9, 0x0a, 0x80]) }

  test.each<[object, string, boolean, number | undefined, string]>([
    [{}, 'one\r\ntwo\nthree\n', false, 4, 'Total lines: 4'],
    [{ head: 2 }, 'one\ntwo', true, undefined, 'Showing first 2 lines'],
    [{ head: 3 }, 'one\ntwo\nthree', false, undefined, 'Showing first 3 lines'],
    [{ tail: 1 }, 'three', true, undefined, 'Showing last 1 lines'],
    [{ tail: 9 }, 'one\ntwo\nthree', false, undefined, 'Showing last 9 lines'],
    [{ lineStart: 2, lineEnd: 2 }, 'two', true, undefined, 'Showing lines 2-2'],
    [{ lineStart: 1, lineEnd: 9 }, 'one\ntwo\nthree', false, undefined, 'Showing lines 1-9'],
    [{ lineStart: 8, lineEnd: 9 }, '', true, undefined, 'Showing lines 8-9'],
    [{ head: 1, maxSize: 1 }, 'o', true, undefined, 'Showing first 1 lines'],
    [{ head: 3, maxSize: 7 }, 'one\ntw', true, undefined, 'Showing first 3 lines'],
    [{ head: 3, maxSize: 9 }, 'one\ntwo', true, undefined, 'Showing first 3 lines'],
    [{ tail: 3, maxSize: 10 }, 'two\nthree', true, undefined, 'Showing last 3 lines'],
    [{ tail: 3, maxSize: 9 }, 'three', true, undefined, 'Showing last 3 lines'],
    [{ tail: 1, maxSize: 2 }, 'th', true, undefined, 'Showing last 1 lines'],
    [{ lineStart: 2, lineEnd: 3, maxSize: 5 }, 'two\nt', true, undefined, 'Showing lines 2-3'],
    [{ encoding: 'hex', head: 1 }, '6f6e65', true, undefined, 'Showing first 1 lines'],
    [{ encoding: 'utf8' }, 'one\r\ntwo\nthree\n', false, 4, 'Total lines: 4'],
  ])('%j', async (args, content, truncated, totalLines, note) => {
    const given = { path: 'a.txt', ...args }
    expect(await text(tree, 'read_file', given)).toBe(`${content}\n${note}`)
    expect(await data(tree, 'read_file', given)).toEqual({
      ok: true,
      path: 'a.txt',
      content,
      truncated,
      ...(totalLines !== undefined && { totalLines }),
    })
  })

  test.each([
    ['latin1', 'c\u00e9\n\u0080'],
    ['ascii', 'ci\n\0'],
    ['base64', 'Y+kKgA=='],
    ['hex', '63e90a80'],
    ['utf-8', 'c\ufffd\n\ufffd'],
  ])('in %s', async (encoding, content) => {
    expect(await data(tree, 'read_file', { path: 'l.txt', encoding })).toMatchObject({ content })
  })

  test('an empty file has one empty line', async () => {
    expect(await data(tree, 'read_file', { path: 'e' })).toEqual({
      ok: true,
      path: 'e',
      content: '',
      truncated: false,
      totalLines: 1,
    })
  })

  test('a file over maxSize is only read in part', async () => {
    const args = { path: 'a.txt', maxSize: 14 }
    expect(await failure(tree, 'read_file', args)).toBe(
      'E_TOO_LARGE File too large: 15 bytes (max: 14 bytes). Use head, tail, or lineRange for partial reads.',
    )
    expect(await data(tree, 'read_file', { ...args, tail: 1 })).toMatchObject({ content: 'three' })
  })

  test('the limit of the workspace overrides that of the caller', async () => {
    const limits = { maxFileBytes: 3 }
    expect(await failure(tree, 'read_file', { path: 'a.txt', maxSize: 99 }, { limits })).toBe(
      'E_TOO_LARGE File too large: 15 bytes (max: 3 bytes). Use head, tail, or lineRange for partial reads.',
    )
  })

  test('content that would make a message too large for clients is sent once', async () => {
    const tree = { big: 'x'.repeat(6_000_000), small: 'x'.repeat(4_000_000) }
    expect(await text(tree, 'read_file', { path: 'big' })).toBe(
      '[6000000 characters: in structuredContent]\nTotal lines: 1',
    )
    expect(await data(tree, 'read_file', { path: 'big' })).toMatchObject({ content: tree.big })
    expect(await text(tree, 'read_file', { path: 'small' })).toBe(`${tree.small}\nTotal lines: 1`)
    const names = ['small', 'small', 'small']
    expect(await data(tree, 'read_multiple_files', { paths: names })).toMatchObject({ summary: { succeeded: 3 } })
  })

  test('no more than 100 MiB is read at once, whatever a call allows', async () => {
    const tree = { big: new Uint8Array(10 * 1024 ** 2).fill(0x78) }
    const args = { paths: Array.from({ length: 11 }, () => 'big'), maxTotalSize: 1024 ** 3, encoding: 'latin1' }
    const { results, summary } = (await data(tree, 'read_multiple_files', args)) as {
      results: { error?: string }[]
      summary: object
    }
    expect(summary).toEqual({ total: 11, succeeded: 10, failed: 1 })
    expect(results[10]?.error).toBe('Skipped: combined estimated read would exceed maxTotalSize (104857600 bytes)')
  })

  test('a byte-order mark is no part of the text, and makes a file with NULs text', async () => {
    const marked = { u8: '\ufeffa', u16: new Uint8Array([0xff, 0xfe, 0x68, 0x00, 0x0a, 0x00]) }
    expect(await data(marked, 'read_file', { path: 'u8' })).toMatchObject({ content: 'a' })
    expect(await data(marked, 'read_file', { path: 'u16' })).toMatchObject({ content: 'h\n' })
  })

  test('a NUL counts as binary among the first 512 bytes only', async () => {
    const nuls = { near: `${'x'.repeat(511)}\0`, far: `${'x'.repeat(512)}\0` }
    expect(await failure(nuls, 'read_file', { path: 'near' })).toBe(
      'E_INVALID_INPUT Binary file detected: /w/near. Set skipBinary=false to read as text.',
    )
    expect(await data(nuls, 'read_file', { path: 'near', skipBinary: false })).toMatchObject({ content: nuls.near })
    expect(await data(nuls, 'read_file', { path: 'far' })).toMatchObject({ content: nuls.far })
  })
})

describe('read_multiple_files', () => {
  const tree = { 'a.txt': '12345', 'b.txt': '1\n34567', 'c.png': '\0' }

  test('each file reports, in the order asked for; binary files are read too', async () => {
    const args = { paths: ['c.png', 'gone', 'a.txt', '/out/secret'] }
    expect(await text(tree, 'read_multiple_files', args)).toBe(
      [
        '=== c.png ===',
        '\0',
        '=== gone ===',
        '[Error: Path does not exist: /w/gone]',
        '=== a.txt ===',
        '12345',
        '=== /out/secret ===',
        "[Error: Access denied: Path '/out/secret' is outside allowed directories]",
      ].join('\n'),
    )
    expect(await data(tree, 'read_multiple_files', args)).toEqual({
      ok: true,
      results: [
        { path: 'c.png', content: '\0', truncated: false, totalLines: 1 },
        { path: 'gone', error: 'Path does not exist: /w/gone' },
        { path: 'a.txt', content: '12345', truncated: false, totalLines: 1 },
        { path: '/out/secret', error: "Access denied: Path '/out/secret' is outside allowed directories" },
      ],
      summary: { total: 4, succeeded: 2, failed: 2 },
    })
  })

  test('a file that would go over the total is left out, a smaller one after it is not', async () => {
    const args = { paths: ['a.txt', 'b.txt', 'c.png'], maxTotalSize: 6 }
    expect(await data(tree, 'read_multiple_files', args)).toMatchObject({
      results: [
        { content: '12345' },
        { error: 'Skipped: combined estimated read would exceed maxTotalSize (6 bytes)' },
        { content: '\0' },
      ],
    })
  })

  test('a file over maxSize does not count', async () => {
    const args = { paths: ['b.txt', 'a.txt'], maxSize: 5, maxTotalSize: 5 }
    expect(await data(tree, 'read_multiple_files', args)).toMatchObject({
      results: [
        { error: 'File too large: 7 bytes (max: 5 bytes). Use head, tail, or lineRange for partial reads.' },
        { content: '12345' },
      ],
    })
  })

  test('a partial result says so', async () => {
    expect(await text(tree, 'read_multiple_files', { paths: ['b.txt', 'a.txt'], head: 1 })).toBe(
      '=== b.txt ===\n1\n[Truncated]\n=== a.txt ===\n12345',
    )
  })
})

describe('get_file_info', () => {
  async function info(tree: MemoryTree, path: string, staged?: Stage): Promise<Record<string, unknown>> {
    const { info: printed } = await data(tree, 'get_file_info', { path }, staged)
    return printed as Record<string, unknown>
  }

  test('reports the known metadata', async () => {
    const workspace = await stage({ 'a.ts': 'x'.repeat(2048) }, { modified: { 'a.ts': times.old } })
    const { structuredContent, content } = await callTool(workspace, fsContext, 'get_file_info', { path: 'a.ts' })
    const { created, accessed } = (structuredContent as { info: { created: string; accessed: string } }).info
    expect(structuredContent).toEqual({
      ok: true,
      info: {
        name: 'a.ts',
        path: '/w/a.ts',
        type: 'file',
        size: 2048,
        created,
        modified: '2023-11-14T22:13:20.000Z',
        accessed,
        permissions: 'rw-r--r--',
        isHidden: false,
        mimeType: 'text/typescript',
      },
    })
    expect(content).toEqual([
      {
        type: 'text',
        text: `Name: a.ts\nPath: /w/a.ts\nType: file\nSize: 2 KB\nCreated: ${created}\nModified: 2023-11-14T22:13:20.000Z\nAccessed: ${accessed}\nPermissions: rw-r--r--\nHidden: No\nMIME Type: text/typescript`,
      },
    ])
  })

  test('of a link, its target', async () => {
    expect(await info({ 'r.txt': '12' }, 'ln', { links: { ln: 'r.txt' } })).toMatchObject({
      name: 'ln',
      path: '/w/ln',
      type: 'symlink',
      size: 2,
      symlinkTarget: 'r.txt',
    })
  })

  test('of a directory, and of a hidden file', async () => {
    expect(await info({ 'd.x/f': '' }, 'd.x')).toMatchObject({ type: 'directory', size: 0 })
    expect(await info({ 'd.x/f': '' }, 'd.x')).not.toHaveProperty('mimeType')
    expect(await info({ '.env': '' }, '.env')).toMatchObject({ isHidden: true })
    expect(await info({ '.env': '' }, '.env')).not.toHaveProperty('mimeType')
  })

  test.each([
    ['a.JSON', 'application/json'],
    ['a.yml', 'text/yaml'],
    ['a.cjs', 'text/javascript'],
    ['a.log', 'text/plain'],
    ['a.tar.gz', 'application/gzip'],
    ['a.unknown', 'application/octet-stream'],
  ])('%s is %s', async (name, mimeType) => {
    expect(await info({ [name]: '' }, name)).toMatchObject({ mimeType })
  })
})

describe('get_multiple_file_info', () => {
  const tree = { 'a.txt': '123', 'b.md': '12345' }

  test('each reports, with a summary', async () => {
    const args = { paths: ['a.txt', 'gone', '/w/b.md'] }
    expect(await text(tree, 'get_multiple_file_info', args)).toBe(
      'File info (2/3 ok | 8 B):\na.txt | file | 3 B | text/plain\ngone [error: Path does not exist: /w/gone]\n/w/b.md | file | 5 B | text/markdown',
    )
    expect(await data(tree, 'get_multiple_file_info', args)).toMatchObject({
      ok: true,
      results: [
        { path: 'a.txt', info: { name: 'a.txt', path: '/w/a.txt', size: 3 } },
        { path: 'gone', error: 'Path does not exist: /w/gone' },
        { path: '/w/b.md', info: { name: 'b.md', size: 5 } },
      ],
      summary: { total: 3, succeeded: 2, failed: 1, totalSize: 8 },
    })
  })

  test('without MIME types', async () => {
    expect(await text(tree, 'get_multiple_file_info', { paths: ['a.txt'], includeMimeType: false })).toBe(
      'File info (1/1 ok | 3 B):\na.txt | file | 3 B',
    )
  })
})

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KB'],
  [1536, '1.5 KB'],
  [12_845_056, '12.25 MB'],
  [5 * 1024 ** 5, '5120 TB'],
])('%i bytes are %s', (bytes, printed) => {
  expect(formatBytes(bytes)).toBe(printed)
})

test('the default excludes leave out what they name, at every depth', () => {
  const glob = compileGlobs(defaultExcludes, listingGlobs.excludeRules)
  const paths = [
    'src/a',
    'node_modules/x/y',
    'p/dist/x',
    '.DS_Store',
    'a/Thumbs.db',
    'tmp/a',
    'tmpx/a',
    'outer/a',
    'yarn-error.log',
  ]
  expect(defaultExcludes.length).toBe(23)
  expect(paths.filter((path) => !glob.matches(path))).toEqual(['src/a', 'tmpx/a', 'outer/a'])
})
