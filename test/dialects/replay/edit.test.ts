import { describe, expect, test } from 'vitest'
import { notAllowed, stage } from './stage.js'

interface Edit {
  oldText: string
  newText?: string
  limit?: number
  isRegex?: boolean
  caseInsensitive?: boolean
}

/** The file after the edits, or the failure, after which the file must be as it was. */
async function edited(content: string, ...edits: Edit[]): Promise<string> {
  const { say, file } = await stage({ '/w/a': content })
  const answer = await say('edit_file', { path: '/w/a', edits })
  if (answer === 'Successfully edited /w/a') return file('/w/a')
  expect(await file('/w/a')).toBe(content)
  return answer
}

const notUnique = (count: number, text: string) =>
  `-32603 oldText is not unique: found ${count} occurrences of "${text}". Add surrounding context so it matches exactly one, or set limit:0 to replace all (limit:N for the first N).`

const notUniqueBlock = (count: number) =>
  `-32603 oldText is not unique: found ${count} whitespace-normalized matches for the given block. Add surrounding lines so it matches exactly one place.`

describe('literal edits', () => {
  test.each<[string, string, Edit[], string]>([
    ['replace the one place', 'foo bar\n', [{ oldText: 'bar', newText: 'baz' }], 'foo baz\n'],
    ['remove without a newText', 'foo bar\n', [{ oldText: 'foo ' }], 'bar\n'],
    [
      'see what those before them left',
      'foo',
      [
        { oldText: 'foo', newText: 'one' },
        { oldText: 'one', newText: 'two' },
      ],
      'two',
    ],
    ['may leave everything as it is', 'foo', [{ oldText: 'foo', newText: 'foo' }], 'foo'],
    ['take nothing for special', 'a.*b', [{ oldText: '.*', newText: '$1 \\1 $& $$ \\n' }], 'a$1 \\1 $& $$ \\nb'],
    ['keep the line endings they are sent with', 'a\r\nb\r\n', [{ oldText: 'a', newText: 'x\ny' }], 'x\ny\r\nb\r\n'],
    ['replace the first few', 'x x x x', [{ oldText: 'x', newText: 'y', limit: 2 }], 'y y x x'],
    ['replace all of fewer than the limit', 'x x', [{ oldText: 'x', newText: 'y', limit: 9 }], 'y y'],
    ['replace all', 'x x x', [{ oldText: 'x', newText: 'y', limit: 0 }], 'y y y'],
    ['replace all with a limit below none', 'x x x', [{ oldText: 'x', newText: 'y', limit: -1 }], 'y y y'],
    ['ignore case where asked to', 'Todo', [{ oldText: 'TODO', newText: 'done', caseInsensitive: true }], 'done'],
    ['are refused where there is more than one place', 'x x x', [{ oldText: 'x', newText: 'y' }], notUnique(3, 'x')],
    ['count places without overlaps', 'aaaa', [{ oldText: 'aa', newText: 'b' }], notUnique(2, 'aa')],
    [
      'must be unique without case too',
      'x X',
      [{ oldText: 'x', newText: 'y', caseInsensitive: true }],
      notUnique(2, 'x'),
    ],
    ['are refused where there is no place', 'foo', [{ oldText: 'nope' }], '-32603 oldText not found: nope'],
    [
      'are refused without a place, however many were meant',
      'foo',
      [{ oldText: 'no', limit: 0 }],
      '-32603 oldText not found: no',
    ],
    ['are all or none', 'foo', [{ oldText: 'foo', newText: 'x' }, { oldText: 'foo' }], '-32603 oldText not found: foo'],
    ['need a text', 'foo', [{ oldText: '' }], '-32603 oldText must not be empty'],
    ['need a pattern', 'foo', [{ oldText: '', isRegex: true }], '-32603 oldText must not be empty'],
  ])('%s', async (_, content, edits, after) => {
    expect(await edited(content, ...edits)).toBe(after)
  })
})

describe('blocks of lines', () => {
  const greet = 'function greet() {\n    log(1);\n      more();\n    return 42;\n}\n'

  test.each<[string, string, Edit, string]>([
    [
      'are found whatever their common indent, and fitted into it',
      greet,
      { oldText: 'log(1);\n  more();\nreturn 42;', newText: 'log(2);\n\n  if (x) {\n    y();\n  }' },
      'function greet() {\n    log(2);\n\n      if (x) {\n        y();\n      }\n}\n',
    ],
    [
      'keep the line ending after them, whether the new text has one or not',
      greet,
      { oldText: 'log(1);\n  more();\nreturn 42;\n', newText: 'log(2);\n' },
      'function greet() {\n    log(2);\n}\n',
    ],
    [
      'lose the indent of the new text',
      '\tone\n\ttwo\n',
      { oldText: '  one\n  two', newText: '    1\n      2' },
      '\t1\n\t  2\n',
    ],
    ['must be the only ones', '  x\n  y\nz\n    x\n    y\n', { oldText: ' x\n y', newText: 'q' }, notUniqueBlock(2)],
    ['must be the only ones, be it in part', '  x\n  x\n  x\n', { oldText: 'x\nx', newText: 'q' }, notUniqueBlock(2)],
    ['must be alike to the end of each line', '  x \n  y\n', { oldText: 'x\ny' }, '-32603 oldText not found: x\ny'],
    ['must be indented alike', '  x\n   y\n', { oldText: 'x\n  y' }, '-32603 oldText not found: x\n  y'],
    ['must end their lines alike', '  x\r\n  y\r\n', { oldText: 'x\ny' }, '-32603 oldText not found: x\ny'],
    [
      'take the line endings of the file',
      '  x\r\n  y\r\nz\r\n',
      { oldText: 'x\r\ny\r\n', newText: '1\r\n2\r\n3\r\n' },
      '  1\r\n  2\r\n  3\r\nz\r\n',
    ],
    [
      'are not looked for without case',
      '  x\n  y\n',
      { oldText: 'x\ny', caseInsensitive: true },
      '-32603 oldText not found: x\ny',
    ],
    ['are not looked for with a limit', '  x\n  y\n', { oldText: 'x\ny', limit: 2 }, '-32603 oldText not found: x\ny'],
  ])('%s', async (_, content, edit, after) => {
    expect(await edited(content, edit)).toBe(after)
  })
})

describe('regex edits', () => {
  const regex = (oldText: string, newText: string, limit = 1): Edit => ({ oldText, newText, limit, isRegex: true })
  const missing = (group: number, has: string) =>
    `-32603 replacement references capture group ${group} (\\${group} or $${group}) but the pattern has ${has}; wrap what it should insert in parentheses, or use $& for the whole match and $$ for a literal $`

  test.each<[string, string, Edit, string]>([
    ['take the first place', 'x1 x2', regex('x\\d', 'y'), 'y x2'],
    ['take all places', 'x1 x2', regex('x\\d', 'y', 0), 'y y'],
    ['see every line', 'a\n\nb\n', regex('^(.*)$', '"\\1"', 0), '"a"\n""\n"b"\n'],
    ['see every line of a file with CRLF', 'a\r\nb\r\n', regex('^(.*)$', '<$1>', 0), '<a>\r\n<b>\r\n'],
    ['do not cross lines with a dot', 'a\nb', regex('a.b', ''), '-32603 pattern not found: a.b'],
    ['may name the line ending', 'a\nb\n', regex('a\\nb', 'c'), 'c\n'],
    ['refer to groups either way', 'v1_x', regex('v(\\d)_(\\w)', '$2\\1$1\\2'), 'x11x'],
    ['refer to the match in three ways', 'a1', regex('\\d', '[\\0$0$&]'), 'a[111]'],
    ['know a dollar and escapes', 'x', regex('x', '$$1\\t\\\\n\\n\\q$q'), '$1\t\\n\n\\q$q'],
    ['insert nothing for a group that took no part', 'b', regex('(a)?b', '[$1]'), '[]'],
    ['ignore case where asked to', 'Todo', { ...regex('tO', 'x'), caseInsensitive: true }, 'xdo'],
    ['fail for a group that is not there', 'x', regex('x', '\\1'), missing(1, 'no capture groups')],
    ['fail for one too many', 'x', regex('(x)', '$2'), missing(2, 'only 1 capture group')],
    ['fail without a match', 'x', regex('z+', '', 0), '-32603 pattern not found: z+'],
  ])('%s', async (_, content, edit, after) => {
    expect(await edited(content, edit)).toBe(after)
  })

  test('fail for an invalid pattern', async () => {
    expect(await edited('x', regex('[x', ''))).toMatch(/^-32603 regex compile error: ./)
  })
})

describe('edit_file', () => {
  test.each([
    [{ edits: [{ oldText: 'a' }] }, '-32602 Missing required param: path'],
    [{ path: '/w/a' }, '-32602 Missing required param: edits (array)'],
    [{ path: '/w/a', edits: {} }, '-32602 Missing required param: edits (array)'],
    [{ path: '/w/a', edits: [] }, '-32602 Missing required param: edits (array)'],
    [{ path: '/w/a', edits: [{ newText: '' }] }, '-32602 Missing required param: edits[].oldText'],
    [{ path: '/w/a', edits: [{ oldText: 'a' }], dryRun: 'yes' }, '-32602 Invalid param: dryRun must be a boolean'],
    [{ path: '/w/nope', edits: [{ oldText: 'a' }] }, '-32002 failed to open "/w/nope": No such file or directory'],
    [{ path: '/w/d', edits: [{ oldText: 'a' }] }, '-32603 failed to open "/w/d": Is a directory'],
  ])('%j is refused', async (args, answer) => {
    const { say } = await stage({ '/w/a': 'a', '/w/d/': '' })
    expect(await say('edit_file', args)).toBe(answer)
  })

  test('changes the target of a link, and reports the name of the target', async () => {
    const { say, file } = await stage({ '/w/a': 'x', '/w/l': '-> a' })
    expect(await say('edit_file', { path: '/w/l', edits: [{ oldText: 'x', newText: 'y' }] })).toBe(
      'Successfully edited /w/a',
    )
    expect(await file('/w/a')).toBe('y')
  })

  test('previews as one hunk with three lines around it, and writes nothing', async () => {
    const lines = Array.from({ length: 12 }, (_, index) => `${index + 1}\n`).join('')
    const { say, file } = await stage({ '/ro/a': lines })
    const edits = [
      { oldText: '5\n', newText: 'five\n' },
      { oldText: '8\n', newText: '' },
    ]
    expect(await say('edit_file', { path: '/ro/a', edits, dryRun: true })).toBe(
      '--- /ro/a\n+++ /ro/a\n@@ -2,10 +2,9 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n-8\n 9\n 10\n 11\n',
    )
    expect(await file('/ro/a')).toBe(lines)
  })

  test('previews nothing, a failure and a file that is not there', async () => {
    const { say, fs } = await stage({ '/w/a': 'one\none\n' })
    const preview = (path: string, ...edits: Edit[]) => say('edit_file', { path, edits, dryRun: true })
    expect(await preview('/w/a', { oldText: 'one', newText: 'one', limit: 0 })).toBe('(no changes)\n')
    expect(await preview('/w/a', { oldText: 'one', newText: 'x' })).toBe(notUnique(2, 'one'))
    expect(await preview('/w/a', { oldText: 'z+', isRegex: true })).toBe('-32603 pattern not found: z+')
    expect(await preview('/w/nope', { oldText: 'a', newText: 'b' }, { oldText: 'c+', limit: 0, isRegex: true })).toBe(
      'Dry-run edit plan for /w/nope:\n  oldText: a\n  newText: b\n  limit: 1\n\n  oldText: c+\n  newText: \n  limit: 0\n  regex: true\n\n',
    )
    expect((await fs.readDir('/w')).map(({ name }) => name)).toEqual(['a'])
  })
})

describe('edit_files', () => {
  const edits = [{ oldText: 'foo', newText: 'bar' }]
  const tree = { '/w/b.txt': 'foo', '/w/a.TXT': 'foo', '/w/s/c.txt': 'foo', '/w/n.txt': 'none', '/w/d.md': 'foo' }

  test('edits each file on its own, once, in the order named and by name within a glob', async () => {
    const { items, file } = await stage({ ...tree, '/w/l.txt': '-> b.txt' })
    expect(await items('edit_files', { paths: ['/w/d.md', '/w/**/*.txt', 7, '/w/s/c.txt', '/w/nope'], edits })).toEqual(
      [
        'Successfully edited /w/d.md',
        'Successfully edited /w/a.TXT',
        'Successfully edited /w/b.txt',
        '/w/n.txt: [error -32603] oldText not found: foo',
        'Successfully edited /w/s/c.txt',
        '/w/nope: [error -32002] failed to open "/w/nope": No such file or directory',
      ],
    )
    expect(await Promise.all(Object.keys(tree).map(file))).toEqual(['bar', 'bar', 'bar', 'none', 'bar'])
  })

  test('previews each file', async () => {
    const { items } = await stage({ '/ro/a': 'foo\n' })
    expect(await items('edit_files', { paths: ['/ro/{a,b}', '/w/no'], edits, dryRun: true })).toEqual([
      '--- /ro/a\n+++ /ro/a\n@@ -1,1 +1,1 @@\n-foo\n+bar\n',
      'Dry-run edit plan for /w/no:\n  oldText: foo\n  newText: bar\n  limit: 1\n\n',
    ])
  })

  test.each([
    [{ edits }, '-32602 Missing required param: paths (array)'],
    [{ paths: ['/w/b.txt'] }, '-32602 Missing required param: edits (array)'],
    [{ paths: [], edits }, '-32602 paths resolved to no files'],
    [{ paths: ['/w/b.txt', '/w/*.none'], edits }, '-32002 Glob matched no files: /w/*.none'],
    [{ paths: ['/w/b.txt', '/w/no/*.txt'], edits }, '-32002 Glob matched no files: /w/no/*.txt'],
    [{ paths: ['/w/b.txt', '/outside/o.txt'], edits }, notAllowed('/outside/o.txt')],
    [{ paths: ['/w/b.txt', '/outside/*.txt'], edits }, notAllowed('/outside/*.txt')],
    [{ paths: ['/w/b.txt', '/w/../outside/*.txt'], edits }, notAllowed('/outside/*.txt')],
    [{ paths: ['/w/b.txt', '/**/*.txt'], edits }, notAllowed('/**/*.txt')],
    [{ paths: ['/w/b.txt', '/w/*.lnk'], edits }, notAllowed('/w/out.lnk')],
    [{ paths: ['/w/b.txt', '/w/out/*.txt'], edits }, notAllowed('/w/out/*.txt')],
    [{ paths: ['/w/b.txt', '/ro/*'], edits }, notAllowed('/ro/a')],
    [{ paths: ['/w/[b.txt'], edits }, '-32602 Invalid glob /w/[b.txt: a [ is never closed'],
  ])('%j is refused as a whole', async (args, answer) => {
    const links = { '/w/out.lnk': '-> /outside/o.txt', '/w/out': '-> /outside' }
    const { say, file } = await stage({ ...tree, ...links, '/outside/o.txt': 'foo', '/ro/a': 'foo' })
    expect(await say('edit_files', args)).toBe(answer)
    expect([await file('/w/b.txt'), await file('/outside/o.txt')]).toEqual(['foo', 'foo'])
  })
})
