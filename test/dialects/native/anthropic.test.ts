import { describe, expect, test } from 'vitest'
import { anthropic } from '../../../src/dialects/native/anthropic/tools.js'
import type { MemoryTree } from '../../../src/fs/backends/memory.js'
import { open } from './stage.js'

const editor = 'str_replace_based_edit_tool'

async function edit(tree: MemoryTree, args: object): Promise<string> {
  return (await open(anthropic, tree)).call(editor, args)
}

describe('the text editor', () => {
  test('views lines with their numbers, and the empty one after the last line feed', async () => {
    const tree = { 'a.py': 'def f():\n    return 1\n' }
    expect(await edit(tree, { command: 'view', path: 'a.py' })).toBe('1: def f():\n2:     return 1\n3: ')
    expect(await edit(tree, { command: 'view', path: '/work/a.py', view_range: [2, -1] })).toBe('2:     return 1\n3: ')
    expect(await edit(tree, { command: 'view', path: 'a.py', view_range: [1, 1] })).toBe('1: def f():')
  })

  test.each([
    [[0, 1], 'Its first element `0` should be within the range of lines of the file: [1, 3]'],
    [[4, 9], 'Its first element `4` should be within the range of lines of the file: [1, 3]'],
    [[1, 9], 'Its second element `9` should be smaller than the number of lines in the file: `3`'],
    [[2, 1], 'Its second element `1` should be larger or equal than its first `2`'],
  ])('refuses the lines %j', async (view_range, why) => {
    const said = await edit({ a: 'x\ny\n' }, { command: 'view', path: 'a', view_range })
    expect(said).toBe(`!Error: Invalid \`view_range\`: [${view_range.join(', ')}]. ${why}`)
  })

  test('lists a directory two levels deep, without hidden entries and node_modules', async () => {
    const tree = {
      'a/b/c/d.txt': '',
      'a/e.txt': 'x'.repeat(1536),
      '.git/config': '',
      'node_modules/p/x.js': '',
      'z.txt': 'z',
    }
    expect(await edit(tree, { command: 'view', path: '/work' })).toBe(
      [
        "Here're the files and directories up to 2 levels deep in /work, excluding hidden items and node_modules:",
        '1.5K\t/work',
        '1.5K\t/work/a/',
        '0B\t/work/a/b/',
        '1.5K\t/work/a/e.txt',
        '1B\t/work/z.txt',
      ].join('\n'),
    )
    expect(await edit(tree, { command: 'view', path: '/work/a', view_range: [1, 2] })).toBe(
      '!Error: The `view_range` parameter is not allowed when `path` points to a directory.',
    )
  })

  test('creates a file with its directories, and never replaces one', async () => {
    const { call, read } = await open(anthropic, { 'a.txt': 'kept' })
    expect(await call(editor, { command: 'create', path: 'new/b.txt', file_text: 'b' })).toBe(
      'File created successfully at: new/b.txt',
    )
    expect(await read('new/b.txt')).toBe('b')
    expect(await call(editor, { command: 'create', path: 'a.txt', file_text: 'lost' })).toBe(
      '!Error: File already exists at: a.txt. Cannot overwrite files using command `create`.',
    )
    expect(await read('a.txt')).toBe('kept')
  })

  test('replaces a text that is there once, and keeps every other byte', async () => {
    const { call, read, workspace } = await open(anthropic, { 'a.txt': 'one\r\ntwo\r\n\tthree' })
    expect(await call(editor, { command: 'str_replace', path: 'a.txt', old_str: 'two\n', new_str: 'TWO\n2\n' })).toBe(
      'Successfully replaced text at exactly one location.',
    )
    expect(await read('a.txt')).toBe('one\r\nTWO\r\n2\r\n\tthree')
    const [change] = await workspace.history.list()
    expect(change?.undoable).toBe(true)
  })

  test.each([
    ['missing', 'No match found for replacement. Please check your text and try again.'],
    [
      'x',
      'Found 3 matches for replacement text. Please provide more context to make a unique match.\nThey are at lines 1, 2, 2.',
    ],
  ])('says what is wrong with %j', async (old_str, why) => {
    expect(await edit({ a: 'x\nxx\n' }, { command: 'str_replace', path: 'a', old_str, new_str: '' })).toBe(
      `!Error: ${why}`,
    )
  })

  test('takes a new text out of nothing for deletion, and `$&` literally', async () => {
    const { call, read } = await open(anthropic, { a: 'abc' })
    await call(editor, { command: 'str_replace', path: 'a', old_str: 'b' })
    await call(editor, { command: 'str_replace', path: 'a', old_str: 'c', new_str: '$&$1' })
    expect(await read('a')).toBe('a$&$1')
  })

  test.each([
    [0, 'n\na\nb\n'],
    [1, 'a\nn\nb\n'],
    [2, 'a\nb\nn\n'],
  ])('inserts after line %i', async (insert_line, result) => {
    const { call, read } = await open(anthropic, { f: 'a\nb\n' })
    expect(await call(editor, { command: 'insert', path: 'f', insert_line, insert_text: 'n\n' })).toBe(
      'The file f has been edited.',
    )
    expect(await read('f')).toBe(result)
  })

  test.each([
    [{ command: 'view', path: 'none' }, 'File not found'],
    [{ command: 'create', path: 'x' }, 'Parameter `file_text` is required'],
    [{ command: 'str_replace', path: 'x' }, 'Parameter `old_str` is required'],
    [{ command: 'insert', path: 'x', insert_line: 1 }, 'Parameter `insert_text` is required'],
    [
      { command: 'insert', path: '.', insert_line: 0, insert_text: 'x' },
      'The path . is a directory and only the `view` command can be used on directories',
    ],
    [{ command: 'view', path: 'out/secret.txt' }, 'The path out/secret.txt is outside of the workspace.'],
    [{ command: 'view', path: '/outside/secret.txt' }, 'The path /outside/secret.txt is outside of the workspace.'],
  ])('fails with %j', async (args, why) => {
    expect(await edit({}, args)).toBe(`!Error: ${why}`)
  })
})

describe('bash', () => {
  test('keeps directory and variables until it is restarted', async () => {
    const { call } = await open(anthropic, { 'd/a.txt': 'x' })
    expect(await call('bash', { command: 'cd d; export X=1' })).toBe('')
    expect(await call('bash', { command: 'ls; echo $X' })).toBe('a.txt\n1')
    expect(await call('bash', { restart: true })).toBe('tool has been restarted.')
    expect(await call('bash', { command: 'ls; echo "<$X>"' })).toBe('d\nout\n<>')
  })

  test('shows errors with the output, and how a command failed', async () => {
    const { call } = await open(anthropic, {})
    expect(await call('bash', { command: 'echo out; cat none; exit 3' })).toBe(
      '!out\ncat: none: No such file or directory\nExit code: 3',
    )
    expect(await call('bash', {})).toBe('!Error: no command provided.')
  })

  test('ends what takes too long, and shortens what is too long', async () => {
    const { call } = await open(anthropic, {}, { commandTimeoutMs: 1000, maxOutputBytes: 100 })
    expect(await call('bash', { command: 'while :; do :; done' })).toBe('!Error: Command timed out after 1 seconds')
    const said = await call('bash', { command: 'seq 1000' })
    expect(said.startsWith('1\n2\n3\n')).toBe(true)
    expect(said.endsWith('\n\n... Output truncated (1000 total lines) ...')).toBe(true)
  })
})

describe('memory', () => {
  const tree = { 'memories/a.txt': 'one\ntwo\nthree\nfour\nfive\n', 'other.txt': 'kept' }
  const remember = async (args: object) => (await open(anthropic, tree)).call('memory', args)

  test('lists and shows', async () => {
    expect(await remember({ command: 'view', path: '/memories' })).toBe(
      "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n24B\t/memories\n24B\t/memories/a.txt",
    )
    expect(await remember({ command: 'view', path: '/memories/a.txt', view_range: [4, -1] })).toBe(
      "Here's the content of /memories/a.txt with line numbers:\n     4\tfour\n     5\tfive\n     6\t",
    )
  })

  test('edits, and shows two lines on either side', async () => {
    const { call, read } = await open(anthropic, tree)
    expect(
      await call('memory', { command: 'str_replace', path: '/memories/a.txt', old_str: 'three', new_str: '3' }),
    ).toBe(
      'The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tone\n     2\ttwo\n     3\t3\n     4\tfour\n     5\tfive',
    )
    expect(
      await call('memory', { command: 'insert', path: '/memories/a.txt', insert_line: 0, insert_text: 'zero\n' }),
    ).toBe('The file /memories/a.txt has been edited.')
    expect(await read('memories/a.txt')).toBe('zero\none\ntwo\n3\nfour\nfive\n')
  })

  test('creates, renames and deletes', async () => {
    const { call, read } = await open(anthropic)
    expect(await call('memory', { command: 'create', path: '/memories/n/b.txt', file_text: 'b' })).toBe(
      'File created successfully at: /memories/n/b.txt',
    )
    expect(await call('memory', { command: 'rename', old_path: '/memories/n', new_path: '/memories/m/n' })).toBe(
      'Successfully renamed /memories/n to /memories/m/n',
    )
    expect(await read('memories/m/n/b.txt')).toBe('b')
    expect(await call('memory', { command: 'delete', path: '/memories/m' })).toBe('Successfully deleted /memories/m')
  })

  test.each([
    [
      { command: 'view', path: '/memories/none' },
      'The path /memories/none does not exist. Please provide a valid path.',
    ],
    [{ command: 'create', path: '/memories/a.txt', file_text: '' }, 'File /memories/a.txt already exists'],
    [
      { command: 'str_replace', path: '/memories/a.txt', old_str: 'six' },
      'No replacement was performed, old_str `six` did not appear verbatim in /memories/a.txt.',
    ],
    [
      { command: 'str_replace', path: '/memories/a.txt', old_str: 'o' },
      'No replacement was performed. Multiple occurrences of old_str `o` in lines: 1, 2, 4. Please ensure it is unique',
    ],
    [
      { command: 'insert', path: '/memories/a.txt', insert_line: 9, insert_text: '' },
      'Invalid `insert_line` parameter: 9. It should be within the range of lines of the file: [0, 6]',
    ],
    [{ command: 'delete', path: '/memories/none' }, 'The path /memories/none does not exist'],
    [{ command: 'delete', path: '/memories' }, 'Cannot delete the /memories directory itself'],
    [{ command: 'rename', old_path: '/memories/x', new_path: '/memories/y' }, 'The path /memories/x does not exist'],
    [{ command: 'view', path: '/etc/passwd' }, 'Path must start with /memories, got: /etc/passwd'],
    [{ command: 'view', path: '/memoriesx' }, 'Path must start with /memories, got: /memoriesx'],
    [
      { command: 'view', path: '/memories/../other.txt' },
      'Path /memories/../other.txt would escape /memories directory',
    ],
  ])('refuses %j', async (args, why) => {
    expect(await remember(args)).toBe(`!Error: ${why}`)
  })

  test('a destination that exists is not replaced', async () => {
    const { call, read } = await open(anthropic, { 'memories/a': 'a', 'memories/b': 'b' })
    expect(await call('memory', { command: 'rename', old_path: '/memories/a', new_path: '/memories/b' })).toBe(
      '!Error: The destination /memories/b already exists',
    )
    expect(await read('memories/b')).toBe('b')
  })

  test('a link in it leads nowhere else', async () => {
    const linked = await open(anthropic, tree)
    await linked.call('bash', { command: 'ln -s ../other.txt memories/link; ln -s .. memories/up' })
    for (const path of ['/memories/link', '/memories/up/other.txt']) {
      expect(await linked.call('memory', { command: 'view', path })).toBe(
        `!Error: Path ${path} would escape /memories directory`,
      )
    }
  })
})
