import { describe, expect, test } from 'vitest'
import { fileEditor } from '../../src/dialects/file-editor/tools.js'
import { type MemoryTree, memory } from '../../src/fs/backends/memory.js'
import type { Root } from '../../src/fs/gate/confine.js'
import type { FileSystem } from '../../src/fs/types.js'
import { callTool, offeredTools } from '../../src/tools/call-tool.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Session, Workspace } from '../../src/workspace/workspace.js'

interface Stage {
  raw: FileSystem
  /** The text of the answer; that of a failure starts with `Error: `. */
  call(tool: string, args: object): Promise<string>
  content(path: string): Promise<string>
}

/** A workspace at `/work` with a directory beside it; nothing is chosen yet. */
function open(tree: MemoryTree = {}, roots: [Root, ...Root[]] = [{ path: '/work', access: 'read-write' }]): Stage {
  const raw = memory({ 'work/': '', 'outside/o.txt': 'secret', ...under('work', tree) })
  return stageOf(createWorkspace({ fs: raw, roots }), raw)
}

function stageOf(workspace: Workspace, raw: FileSystem): Stage {
  const session: Session = {}
  return {
    raw,
    async call(tool, args) {
      const { content, isError = false } = await callTool(workspace, fileEditor, tool, args, { session })
      expect(content).toHaveLength(1)
      const text = content[0]?.type === 'text' ? content[0].text : ''
      expect(isError).toBe(text.startsWith('Error: '))
      return text
    },
    async content(path) {
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await raw.readFile(`/work/${path}`))
    },
  }
}

function under(directory: string, tree: MemoryTree): MemoryTree {
  return Object.fromEntries(Object.entries(tree).map(([path, content]) => [`${directory}/${path}`, content]))
}

async function chosen(tree: MemoryTree = {}): Promise<Stage> {
  const stage = open(tree)
  await stage.call('set_workspace', { path: '/work' })
  return stage
}

test('the seven tools come in this order; those that change files are not offered where nothing can be changed', () => {
  const names = (readOnly: boolean) =>
    offeredTools(fileEditor, createWorkspace({ fs: memory({}), readOnly })).map(({ name }) => name)
  expect(names(false)).toEqual([
    'set_workspace',
    'read_files',
    'write_files',
    'list_files',
    'insert_contents',
    'apply_diffs',
    'search_and_replace',
  ])
  expect(names(true)).toEqual(['set_workspace', 'read_files', 'list_files'])
})

describe('set_workspace', () => {
  const notSet =
    'Error: Workspace not set. Please call set_workspace first to establish a secure workspace root directory.'

  test('comes before every other tool', async () => {
    const { call } = open({ a: 'x' })
    for (const tool of fileEditor.tools.slice(1)) expect(await call(tool.name, { path: 'a' })).toBe(notSet)
    expect(await call('set_workspace', { path: '/work/no' })).toBe(
      'Error: Workspace directory does not exist: /work/no',
    )
    expect(await call('read_files', { path: 'a' })).toBe(notSet)
    expect(await call('set_workspace', { path: '.' })).toBe('Successfully set workspace root to: /work')
    expect(await call('read_files', { path: 'a' })).toBe('1 | x')
  })

  test('applies to its own connection only', async () => {
    const raw = memory({ a: 'x' })
    const workspace = createWorkspace({ fs: raw })
    const [one, other] = [stageOf(workspace, raw), stageOf(workspace, raw)]
    expect(await one.call('set_workspace', { path: '/' })).toBe('Successfully set workspace root to: /')
    expect(await one.call('read_files', { path: '/a' })).toBe('1 | x')
    expect(await other.call('read_files', { path: '/a' })).toBe(notSet)
  })

  test('narrows the workspace: siblings of the directory are outside, by links too', async () => {
    const { raw, call } = open({ 'd/a': 'x', b: 'y' })
    await raw.symlink?.('../b', '/work/d/up')
    expect(await call('set_workspace', { path: 'd' })).toBe('Successfully set workspace root to: /work/d')
    expect(await call('read_files', { path: '/work/d/a' })).toBe('1 | x')
    const outside = 'Error: Access denied: Path is outside the workspace boundary'
    expect(await call('read_files', { path: '../b' })).toBe(outside)
    expect(await call('read_files', { path: 'up' })).toBe(outside)
    expect(await call('search_and_replace', { path: 'up', search: 'y', replace: 'z' })).toBe(outside)
    expect(await call('set_workspace', { path: '/work' })).toBe('Successfully set workspace root to: /work')
    expect(await call('read_files', { path: 'd/up' })).toBe('1 | y')
  })

  test.each<[path: unknown, message: string]>([
    ['/outside', 'Access denied: Path is outside the workspace boundary'],
    ['../outside', 'Access denied: Path is outside the workspace boundary'],
    ['out', 'Access denied: Path is outside the workspace boundary'],
    ['no', 'Workspace directory does not exist: no'],
    ['file', 'Workspace path is not a directory: file'],
    ['', 'Invalid workspace root: must be a non-empty string'],
    [7, 'Invalid workspace root: must be a non-empty string'],
    [undefined, 'Invalid workspace root: must be a non-empty string'],
    ['a\0b', 'Invalid workspace root: contains null bytes'],
  ])('%j is refused', async (path, message) => {
    const { raw, call } = open({ file: '' })
    await raw.symlink?.('../outside', '/work/out')
    expect(await call('set_workspace', { path })).toBe(`Error: ${message}`)
  })

  test('a link to a directory is taken for it, under the name it was given', async () => {
    const { raw, call } = open({ 'd/a': 'x' })
    await raw.symlink?.('d', '/work/link')
    expect(await call('set_workspace', { path: '/work/link' })).toBe('Successfully set workspace root to: /work/link')
    expect(await call('read_files', { path: '/work/link/a' })).toBe('1 | x')
  })

  test('protected and read-only directories stay so', async () => {
    const roots: [Root, Root] = [
      { path: '/work', access: 'read-write' },
      { path: '/work/d/locked', access: 'read-only' },
    ]
    const { call } = open({ '.git/hooks/a': '', 'd/locked/a': 'x' }, roots)
    const write = (path: string) => call('write_files', { path, content: 'y', line_count: 1 })
    await call('set_workspace', { path: '.git/hooks' })
    expect(await write('a')).toBe('Error: Failed to write 1 file(s): a: Access denied: Path is read-only: a')
    await call('set_workspace', { path: 'd' })
    expect(await write('locked/a')).toBe(
      'Error: Failed to write 1 file(s): locked/a: Access denied: Path is read-only: locked/a',
    )
    expect(await write('free')).toBe('File written successfully: free (1 lines)')
  })
})

describe('read_files', () => {
  test.each<[text: string, args: object, printed: string]>([
    ['a\r\nb\r\n', {}, '1 | a\r\n2 | b\r\n3 | '],
    ['a\rb', {}, '1 | a\rb'],
    ['', {}, '1 | '],
    ['a\0b', {}, '1 | a\0b'],
    ['a\nb\nc', { line_range: '2-2' }, '2 | b'],
    ['a\nb\nc\n', { line_range: '3-9' }, '3 | c\n4 | '],
    ['a\nb', { line_range: '3-4' }, 'Error: Line range 3-4 exceeds file length (2 lines)'],
    ['a', { line_range: '12' }, "Error: Invalid line range format: 12. Expected format: 'start-end'"],
    ['a', { line_range: '1-2-3' }, "Error: Invalid line range format: 1-2-3. Expected format: 'start-end'"],
    ['a', { line_range: '1 - 2' }, 'Error: Invalid line range: 1 - 2. Start and end must be valid numbers'],
    ['a', { line_range: '1-1e9' }, 'Error: Invalid line range: 1-1e9. Start and end must be valid numbers'],
    ['a', { line_range: '1-' }, 'Error: Invalid line range: 1-. Line numbers must be positive'],
    ['a\nb', { line_range: '2-99999999999999999999' }, '2 | b'],
    ['a', { line_range: 'x-2' }, 'Error: Invalid line range: x-2. Start and end must be valid numbers'],
    ['a', { line_range: '0-2' }, 'Error: Invalid line range: 0-2. Line numbers must be positive'],
    ['a', { line_range: '2-1' }, 'Error: Invalid line range: 2-1. Start line cannot be greater than end line'],
    ['a', { line_range: null }, '1 | a'],
  ])('%j %j', async (text, args, printed) => {
    const { call } = await chosen({ f: text })
    expect(await call('read_files', { path: 'f', ...args })).toBe(printed)
  })

  test('several files come with their headings, a range does not count, and failures follow', async () => {
    const { call } = await chosen({ a: 'x\ny', 'd/b': '' })
    expect(await call('read_files', { path: ['a', 'no', 'd/b', 'd', '../o'], line_range: '2-2' })).toBe(
      `Successfully read 2 file(s):

=== a (2 lines) ===
1 | x
2 | y

=== d/b (1 lines) ===
1 | 

Errors encountered:
- File not found: no
- Error reading d: Path is a directory: d
- Error reading ../o: Access denied: Path is outside the workspace boundary`,
    )
  })

  test('reading none at all is a failure', async () => {
    const { call } = await chosen({})
    expect(await call('read_files', { path: ['a', 'b'] })).toBe(
      'Error: Failed to read any files: File not found: a, File not found: b',
    )
    expect(await call('read_files', { path: [] })).toBe('Error: Failed to read any files: No files provided')
    expect(await call('read_files', { path: '' })).toBe('Error: Invalid file path: must be a non-empty string')
    expect(await call('read_files', {})).toBe('Error: Invalid file path: must be a non-empty string')
    expect(await call('read_files', { path: 'a\0' })).toBe('Error: Invalid file path: contains null bytes')
  })
})

describe('write_files', () => {
  test('successful writes stay, and the failure names the rest', async () => {
    const { call, content } = await chosen({ 'd/x': '' })
    expect(await call('write_files', { path: ['a', 'd', '../o'], content: 'x\n', line_count: 7 })).toBe(
      'Error: Failed to write 2 file(s): d: Path is a directory: d, ../o: Access denied: Path is outside the workspace boundary',
    )
    expect(await content('a')).toBe('x\n')
  })

  test.each<[args: object, message: string]>([
    [{ path: ['a', 'b'], content: ['x'], line_count: 1 }, "Path count (2) doesn't match content count (1)"],
    [{ path: 'a', content: ['x', 'y'], line_count: 1 }, "Path count (1) doesn't match content count (2)"],
    [{ path: ['a'], content: 'x', line_count: [1, 2] }, "Path count (1) doesn't match line_count array length (2)"],
    [{ path: [], content: 'x', line_count: 1 }, 'No files provided'],
    [{ path: 'a', content: 'x' }, 'Missing required parameter: line_count'],
    [{ path: 'a', content: 'x', line_count: -1 }, 'Invalid line_count: must be at least 0'],
    [{ path: 'a', content: 5, line_count: 1 }, 'Invalid content: must be string or array'],
    [{ path: 'a', content: [5], line_count: 1 }, 'Invalid content: must be string or array of string'],
  ])('%j is refused', async (args, message) => {
    const { raw, call } = await chosen()
    expect(await call('write_files', args)).toBe(`Error: ${message}`)
    expect(await raw.readDir('/work')).toEqual([])
  })
})

describe('list_files', () => {
  test('files, directories and links by name; the entries of a directory follow it', async () => {
    const { raw, call } = await chosen({ 'b/c/d': '', 'b.x': '', 'a\n': '', '.h': '' })
    await raw.symlink?.('b', '/work/z')
    expect(await call('list_files', { path: '.' })).toBe('file: .h\nfile: a\\u{a}\ndirectory: b\nfile: b.x\nfile: z')
    expect(await call('list_files', { path: '/work', recursive: true })).toBe(
      'file: .h\nfile: a\\u{a}\ndirectory: b\ndirectory: b/c\nfile: b/c/d\nfile: b.x\nfile: z',
    )
  })

  test('failures', async () => {
    const { call } = await chosen({ f: '' })
    expect(await call('list_files', { path: 'no' })).toBe('Error: Directory not found: no')
    expect(await call('list_files', { path: 'f' })).toBe('Error: Path is not a directory: f')
    expect(await call('read_files', { path: 'f/x' })).toBe('Error: File not found: f/x')
    expect(await call('insert_contents', { path: ['f/x', 'f'], line: 1, content: '' })).toMatch(
      /\nErrors encountered:\n❌ f\/x: File not found: f\/x$/,
    )
    expect(await call('list_files', { path: '..' })).toBe(
      'Error: Access denied: Path is outside the workspace boundary',
    )
  })
})

describe('insert_contents', () => {
  test.each<[text: string, line: number, content: string, after: string]>([
    ['a\nb', 1, 'X', 'X\na\nb'],
    ['a\nb', 3, 'X', 'a\nb\nX'],
    ['a\nb', 0, 'X\nY', 'a\nb\nX\nY'],
    ['a\n', 0, 'X', 'a\n\nX'],
    ['', 0, 'X', '\nX'],
    ['a\nb', -1, 'X', 'a\nX\nb'],
    ['a\nb\n', -1, 'X', 'a\nb\nX\n'],
    ['a\nb', -2, 'X', 'X\na\nb'],
    ['a\r\nb\r\n', 2, 'X', 'a\r\nX\nb\r\n'],
    ['a\nb', 2, 'X\r', 'a\nX\r\nb'],
    ['a\nb', 2, '', 'a\n\nb'],
  ])('%j at %d: %j', async (text, line, inserted, after) => {
    const { call, content } = await chosen({ f: text })
    const position = line === 0 ? 'end of file' : line
    const [lines, total] = [inserted.split('\n').length, after.split('\n').length]
    expect(await call('insert_contents', { path: 'f', line, content: inserted })).toBe(
      `Successfully inserted ${lines} line(s) at position ${position} in f. File now has ${total} lines.`,
    )
    expect(await content('f')).toBe(after)
  })

  test('bytes that are not UTF-8 stay as they are', async () => {
    const { raw, call } = await chosen({ f: new Uint8Array([0xff, 0x0a, 0x80]) })
    await call('insert_contents', { path: 'f', line: 2, content: 'é' })
    expect([...(await raw.readFile('/work/f'))]).toEqual([0xff, 0x0a, 0xc3, 0xa9, 0x0a, 0x80])
  })

  test('failures of some files are listed after the successes', async () => {
    const { call } = await chosen({ a: 'a' })
    expect(await call('insert_contents', { path: ['no', 'a', 'a'], line: [1, 1, 9], content: 'x' })).toBe(
      `Successfully processed 1 file(s):

✅ a: Successfully inserted 1 line(s) at position 1 in a. File now has 2 lines.

Errors encountered:
❌ no: File not found: no
❌ a: Line number 9 exceeds file length (2 lines)`,
    )
    expect(await call('insert_contents', { path: ['no', 'gone'], line: 1, content: 'x' })).toBe(
      'Error: Failed to insert content in any files: File not found: no, File not found: gone',
    )
  })

  test.each<[args: object, message: string]>([
    [{ path: 'a', line: 3, content: 'x' }, 'Line number 3 exceeds file length (1 lines)'],
    [{ path: 'a', line: -2, content: 'x' }, 'Negative line number -2 is out of range for file with 1 lines'],
    [{ path: ['a'], line: [1, 2], content: 'x' }, 'Line array length (2) must match file count (1)'],
    [{ path: ['a'], line: 1, content: [] }, 'Content array length (0) must match file count (1)'],
    [{ path: 'a', content: 'x' }, 'Missing required parameter: line'],
  ])('%j is refused', async (args, message) => {
    const { call, content } = await chosen({ a: 'a' })
    expect(await call('insert_contents', args)).toBe(`Error: ${message}`)
    expect(await content('a')).toBe('a')
  })
})

describe('apply_diffs', () => {
  test('diffs are applied from the top, and reported in the order given', async () => {
    const { call, content } = await chosen({ f: '1\n2\n3\n4\n5\n' })
    const args = { search_content: ['5', '1\n2', '3'], replace_content: ['five', 'x', 'a\nb'], start_line: [5, 1, 3] }
    expect(await call('apply_diffs', { path: 'f', ...args })).toBe(
      `Batch diff operation (atomic) completed: 3/3 diffs applied successfully to f. File now has 6 lines.

Detailed results:

Diff 1:
  Status: success
  Start Line: 5
  Message: Replaced 1 line(s) at line 5

Diff 2:
  Status: success
  Start Line: 1
  Message: Replaced 2 line(s) at line 1 (removed 1 line(s))

Diff 3:
  Status: success
  Start Line: 3
  Message: Replaced 1 line(s) at line 3 (added 1 line(s))`,
    )
    expect(await content('f')).toBe('x\na\nb\n4\nfive\n')
  })

  test('one that does not fit is the end of an atomic batch', async () => {
    const { call, content } = await chosen({ f: '1\n2\n3' })
    const args = { search_content: ['3', '1', '4'], replace_content: ['x', 'a\nb', ''], start_line: [2, 1, 4] }
    expect(await call('apply_diffs', { path: 'f', ...args })).toBe(
      `Error: Atomic operation failed: 1/3 diffs would fail. No changes applied.

Detailed results:

Diff 1:
  Status: fail
  Start Line: 2
  Message: Content mismatch at line 2 (actual: 3).

Expected content:
3 | 3

Actual content:
3 | 2

This is diff #1 in the batch.

Diff 2:
  Status: aborted
  Start Line: 1
  Message: Operation aborted due to validation failures in atomic mode

Diff 3:
  Status: aborted
  Start Line: 4
  Message: Operation aborted due to validation failures in atomic mode`,
    )
    expect(await content('f')).toBe('1\n2\n3')
  })

  test('and is left out otherwise, without moving the others', async () => {
    const { call, content } = await chosen({ f: '1\n2\n3' })
    const args = { search_content: ['no', '3', '3\n4'], replace_content: ['a\nb', 'x', ''], start_line: [1, 3, 3] }
    expect(await call('apply_diffs', { path: 'f', ...args, atomic: false })).toBe(
      `Batch diff operation (non-atomic) completed: 1/3 diffs applied successfully to f (2 failed). File now has 3 lines.

Detailed results:

Diff 1:
  Status: fail
  Start Line: 1
  Message: Content mismatch at line 1 (actual: 1).

Expected content:
1 | no

Actual content:
1 | 1

This is diff #1 in the batch.

Diff 2:
  Status: success
  Start Line: 3
  Message: Replaced 1 line(s) at line 3

Diff 3:
  Status: fail
  Start Line: 3
  Message: Content mismatch at line 3 (actual: 3).

Expected content:
3 | 3
4 | 4

Actual content:
(lines that another diff has replaced)

This is diff #3 in the batch.`,
    )
    expect(await content('f')).toBe('1\n2\nx')
  })

  test('if all of them are skipped, that is reported too', async () => {
    const { call } = await chosen({ f: 'a' })
    const args = { search_content: ['x', 'y'], replace_content: ['', ''], start_line: [1, 2], atomic: false }
    expect((await call('apply_diffs', { path: 'f', ...args })).split('\n')[0]).toBe(
      'Batch diff operation (non-atomic) completed: 0/2 diffs applied successfully to f (2 failed). File now has 1 lines.',
    )
  })

  test.each<[text: string, args: object, after: string]>([
    ['a\nb\n', { search_content: 'b\n', replace_content: 'x', start_line: 2 }, 'a\nx'],
    ['a\r\nb\r\n', { search_content: 'a\r', replace_content: 'x', start_line: 1 }, 'x\nb\r\n'],
    ['a\r\nb', { search_content: 'a', replace_content: 'x\r', start_line: 1, trim: true }, 'x\r\nb'],
    ['\t a \nb', { search_content: 'a\n b ', replace_content: ' y', start_line: 1, trim: true }, ' y'],
    ['', { search_content: '', replace_content: 'x', start_line: 1 }, 'x'],
  ])('%j %j', async (text, args, after) => {
    const { call, content } = await chosen({ f: text })
    await call('apply_diffs', { path: 'f', ...args })
    expect(await content('f')).toBe(after)
  })

  test.each<[args: object, message: string]>([
    [
      { search_content: 'a', replace_content: 'x', start_line: 1 },
      'Single diff failed:\n\nContent mismatch at line 1 (actual: 1).\n\nExpected content:\n1 | a\n\nActual content:\n1 | a\r\n\nThis is diff #1 in the batch.',
    ],
    [
      { search_content: 'b', replace_content: 'x', start_line: 4 },
      'Single diff failed:\n\nstart_line (4 -> 4) exceeds file length (2 lines)',
    ],
    [
      { search_content: 'b\n\n', replace_content: 'x', start_line: 2 },
      'Single diff failed:\n\nSearch content extends beyond file length. Start line: 2 (actual: 2), search lines: 3, file lines: 2',
    ],
    [
      { search_content: ['a\r', 'b'], replace_content: ['x'], start_line: [1, 2] },
      'Array lengths for search_content, replace_content, and start_line must match',
    ],
    [
      { search_content: ['b', 'a\r'], replace_content: ['', ''], start_line: [2, 0] },
      'Invalid start_line: 0 at index 1. Line numbers start from 1.',
    ],
    [{ search_content: [], replace_content: [], start_line: [] }, 'No diffs provided'],
    [{ search_content: 'a', replace_content: 'x' }, 'Missing required parameter: start_line'],
    [{ path: 'no', search_content: 'a', replace_content: 'x', start_line: 1 }, 'File not found: no'],
  ])('%j is refused', async (args, message) => {
    const { call, content } = await chosen({ f: 'a\r\nb' })
    expect(await call('apply_diffs', { path: 'f', ...args })).toBe(`Error: ${message}`)
    expect(await content('f')).toBe('a\r\nb')
  })
})

describe('search_and_replace', () => {
  type Replaced = [text: string, args: object, after: string, message: string]

  test.each<Replaced>([
    ['a.b a.b\naxb', { search: 'a.b', replace: '$&' }, '$& $&\naxb', '2 occurrence(s) in f'],
    ['ab\nAB', { search: 'B', replace: 'x', ignore_case: true }, 'ax\nAx', '2 occurrence(s) in f (case-insensitive)'],
    ['ab', { search: '', replace: 'x', use_regex: true }, 'ab', '0 occurrence(s) in f using regex pattern'],
    ['a\nb', { search: 'a\nb', replace: 'x' }, 'a\nb', '0 occurrence(s) in f'],
    ['a\nb', { search: 'a\\nb', replace: 'x', use_regex: true }, 'a\nb', '0 occurrence(s) in f using regex pattern'],
    ['a\r\nb', { search: '\r', replace: '' }, 'a\nb', '1 occurrence(s) in f'],
    [
      'a\nb\n',
      { search: '^', replace: '> ', use_regex: true },
      '> a\n> b\n> ',
      '3 occurrence(s) in f using regex pattern',
    ],
    ['a,b', { search: ',', replace: '\n' }, 'a\nb', '1 occurrence(s) in f'],
    ['aa', { search: 'a', replace: 'a' }, 'aa', '2 occurrence(s) in f'],
    [
      'x=1',
      { search: '(?<k>\\w)=(\\d)', replace: '$2=$<k>$$', use_regex: true },
      '1=x$',
      '1 occurrence(s) in f using regex pattern',
    ],
    [
      'X\nx\nx',
      { search: 'x', replace: 'y', use_regex: true, ignore_case: true, start_line: 1, end_line: 2 },
      'y\ny\nx',
      '2 occurrence(s) in f (lines 1-2) using regex pattern (case-insensitive)',
    ],
    ['x\nx\nx', { search: 'x', replace: 'y', start_line: 3 }, 'x\nx\ny', '1 occurrence(s) in f (from line 3)'],
    ['x\nx', { search: 'x', replace: 'y', end_line: 99 }, 'y\ny', '2 occurrence(s) in f (up to line 99)'],
    [
      'x\nx',
      { search: 'x', replace: 'y', start_line: null, end_line: 1 },
      'y\nx',
      '1 occurrence(s) in f (up to line 1)',
    ],
  ])('%j %j', async (text, args, after, message) => {
    const { call, content } = await chosen({ f: text })
    expect(await call('search_and_replace', { path: 'f', ...args })).toBe(`Successfully replaced ${message}`)
    expect(await content('f')).toBe(after)
  })

  test.each<[args: object, message: string]>([
    [{ search: 'x', replace: 'y', start_line: 0 }, 'Invalid start_line: 0. Line numbers start from 1.'],
    [{ search: 'x', replace: 'y', end_line: 0 }, 'Invalid end_line: 0. Line numbers start from 1.'],
    [{ search: 'x', replace: 'y', start_line: 2, end_line: 1 }, 'start_line (2) cannot be greater than end_line (1)'],
    [{ search: 'x', replace: 'y', start_line: 4 }, 'start_line (4) exceeds file length (2 lines)'],
    [{ search: '', replace: 'y', start_line: 4 }, 'start_line (4) exceeds file length (2 lines)'],
    [{ path: 'no', search: 'x', replace: 'y' }, 'File not found: no'],
    [{ path: 7, search: 'x', replace: 'y' }, 'Invalid file path: must be a non-empty string'],
    [{ search: 'x', replace: 'y', use_regex: 'yes' }, 'Invalid use_regex: must be boolean'],
  ])('%j is refused', async (args, message) => {
    const { call } = await chosen({ f: 'x\nx' })
    expect(await call('search_and_replace', { path: 'f', ...args })).toBe(`Error: ${message}`)
  })

  test('an invalid pattern is reported with the reason', async () => {
    const { call } = await chosen({ f: 'x' })
    expect(await call('search_and_replace', { path: 'f', search: 'a(', replace: '', use_regex: true })).toMatch(
      /^Error: Invalid regular expression: a\(\. \S+/,
    )
  })
})

test('an unknown tool is named', async () => {
  expect(await open().call('frobnicate', {})).toBe('Error: Unknown tool: frobnicate')
})
