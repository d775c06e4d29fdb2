import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isFsError } from '../../../src/errors.js'
import { type MemoryTree, memory } from '../../../src/fs/backends/memory.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { withoutFacets } from '../../../src/fs/without-facets.js'
import { compileMatcher, type MatcherSpec } from '../../../src/search/patterns/matcher.js'
import {
  fileToSearch,
  type SearchContext,
  type SearchRecord,
  type SearchRequest,
  type SearchSummary,
} from '../../../src/search/run/records.js'
import { type FileSearch, searchBytes } from '../../../src/search/run/search-file.js'
import { collectMatches, search } from '../../../src/search/run/searcher.js'
import { cutUnits } from '../../../src/text/lines/lines.js'
import { scaled } from '../../scale.js'

const encoder = new TextEncoder()

async function* each(paths: Iterable<string>) {
  for (const path of paths) yield fileToSearch(path)
}

const literal = (pattern: string): MatcherSpec => ({ pattern, syntax: 'literal' })

/** Searches a tree in path order; records as grep prints them. */
async function grep(
  tree: MemoryTree,
  request: Partial<SearchRequest> & { matcher: MatcherSpec },
  context?: SearchContext,
) {
  const paths = Object.keys(tree).sort()
  const { files, summary } = await collectMatches(
    search(memory(tree), each(paths), { mode: 'content', ...request }, context),
  )
  return { lines: files.flatMap(({ path, records }) => records.map((record) => printed(path, record))), files, summary }
}

function printed(path: string, record: SearchRecord): string {
  const mark = record.kind === 'match' ? ':' : '-'
  return `${path}${mark}${record.line}${mark}${record.text}`
}

function summaryOf(part: Partial<SearchSummary>): SearchSummary {
  const skipped = { binary: 0, tooLarge: 0, unreadable: 0, notUtf8: 0, ...part.skipped }
  return {
    filesSearched: 0,
    filesMatched: 0,
    matches: 0,
    tooExpensive: 0,
    linesCut: 0,
    limitedFiles: 0,
    ...part,
    skipped,
  }
}

describe('records', () => {
  it('report line, column in bytes and units, and count', async () => {
    const { files } = await grep({ '/a': 'x\nnaïve 😀 foo, foo\r\n' }, { matcher: literal('foo'), occurrences: true })
    expect(files).toEqual([
      {
        path: '/a',
        matches: 1,
        records: [
          {
            kind: 'match',
            line: 2,
            lineCount: 1,
            text: 'naïve 😀 foo, foo',
            cut: false,
            column: { bytes: 12, units: 9 },
            length: 3,
            count: 2,
          },
        ],
      },
    ])
  })

  it('have context around matches, every line once, a match within context as a match', async () => {
    const tree = { '/a': '1\n2\nhit\n4\nhit\n6\n7\n8\n9\nhit' }
    const { lines } = await grep(tree, { matcher: literal('hit'), before: 1, after: 2 })
    expect(lines).toEqual(['/a-2-2', '/a:3:hit', '/a-4-4', '/a:5:hit', '/a-6-6', '/a-7-7', '/a-9-9', '/a:10:hit'])
  })

  it('have context that shrinks at the edges of the file', async () => {
    const { lines } = await grep(
      { '/a': 'hit\n', '/b': '\n\nhit\n\n' },
      { matcher: literal('hit'), before: 2, after: 2 },
    )
    expect(lines).toEqual(['/a:1:hit', '/b-1-', '/b-2-', '/b:3:hit', '/b-4-'])
  })

  it('are cut for showing, never within a pair', async () => {
    const { files } = await grep({ '/a': 'ab😀cd\n' }, { matcher: literal('cd'), maxReportedUnits: 3 })
    expect(files[0]?.records[0]).toMatchObject({ text: 'ab', cut: true, column: { bytes: 6, units: 4 } })
  })

  it('of lines that are never decoded as a whole are the same', () => {
    const faulty = [[0x80], [0xff], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0x80, 0x80, 0x80, 0x80, 0x80]]
    const pieces = [...['a', 'é', '€', '😀'].map((character) => [...encoder.encode(character)]), ...faulty]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 5 }), (chosen) => {
        const repeated = chosen.flat()
        const before = Uint8Array.from({ length: 40_000 }, (_, i) => repeated[i % repeated.length] as number)
        const bytes = new Uint8Array([...before, 0x20, ...encoder.encode('needle\n')])
        const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
        const [record] = searchBytes(bytes, compileMatcher(literal('needle')), { maxReportedUnits: 7 }).records
        const column = { bytes: bytes.length - 7, units: text.length - 7 }
        expect(record).toMatchObject({ text: cutUnits(text, 7), cut: true, column })
      }),
      { numRuns: scaled(50) },
    )
  })

  it('count columns in a line that is not UTF-8', async () => {
    const bytes = new Uint8Array([0xff, 0xe2, 0x82, 0x20, 0xc3, 0xa9, 0x78, 0x0a])
    for (const pattern of ['x', '[x]', 'é?x']) {
      const { files } = await grep({ '/a': bytes }, { matcher: { pattern, syntax: 'ecmascript' } })
      const [start, units] = pattern === 'é?x' ? [4, 3] : [6, 4]
      expect(files[0]?.records[0]).toMatchObject({ text: '\ufffd\ufffd éx', column: { bytes: start, units } })
    }
  })
})

describe('lines', () => {
  it('end in LF or CRLF, and the last needs no end', async () => {
    const tree = { '/a': 'x\r\n\nx\r\nx' }
    expect((await grep(tree, { matcher: { pattern: 'x$', syntax: 'ecmascript' } })).lines).toEqual([
      '/a:1:x',
      '/a:3:x',
      '/a:4:x',
    ])
    expect((await grep(tree, { matcher: { pattern: '^$', syntax: 'ecmascript' } })).lines).toEqual(['/a:2:'])
  })

  it('end at a lone carriage return where asked for', async () => {
    const tree = { '/a': 'x\ry\r\nx' }
    expect((await grep(tree, { matcher: literal('x') })).lines).toEqual(['/a:1:x\ry', '/a:2:x'])
    expect((await grep(tree, { matcher: literal('x'), carriageReturnEndsLine: true })).lines).toEqual([
      '/a:1:x',
      '/a:3:x',
    ])
  })

  it('are not left by any part of a pattern', async () => {
    const tree = { '/a': 'a\nb\n' }
    for (const pattern of ['a\\s+b', 'a[^x]b', 'a\\nb', 'a(?=\\s)', 'a$\\n^b', '(?<=\\n)b']) {
      expect((await grep(tree, { matcher: { pattern, syntax: 'ecmascript' } })).lines).toEqual([])
    }
  })

  it('that are over-long are matched in their first part, and counted', async () => {
    const tree = { '/a': `${'-'.repeat(50)}x1\nx2\n` }
    const { lines, summary } = await grep(tree, { matcher: { pattern: 'x.?\\d', syntax: 'rust' }, maxLineUnits: 20 })
    expect(lines).toEqual(['/a:2:x2'])
    expect(summary).toEqual(summaryOf({ filesSearched: 1, filesMatched: 1, matches: 1, linesCut: 1 }))
  })

  it('that are over-long are matched to their end where a match takes certain characters alone', async () => {
    const tree = { '/a': `${'-'.repeat(50)}xx1\n${'x'.repeat(50)}1\nxx2\n` }
    const matcher = { pattern: 'xx+\\d', syntax: 'rust' } as const
    const { lines, summary } = await grep(tree, { matcher, maxLineUnits: 20, maxReportedUnits: 5 })
    expect(lines).toEqual(['/a:1:-----', '/a:3:xx2'])
    expect(summary).toEqual(summaryOf({ filesSearched: 1, filesMatched: 1, matches: 2, linesCut: 1 }))
  })
})

describe('multiline', () => {
  const content = async (text: string, pattern: string, more: Partial<SearchRequest> = {}) => {
    const matcher: MatcherSpec = { pattern, syntax: 'ecmascript', multiline: true }
    return (await grep({ '/a': text }, { matcher, ...more })).lines
  }

  it('matches across lines, reported as one block', async () => {
    expect(await content('start\nmiddle\nend\nother\n', 'start.*end')).toEqual(['/a:1:start\nmiddle\nend'])
    expect(await content('start\r\nmiddle\r\nend\r\nother\r\n', 'e$.*^o')).toEqual(['/a:2:middle\nend\nother'])
    expect(await content('start\r\nmiddle\r\nend\r\nother\r\n', 'e$.^e')).toEqual(['/a:2:middle\nend'])
  })

  it('joins touching lines with a match that spans lines, and no others', async () => {
    expect(await content('x\nx\na\nb\nx\n\nx\nx\n', 'a.b|x')).toEqual(['/a:1:x\nx\na\nb\nx', '/a:7:x', '/a:8:x'])
  })

  it('takes a line end for the end of its line', async () => {
    expect(await content('a\nb\n', 'a\\n')).toEqual(['/a:1:a'])
  })

  it('finds empty matches where nothing else in their line matches, and none after the last line', async () => {
    expect(await content('a\n\nb\n\n\nc\n', '^$')).toEqual(['/a:2:', '/a:4:', '/a:5:'])
    expect(await content('a\nb\n', 'x*')).toEqual(['/a:1:a', '/a:2:b'])
    expect(await content('a\n\nb', '$')).toEqual(['/a:1:a', '/a:2:', '/a:3:b'])
    expect(await content('', '^$')).toEqual([])
    expect(await content('a\nb\nc\n', 'b.c|^')).toEqual(['/a:1:a\nb\nc'])
  })

  it('has context around blocks', async () => {
    const lines = await content('1\n2\na\nb\n5\n6\n', 'a.b', { before: 1, after: 1 })
    expect(lines).toEqual(['/a-2-2', '/a:3:a\nb', '/a-5-5'])
  })

  it('counts blocks', async () => {
    const { files } = await grep(
      { '/a': 'a\nb\n\na\nb\n' },
      { matcher: { pattern: 'a.b', syntax: 'ecmascript', multiline: true }, mode: 'count' },
    )
    expect(files).toEqual([{ path: '/a', records: [], matches: 2 }])
  })
})

describe('modes and pages', () => {
  const tree = { '/a': 'x1\nx2\nx3\n', '/b': 'none\n', '/c': 'x4\nx5\n' }
  const matcher = literal('x')

  it('files: which', async () => {
    const { files, summary } = await grep(tree, { matcher, mode: 'files' })
    expect(files.map(({ path }) => path)).toEqual(['/a', '/c'])
    expect(summary).toEqual(summaryOf({ filesSearched: 3, filesMatched: 2, matches: 2 }))
  })

  it('count: how many lines each', async () => {
    const { files } = await grep(tree, { matcher, mode: 'count' })
    expect(files.map(({ path, matches }) => [path, matches])).toEqual([
      ['/a', 3],
      ['/c', 2],
    ])
  })

  it('content: pages of matches, across files', async () => {
    const page = async (skip: number, limit: number) => {
      const { lines, summary } = await grep(tree, { matcher, skip, limit })
      return [lines, summary.truncated]
    }
    expect(await page(0, 2)).toEqual([['/a:1:x1', '/a:2:x2'], 'results'])
    expect(await page(2, 2)).toEqual([['/a:3:x3', '/c:1:x4'], 'results'])
    expect(await page(4, 2)).toEqual([['/c:2:x5'], undefined])
    expect(await page(9, 2)).toEqual([[], undefined])
    expect(await page(0, 5)).toEqual([['/a:1:x1', '/a:2:x2', '/a:3:x3', '/c:1:x4', '/c:2:x5'], undefined])
    expect(await page(0, 0)).toEqual([[], 'results'])
  })

  it('files: pages of files', async () => {
    const { files, summary } = await grep(tree, { matcher, mode: 'files', limit: 1 })
    expect([files.map(({ path }) => path), summary.truncated]).toEqual([['/a'], 'results'])
    const rest = await grep(tree, { matcher, mode: 'count', skip: 1, limit: 1 })
    expect([rest.files.map(({ path }) => path), rest.summary.truncated]).toEqual([['/c'], undefined])
  })

  it('total: counts on past the limit', async () => {
    const { lines, summary } = await grep(tree, { matcher, limit: 1, total: true })
    expect(lines).toEqual(['/a:1:x1'])
    expect(summary).toEqual(summaryOf({ filesSearched: 3, filesMatched: 2, matches: 5, truncated: 'results' }))
  })

  it('a match beyond the page shows as context', async () => {
    const { lines } = await grep(tree, { matcher, skip: 1, limit: 1, before: 1, after: 1 })
    expect(lines).toEqual(['/a-1-x1', '/a:2:x2', '/a-3-x3'])
  })

  it('a page does not wait for the files after it', async () => {
    async function* endless() {
      yield fileToSearch('/a')
      yield fileToSearch('/c')
      await new Promise(() => {})
    }
    const searching = search(memory(tree), endless(), { mode: 'content', matcher, limit: 4 }, { readAhead: 1 })
    const first = await searching.next()
    expect(first.value).toMatchObject([{ path: '/a', matches: 3 }])
    const second = await searching.next()
    expect(second.value).toMatchObject([{ path: '/c', matches: 2 }])
    expect((await searching.next()).value).toMatchObject({ truncated: 'results' })
  })
})

describe('limits', () => {
  const tree = { '/a': 'x1\nx2\nx3\n', '/b': 'x4\n', '/c': 'x5\n' }
  const matcher = literal('x')

  it('of matches per file', async () => {
    const { lines, summary } = await grep(tree, { matcher, limitPerFile: 2 })
    expect(lines).toEqual(['/a:1:x1', '/a:2:x2', '/b:1:x4', '/c:1:x5'])
    expect(summary).toEqual(summaryOf({ filesSearched: 3, filesMatched: 3, matches: 4, limitedFiles: 1 }))
  })

  it('of files', async () => {
    const { lines, summary } = await grep(tree, { matcher, maxFiles: 2 })
    expect([lines.length, summary.truncated]).toEqual([4, 'files'])
    expect((await grep(tree, { matcher, maxFiles: 3 })).summary.truncated).toBeUndefined()
  })

  it('of text collected', async () => {
    const { lines, summary } = await grep(tree, { matcher, maxTextBytes: 3 })
    expect([lines, summary.truncated]).toEqual([['/a:1:x1', '/a:2:x2'], 'bytes'])
  })

  it('of file size, known before reading or not', async () => {
    const fs = memory({ '/big': 'x'.repeat(11), '/fits': 'x'.repeat(10) })
    async function* files() {
      yield { directory: '/', entries: [{ name: 'big', size: 11 }] }
      yield fileToSearch('/big')
      yield fileToSearch('/fits')
    }
    const { summary } = await collectMatches(search(fs, files(), { mode: 'files', matcher, maxFileBytes: 10 }))
    expect(summary).toEqual(
      summaryOf({
        filesSearched: 1,
        filesMatched: 1,
        matches: 1,
        skipped: { binary: 0, tooLarge: 2, unreadable: 0, notUtf8: 0 },
      }),
    )
  })

  it('of time', async () => {
    let clock = 0
    const { lines, summary } = await grep(
      tree,
      { matcher, timeoutMs: 100 },
      { now: () => clock, onProgress: () => (clock += 60) },
    )
    expect([lines.length, summary.truncated]).toEqual([4, 'time'])
  })

  it('an abort ends it with the results so far', async () => {
    const controller = new AbortController()
    const { lines, summary } = await grep(
      tree,
      { matcher },
      { signal: controller.signal, onProgress: () => controller.abort() },
    )
    expect([lines.length, summary.truncated]).toEqual([3, 'aborted'])
  })

  it('an abort or the time limit ends it within a file', async () => {
    const lines = `${'a'.repeat(300)}b\n`.repeat(4_000)
    let asked = 0
    const request = { matcher: { pattern: '(a+)+$', syntax: 'ecmascript' } as const, timeoutMs: 500 }
    const { summary } = await grep({ '/a': lines }, request, { now: () => (asked += 1) })
    expect([summary.truncated, summary.filesSearched]).toEqual(['time', 1])
  })
})

describe('text files', () => {
  const matcher = literal('hit')
  const bytes = (...parts: (string | number[])[]) => {
    return Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...encoder.encode(part)] : part)))
  }

  it('have no NUL near their edges, where asked for', async () => {
    const tree = { '/early': bytes('a', [0], 'hit'), '/late': bytes('hit hit hit', [0]), '/none': 'hit' }
    const found = async (nul?: { first: number; last?: number }) => {
      const { files, summary } = await grep(tree, { matcher, mode: 'files', text: nul ? { nul } : {} })
      return [files.map(({ path }) => path).join(' '), summary.skipped.binary]
    }
    expect(await found()).toEqual(['/early /late /none', 0])
    expect(await found({ first: 4 })).toEqual(['/late /none', 1])
    expect(await found({ first: 4, last: 4 })).toEqual(['/none', 2])
  })

  it('have no binary extension, where asked for', async () => {
    const { files, summary } = await grep(
      { '/a.PNG': 'hit', '/b.txt': 'hit', '/png': 'hit', '/.png': 'hit' },
      { matcher, mode: 'files', text: { binaryExtensions: ['png'] } },
    )
    expect([files.map(({ path }) => path), summary.skipped.binary]).toEqual([['/.png', '/b.txt', '/png'], 1])
  })

  it('are UTF-8, where asked for', async () => {
    const tree = { '/a': bytes('hit', [0xff, 0xfe]), '/b': 'hit', '/c': bytes([0xff]) }
    const { files, summary } = await grep(tree, { matcher, mode: 'files', text: { onlyUtf8: true } })
    expect(files.map(({ path }) => path)).toEqual(['/b'])
    expect(summary).toEqual(
      summaryOf({
        filesSearched: 2,
        filesMatched: 1,
        matches: 1,
        skipped: { binary: 0, tooLarge: 0, unreadable: 0, notUtf8: 1 },
      }),
    )
  })

  it('in UTF-16 are decoded by their mark, or skipped', async () => {
    const units = (text: string) => Array.from(text, (character) => character.charCodeAt(0))
    const little = bytes(
      [0xff, 0xfe],
      units('é\nhit').flatMap((unit) => [unit & 0xff, unit >> 8]),
    )
    const big = bytes(
      [0xfe, 0xff],
      units('é hit').flatMap((unit) => [unit >> 8, unit & 0xff]),
    )
    const tree = { '/big': big, '/little': little }
    const { lines, files } = await grep(tree, { matcher, text: { nul: { first: 100 } } })
    expect(lines).toEqual(['/big:1:é hit', '/little:2:hit'])
    expect(files[0]?.records[0]).toMatchObject({ column: { bytes: 3, units: 2 } })
    const skipped = await grep(tree, { matcher, text: { utf16: 'skip' } })
    expect([skipped.lines, skipped.summary.skipped.binary]).toEqual([[], 2])
  })

  it('lose a byte-order mark, which is not part of the first line', async () => {
    const { files } = await grep({ '/a': '\ufeffhit' }, { matcher: { pattern: '^hit', syntax: 'ecmascript' } })
    expect(files[0]?.records[0]).toMatchObject({ text: 'hit', column: { bytes: 0, units: 0 } })
  })
})

describe('reading', () => {
  it('counts files that can not be read, and continues', async () => {
    const fs = memory({ '/a': 'x', '/d/': '' })
    const { files, summary } = await collectMatches(
      search(fs, each(['/gone', '/d', '/a']), { mode: 'files', matcher: literal('x') }),
    )
    expect([files.map(({ path }) => path), summary.skipped.unreadable]).toEqual([['/a'], 2])
  })

  it('runs ahead of searching by so many files, in their order', async () => {
    const tree = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`/${String(i).padStart(2, '0')}`, 'x']))
    const inner = memory(tree)
    let open = 0
    let most = 0
    const slow: FileSystem = {
      ...withoutFacets(inner),
      capabilities: { ...inner.capabilities, sync: false },
      async readFile(path, range) {
        open += 1
        most = Math.max(most, open)
        await new Promise((resolve) => setTimeout(resolve, path.endsWith('3') ? 8 : 1))
        open -= 1
        return inner.readFile(path, range)
      },
    }
    const { files } = await collectMatches(
      search(slow, each(Object.keys(tree).sort()), { mode: 'files', matcher: literal('x') }, { readAhead: 4 }),
    )
    expect(files.map(({ path }) => path)).toEqual(Object.keys(tree).sort())
    expect(most).toBe(4)
  })
})

describe('a pattern that takes too long', () => {
  const matcher: MatcherSpec = { pattern: '(a+)+\\1b', syntax: 'ecmascript' }

  it('counts the lines that are too expensive to match', async () => {
    const { lines, summary } = await grep({ '/a': `${'a'.repeat(40)}\naab\n` }, { matcher })
    expect(lines).toEqual(['/a:2:aab'])
    expect(summary).toEqual(summaryOf({ filesSearched: 1, filesMatched: 1, matches: 1, tooExpensive: 1 }))
  })

  it('fails when they get too many', async () => {
    const failing = grep({ '/a': `${'a'.repeat(40)}\n`.repeat(60) }, { matcher })
    await expect(failing).rejects.toSatisfy((error) => isFsError(error, 'PATTERN_TOO_COMPLEX'))
  })
})

describe('against a search that decodes and splits everything', () => {
  const words = ['a', 'b', 'ab', 'foo', 'Foo', 'K', 'ſ', ' ', 'é', 'É', '😀', '\t', '(', 'x=1', '\u2028', '\r']
  const line = fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((parts) => parts.join(''))
  const text = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 12 })
    .chain((lines) =>
      fc.tuple(fc.constant(lines.map((parts) => parts.join('')).join('')), line).map((parts) => parts.join('')),
    )
  const patterns = [
    'foo',
    'fo+',
    '\\w+',
    'a|b',
    '^$',
    '^',
    '$',
    '(?:ab)+',
    'a.*b',
    '[^a]',
    '\\s',
    'k',
    's',
    'é',
    'x*',
    '\\bfoo\\b',
  ]
  const more = ['(?=a)', '(?<!a)b', '(a)\\1', '(?:a|ab)(?:b|)$', '😀?', '.{3}', 'foo|é|x=', '[\\s\\S]', 'K|ſ']
  const spec = fc
    .record({
      pattern: fc.constantFrom(...patterns, ...more),
      syntax: fc.constant('ecmascript' as const),
      ignoreCase: fc.boolean(),
    })
    // With the flags `iu` the platform treats ſ and the Kelvin sign as word characters too; here they are not, in
    // either case.
    .map((each) => ({ ...each, ignoreCase: each.ignoreCase && !/\\[wb]/.test(each.pattern) }))

  function naive({ pattern, ignoreCase }: MatcherSpec, source: string, before: number, after: number) {
    const lines = source.split('\n')
    if (lines.at(-1) === '') lines.pop()
    const texts = lines.map((each, i) =>
      i < lines.length - 1 || source.endsWith('\n') ? each.replace(/\r$/, '') : each,
    )
    const expression = new RegExp(pattern, ignoreCase ? 'giu' : 'gu')
    // V8 finds empty matches between the halves of a pair.
    const found = texts.map((each) =>
      [...each.matchAll(expression)].filter(
        (match) => match[0] !== '' || !/^[\udc00-\udfff]/.test(each.slice(match.index)),
      ),
    )
    const near = (i: number) =>
      found.slice(Math.max(0, i - after), i + before + 1).some((matches) => matches.length > 0)
    return texts.flatMap((each, i) => {
      const [first] = found[i]!
      if (first !== undefined) {
        const bytes = encoder.encode(each.slice(0, first.index)).length
        return [[i + 1, each, bytes, first.index, first[0].length, found[i]!.length]]
      }
      return near(i) ? [[i + 1, each]] : []
    })
  }

  function ours(
    matcher: MatcherSpec,
    source: string,
    options: Partial<FileSearch>,
    change = (compiled: ReturnType<typeof compileMatcher>) => compiled,
  ) {
    const { records } = searchBytes(encoder.encode(source), change(compileMatcher(matcher)), {
      occurrences: true,
      ...options,
    })
    return records.map((record) =>
      record.kind === 'match'
        ? [record.line, record.text, record.column.bytes, record.column.units, record.length, record.count]
        : [record.line, record.text],
    )
  }

  it('finds the same lines, columns, counts and context', () => {
    fc.assert(
      fc.property(spec, text, fc.nat(2), fc.nat(2), (matcher, source, before, after) => {
        expect(ours(matcher, source, { before, after })).toEqual(naive(matcher, source, before, after))
      }),
      { numRuns: scaled(3_000) },
    )
  })

  it('finds the same with and without looking for bytes first', () => {
    fc.assert(
      fc.property(spec, text, (matcher, source) => {
        const plain = ours(matcher, source, {}, (compiled) => ({ ...compiled, needles: undefined, bytes: undefined }))
        expect(ours(matcher, source, {})).toEqual(plain)
      }),
      { numRuns: scaled(2_000) },
    )
  })

  it('finds the same literals, bytes or not', () => {
    const needle = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 2 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(needle, text, fc.boolean(), (pattern, source, ignoreCase) => {
        const quoted = pattern.replace(/[(]/g, '\\$&')
        const matcher: MatcherSpec = { pattern, syntax: 'literal', ignoreCase }
        expect(ours(matcher, source, {})).toEqual(naive({ ...matcher, pattern: quoted }, source, 0, 0))
      }),
      { numRuns: scaled(3_000) },
    )
  })
})
