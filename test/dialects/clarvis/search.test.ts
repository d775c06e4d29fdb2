import { describe, expect, test } from 'vitest'
import { type Options, stage } from './stage.js'

type Tree = Parameters<typeof stage>[0]

async function say(tree: Tree, tool: string, args: object, options?: Options): Promise<unknown> {
  const { call } = await stage(tree, options)
  const { text, error } = await call(tool, args)
  return text ?? error
}

describe('glob', () => {
  const sources = { 'src/a.ts': 'a', 'src/deep/b.ts': 'b', 'c.ts': 'c', 'src/d.js': 'd' }

  test('the most recently modified first, then by path', async () => {
    const { call, fs } = await stage({ ...sources, 'b.ts': '' })
    for (const [path, seconds] of [
      ['src/a.ts', 100],
      ['src/deep/b.ts', 300],
      ['c.ts', 200],
      ['b.ts', 200],
    ] as const) {
      await fs.setModified?.(`/w/${path}`, seconds * 1000)
    }
    expect(await call('glob', { pattern: '**/*.ts' })).toEqual({ text: 'src/deep/b.ts\nb.ts\nc.ts\nsrc/a.ts' })
  })

  test.each([
    ['a base, with results from the root', { pattern: '*.ts', path: 'src' }, 'src/a.ts'],
    ['a pattern without a slash, which stays at the base', { pattern: '*.ts' }, 'c.ts'],
    ['nothing', { pattern: '**/*.py' }, '(no matches)'],
    ['one name', { pattern: 'src/deep/b.ts' }, 'src/deep/b.ts'],
    ['an empty base, which is the root', { pattern: '*.ts', path: '' }, 'c.ts'],
    ['no directory', { pattern: 'src/*', path: '.' }, 'src/d.js\nsrc/a.ts'],
  ])('%s', async (_what, args, text) => {
    const { call, fs } = await stage(sources)
    await fs.setModified?.('/w/src/a.ts', 1000)
    expect(await call('glob', args)).toEqual({ text })
  })

  const ignoring = {
    '.gitignore': 'build/\n*.log\n!keep.log\n',
    'build/o.txt': '1',
    'a.log': '1',
    'keep.log': '1',
    '.env': '1',
    '.git/HEAD': 'x',
    '.clarvis/x': '1',
    '.clarvis-tmp-1': '1',
    'sub/.gitignore': '!a.log\n',
    'sub/a.log': '1',
  }

  test.each([
    ['ignored files are left out', {}, '.env\n.gitignore\nkeep.log\nsub/.gitignore\nsub/a.log'],
    [
      'unless asked for, then with .git',
      { respect_gitignore: false },
      '.clarvis-tmp-1\n.clarvis/x\n.env\n.git/HEAD\n.gitignore\na.log\nbuild/o.txt\nkeep.log\nsub/.gitignore\nsub/a.log',
    ],
  ])('%s', async (_what, args, text) => {
    const { call, fs } = await stage(ignoring)
    for (const path of Object.keys(ignoring)) await fs.setModified?.(`/w/${path}`, 1000)
    expect(await call('glob', { pattern: '**/*', ...args })).toEqual({ text })
  })

  test.each([
    ['braces', 'f?.{txt,md}', 'f1.txt\nf2.md\nfx.txt'],
    ['a class', 'f[0-9].txt', 'f1.txt'],
  ])('%s', async (_what, pattern, text) => {
    const { call, fs } = await stage({ 'f1.txt': '', 'f2.md': '', 'fx.txt': '' })
    for (const name of ['f1.txt', 'f2.md', 'fx.txt']) await fs.setModified?.(`/w/${name}`, 1000)
    expect(await call('glob', { pattern })).toEqual({ text })
  })

  test('a link counts as its target, with its time; a link without a target file is left out', async () => {
    const links = { 'l.ts': 'src/a.ts', d: 'src', 'broken.ts': 'none', 'out.ts': '/outside/secret.txt' }
    const { call, fs } = await stage({ 'src/a.ts': '', 'b.ts': '' }, { links })
    await fs.setModified?.('/w/src/a.ts', 1000)
    await fs.setModified?.('/w/b.ts', 2000)
    expect(await call('glob', { pattern: '**' })).toEqual({ text: 'b.ts\nd/a.ts\nl.ts\nsrc/a.ts' })
  })

  test('a result over the budget is cut and says so', async () => {
    expect(await say({ aaaa: '' }, 'glob', { pattern: '*' }, { limits: { maxOutputBytes: 3 } })).toBe(
      'aaa\n[... output truncated: 3 of 4 bytes shown ...]',
    )
  })

  test.each([
    [
      'a missing base',
      { pattern: '*', path: 'nope' },
      { error: 'not_found', message: 'No such file: nope', path: 'nope' },
    ],
    [
      'a base that is a file',
      { pattern: '*', path: 'f' },
      { error: 'not_a_file', message: 'Not a directory: f', path: 'f' },
    ],
    [
      'a base outside',
      { pattern: '*', path: '../outside' },
      {
        error: 'path_escape',
        message: 'Path escapes the workspace root: ../outside (set ALLOW_OUTSIDE_WORKSPACE=1 to permit)',
        path: '../outside',
      },
    ],
    ['no pattern', {}, { error: 'invalid_input', message: "data must have required property 'pattern'" }],
  ])('refuses %s', async (_what, args, error) => {
    expect(await say({ f: '' }, 'glob', args)).toEqual(error)
  })

  test('an invalid pattern is reported with the pattern, and as a glob', async () => {
    expect(await say({ f: '' }, 'glob', { pattern: '[a' })).toEqual({
      error: 'invalid_input',
      message: expect.stringMatching(/^Invalid glob pattern: ./),
      pattern: '[a',
    })
  })

  test('nothing outside is found, neither by pattern nor through a link', async () => {
    const links = { links: { away: '../outside' } }
    for (const pattern of ['../outside/*', '../**/secret.txt', '/outside/*', 'away/*', '**/secret.txt']) {
      expect(await say({ f: '' }, 'glob', { pattern }, links)).not.toMatch(/secret/)
    }
  })
})

describe('grep', () => {
  const texts = {
    'a.txt': 'foo one\nbar\nFoo two\nfoo three\n',
    'sub/b.txt': 'nothing\nfoo here\n',
    'c.md': 'no hits\n',
  }
  const content = { output_mode: 'content' }

  test.each([
    ['files, sorted', { pattern: 'foo' }, 'a.txt\nsub/b.txt'],
    ['lines', { pattern: 'foo', ...content }, 'a.txt:1:foo one\na.txt:4:foo three\nsub/b.txt:2:foo here'],
    ['counts', { pattern: 'foo', output_mode: 'count' }, 'a.txt:2\nsub/b.txt:1'],
    ['either case', { pattern: 'foo', ignore_case: true, output_mode: 'count' }, 'a.txt:3\nsub/b.txt:1'],
    ['a directory', { pattern: 'foo', path: 'sub', ...content }, 'sub/b.txt:2:foo here'],
    ['a file, whatever the glob', { pattern: 'foo', path: 'a.txt', glob: '*.md' }, 'a.txt'],
    ['a glob without a slash, at any depth', { pattern: '.', glob: '*.txt' }, 'a.txt\nsub/b.txt'],
    ['a glob with a slash, from the base', { pattern: '.', glob: 'sub/*.txt' }, 'sub/b.txt'],
    ['nothing, as files', { pattern: 'zzz' }, '(no matches)'],
    ['nothing, as lines', { pattern: 'zzz', ...content }, '(no matches)'],
    ['nothing, as counts', { pattern: 'zzz', output_mode: 'count' }, '(no matches)'],
    ['context, which only lines have', { pattern: 'foo', output_mode: 'count', context: 3 }, 'a.txt:2\nsub/b.txt:1'],
    [
      'context, with a line between groups and between files',
      { pattern: 'foo', context: 1, ...content },
      'a.txt:1:foo one\na.txt-2-bar\na.txt-3-Foo two\na.txt:4:foo three\n--\nsub/b.txt-1-nothing\nsub/b.txt:2:foo here',
    ],
    ['lines before', { pattern: 'foo h', before_context: 1, ...content }, 'sub/b.txt-1-nothing\nsub/b.txt:2:foo here'],
    ['lines after', { pattern: 'one', after_context: 2, ...content }, 'a.txt:1:foo one\na.txt-2-bar\na.txt-3-Foo two'],
    [
      'one side other than the rest',
      { pattern: 'two', context: 1, before_context: 0, ...content },
      'a.txt:3:Foo two\na.txt-4-foo three',
    ],
    [
      'the first page of lines',
      { pattern: 'foo', head_limit: 2, ...content },
      'a.txt:1:foo one\na.txt:4:foo three\n[... showing 0..2 of 3; call again with offset=2 for more ...]',
    ],
    ['the last page', { pattern: 'foo', head_limit: 2, offset: 2, ...content }, 'sub/b.txt:2:foo here'],
    [
      'the first page of files',
      { pattern: 'foo', head_limit: 1 },
      'a.txt\n[... showing 0..1 of 2; call again with offset=1 for more ...]',
    ],
    [
      'the first page of counts',
      { pattern: 'foo', head_limit: 1, output_mode: 'count' },
      'a.txt:2\n[... showing 0..1 of 2; call again with offset=1 for more ...]',
    ],
    ['past the last page', { pattern: 'foo', offset: 9, ...content }, '(no results at offset 9; 3 total)'],
    ['across lines', { pattern: 'one.*Foo', multiline: true, ...content }, 'a.txt:1:foo one\nbar\nFoo two'],
    ['across lines, counted', { pattern: 'one.*Foo', multiline: true, output_mode: 'count' }, 'a.txt:1'],
    ['across lines only when asked for', { pattern: 'one.*Foo', ...content }, '(no matches)'],
    ['Rust syntax', { pattern: '^(?i:FOO)\\s+\\w+$', output_mode: 'count' }, 'a.txt:3\nsub/b.txt:1'],
  ])('%s', async (_what, args, text) => {
    expect(await say(texts, 'grep', args)).toBe(text)
  })

  test('lines end with LF, CRLF and CR alike', async () => {
    expect(await say({ a: 'x1\r\nx2\rx3\nx4' }, 'grep', { pattern: 'x\\d$', ...content })).toBe(
      'a:1:x1\na:2:x2\na:3:x3\na:4:x4',
    )
  })

  test('hidden files are searched; ignored, binary, UTF-16 and oversized ones are not', async () => {
    const tree = {
      '.env': 'token\n',
      '.git/notes': 'token\n',
      '.gitignore': 'out/\n',
      'out/x': 'token\n',
      'in/x': 'token\n',
      'b.bin': new Uint8Array([...new TextEncoder().encode('token'), 0]),
      'u.txt': new Uint8Array([0xff, 0xfe, ...Array.from('token').flatMap((letter) => [letter.charCodeAt(0), 0])]),
      'big.txt': `token${'x'.repeat(100)}`,
    }
    const limits = { limits: { maxFileBytes: 100 } }
    expect(await say(tree, 'grep', { pattern: 'token' }, limits)).toBe('.env\nin/x')
    for (const path of ['b.bin', 'u.txt', 'big.txt']) {
      expect(await say(tree, 'grep', { pattern: 'token', path }, limits)).toBe('(no matches)')
    }
  })

  test('a page over the budget is cut, and says how to get smaller ones', async () => {
    const tree = { a: 'hit one\n' }
    expect(await say(tree, 'grep', { pattern: 'hit', ...content }, { limits: { maxOutputBytes: 9 } })).toBe(
      'a:1:hit o\n[... page exceeded 9 bytes and was cut; set or reduce head_limit to page in smaller chunks ...]',
    )
  })

  test('a search that was not done to its end says so before all else', async () => {
    const tree = { a: 'hit one\nhit two\n', b: 'hit three\n', c: 'hit four\n' }
    const said = await say(tree, 'grep', { pattern: 'hit', ...content }, { limits: { maxOutputBytes: 12 } })
    expect(said).toMatch(
      /^a:1:hit one\n[^\n]*\n?\[\.\.\. search incomplete: the scan hit its output cap; some matching files were not scanned\. Narrow the pattern, path, or glob for complete results\. \.\.\.\]$/,
    )
  })

  test.each([
    [
      'a missing path',
      { pattern: 'x', path: 'nope' },
      { error: 'not_found', message: 'No such file: nope', path: 'nope' },
    ],
    [
      'a path outside',
      { pattern: 'x', path: '../outside' },
      {
        error: 'path_escape',
        message: 'Path escapes the workspace root: ../outside (set ALLOW_OUTSIDE_WORKSPACE=1 to permit)',
        path: '../outside',
      },
    ],
    ['no pattern', {}, { error: 'invalid_input', message: "data must have required property 'pattern'" }],
    [
      'no results',
      { pattern: 'x', head_limit: 0 },
      { error: 'invalid_input', message: 'data/head_limit must be >= 1' },
    ],
    [
      'an unknown mode',
      { pattern: 'x', output_mode: 'lines' },
      {
        error: 'invalid_input',
        message: 'data/output_mode must be equal to one of the allowed values: files_with_matches, content, count',
      },
    ],
  ])('refuses %s', async (_what, args, error) => {
    expect(await say(texts, 'grep', args)).toEqual(error)
  })

  test('an invalid pattern is reported with the pattern', async () => {
    expect(await say(texts, 'grep', { pattern: 'foo(' })).toEqual({
      error: 'invalid_input',
      message: expect.stringMatching(/^Invalid regex: ./),
      pattern: 'foo(',
    })
    expect(await say(texts, 'grep', { pattern: 'foo', glob: '[' })).toEqual({
      error: 'invalid_input',
      message: 'Invalid glob pattern: a [ is never closed',
      pattern: '[',
    })
  })

  test('nothing outside is searched through a link', async () => {
    expect(await say({ a: 'x\n' }, 'grep', { pattern: 'secret' }, { links: { away: '../outside' } })).toBe(
      '(no matches)',
    )
  })
})
