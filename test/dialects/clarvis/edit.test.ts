import { describe, expect, test } from 'vitest'
import { stage } from './stage.js'

describe('edit_file', () => {
  const edit = (old_string: string, new_string: string, replace_all?: boolean) => ({
    path: 'a.txt',
    old_string,
    new_string,
    ...(replace_all !== undefined && { replace_all }),
  })
  const tolerated = (file: string) =>
    `Replaced 1 occurrence in ${file} (matched after a whitespace-tolerant search; check the result).`

  test.each([
    ['the only occurrence', 'one\ntwo\nthree\n', edit('two', 'TWO'), 'one\nTWO\nthree\n', 1],
    ['nothing in its place', 'one\ntwo\nthree\n', edit('two\n', ''), 'one\nthree\n', 1],
    ['literally', 'a.c abc $1\n', edit('a.c', '$& \\1'), '$& \\1 abc $1\n', 1],
    ['every occurrence', 'x\ny\nx x\n', edit('x', 'z', true), 'z\ny\nz z\n', 3],
    ['occurrences that do not overlap', 'aaaa', edit('aa', 'b', true), 'bb', 2],
    ['LF for CRLF, and back', 'one\r\ntwo\r\nthree\r\n', edit('one\ntwo', '1\n2\n2b'), '1\r\n2\r\n2b\r\nthree\r\n', 1],
    ['CR of the new text is not kept', 'one\ntwo\n', edit('one', '1\r\n1'), '1\n1\ntwo\n', 1],
    ['past a byte-order mark', '\ufeffone\ntwo\n', edit('one', '1'), '\ufeff1\ntwo\n', 1],
    ['without a final newline', 'a\nb', edit('b', 'c'), 'a\nc', 1],
    [
      'new lines take the most frequent ending, and others keep theirs',
      'a\r\nb\nc\r\nd\r\n',
      edit('b', 'b\nbb'),
      'a\r\nb\nbb\r\nc\r\nd\r\n',
      1,
    ],
    ['changed lines take it too', 'a\r\nb\nc\r\nd\n', edit('b\nc\nd', 'B\nc\nD'), 'a\r\nB\r\nc\r\nD\r\n', 1],
    ['of equally frequent ones the first', 'a\nb\r\n', edit('b', 'x\ny'), 'a\nx\ny\n', 1],
    ['a line that goes takes its ending along', 'a\r\nb\nc\r\nd\n', edit('b\n', ''), 'a\r\nc\r\nd\n', 1],
  ])('replaces %s', async (_what, before, args, after, count) => {
    const { call, files } = await stage({ 'a.txt': before })
    expect(await call('edit_file', args)).toEqual({
      text: `Replaced ${count} occurrence${count === 1 ? '' : 's'} in a.txt.`,
    })
    expect(await files()).toEqual({ 'a.txt': after })
  })

  test.each([
    [
      'indentation',
      'def f():\n        if x:\n            y()\n',
      edit('if x:\n    y()', '    if z:\n        y()'),
      'def f():\n    if z:\n        y()\n',
    ],
    ['each line trimmed', '  alpha  \n\tbeta\ngamma\n', edit('alpha\nbeta', 'X'), 'X\ngamma\n'],
    ['white space collapsed', 'let  x =\t1\nend\n', edit('let x = 1', 'let y'), 'let y\nend\n'],
    ['a carriage return, which no text is shown with', 'a\r\nb\r\n', edit('a\r\nb', 'x\ny'), 'x\r\ny\r\n'],
    ['a carriage return that is not there', 'a\nb\n', edit('a\r\nb', 'x'), 'x\n'],
    ['a trimmed substring', 'call(one, two)\n', edit('  one, two  ', 'three'), 'call(three)\n'],
    [
      'whole lines when the search ends with a newline',
      '  alpha\n  beta\nend\n',
      edit('alpha\nbeta\n', 'X\n'),
      'X\nend\n',
    ],
  ])('tolerates white space, and says so: %s', async (_what, before, args, after) => {
    const { call, files } = await stage({ 'a.txt': before })
    expect(await call('edit_file', args)).toEqual({ text: tolerated('a.txt') })
    expect(await files()).toEqual({ 'a.txt': after })
  })

  const many = Array.from({ length: 25 }, () => 'x').join('\n')
  const twenty = Array.from({ length: 20 }, (_, index) => index + 1)

  test.each([
    [
      'several occurrences',
      'x\ny\nx\n',
      edit('x', 'z'),
      {
        error: 'ambiguous_match',
        message:
          'old_string matched 2 times (at lines 1, 3); it must be unique. Add surrounding text, or set replace_all: true to replace every occurrence.',
        path: 'a.txt',
        lines: [1, 3],
      },
    ],
    [
      'very many occurrences, of which twenty are listed',
      many,
      edit('x', 'z'),
      {
        error: 'ambiguous_match',
        message: `old_string matched 25 times (at lines ${twenty.join(', ')}, …); it must be unique. Add surrounding text, or set replace_all: true to replace every occurrence.`,
        path: 'a.txt',
        lines: twenty,
      },
    ],
    [
      'several tolerant matches',
      '  foo();\nx\n    foo();\n',
      edit('\tfoo();', 'bar();'),
      {
        error: 'ambiguous_match',
        message:
          'old_string matched 2 places after a whitespace-tolerant search (at lines 1, 3); it must be unique. Copy more of the surrounding text verbatim.',
        path: 'a.txt',
        lines: [1, 3],
      },
    ],
    [
      'tolerant matches that share a line',
      '  a\n  a\n  a\n',
      edit('a\na', 'b'),
      {
        error: 'ambiguous_match',
        message:
          'old_string matched 2 places after a whitespace-tolerant search (at lines 1, 2); it must be unique. Copy more of the surrounding text verbatim.',
        path: 'a.txt',
        lines: [1, 2],
      },
    ],
    [
      'nothing alike',
      'one\ntwo\n',
      edit('four', 'x'),
      {
        error: 'no_match',
        message: 'old_string was not found in a.txt. Copy it verbatim from the file.',
        path: 'a.txt',
      },
    ],
    [
      'line numbers in the search',
      'one\ntwo\n',
      edit('     1\tone\n     2\ttwo', 'x'),
      {
        error: 'no_match',
        message:
          'old_string was not found in a.txt. Copy it verbatim from the file. It carries the line numbers of read_file: leave them out.',
        path: 'a.txt',
      },
    ],
    [
      'replace_all, which is never tolerant',
      '  alpha\n  beta\n',
      edit('alpha\nbeta', 'x', true),
      {
        error: 'no_match',
        message:
          'old_string was not found in a.txt. Copy it verbatim from the file. The text is present at line(s) 1 with different whitespace.',
        path: 'a.txt',
      },
    ],
    [
      'replace_all with many places, of which five are listed',
      '  alpha\n\n'.repeat(7),
      edit('\talpha', 'x', true),
      {
        error: 'no_match',
        message:
          'old_string was not found in a.txt. Copy it verbatim from the file. The text is present at line(s) 1, 3, 5, 7, 9, … with different whitespace.',
        path: 'a.txt',
      },
    ],
    [
      'identical strings, whether they are there or not',
      'one\n',
      edit('absent', 'absent'),
      { error: 'invalid_input', message: 'old_string and new_string are identical — nothing to change.' },
    ],
    [
      'an empty old_string',
      'one\n',
      edit('', 'x'),
      { error: 'invalid_input', message: 'data/old_string must NOT have fewer than 1 characters' },
    ],
  ])('refuses %s', async (_what, before, args, error) => {
    const { call, files } = await stage({ 'a.txt': before })
    expect(await call('edit_file', args)).toEqual({ error })
    expect(await files()).toEqual({ 'a.txt': before })
  })

  test.each([
    ['n', { error: 'not_found', message: 'No such file: n', path: 'n' }],
    ['d', { error: 'not_a_file', message: 'Path is a directory: d', path: 'd' }],
    ['b.bin', { error: 'is_binary', message: 'File appears to be binary: b.bin', path: 'b.bin' }],
    [
      'u.txt',
      {
        error: 'is_binary',
        message: 'Editing utf16le files is not supported (the file would be rewritten as UTF-8): u.txt',
        path: 'u.txt',
        encoding: 'utf16le',
      },
    ],
    [
      'big.txt',
      {
        error: 'too_large',
        message: 'File is 101 bytes, exceeding the 100-byte limit (raise MAX_FILE_BYTES): big.txt',
        path: 'big.txt',
        size: 101,
        limit: 100,
      },
    ],
    ['to', { error: 'invalid_input', message: 'Refusing to write through a symlink: to', path: 'to' }],
    [
      'out',
      {
        error: 'path_escape',
        message: 'Path escapes the workspace root: out (set ALLOW_OUTSIDE_WORKSPACE=1 to permit)',
        path: 'out',
      },
    ],
    ['a.txt/b/c', { error: 'not_a_file', message: 'Not a directory: a.txt/b/c', path: 'a.txt/b/c' }],
    [
      '../outside/secret.txt',
      {
        error: 'path_escape',
        message: 'Path escapes the workspace root: ../outside/secret.txt (set ALLOW_OUTSIDE_WORKSPACE=1 to permit)',
        path: '../outside/secret.txt',
      },
    ],
  ])('refuses %s', async (path, error) => {
    const tree = {
      'd/': '',
      'b.bin': new Uint8Array([0x61, 0, 0x62]),
      'u.txt': new Uint8Array([0xff, 0xfe, 0x61, 0]),
      'big.txt': 'a'.repeat(101),
      'a.txt': 'a',
    }
    const { call, files } = await stage(tree, {
      links: { to: 'a.txt', out: '/outside/secret.txt' },
      limits: { maxFileBytes: 100 },
    })
    const before = await files()
    expect(await call('edit_file', { path, old_string: 'a', new_string: 'b' })).toEqual({ error })
    expect(await files()).toEqual(before)
  })
})

describe('multi_edit', () => {
  const edits = (...pairs: Array<[string, string, boolean?]>) => ({
    path: 'a.txt',
    edits: pairs.map(([old_string, new_string, replace_all = false]) => ({ old_string, new_string, replace_all })),
  })

  test.each([
    [
      'in order, each on the result of the one before',
      'a b c\n',
      edits(['a', 'X'], ['X b', 'Y']),
      'Y c\n',
      'Applied 2 edits to a.txt.',
    ],
    ['one alone', 'a\n', edits(['a', 'b']), 'b\n', 'Applied 1 edit to a.txt.'],
    ['all of a kind', 'a a a\n', edits(['a', 'b', true], ['b b b', 'c']), 'c\n', 'Applied 2 edits to a.txt.'],
    [
      'and counts those that were tolerated',
      '  one\n  two\nthree\n',
      edits(['one\ntwo', '12'], ['three', '3']),
      '12\n3\n',
      'Applied 2 edits to a.txt (1 of them matched after a whitespace-tolerant search; check the result).',
    ],
  ])('edits %s', async (_what, before, args, after, text) => {
    const { call, files } = await stage({ 'a.txt': before })
    expect(await call('multi_edit', args)).toEqual({ text })
    expect(await files()).toEqual({ 'a.txt': after })
  })

  test.each([
    [
      'one that is not found',
      'a\nb\n',
      edits(['a', 'X'], ['zzz', 'Y']),
      {
        error: 'no_match',
        message: 'edit[1]: old_string was not found in a.txt. Copy it verbatim from the file.',
        path: 'a.txt',
        index: 1,
      },
    ],
    [
      'one that is ambiguous',
      'a\na\n',
      edits(['a', 'X']),
      {
        error: 'ambiguous_match',
        message:
          'edit[0]: old_string matched 2 times (at lines 1, 2); it must be unique. Add surrounding text, or set replace_all: true to replace every occurrence.',
        path: 'a.txt',
        lines: [1, 2],
        index: 0,
      },
    ],
    [
      'one that changes nothing',
      'a\n',
      edits(['a', 'b'], ['b', 'b']),
      {
        error: 'invalid_input',
        message: 'edit[1]: old_string and new_string are identical — nothing to change.',
        index: 1,
      },
    ],
    ['none', 'a\n', edits(), { error: 'invalid_input', message: 'data/edits must NOT have fewer than 1 items' }],
    [
      'one without its text',
      'a\n',
      { path: 'a.txt', edits: [{ old_string: 'a' }] },
      { error: 'invalid_input', message: "data/edits/0 must have required property 'new_string'" },
    ],
  ])('refuses all for %s', async (_what, before, args, error) => {
    const { call, files } = await stage({ 'a.txt': before })
    expect(await call('multi_edit', args)).toEqual({ error })
    expect(await files()).toEqual({ 'a.txt': before })
  })

  test('a file that is missing has no edit to blame', async () => {
    const { call } = await stage({})
    expect(await call('multi_edit', edits(['a', 'b']))).toEqual({
      error: { error: 'not_found', message: 'No such file: a.txt', path: 'a.txt' },
    })
  })
})
