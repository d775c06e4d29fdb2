import { describe, expect, test } from 'vitest'
import { clarvis } from '../../../src/dialects/clarvis/tools.js'
import { type MemoryTree, memory } from '../../../src/fs/backends/memory.js'
import { withoutFacets } from '../../../src/fs/without-facets.js'
import { callTool } from '../../../src/tools/call-tool.js'
import type { ToolResult } from '../../../src/tools/dialect.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Limits } from '../../../src/workspace/limits.js'

function call(tree: MemoryTree, name: string, args: object, limits: Partial<Limits> = {}): Promise<ToolResult> {
  return callTool(createWorkspace({ fs: memory(tree), limits }), clarvis, name, args)
}

async function read(tree: MemoryTree, args: object, limits?: Partial<Limits>): Promise<string | undefined> {
  return (await call(tree, 'read_file', args, limits)).content[0]?.text
}

async function failure(tree: MemoryTree, name: string, args: object, limits?: Partial<Limits>): Promise<unknown> {
  const result = await call(tree, name, args, limits)
  expect(result.isError).toBe(true)
  return JSON.parse(result.content[0]?.text ?? '')
}

describe('read_file', () => {
  test('numbers lines right-aligned to six columns', async () => {
    expect(await read({ 'a.txt': 'alpha\nbeta\n' }, { path: 'a.txt' })).toBe('     1\talpha\n     2\tbeta')
  })

  test('CRLF, CR and LF all end a line, and a byte-order mark is not shown', async () => {
    expect(await read({ 'a.txt': '\ufeffa\r\nb\rc\n' }, { path: 'a.txt' })).toBe('     1\ta\n     2\tb\n     3\tc')
  })

  test('UTF-16 with a byte-order mark is decoded, big-endian too', async () => {
    const bytes = new Uint8Array([0xfe, 0xff, 0, 0x68, 0, 0xe9, 0, 0x0a])
    expect(await read({ 'u.txt': bytes }, { path: 'u.txt' })).toBe('     1\thé')
  })

  test('a window says where to continue, and a tail does not', async () => {
    const tree = { 'a.txt': 'a\nb\nc\nd\n' }
    expect(await read(tree, { path: 'a.txt', offset: 2, limit: 2 })).toBe(
      '     2\tb\n     3\tc\n[... 2 of 4 lines shown; continue with offset=4 ...]',
    )
    expect(await read(tree, { path: 'a.txt', offset: -2 })).toBe('     3\tc\n     4\td')
  })

  test('an empty file and a file of one newline are distinguished', async () => {
    expect(await read({ e: '' }, { path: 'e', offset: 0 })).toBe('(empty file)')
    expect(await read({ n: '\n' }, { path: 'n' })).toBe('     1\t')
  })

  test('a line over 2000 characters is cut before half a surrogate pair', async () => {
    const line = `${'x'.repeat(1999)}😀y`
    expect(await read({ w: line }, { path: 'w' })).toBe(`     1\t${'x'.repeat(1999)} [... line truncated ...]`)
  })

  test('rows stop at the output budget, and at least one is shown', async () => {
    const tree = { a: 'aaaa\nbbbb\ncccc\n' }
    expect(await read(tree, { path: 'a' }, { maxOutputBytes: 24 })).toBe(
      '     1\taaaa\n     2\tbbbb\n[... 2 of 3 lines shown; continue with offset=3 ...]',
    )
    expect(await read(tree, { path: 'a' }, { maxOutputBytes: 9 })).toBe(
      '     1\taa\n[... 1 of 3 lines shown; continue with offset=2 ...]',
    )
  })

  test('failures come in the envelope with their facts', async () => {
    const tree = { 'a.txt': 'a\nb\n', 'd/x': '', b: new Uint8Array([1, 0, 2]) }
    expect(await failure(tree, 'read_file', { path: 'nope.txt' })).toEqual({
      error: 'not_found',
      message: 'No such file: nope.txt',
      path: 'nope.txt',
    })
    expect(await failure(tree, 'read_file', { path: 'd' })).toEqual({
      error: 'not_a_file',
      message: 'Path is a directory: d',
      path: 'd',
    })
    expect(await failure(tree, 'read_file', { path: 'b' })).toEqual({
      error: 'is_binary',
      message: 'File appears to be binary: b',
      path: 'b',
    })
    expect(await failure(tree, 'read_file', { path: 'a.txt', offset: 3 })).toEqual({
      error: 'invalid_input',
      message: 'offset 3 exceeds file line count 2; read from offset 1..2',
      path: 'a.txt',
      line_count: 2,
    })
    expect(await failure(tree, 'read_file', { path: 'a.txt', offset: 0 })).toEqual({
      error: 'invalid_input',
      message: 'offset must be non-zero: use a positive 1-indexed line, or a negative tail offset.',
      path: 'a.txt',
    })
    expect(await failure(tree, 'read_file', { path: 'a.txt' }, { maxFileBytes: 3 })).toEqual({
      error: 'too_large',
      message: 'File is 4 bytes, exceeding the 3-byte limit (raise MAX_FILE_BYTES): a.txt',
      path: 'a.txt',
      size: 4,
      limit: 3,
    })
    expect(await failure(tree, 'read_file', { path: '../x' })).toEqual({
      error: 'path_escape',
      message: 'Path escapes the workspace root: ../x (set ALLOW_OUTSIDE_WORKSPACE=1 to permit)',
      path: '../x',
    })
  })

  test('input that does not fit is worded like a JSON-schema validator', async () => {
    expect(await failure({}, 'read_file', {})).toEqual({
      error: 'invalid_input',
      message: "data must have required property 'path'",
    })
    expect(await failure({}, 'read_file', { path: 'a', limit: 0, offset: 1.5, colour: 'red' })).toEqual({
      error: 'invalid_input',
      message:
        "data/offset must be integer; data/limit must be >= 1; data must NOT have additional properties ('colour')",
    })
    expect(await failure({}, 'read_file', { path: 7 })).toEqual({
      error: 'invalid_input',
      message: 'data/path must be string',
    })
  })
})

describe('list_dir', () => {
  async function list(tree: MemoryTree, args: object = {}, limits?: Partial<Limits>): Promise<string | undefined> {
    return (await call(tree, 'list_dir', args, limits)).content[0]?.text
  }

  test('directories first, then files with their size, each in code-unit order', async () => {
    const tree = { 'b.txt': '12345', 'A.txt': '', 'zdir/': '', 'adir/x': '1', '.hidden': 'ab' }
    expect(await list(tree)).toBe('adir/\nzdir/\n.hidden\t2\nA.txt\t0\nb.txt\t5')
  })

  test('an empty directory has its own line', async () => {
    expect(await list({ 'd/': '' }, { path: 'd' })).toBe('(empty directory)')
  })

  test('a link is shown as its target, and as an empty file if it is broken or leads outside', async () => {
    const fs = memory({ '/w/d/x': '1', '/w/f': '123', '/out/secret': 'secret' })
    await fs.symlink?.('d', '/w/to-dir')
    await fs.symlink?.('f', '/w/to-file')
    await fs.symlink?.('gone', '/w/broken')
    await fs.symlink?.('/out/secret', '/w/out')
    const workspace = createWorkspace({ fs, roots: [{ path: '/w', access: 'read-write' }] })
    expect((await callTool(workspace, clarvis, 'list_dir')).content).toEqual([
      { type: 'text', text: 'd/\nto-dir/\nbroken\t0\nf\t3\nout\t0\nto-file\t3' },
    ])
  })

  test('a name can not draw on the terminal or pass for two lines', async () => {
    expect(await list({ 'a\nb': '', '\u001b[2Jred': '', '\u202egpj.exe': '' })).toBe(
      '\\u{1b}[2Jred\t0\na\\u{a}b\t0\n\\u{202e}gpj.exe\t0',
    )
  })

  test('a listing over the budget is cut and says so', async () => {
    expect(await list({ aaaa: '', bbbb: '' }, {}, { maxOutputBytes: 8 })).toBe(
      'aaaa\t0\nb\n[... output truncated: 8 of 13 bytes shown ...]',
    )
  })

  test('a file is no directory', async () => {
    expect(await failure({ a: '' }, 'list_dir', { path: 'a' })).toEqual({
      error: 'not_a_file',
      message: 'Not a directory: a',
      path: 'a',
    })
  })
})

test('an unknown tool is not found', async () => {
  expect(await failure({}, 'frobnicate', {})).toEqual({ error: 'not_found', message: 'Unknown tool: frobnicate' })
})

test('a cancelled call says so', async () => {
  const workspace = createWorkspace({ fs: memory({ a: '' }) })
  const result = await callTool(workspace, clarvis, 'list_dir', {}, { signal: AbortSignal.abort() })
  expect(result).toEqual({
    content: [{ type: 'text', text: '{"error":"aborted","message":"The call was cancelled."}' }],
    isError: true,
  })
})

test('an internal error is reported as such, with its details only in the log', async () => {
  const fs = memory({})
  const workspace = createWorkspace({
    fs: {
      ...withoutFacets(fs),
      readDir: async () => {
        throw new TypeError('secret detail')
      },
    },
  })
  const faults: unknown[] = []
  const result = await callTool(workspace, clarvis, 'list_dir', {}, { onFault: (fault) => faults.push(fault) })
  expect(result.content).toEqual([{ type: 'text', text: '{"error":"internal","message":"internal error"}' }])
  expect(faults).toEqual([new TypeError('secret detail')])
})
