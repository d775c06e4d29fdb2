import fs from 'node:fs'
import picomatch from 'picomatch'
import { describe, expect, test } from 'vitest'
import { isFsError } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { compileGlobs, defaultGlobRules, type GlobRules } from '../../../src/search/patterns/glob.js'
import { globFault } from '../../../src/search/patterns/glob-faults.js'
import { walkFiles } from '../../../src/search/run/walk-files.js'
import { scaled } from '../../scale.js'
import { timed, timedAsync } from '../processor-time.js'
import { globRules } from './glob-rules.js'

/** `pattern: what it matches | what it does not`, names apart by a space. */
const tables: [title: string, rules: GlobRules, rows: string][] = [
  [
    'from the base, leading dots matched',
    globRules.fromBase,
    `
    *                 : a a.b .a é 😀                              | a/b
    **                : a a/b a/.b/c .a                           |
    *.ts              : a.ts .ts a.b.ts                           | a/b.ts a.tsx a.TS
    **/*.ts           : a.ts a/b.ts a/b/c.ts .a/b.ts              | a.js a.ts/b
    **.ts             : a.ts a/b.ts                               | a.js
    a                 : a                                         | b ab a/a
    a/b               : a/b                                       | a/b/c b a
    a/*               : a/b a/.b                                  | a a/b/c
    a/**              : a/b a/b/c a/.b/c                          | a ab/c
    a/**/b            : a/b a/x/b a/x/y/b                         | ab a/xb a/b/c
    **/a/**           : a/b x/a/b x/y/a/b/c                       | a x/a
    a/**/*            : a/b a/b/c                                 | a
    **/**/a           : a b/a b/c/a                               | ab
    ?                 : a é 😀                                    | ab
    a?c               : abc a.c                                   | ac a/c
    [ab]              : a b                                       | c ab
    [!ab]             : c .                                       | a b
    [^ab]             : c                                         | a
    [a-c]x            : ax bx cx                                  | dx Ax
    [a-]x             : ax -x                                     | bx
    []a]              : ] a                                       | b
    [!]]              : a                                         | ]
    [\\]]             : ]                                         | \\
    a[/]b             :                                           | a/b
    [[:digit:]]x      : 1x                                        | ax :x
    [[:alpha:]_]      : a _                                       | 1
    {a,b}             : a b                                       | c {a,b}
    {a,b}.{c,d}       : a.c a.d b.c b.d                           | a.b
    {a,{b,c}d}        : a bd cd                                   | b
    {a,b/c}/d         : a/d b/c/d                                 | b/d
    a{,b}             : a ab                                      | b
    *.{ts,tsx}        : a.ts a.tsx                                | a.js
    {*.ts,b}x         : .tsx bx                                   | a.ts
    {*,a}b            : b xb ab                                   | a
    {1..3}            : 1 2 3                                     | 4 1..3
    {3..1}x           : 1x 2x 3x                                  | 4x
    {8..11}           : 8 9 10 11                                 | 1 12
    {a..c}            : a b c                                     | d
    {a}               : {a}                                       | a
    {}                : {}                                        | a
    {\\,,a}           : , a                                       | b
    {[,],a}           : , a                                       | b
    \\*               : *                                         | a
    \\{a,b}           : {a,b}                                     | a
    a\\/b             : a/b                                       | ab
    (a|b)             : (a|b)                                     | a
    +(a)              : +(a)                                      | a aa
    @(a|b)            : @(a|b)                                    | a
    a+b               : a+b                                       | aab
    ./a               : a                                         | b
    /a                : a                                         | b/a
    a]                : a]                                        | a
    a}                : a}                                        | a
    $^.x              : $^.x                                      | x
    ***               : a .a                                      | a/b
    *a*b*             : ab xaxbx                                  | ba a/b
    `,
  ],
  [
    'from the base, leading dots named',
    globRules.fromBaseDotsNamed,
    `
    *                 : a a.b                                     | .a a/b
    **                : a a/b                                     | .a a/.b .a/b a/.b/c
    **/*.ts           : a.ts a/b.ts                               | .a.ts .h/a.ts a/.ts
    *.ts              : a.ts                                      | .ts .a.ts
    **.ts             : a.ts a/b.ts                               | .ts .a/b.ts
    .*                : .a                                        | a
    .github/*         : .github/a                                 | .github/.a x/.github/a
    **/.env           : .env a/.env                               | env .a/.env
    ?a                : xa                                        | .a
    [.]a              :                                           | .a
    [!x]a             : ya                                        | .a xa
    *a                : a ba                                      | .a
    *{a,.b}           : a xa x.b                                  | .b
    **a               : a ba                                      | .a b/a
    {.,}a             : .a a                                      | b
    a/*b              : a/b a/xb                                  | a/.b
    a*                : a. a.b                                    | .a
    *.json            : a.json                                    | p/a.json
    `,
  ],
  [
    'names at any depth',
    defaultGlobRules,
    `
    *.ts              : a.ts a/b.ts a/b/.c.ts                     | a.js
    a                 : a b/a b/c/a                               | ab a/b
    a/*.ts            : a/b.ts                                    | x/a/b.ts b.ts
    /a                : a                                         | b/a
    `,
  ],
  [
    'names at any depth, leading dots named',
    globRules.dotsNamed,
    `
    *.json            : a.json p/a.json                           | .a.json .p/a.json
    `,
  ],
  [
    'names at any depth, in any case',
    globRules.anyCase,
    `
    *.TXT             : a.txt b/A.Txt .c/d.TXT                    | a.tx
    [a-c]x            : Ax bX p/Cx                                | dx
    SRC/**            : src/a Src/b/c                             | a/src/b
    É                 : é É                                       | e
    {A,b}?            : ax BX                                     | c
    `,
  ],
  [
    'wildcards at any depth, plain names at the base',
    globRules.wildAtAnyDepth,
    `
    *.o               : a.o b/c.o                                 | a.c
    vendor            : vendor VENDOR                             | a/vendor
    a/b               : a/b                                       | b
    `,
  ],
  [
    'stars that cross directories',
    globRules.starsCross,
    `
    *.rs              : a.rs src/a.rs src/deep/a.rs               | a.rc
    backend.rs        : backend.rs                                | src/backend.rs
    src/*             : src/a src/a/b                             | src x/src/a
    **/*.rs           : a.rs src/a.rs                             | a.c
    src/**/a          : src/a src/b/a src/b/c/a                   | a
    rmcp-sdk/**       : rmcp-sdk/a rmcp-sdk/a/b                   | rmcp-sdk
    a?b               : a/b axb                                   | ab
    d.*               : d.rs d.x/y                                | xd.rs
    {a,b}/*.c         : a/x.c b/y/z.c                             | c/x.c
    *                 : a a/b .a                                  |
    `,
  ],
]

for (const [title, rules, rows] of tables) {
  describe(title, () => {
    for (const row of rows.trim().split('\n')) {
      const [, pattern = '', yes = '', no = ''] = /^\s*(\S+)\s+:(.*)\|(.*)$/.exec(row) ?? []
      test(pattern, () => {
        const glob = compileGlobs([pattern], rules)
        const expected = [...words(yes).map((path) => `${path}: yes`), ...words(no).map((path) => `${path}: no`)]
        const paths = [...words(yes), ...words(no)]
        expect(paths.map((path) => `${path}: ${glob.matches(path) ? 'yes' : 'no'}`)).toEqual(expected)
      })
    }
  })
}

function words(text: string): string[] {
  return text.split(' ').filter(Boolean)
}

test('of several patterns any may match, and none match nothing', () => {
  const glob = compileGlobs(['*.ts', 'src/**', '*.md'], globRules.fromBase)
  expect(['a.ts', 'src/x', 'b.md', 'c.js'].filter(glob.matches)).toEqual(['a.ts', 'src/x', 'b.md'])
  expect(compileGlobs([], globRules.fromBase).matches('a')).toBe(false)
})

test.each([
  ['', 'INVALID_PATTERN', 'empty'],
  ['./', 'INVALID_PATTERN', 'empty'],
  ['[a', 'INVALID_PATTERN', 'a [ is never closed'],
  ['[[:nope:]]', 'INVALID_PATTERN', 'a [ is never closed'],
  ['{a,b', 'INVALID_PATTERN', 'a { is never closed'],
  ['{a,[b}', 'INVALID_PATTERN', 'a [ is never closed'],
  ['a\\', 'INVALID_PATTERN', 'it ends in a backslash'],
  ['!a', 'INVALID_PATTERN', 'a leading ! has no meaning here; write \\! for the character itself'],
  ['{1..a}', 'INVALID_PATTERN', '{1..a} is no range'],
  ['{1..1001}', 'PATTERN_TOO_COMPLEX', '{1..1001} stands for more than 1000 names'],
  ['{1..999}'.repeat(20), 'PATTERN_TOO_COMPLEX', 'it stands for too many names'],
  ['*a'.repeat(51), 'PATTERN_TOO_COMPLEX', 'more than 50 stars'],
  ['a'.repeat(1001), 'PATTERN_TOO_COMPLEX', 'longer than 1000 characters'],
])('%j is refused', (pattern, code, reason) => {
  expect(() => compileGlobs([pattern], globRules.fromBase)).toThrowError(
    expect.objectContaining({ code, facts: { pattern: pattern.slice(0, 1000), reason } }),
  )
})

test('a tool may refuse patterns before they are compiled', () => {
  const faults = [
    '',
    ' ',
    'a'.repeat(1001),
    'a\\b',
    '/a',
    'C:/a',
    '../a',
    'a/../b',
    '{..,a}/b',
    '**/**/**/a',
    `{${'a,'.repeat(100)}}`,
  ]
  expect(faults.map((pattern) => globFault(pattern))).toEqual([
    'empty',
    'empty',
    'too-long',
    'backslash',
    'absolute',
    'absolute',
    'parent',
    'parent',
    'parent',
    'globstars',
    'brace-items',
  ])
  const fine = ['a', '**/*.ts', '**/**/a', 'a..b', '..a/b', `{${'a,'.repeat(99)}}`, 'src/**/*.{js,jsx}']
  expect(fine.map((pattern) => globFault(pattern))).toEqual(fine.map(() => undefined))
  expect(globFault('a'.repeat(501), { maxLength: 500 })).toBe('too-long')
})

test('plain patterns match what picomatch says they match', () => {
  const random = generator(20260101)
  const differences: string[] = []
  for (let round = 0; round < scaled(5000); round += 1) {
    const pattern = some(1 + random(4), () => {
      const pieces = ['a', 'b', 'c', '.', '-', '*', '?', '[ab]', '[a-c]', '{a,b}', '{a,{b,c}}', '{ab,c}', '\\a']
      return random(5) === 0 ? '**' : some(1 + random(4), () => pick(pieces)).join('')
    }).join('/')
    // Where the two differ on purpose: stars in a row, and names of dots alone.
    if (/[^/]\*\*|\*\*[^/]|(^|\/)\.+(\/|$)/.test(pattern)) continue
    const dot = random(2) === 0
    const ours = compileGlobs([pattern], { ...globRules.fromBase, dot })
    const theirs = picomatch(pattern, { dot, noextglob: true, nonegate: true, strictSlashes: true })
    for (const path of some(20, () => some(1 + random(4), randomName).join('/'))) {
      if (ours.matches(path) !== theirs(path))
        differences.push(`${pattern} ${path}${dot ? '' : ', leading dots named'}`)
    }
  }
  expect(differences).toEqual([])

  function randomName(): string {
    const name = some(1 + random(4), () => pick(['a', 'b', 'c', '.', '-', 'é'])).join('')
    return /^\.+$/.test(name) ? 'a' : name
  }
  function pick(items: readonly string[]): string {
    return items[random(items.length)] as string
  }
  function some<Item>(length: number, make: () => Item): Item[] {
    return Array.from({ length }, make)
  }
})

/** Numbers below a bound, the same ones each time. */
function generator(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

describe('hostile patterns', () => {
  interface Hostile {
    name: string
    pattern?: string
    repeat?: string
    times?: number
    role?: 'include' | 'exclude'
  }
  const hostile: Hostile[] = JSON.parse(
    fs.readFileSync(new URL('../../data/hostile-globs.json', import.meta.url), 'utf8'),
  )
  const tree = memory(
    Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => {
        const letters = 'a'.repeat(index + 1)
        return [index % 4 === 0 ? `/a/a/${letters}` : `/${letters}${index % 3 === 0 ? '.b' : ''}`, '']
      }),
    ),
  )

  test('there are 38 of them', () => expect(hostile.length).toBe(38))

  test.each(hostile)('$name', async ({ pattern = '', repeat = '', times = 0, role: given }) => {
    const role = given ?? 'include'
    const text = pattern || repeat.repeat(times)
    expect(await timedAsync(250, () => search(text, role))).toBeLessThan(250)
  })

  async function search(text: string, role: 'include' | 'exclude'): Promise<void> {
    try {
      const { next } = walkFiles(tree, '/', { [role]: compileGlobs([text], defaultGlobRules) })
      while ((await next()) !== undefined);
    } catch (error) {
      if (!isFsError(error, 'INVALID_PATTERN', 'PATTERN_TOO_COMPLEX')) throw error
    }
  }

  test('the answers are right', () => {
    const match = (text: string, path: string) => compileGlobs([text], globRules.fromBase).matches(path)
    expect(match('*a'.repeat(25) + 'b', 'a'.repeat(200))).toBe(false)
    expect(match('*a'.repeat(25) + 'b', `${'a'.repeat(200)}b`)).toBe(true)
    expect(match('{a,b}'.repeat(24), 'ab'.repeat(12))).toBe(true)
    expect(match('{,}'.repeat(30) + 'x', 'x')).toBe(true)
    expect(match(`${'{a,'.repeat(200)}b${'}'.repeat(200)}`, 'b')).toBe(true)
    expect(match(`${'**/'.repeat(30)}b`, 'a/a/a/b')).toBe(true)
  })
})

describe('extended globs', () => {
  const rules: GlobRules = { ...globRules.fromBase, extended: true }

  test('match what the same groups match in a regular expression', () => {
    const random = generator(7)
    const pick = (items: readonly string[]) => items[random(items.length)] as string
    const word = () => Array.from({ length: 1 + random(2) }, () => pick(['a', 'b', 'c', 'ab'])).join('')
    const branch = (depth: number): string => (depth > 0 && random(3) === 0 ? group(depth - 1) : '') + word()
    const group = (depth: number): string => {
      const branches = Array.from({ length: 1 + random(3) }, () => branch(depth))
      return `${pick(['@', '+', '*', '?', ''])}(${branches.join('|')})`
    }
    const name = () => Array.from({ length: 1 + random(3) }, () => (random(2) === 0 ? group(2) : word())).join('')
    const letters = ['a', 'b', 'c']
    const names = letters.flatMap((x) => [x, ...letters.flatMap((y) => [x + y, `${x + y}a`, `a${x}${y}b`])])
    const paths = [...names, ...names.map((each) => `ab/${each}`), ...names.map((each) => `${each}/c`)]

    let matched = 0
    for (let round = 0; round < scaled(5000); round += 1) {
      const pattern = [name(), ...(random(3) === 0 ? [name()] : [])].join('/')
      const expected = paths.filter((each) => asRegExp(pattern).test(each))
      const glob = compileGlobs([pattern], rules)
      expect([pattern, paths.filter((each) => glob.matches(each))]).toEqual([pattern, expected])
      matched += expected.length
    }
    expect(matched).toBeGreaterThan(scaled(3000))
  })

  /** The mark of a group is before it here, and after it there. */
  function asRegExp(pattern: string): RegExp {
    const marks: string[] = []
    const text = pattern.replace(/[@+*?]?\(|\)/g, (found) => {
      if (found === ')') return `)${marks.pop()}`
      marks.push(found.slice(0, -1).replace('@', ''))
      return '(?:'
    })
    return new RegExp(`^${text}$`)
  }

  test.each([
    ['(auth)/page.tsx', ['(auth)/page.tsx', 'auth/page.tsx']],
    ['(a|b)', ['a', 'b', '(a|b)']],
    ['@(a|b', ['@(a|b']],
    ['a)b', ['a)b']],
    ['+(a|*.ts)', ['a', 'aa', 'x.ts', 'ax.ts']],
    ['@(a|{b,c})d', ['ad', 'bd', 'cd']],
    ['@(src|lib)/**', ['src/a', 'lib/a/b']],
    [String.raw`\@(a|b)`, ['@(a|b)', '@a', '@b']],
    [String.raw`@\(a|b\)`, ['@(a|b)']],
    ['[(]a|b)', ['(a|b)']],
  ])('%s', (pattern, matching) => {
    const glob = compileGlobs([pattern], rules)
    expect(matching.filter((each) => !glob.matches(each))).toEqual([])
    expect(['', 'x', 'd', 'abd', 'auth', 'a/b', '(a', 'src', '@(c)'].filter((each) => glob.matches(each))).toEqual([])
  })

  test('that are negated are refused', () => {
    expect(() => compileGlobs(['a!(b|c)'], rules)).toThrow('INVALID_PATTERN')
  })

  test('take no longer when they are nested and repeated', () => {
    const glob = compileGlobs([`${'+('.repeat(100)}a${')'.repeat(100)}b`, '*(*(a*)*(a*)*)c'], rules)
    const { result, ms } = timed(1000, () => glob.matches('a'.repeat(5000)))
    expect(result).toBe(false)
    expect(ms).toBeLessThan(1000)
  })
})

test('directories are expanded where the rules say so', () => {
  const rules: GlobRules = { ...globRules.fromBase, expandsDirectories: true }
  const paths = ['src', 'src/a', 'src/a/b.ts', 'lib/src/a', 'a.ts', 'x.ts/y', 'srcs']
  const matching = (pattern: string) => paths.filter((each) => compileGlobs([pattern], rules).matches(each))
  expect(matching('src')).toEqual(['src', 'src/a', 'src/a/b.ts'])
  expect(matching('src/')).toEqual(['src', 'src/a', 'src/a/b.ts'])
  expect(matching('./src//')).toEqual(['src', 'src/a', 'src/a/b.ts'])
  expect(matching('*.ts')).toEqual(['a.ts', 'x.ts/y'])
  expect(matching('src/*')).toEqual(['src/a'])
  expect(matching('src//a')).toEqual(['src/a', 'src/a/b.ts'])
  expect(matching('src/./a/')).toEqual(['src/a', 'src/a/b.ts'])
  expect(matching('src/**')).toEqual(['src', 'src/a', 'src/a/b.ts'])
  expect(matching('*/**')).toEqual(['src/a', 'src/a/b.ts', 'lib/src/a', 'x.ts/y'])
  expect(matching('**')).toEqual(paths)
  expect(matching('.')).toEqual(paths)
  expect(matching('./')).toEqual(paths)
  expect(() => compileGlobs([''], rules)).toThrow('INVALID_PATTERN')
})
