import { describe, expect, test } from 'vitest'
import { notAllowed, stage } from './stage.js'

describe('search_files', () => {
  const tree = {
    '/w/alpha.txt': '',
    '/w/d/ALPHAbet': '',
    '/w/alpha_dir/x': '',
    '/w/.alpha': '',
    '/w/a*[1]{b,c}': '',
    '/w/l-alpha': '-> d',
    '/outside/alpha': '',
  }

  test.each([
    [{ nameContains: 'Alpha' }, ['/w/.alpha', '/w/alpha.txt', '/w/alpha_dir', '/w/d/ALPHAbet', '/w/l-alpha']],
    [{ nameContains: '*[1]{b,' }, ['/w/a*[1]{b,c}']],
    [{ nameContains: '.t' }, ['/w/alpha.txt']],
    [{ nameContains: 'alpha', excludeGlobs: ['*.txt', 'd'] }, ['/w/.alpha', '/w/alpha_dir', '/w/l-alpha']],
    [{ nameContains: 'alpha', excludeGlobs: ['/w/D/**', '/w/.*'] }, ['/w/alpha.txt', '/w/alpha_dir', '/w/l-alpha']],
    [{ pattern: 'alpha', excludePatterns: ['*.txt', '.*', 'l-*'] }, ['/w/alpha_dir', '/w/d/ALPHAbet']],
    [{ nameContains: 'bet', pattern: 'alpha' }, ['/w/d/ALPHAbet']],
    [{ nameContains: '', excludeGlobs: ['*alpha*', 'a*'] }, ['/w/d']],
  ])('%j', async (args, found) => {
    const { say } = await stage(tree)
    expect(await say('search_files', { directory: '/w', ...args })).toBe(found.map((path) => `${path}\n`).join(''))
    expect(await say('search_files', { path: '/w', ...args })).toBe(found.map((path) => `${path}\n`).join(''))
  })

  test.each([
    [{ directory: '/w', nameContains: 'zzz' }, '(no matches found)'],
    [{ directory: '/w', nameContains: 'd/ALPHA' }, '(no matches found)'],
    [{ directory: '/w', nameContains: 'x'.repeat(256) }, '(no matches found)'],
    [{ nameContains: 'x' }, '-32602 Missing required param: directory'],
    [{ directory: '/w' }, '-32602 Missing required param: nameContains'],
    [
      { directory: '/w', nameContains: 'x', excludeGlobs: 'y' },
      '-32602 Invalid param: excludeGlobs must be an array of strings',
    ],
    [{ directory: '/outside', nameContains: 'x' }, notAllowed('/outside')],
    [{ directory: '/w/no', nameContains: 'x' }, '-32002 failed to access "/w/no": No such file or directory'],
    [{ directory: '/w/alpha.txt', nameContains: 'x' }, '-32603 failed to access "/w/alpha.txt": Not a directory'],
  ])('%j: %s', async (args, answer) => {
    const { say } = await stage(tree)
    expect(await say('search_files', args)).toBe(answer)
  })
})

describe('glob_search', () => {
  const tree = {
    '/w/src/main.CPP': '',
    '/w/src/sub/util.cpp': '',
    '/w/include/util.h': '',
    '/w/.hidden.h': '',
    '/w/x.d/f': '',
    '/w/y.d': '',
    '/w/vendor/v.h': '',
    '/w/to-file.h': '-> include/util.h',
    '/w/to-dir.h': '-> src',
    '/w/out.h': '-> /outside/o.h',
    '/outside/o.h': '',
  }

  test.each([
    ['any depth without a slash', ['*.cpp'], [], ['/w/src/main.CPP', '/w/src/sub/util.cpp']],
    ['** at the root too', ['**/*.h'], ['vendor'], ['/w/.hidden.h', '/w/include/util.h', '/w/to-file.h']],
    ['a slash counts from the directory', ['src/*.cpp'], [], ['/w/src/main.CPP']],
    [
      'braces, classes and question marks',
      ['{src,include}/**/[m-u]?i*.{cpp,h}'],
      [],
      ['/w/include/util.h', '/w/src/main.CPP', '/w/src/sub/util.cpp'],
    ],
    ['no directories', ['*.d'], [], ['/w/y.d']],
    [
      'several patterns, every file once',
      ['**/*.cpp', '*.cpp', 'src/**'],
      [],
      ['/w/src/main.CPP', '/w/src/sub/util.cpp'],
    ],
    ['absolute patterns', ['/w/src/*'], [], ['/w/src/main.CPP']],
    ['without a name', ['*.h'], ['util.*', 'v.h', 't*'], ['/w/.hidden.h', '/w/vendor/v.h']],
    ['without a path', ['*.cpp'], ['src/sub'], ['/w/src/main.CPP']],
    ['without an absolute path', ['*.cpp'], ['/w/src/sub'], ['/w/src/main.CPP']],
    ['without an absolute pattern', ['*.cpp'], ['/**/sub/*'], ['/w/src/main.CPP']],
    ['without all of it', ['*.cpp'], ['/w'], []],
  ])('%s', async (_, globs, excludeGlobs, found) => {
    const { say } = await stage(tree)
    const answer = found.map((path) => `${path}\n`).join('') || '(no matches)'
    expect(await say('glob_search', { directory: '/w', globs, excludeGlobs })).toBe(answer)
  })

  test('returns a thousand by default, and says that there are more', async () => {
    const names = Array.from({ length: 1001 }, (_, index) => `/w/f${String(index).padStart(4, '0')}`)
    const { say } = await stage(Object.fromEntries(names.map((name) => [name, ''])))
    const glob = async (max?: number) => (await say('glob_search', { directory: '/w', globs: ['f*'], max })).split('\n')
    expect(await glob()).toEqual([...names.slice(0, 1000), '[truncated at 1000 of 1001]', ''])
    expect(await glob(-1)).toEqual([...names.slice(0, 1000), '[truncated at 1000 of 1001]', ''])
    expect(await glob(2)).toEqual([...names.slice(0, 2), '[truncated at 2 of 1001]', ''])
    expect(await glob(0)).toEqual([...names, ''])
  })

  test.each([
    [{ globs: ['*'] }, '-32602 Missing required param: directory'],
    [{ directory: '/w' }, '-32602 Missing required param: globs (array of glob patterns)'],
    [{ directory: '/w', globs: [] }, '-32602 Missing required param: globs (array of glob patterns)'],
    [{ directory: '/w', globs: [1] }, '-32602 Missing required param: globs (array of glob patterns)'],
    [{ directory: '/w', globs: ['{a'] }, '-32602 Invalid glob {a: a { is never closed'],
    [{ directory: '/outside', globs: ['*'] }, notAllowed('/outside')],
    [{ directory: '/w/no', globs: ['*'] }, '-32002 failed to access "/w/no": No such file or directory'],
  ])('%j is refused', async (args, answer) => {
    const { say } = await stage(tree)
    expect(await say('glob_search', args)).toBe(answer)
  })
})

describe('grep_files', () => {
  const grep = async (tree: Record<string, string | Uint8Array>, args: object) =>
    (await stage(tree)).say('grep_files', args)
  const all = { directory: '/w', regex: 'hit' }

  test('prints lines as grep does, with separators between groups, and their number', async () => {
    expect(await grep({ '/w/b': 'hit\r\nhit hit\nno\nhit', '/w/a': 'a hit\n', '/w/c': 'no' }, all)).toBe(
      '/w/a:1:a hit\n/w/b:1:hit\n/w/b:2:hit hit\n--\n/w/b:4:hit\n[4 matches]\n',
    )
  })

  test('sees one line at a time', async () => {
    expect(await grep({ '/w/a': 'x\r\nhit\r\ny\n' }, { ...all, regex: '^h.t$' })).toBe('/w/a:2:hit\n[1 match]\n')
    expect(await grep({ '/w/a': 'x\nhit\n' }, { ...all, regex: 'x\\nhit' })).toBe('(no matches found)')
    expect(await grep({ '/w/a': 'hit\r\nx\r\n' }, { ...all, regex: 'hit\\r' })).toBe('(no matches found)')
  })

  test('shows lines around matches once, and a match among them as one', async () => {
    const tree = { '/w/a': '1\n2\nhit 3\n4\nhit 5\n6\n7\n8\n9\nhit 10\n' }
    expect(await grep(tree, { ...all, contextLines: 1 })).toBe(
      [
        '/w/a-2-2',
        '/w/a:3:hit 3',
        '/w/a-4-4',
        '/w/a:5:hit 5',
        '/w/a-6-6',
        '--',
        '/w/a-9-9',
        '/w/a:10:hit 10',
        '[3 matches]\n',
      ].join('\n'),
    )
    expect(await grep(tree, { ...all, contextLines: -3 })).toBe(await grep(tree, all))
    expect(await grep({ '/w/a': `${'x\n'.repeat(60)}hit\n` }, { ...all, contextLines: 99 })).toBe(
      `${Array.from({ length: 50 }, (_, index) => `/w/a-${index + 11}-x\n`).join('')}/w/a:61:hit\n[1 match]\n`,
    )
  })

  test('ends at the limit and says so first', async () => {
    const tree = { '/w/a': 'hit\nhit\n', '/w/b': 'hit\n' }
    expect(await grep(tree, { ...all, maxResults: 2 })).toBe(
      '[truncated at 2 matches]\n/w/a:1:hit\n/w/a:2:hit\n[2 matches]\n',
    )
    expect(await grep(tree, { ...all, maxResults: 3 })).toBe('/w/a:1:hit\n/w/a:2:hit\n/w/b:1:hit\n[3 matches]\n')
    const many = await grep({ '/w/a': 'hit\n'.repeat(501) }, { ...all, maxResults: 0 })
    expect(many.split('\n').slice(-2)).toEqual(['[500 matches]', ''])
  })

  test('passes over binary files: a NUL among the first 4096 bytes', async () => {
    const late = `${'hit\n'.padEnd(5000, 'x')}\0`
    expect(await grep({ '/w/a': 'hit\0', '/w/b': late.slice(0, 4) + late.slice(4) }, { ...all, regex: '^hit$' })).toBe(
      '/w/b:1:hit\n[1 match]\n',
    )
  })

  const tree = {
    '/w/a.c': 'hit\n',
    '/w/src/b.C': 'hit\n',
    '/w/src/gen/c.c': 'hit\n',
    '/w/x.h': 'hit\n',
    '/ro/r.c': 'hit\n',
    '/outside/o.c': 'hit\n',
  }
  test.each([
    ['a directory', { directory: '/w/src' }, ['/w/src/b.C', '/w/src/gen/c.c']],
    ['relative globs from it', { directory: '/w/src', globs: ['gen/*.c'] }, ['/w/src/gen/c.c']],
    ['names at any depth', { globs: ['*.c'] }, ['/w/a.c', '/w/src/b.C', '/w/src/gen/c.c']],
    ['relative globs from the project', { globs: ['src/*.c'] }, ['/w/src/b.C']],
    ['absolute globs, wherever they lead', { globs: ['/w/*.c', '/ro/*'] }, ['/ro/r.c', '/w/a.c']],
    ['absolute paths', { globs: ['/w/x.h', '/w/nope'] }, ['/w/x.h']],
    [
      'absolute globs besides relative ones',
      { directory: '/w/src', globs: ['b.*', '/ro/*'] },
      ['/ro/r.c', '/w/src/b.C'],
    ],
    ['without names', { directory: '/w', excludeGlobs: ['*.C'] }, ['/w/x.h']],
    ['without a subtree', { directory: '/w', excludeGlobs: ['src/gen', '/w/x.h'] }, ['/w/a.c', '/w/src/b.C']],
    ['without a subtree of absolute globs', { globs: ['/w/**/*.c'], excludeGlobs: ['src/**'] }, ['/w/a.c']],
    [
      'without names elsewhere',
      { directory: '/w/src', globs: ['/ro/*', '/w/*.h'], excludeGlobs: ['r.*', 'x.h'] },
      ['/w/x.h'],
    ],
  ])('searches %s', async (_, args, found) => {
    const count = found.length === 1 ? '[1 match]' : `[${found.length} matches]`
    expect(await grep(tree, { regex: 'hit', ...args })).toBe(
      `${found.map((path) => `${path}:1:hit\n`).join('')}${count}\n`,
    )
  })

  test('neither looks outside nor fails because of it, and says so', async () => {
    const note = '[1 path(s) skipped: outside allowed directories]'
    expect(await grep(tree, { regex: 'hit', globs: ['/w/*.c', '/outside/*.c'] })).toBe(
      `/w/a.c:1:hit\n[1 match]\n${note}`,
    )
    expect(await grep(tree, { regex: 'hit', globs: ['/**/gen/*.c'] })).toBe(`/w/src/gen/c.c:1:hit\n[1 match]\n${note}`)
    expect(await grep(tree, { regex: 'no', globs: ['/w/*.c', '/outside/*.c'] })).toBe(`(no matches found)\n${note}`)
    expect(await grep(tree, { regex: 'hit', globs: ['/outside/*.c'] })).toBe(`(no files to search) ${note}`)
    expect(await grep({ '/w/a': 'hit\n', '/w/l': '-> /outside/o', '/outside/o': 'hit\n' }, all)).toBe(
      `/w/a:1:hit\n[1 match]\n${note}`,
    )
  })

  test('searches a file once, however many links lead to it', async () => {
    expect(await grep({ '/w/z': 'hit\n', '/w/l': '-> z', '/w/d/': '', '/w/d/x': '-> ../z' }, all)).toBe(
      '/w/z:1:hit\n[1 match]\n',
    )
    expect(await grep({ '/w/z': 'hit\n', '/w/d/': '', '/w/d/x': '-> ../z' }, { directory: '/w/d', regex: 'hit' })).toBe(
      '/w/z:1:hit\n[1 match]\n',
    )
  })

  test.each([
    [{ directory: '/w' }, '-32602 Missing required param: regex (the ECMAScript regex search pattern)'],
    [
      { directory: '/w', regex: true },
      '-32602 regex is now the search pattern string, not a boolean flag — pass the ECMAScript (JavaScript) regex pattern as a string',
    ],
    [{ regex: 'x' }, '-32602 Provide directory and/or globs to select files to search'],
    [{ regex: 'x', globs: [] }, '-32602 Provide directory and/or globs to select files to search'],
    [{ regex: 'x', directory: '/outside' }, notAllowed('/outside')],
    [{ regex: 'x', directory: '/w/no' }, '-32002 failed to access "/w/no": No such file or directory'],
    [{ regex: 'x', directory: '/w/e' }, '(no files to search)'],
    [{ regex: 'x', globs: ['*.none'] }, '(no files to search)'],
    [{ regex: 'zzz', directory: '/w' }, '(no matches found)'],
    [{ regex: 'HIT', directory: '/w', globs: ['a.c'] }, '(no matches found)'],
    [{ regex: 'HIT', directory: '/w', globs: ['a.c'], caseInsensitive: true }, '/w/a.c:1:hit\n[1 match]\n'],
    [{ regex: 'x', directory: '/w', globs: ['[a'] }, '-32602 Invalid glob [a: a [ is never closed'],
  ])('%j: %s', async (args, answer) => {
    expect(await grep({ ...tree, '/w/e/': '' }, args)).toBe(answer)
  })

  test('a bad regex fails before anything is looked for', async () => {
    expect(await grep(tree, { regex: '([x', directory: '/w/nope' })).toMatch(/^-32603 Invalid regex: ./)
  })

  test('leaves out files that are too large, and says so', async () => {
    const { say } = await stage({ '/w/a': 'hit\n', '/w/b': 'hit\n'.repeat(9) }, { limits: { maxFileBytes: 20 } })
    expect(await say('grep_files', all)).toBe('/w/a:1:hit\n[1 match]\n[1 file(s) skipped: larger than 20 bytes]')
  })
})
