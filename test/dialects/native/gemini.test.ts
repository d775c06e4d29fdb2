import { describe, expect, test } from 'vitest'
import { gemini } from '../../../src/dialects/native/gemini/tools.js'
import { open } from './stage.js'

const ten = Array.from({ length: 20 }, (_, at) => `line ${at + 1}\n`).join('')

describe('read_file', () => {
  test('returns a whole file as it is, and says of a part where it goes on', async () => {
    const { call } = await open(gemini, { 'a.txt': 'a\nb\n', 'long.txt': 'x\n'.repeat(2500) })
    expect(await call('read_file', { file_path: 'a.txt' })).toBe('a\nb\n')
    expect(await call('read_file', { file_path: 'a.txt', start_line: 2, end_line: 2 })).toBe(
      `
IMPORTANT: The file content has been truncated.
Status: Showing lines 2-2 of 3 total lines.
Action: To read more of the file, you can use the 'start_line' and 'end_line' parameters in a subsequent 'read_file' call. For example, to read the next section of the file, use start_line: 3.

--- FILE CONTENT (truncated) ---
b`,
    )
    const long = await call('read_file', { file_path: 'long.txt' })
    expect(long).toContain('Status: Showing lines 1-2000 of 2501 total lines.')
    expect(long.match(/^x$/gm)).toHaveLength(2000)
  })

  test('shortens long lines', async () => {
    const { call } = await open(gemini, { a: 'y'.repeat(3000) })
    expect((await call('read_file', { file_path: 'a' })).endsWith(`\n${'y'.repeat(2000)}... [truncated]`)).toBe(true)
  })

  test.each([
    ['none', 'Could not read file because no file was found at the specified path.'],
    ['.', 'Could not read file because the provided path is a directory, not a file.'],
    ['b', 'Cannot display content of binary file: /work/b'],
    [
      'out/secret.txt',
      'Path not in workspace: Attempted path "/work/out/secret.txt" resolves outside the allowed workspace directories',
    ],
  ])('fails for %s', async (file_path, why) => {
    expect(await (await open(gemini, { b: '\0\0' })).call('read_file', { file_path })).toBe(`!${why}`)
  })
})

describe('replace', () => {
  test('shows what has changed with five lines on either side', async () => {
    const { call, read } = await open(gemini, { 'a.txt': ten })
    const said = await call('replace', {
      file_path: 'a.txt',
      instruction: 'x',
      old_string: 'line 10\n',
      new_string: 'ten\n',
    })
    const shown = [
      '...',
      ...[5, 6, 7, 8, 9].map((n) => `line ${n}`),
      'ten',
      ...[11, 12, 13, 14, 15].map((n) => `line ${n}`),
      '...',
    ]
    expect(said).toBe(
      `Successfully modified file: /work/a.txt (1 replacements). Here is the updated code:\n${shown.join('\n')}`,
    )
    expect(await read('a.txt')).toBe(ten.replace('line 10\n', 'ten\n'))
  })

  test('replaces all with allow_multiple, and creates a file of an empty text', async () => {
    const { call, read } = await open(gemini, { a: 'x x\r\nx\r\n' })
    expect(await call('replace', { file_path: 'a', old_string: 'x', new_string: 'y', allow_multiple: true })).toContain(
      '(3 replacements)',
    )
    expect(await read('a')).toBe('y y\r\ny\r\n')
    expect(await call('replace', { file_path: 'd/new', old_string: '', new_string: 'n' })).toBe(
      'Created new file: /work/d/new with provided content. Here is the updated code:\nn',
    )
    expect(await call('replace', { file_path: 'a', old_string: '', new_string: 'lost' })).toBe(
      '!File already exists, cannot create: /work/a',
    )
  })

  test.each([
    [
      { file_path: 'a', old_string: 'z', new_string: '' },
      "Could not find an exact match for 'old_string' in 'a'. If previous edits modified the file or you are modifying lines outside your recent read window, please use read_file to inspect the target lines before retrying with an exact 'old_string'.",
    ],
    [
      { file_path: 'a', old_string: 'x', new_string: '' },
      "Failed to edit, Expected 1 occurrence but found 2 for old_string in file: a. If you intended to replace multiple occurrences, set 'allow_multiple' to true.",
    ],
    [
      { file_path: 'a', old_string: 'x x', new_string: 'x x' },
      'No changes to apply. The old_string and new_string are identical in file: a',
    ],
    [{ file_path: 'none', old_string: 'x', new_string: '' }, 'File not found: none'],
  ])('fails with %j', async (args, why) => {
    expect(await (await open(gemini, { a: 'x x' })).call('replace', args)).toBe(`!${why}`)
  })
})

test('write_file creates directories, and shows what has changed in a file that was there', async () => {
  const { call } = await open(gemini, { 'a.txt': ten })
  expect(await call('write_file', { file_path: 'd/b', content: 'b\n' })).toBe(
    'Successfully created and wrote to new file: /work/d/b. Here is the updated code:\nb\n',
  )
  expect(await call('write_file', { file_path: 'a.txt', content: `${ten}more\n` })).toBe(
    `Successfully overwrote file: /work/a.txt. Here is the updated code:\n...\n${[16, 17, 18, 19, 20].map((n) => `line ${n}\n`).join('')}more\n`,
  )
})

test('list_directory lists directories first, without what is ignored', async () => {
  const tree = {
    '.git/config': '',
    '.gitignore': '*.log\n',
    '.geminiignore': 'secret\n',
    'a.log': '',
    secret: '',
    'b/c': '',
    'z.txt': 'zz',
  }
  const { call } = await open(gemini, tree)
  const all = { respect_git_ignore: false, respect_gemini_ignore: false }
  expect(await call('list_directory', { dir_path: '.', ignore: ['.*', 'out'] })).toBe(
    'Directory listing for /work:\n[DIR] b\nz.txt (2 bytes)\n\n(6 ignored)',
  )
  expect(await call('list_directory', { dir_path: '.', ignore: ['.*', 'out'], file_filtering_options: all })).toBe(
    'Directory listing for /work:\n[DIR] b\na.log (0 bytes)\nsecret (0 bytes)\nz.txt (2 bytes)\n\n(4 ignored)',
  )
  expect(await call('list_directory', { dir_path: 'none' })).toBe(
    '!Error: Directory not found or inaccessible: /work/none',
  )
})

test('glob finds files, the newest first', async () => {
  const { call } = await open(gemini, { 'src/a.ts': '', 'src/d/b.TS': '', 'c.js': '' })
  await call('write_file', { file_path: 'src/new.ts', content: '' })
  expect(await call('glob', { pattern: 'src/**/*.ts' })).toBe(
    'Found 3 file(s) matching "src/**/*.ts" within /work, sorted by modification time (newest first):\n/work/src/new.ts\n/work/src/a.ts\n/work/src/d/b.TS',
  )
  expect(await call('glob', { pattern: '*.py', dir_path: 'src' })).toBe(
    'No files found matching pattern "*.py" within /work/src',
  )
})

test('run_shell_command returns output and exit code', async () => {
  const { call } = await open(gemini, { 'd/a': 'x' })
  expect(await call('run_shell_command', { command: 'ls', dir_path: 'd' })).toBe('Output: a\n')
  expect(await call('run_shell_command', { command: 'true' })).toBe('Output: (empty)')
  expect(await call('run_shell_command', { command: 'cat none; exit 2' })).toBe(
    'Output: cat: none: No such file or directory\n\nExit Code: 2',
  )
})
