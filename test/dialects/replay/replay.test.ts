import { describe, expect, test } from 'vitest'
import { replay } from '../../../src/dialects/replay/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { offeredTools } from '../../../src/tools/call-tool.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { notAllowed, stage } from './stage.js'

describe('the server', () => {
  test('introduces itself as the original does, with its tools in their order', () => {
    expect(replay.serverInfo).toEqual({ name: 'replay-mcp', version: '1.0.0' })
    expect(replay.tools.map(({ name }) => name)).toEqual([
      'read_file',
      'read_multiple_files',
      'write_file',
      'create_directory',
      'list_directory',
      'directory_tree',
      'move_file',
      'delete_file',
      'get_file_info',
      'list_allowed_directories',
      'edit_file',
      'edit_files',
      'search_files',
      'grep_files',
      'glob_search',
      'execute_command',
    ])
  })

  test('marks tools as destructive, idempotent or read-only', () => {
    const hints = replay.tools.map(({ name, annotations: { readOnlyHint, destructiveHint, idempotentHint } }) => {
      return readOnlyHint
        ? `${name} looks`
        : `${name} ${destructiveHint ? 'destroys' : 'adds'}${idempotentHint ? ', again' : ''}`
    })
    expect(hints.filter((hint) => !hint.endsWith('looks'))).toEqual([
      'write_file destroys, again',
      'create_directory adds, again',
      'move_file destroys',
      'delete_file destroys, again',
      'edit_file destroys',
      'edit_files destroys',
      'execute_command destroys',
    ])
  })

  test('advertises required parameters and defaults, and no alias', () => {
    const schemas = Object.fromEntries(replay.tools.map(({ name, schema }) => [name, schema().input]))
    expect(schemas.directory_tree).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Absolute path to the directory.' },
        depth: { type: 'integer', description: 'Most levels below the directory; all unless given.' },
      },
      required: ['path'],
    })
    expect(schemas.search_files).toEqual({
      type: 'object',
      properties: {
        directory: { type: 'string', description: 'Directory to search.' },
        nameContains: { type: 'string', description: 'Part of a name: no glob, no regex.' },
        excludeGlobs: {
          type: 'array',
          items: { type: 'string' },
          description: 'Leave out what matches; a plain path leaves out all below it.',
        },
      },
      required: ['directory', 'nameContains'],
    })
    const required = Object.entries(schemas).map(([name, schema]) => [name, schema.required ?? []].flat().join(' '))
    expect(required).toEqual([
      'read_file path',
      'read_multiple_files paths',
      'write_file path content',
      'create_directory path',
      'list_directory path',
      'directory_tree path',
      'move_file source destination',
      'delete_file path',
      'get_file_info path',
      'list_allowed_directories',
      'edit_file path edits',
      'edit_files paths edits',
      'search_files directory nameContains',
      'grep_files regex',
      'glob_search directory globs',
      'execute_command command',
    ])
  })

  test('offers no tool that changes anything where nothing can be changed', () => {
    const workspace = createWorkspace({ fs: memory(), readOnly: true })
    expect(offeredTools(replay, workspace).map(({ name }) => name)).toEqual([
      'read_file',
      'read_multiple_files',
      'list_directory',
      'directory_tree',
      'get_file_info',
      'list_allowed_directories',
      'search_files',
      'grep_files',
      'glob_search',
    ])
  })

  test.each([
    ['no_such_tool', {}, '-32601 Unknown tool: no_such_tool'],
    ['read_file', {}, '-32602 Missing required param: path'],
    ['read_file', { path: 7 }, '-32602 Missing required param: path'],
    ['read_multiple_files', { paths: '/w/a' }, '-32602 Missing required param: paths (array)'],
    ['write_file', { path: '/w/a' }, '-32602 Missing required param: content'],
    ['write_file', { content: '' }, '-32602 Missing required param: path'],
    ['create_directory', {}, '-32602 Missing required param: path'],
    ['list_directory', {}, '-32602 Missing required param: path'],
    ['directory_tree', {}, '-32602 Missing required param: path'],
    ['directory_tree', { path: '/w', depth: '1' }, '-32602 Invalid param: depth must be an integer'],
    ['move_file', { destination: '/w/a' }, '-32602 Missing required param: source'],
    ['move_file', { source: '/w/a' }, '-32602 Missing required param: destination'],
    ['delete_file', {}, '-32602 Missing required param: path'],
    ['get_file_info', {}, '-32602 Missing required param: path'],
  ])('%s %j is refused', async (tool, args, answer) => {
    const { say } = await stage({})
    expect(await say(tool, args)).toBe(answer)
  })

  test('unknown parameters are ignored', async () => {
    const { say } = await stage({ '/w/a': 'A' })
    expect(await say('read_file', { path: '/w/a', head: 3 })).toBe('A')
  })
})

describe('paths', () => {
  test.each([
    ['outside', '/outside/s', notAllowed('/outside/s')],
    ['above the root', '/w/../outside/s', notAllowed('/outside/s')],
    ['past a directory that is not there', '/w/nope/../../outside/s', notAllowed('/outside/s')],
    ['of another directory that only begins alike', '/wide/s', notAllowed('/wide/s')],
    ['behind a link that leads out', '/w/out', notAllowed('/w/out')],
    ['behind a directory link that leads out', '/w/outdir/s', notAllowed('/w/outdir/s')],
    ['behind a link to nothing outside', '/w/dangling', notAllowed('/w/dangling')],
    ['behind a link that never ends', '/w/loop', '-32001 Cannot resolve path: /w/loop'],
    ['with a NUL', '/w/\0', '-32001 Cannot resolve path: /w/\\u{0}'],
    ['of no length', '', '-32001 Cannot resolve path: '],
  ])('a path %s is not allowed, whatever the tool', async (_, path, answer) => {
    const tree = { '/outside/s': 'secret', '/w/out': '-> /outside/s', '/w/outdir': '-> /outside' }
    const { say, file, fs } = await stage({ ...tree, '/w/dangling': '-> /outside/new', '/w/loop': '-> /w/loop' })
    const edits = [{ oldText: 'secret', newText: 'x' }]
    for (const [tool, args] of [
      ['read_file', { path }],
      ['write_file', { path, content: 'x' }],
      ['create_directory', { path }],
      ['list_directory', { path }],
      ['directory_tree', { path }],
      ['move_file', { source: path, destination: '/w/new' }],
      ['delete_file', { path }],
      ['get_file_info', { path }],
      ['edit_file', { path, edits }],
      ['edit_file', { path, edits, dryRun: true }],
      ['edit_files', { paths: [path], edits }],
      ['search_files', { directory: path, nameContains: '' }],
      ['grep_files', { directory: path, regex: '.' }],
      ['glob_search', { directory: path, globs: ['*'] }],
    ] as const) {
      expect([tool, await say(tool, args)]).toEqual([tool, answer])
    }
    expect(await file('/outside/s')).toBe('secret')
    expect((await fs.readDir('/outside')).map(({ name }) => name)).toEqual(['s'])
  })

  test('tools that write reject a read-only directory before anything else is checked', async () => {
    const { say } = await stage({ '/ro/a': 'A', '/w/b': 'B' })
    expect(await say('write_file', { path: '/ro/a', content: 'x' })).toBe(notAllowed('/ro/a'))
    expect(await say('create_directory', { path: '/ro/d' })).toBe(notAllowed('/ro/d'))
    expect(await say('delete_file', { path: '/ro/nope' })).toBe(notAllowed('/ro/nope'))
    expect(await say('move_file', { source: '/ro/nope', destination: '/w/a' })).toBe(notAllowed('/ro/nope'))
    expect(await say('move_file', { source: '/w/b', destination: '/ro/b' })).toBe(notAllowed('/ro/b'))
    expect(await say('edit_file', { path: '/ro/nope', edits: [{ oldText: 'A' }] })).toBe(notAllowed('/ro/nope'))
  })

  test('are reported with links followed', async () => {
    const { say, items } = await stage({ '/w/real/a': 'A\n', '/w/link': '-> real' })
    expect(await say('write_file', { path: '/w/link/b', content: '' })).toBe('Successfully wrote /w/real/b')
    expect(await say('create_directory', { path: '/w/link/d' })).toBe('Created directory /w/real/d')
    expect(await items('read_multiple_files', { paths: ['/w/link/a'] })).toEqual(['/w/real/a:\nA\n'])
    expect(await say('grep_files', { directory: '/w/link', regex: 'A' })).toBe('/w/real/a:1:A\n[1 match]\n')
  })

  test('with control characters are reported escaped', async () => {
    const { say } = await stage({ '/w/a\nb': '' })
    expect(await say('list_directory', { path: '/w' })).toBe('[FILE] a\\u{a}b\n')
    expect(await say('directory_tree', { path: '/w' })).toBe(
      '{"name":"w","type":"directory","children":[{"name":"a\\nb","type":"file"}]}',
    )
  })
})

describe('read_file', () => {
  test('gives a text exactly as it is, byte-order mark and line endings included', async () => {
    const { result } = await stage({ '/w/a': '\ufeffone\r\ntwo\n\n' })
    expect(await result('read_file', { path: '/w/a' })).toEqual({
      content: [{ type: 'text', text: '\ufeffone\r\ntwo\n\n' }],
    })
  })

  test.each([
    ['a NUL', new Uint8Array([0x61, 0]), 'YQA='],
    ['what is not UTF-8', new Uint8Array([0xff, 0xfe]), '//4='],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x61, 0]), '//5hAA=='],
  ])('gives a file with %s as an embedded resource in base64', async (_, bytes, blob) => {
    const { result } = await stage({ '/w/a b.bin': bytes })
    const resource = { uri: 'file:///w/a%20b.bin', mimeType: 'application/octet-stream', blob }
    expect(await result('read_file', { path: '/w/a b.bin' })).toEqual({ content: [{ type: 'resource', resource }] })
  })

  test('fails with the reason of the system', async () => {
    const { say } = await stage({ '/w/d/a': '', '/w/big': new Uint8Array(10 * 1024 * 1024 + 1) })
    const failures = await Promise.all(
      ['/w/nope', '/w/d/a/b', '/w/d', '/w/big'].map((path) => say('read_file', { path })),
    )
    expect(failures).toEqual([
      '-32002 failed to open "/w/nope" for reading: No such file or directory',
      '-32002 failed to open "/w/d/a/b" for reading: Not a directory',
      '-32603 failed to open "/w/d" for reading: Is a directory',
      '-32603 File exceeds 10 MB limit',
    ])
  })
})

describe('read_multiple_files', () => {
  test('has one item for each path; failures are reported in their place', async () => {
    const tree = { '/w/a': 'A\n', '/w/b': new Uint8Array([0, 1]), '/w/*': 'star', '/outside/s': 'secret' }
    const { items } = await stage(tree)
    const paths = ['/w/a', '/w/b', 7, '/w/nope', '/outside/s', '/w', '/w/?', '/w/*']
    expect(await items('read_multiple_files', { paths })).toEqual([
      '/w/a:\nA\n',
      '/w/b:\n[binary, base64]\nAAE=',
      '/w/nope:\n[error: Cannot open file: No such file or directory]',
      `/outside/s:\n[error: ${notAllowed('/outside/s').slice(7)}]`,
      '/w:\n[error: Cannot open file: Is a directory]',
      '/w/?:\n[error: Cannot open file: No such file or directory]',
      '/w/*:\nstar',
    ])
  })

  test('reads fifty, and says when there are more', async () => {
    const { items } = await stage({ '/w/a': 'A' })
    const answers = await items('read_multiple_files', { paths: Array(52).fill('/w/a') })
    expect(answers).toEqual([...Array(50).fill('/w/a:\nA'), '[error: too many files (max 50)]'])
    expect(await items('read_multiple_files', { paths: [] })).toEqual([])
  })

  test('stops at 10 MB in one file, and in all', async () => {
    const half = 'x'.repeat(6 * 1024 * 1024)
    const { items } = await stage({ '/w/a': half, '/w/big': new Uint8Array(10 * 1024 * 1024 + 1) })
    const answers = await items('read_multiple_files', { paths: ['/w/big', '/w/a', '/w/a'] })
    expect(answers.map((item) => item.slice(0, 50))).toEqual([
      '/w/big:\n[error: File exceeds 10 MB limit]',
      `/w/a:\n${half.slice(0, 44)}`,
      '/w/a:\n[error: more than 10 MB in all]',
    ])
  })
})

describe('tools that write', () => {
  test('write_file makes directories and replaces files', async () => {
    const { say, file } = await stage({ '/w/a': 'old', '/w/f': '' })
    expect(await say('write_file', { path: '/w/x/y/z', content: 'new\r\n' })).toBe('Successfully wrote /w/x/y/z')
    expect(await say('write_file', { path: '/w/a', content: '' })).toBe('Successfully wrote /w/a')
    expect([await file('/w/x/y/z'), await file('/w/a')]).toEqual(['new\r\n', ''])
    expect(await say('write_file', { path: '/w/x', content: '' })).toBe(
      '-32603 failed to create file "/w/x": Is a directory',
    )
    expect(await say('write_file', { path: '/w/f/g', content: '' })).toBe(
      '-32603 failed to create file "/w/f/g": Not a directory',
    )
  })

  test('create_directory makes all parents, and accepts an existing directory but not a file', async () => {
    const { say, fs } = await stage({ '/w/f': '' })
    expect(await say('create_directory', { path: '/w/a/b' })).toBe('Created directory /w/a/b')
    expect(await say('create_directory', { path: '/w/a/b' })).toBe('Created directory /w/a/b')
    expect((await fs.stat('/w/a/b')).kind).toBe('directory')
    expect(await say('create_directory', { path: '/w/f' })).toBe(
      '-32603 failed to create directory "/w/f": File exists',
    )
  })

  test('move_file makes directories, replaces a file and never a directory', async () => {
    const { say, file } = await stage({ '/w/a': 'A', '/w/b': 'B', '/w/d/e': 'E' })
    expect(await say('move_file', { source: '/w/a', destination: '/w/x/a' })).toBe('Moved /w/a -> /w/x/a')
    expect(await say('move_file', { source: '/w/x/a', destination: '/w/b' })).toBe('Moved /w/x/a -> /w/b')
    expect(await file('/w/b')).toBe('A')
    expect(await say('move_file', { source: '/w/d', destination: '/w/n' })).toBe('Moved /w/d -> /w/n')
    expect(await file('/w/n/e')).toBe('E')
    const refused = [
      ['/w/b', '/w/n'],
      ['/w/n', '/w/b'],
      ['/w/n', '/w/n/m'],
      ['/w/nope', '/w/y'],
      ['/w', '/w/y'],
    ].map(([source, destination]) => say('move_file', { source, destination }))
    expect(await Promise.all(refused)).toEqual([
      '-32603 failed to move "/w/n": Is a directory',
      '-32603 failed to move "/w/b": File exists',
      '-32603 failed to move "/w/n": Invalid argument',
      '-32002 failed to move "/w/nope": No such file or directory',
      "-32001 Path not allowed: /w is an allowed directory itself and can't be moved or deleted",
    ])
  })

  test('delete_file deletes a directory recursively, but neither a root nor a missing entry', async () => {
    const { say, fs } = await stage({ '/w/a': '', '/w/d/e/f': '', '/w/keep': '' })
    expect(await say('delete_file', { path: '/w/a' })).toBe('Deleted /w/a')
    expect(await say('delete_file', { path: '/w/d' })).toBe('Deleted /w/d')
    expect((await fs.readDir('/w')).map(({ name }) => name)).toEqual(['keep'])
    expect(await say('delete_file', { path: '/w/a' })).toBe('-32002 failed to delete "/w/a": No such file or directory')
    expect(await say('delete_file', { path: '/w' })).toBe(
      "-32001 Path not allowed: /w is an allowed directory itself and can't be moved or deleted",
    )
  })

  test('moving and deleting a link affects the link, not its target', async () => {
    const { say, file, fs } = await stage({ '/w/d/a': 'A', '/w/one': '-> d/a', '/w/two': '-> /w/d' })
    expect(await say('delete_file', { path: '/w/two' })).toBe('Deleted /w/two')
    expect(await say('move_file', { source: '/w/one', destination: '/w/three' })).toBe('Moved /w/one -> /w/three')
    expect(await fs.readLink?.('/w/three')).toBe('d/a')
    expect(await file('/w/d/a')).toBe('A')
  })

  test('the inside of .git is protected', async () => {
    const { say } = await stage({ '/w/.git/config': '' }, { protect: { git: true } })
    expect(await say('write_file', { path: '/w/.git/config', content: 'x' })).toBe(
      '-32001 Path not allowed: /w/.git/config is protected from writing',
    )
  })
})

describe('tools that list', () => {
  const tree = {
    '/w/b.txt': 'B',
    '/w/.h': '',
    '/w/a/x': '',
    '/w/a/y/z': '',
    '/w/e/': '',
    '/w/l': '-> a',
    '/w/m': '-> b.txt',
  }

  test('list_directory marks files and directories, links by their target, sorted by bytes', async () => {
    const { say } = await stage(tree)
    expect(await say('list_directory', { path: '/w' })).toBe(
      '[FILE] .h\n[DIR]  a\n[FILE] b.txt\n[DIR]  e\n[DIR]  l\n[FILE] m\n',
    )
    expect(await say('list_directory', { path: '/w/e' })).toBe('')
    expect(await say('list_directory', { path: '/w/nope' })).toBe(
      '-32002 failed to list directory "/w/nope": No such file or directory',
    )
    expect(await say('list_directory', { path: '/w/b.txt' })).toBe(
      '-32603 failed to list directory "/w/b.txt": Not a directory',
    )
  })

  const whole =
    '{"name":"a","type":"directory","children":[{"name":"x","type":"file"},{"name":"y","type":"directory","children":[{"name":"z","type":"file"}]}]}'

  test.each([
    [undefined, whole],
    [-1, whole],
    [0, '{"name":"a","type":"directory","children":[]}'],
    [
      1,
      '{"name":"a","type":"directory","children":[{"name":"x","type":"file"},{"name":"y","type":"directory","children":[]}]}',
    ],
    [2, whole],
  ])('directory_tree with depth %j', async (depth, printed) => {
    const { say } = await stage(tree)
    expect(await say('directory_tree', { path: '/w/a', ...(depth !== undefined && { depth }) })).toBe(printed)
  })

  test('directory_tree takes links for files', async () => {
    const { say } = await stage({ '/w/a/x': '', '/w/l': '-> a' })
    expect(await say('directory_tree', { path: '/w' })).toBe(
      '{"name":"w","type":"directory","children":[{"name":"a","type":"directory","children":[{"name":"x","type":"file"}]},{"name":"l","type":"file"}]}',
    )
    expect(await say('directory_tree', { path: '/w/nope' })).toBe(
      '-32002 failed to list directory "/w/nope": No such file or directory',
    )
  })

  test('get_file_info reports type, size, time and octal mode', async () => {
    const { say, fs } = await stage(tree)
    await fs.setModified?.('/w/b.txt', 1_700_000_000_999)
    await fs.setModified?.('/w/a', 0)
    await fs.setMode?.('/w/b.txt', 0o644)
    await fs.setMode?.('/w/a', 0o755)
    const file = 'type: file\nsize: 1\nmodified: 2023-11-14T22:13:20Z\npermissions: 644'
    expect(await say('get_file_info', { path: '/w/b.txt' })).toBe(file)
    expect(await say('get_file_info', { path: '/w/m' })).toBe(file)
    expect(await say('get_file_info', { path: '/w/a' })).toBe(
      'type: directory\nsize: 0\nmodified: 1970-01-01T00:00:00Z\npermissions: 755',
    )
    expect(await say('get_file_info', { path: '/w/nope' })).toBe(
      '-32002 failed to access "/w/nope": No such file or directory',
    )
  })

  test('list_allowed_directories reports which are writable', async () => {
    const { say } = await stage({})
    expect(await say('list_allowed_directories', {})).toBe('/w (read-write)\n/ro (read-only)\n')
    const locked = await stage({}, { readOnly: true })
    expect(await locked.say('list_allowed_directories', {})).toBe('/w (read-only)\n/ro (read-only)\n')
  })
})
