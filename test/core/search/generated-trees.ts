/** Trees and searches made from a seed, for comparing ways to search. */
import type { FileSystem } from '../../../src/fs/types.js'
import type { MatcherSpec } from '../../../src/search/patterns/matcher.js'
import type { FilesToSearch, SearchRequest } from '../../../src/search/run/records.js'
import { walkFiles } from '../../../src/search/run/walk-files.js'

export type Random = (below: number) => number

export function randomFrom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const words = [
  'beef-00',
  '2026-11',
  'foo',
  'Foo',
  'bar',
  'foobar',
  'needle',
  'näh',
  '😀',
  'error(x)',
  'İstanbul',
  'K',
  'ſ',
  '  ',
  '',
  '\t',
]
const breaks = ['\n', '\n', '\n', '\r\n', '\r', '\n\n']
const names = ['a', 'a-b', 'a.b', 'ab', 'B', 'lib', 'src', 'x y', 'ü', 'node_modules', 'z.png', '.hidden']
export const encoder = new TextEncoder()

function contentFrom(random: Random): Uint8Array {
  const kind = random(28)
  if (kind === 0) return new Uint8Array(0)
  if (kind === 1) return encoder.encode('foo\0bar\n')
  if (kind === 2) return new Uint8Array([0xff, 0xfe, 0x66, 0, 0x6f, 0, 0x6f, 0, 0x0a, 0])
  if (kind === 3) return new Uint8Array([0x66, 0x6f, 0x6f, 0xff, 0x0a, 0xc3, 0x28, 0x0a])
  if (kind === 4) return encoder.encode(`foo${'x'.repeat(30_000)}bar\nfoo`)
  let text = kind === 5 ? '\ufeff' : ''
  for (let lines = random(14); lines >= 0; lines -= 1) {
    for (let count = random(5); count > 0; count -= 1) text += words[random(words.length)]
    text += breaks[random(breaks.length)]
  }
  if (kind < 24) return encoder.encode(text)
  return kind === 24 ? wideBytes(text) : strayBytes(text, kind, random)
}

/** UTF-16 without a byte-order mark. */
function wideBytes(text: string): Uint8Array {
  return new Uint8Array(Uint16Array.from(text, (unit) => unit.charCodeAt(0)).buffer)
}

/** Latin-1 as far as it goes, or UTF-8 that is broken now and then. */
function strayBytes(text: string, kind: number, random: Random): Uint8Array {
  const bytes = Array.from(text, (character) => {
    const point = character.codePointAt(0) as number
    return point < 0x100 && (kind < 27 || random(3) === 0) ? [point] : [...encoder.encode(character)]
  })
  return Uint8Array.from(bytes.flat())
}

/** Enough files that the pool takes the search, in directories whose order as names and as paths differs. */
export function treeFrom(
  random: Random,
  { files = 260, directories: directoryCount = 14 } = {},
): Record<string, Uint8Array> {
  const tree: Record<string, Uint8Array> = {}
  const directories = ['']
  for (let i = 0; i < directoryCount; i += 1) {
    directories.push(`${directories[random(directories.length)]}/${names[random(names.length)]}${random(3)}`)
  }
  for (let i = 0; i < files; i += 1) {
    const extension = ['', '.ts', '.png', '-x', '.md'][random(5)]
    tree[`${directories[random(directories.length)]}/${names[random(names.length)]}${i + 10}${extension}`] =
      contentFrom(random)
  }
  return tree
}

export function requestFrom(random: Random): SearchRequest {
  const matchers: MatcherSpec[] = [
    { pattern: 'foo', syntax: 'literal' },
    { pattern: 'needle', syntax: 'literal' },
    { pattern: 'FOO', syntax: 'literal', ignoreCase: true },
    { pattern: 'k', syntax: 'rust', ignoreCase: true },
    { pattern: 'foo', syntax: 'rust', wholeWord: true },
    { pattern: 'foobar|foo|needle', syntax: 'rust' },
    { pattern: '(oobar|ror\\(x|bar|2026-11)', syntax: 'rust' },
    { pattern: 'foo|needle|bar', syntax: 'rust' },
    { pattern: '[a-z]+\\(x\\)', syntax: 'ecmascript' },
    { pattern: 'o+\\b', syntax: 'ecmascript' },
    { pattern: '\\w', syntax: 'rust' },
    { pattern: '^$', syntax: 'rust' },
    { pattern: 'foo\\s+', syntax: 'rust', multiline: true },
    { pattern: 'nowhere', syntax: 'literal' },
    { pattern: '[a-z]{3}[(][a-z]', syntax: 'ecmascript' },
    { pattern: '[0-9a-f]{4}-[0-9a-f]{2}', syntax: 'rust' },
    { pattern: '\\d{4}-\\d', syntax: 'rust', wholeWord: true },
    { pattern: '[a-f][0-9a-f]{3}-|\\p{Lu}[a-z]{7}', syntax: 'rust' },
    { pattern: 'FOO|Needle', syntax: 'rust', ignoreCase: true },
    { pattern: 'b[a-z]r|ſ', syntax: 'rust', ignoreCase: true },
    { pattern: 'näh', syntax: 'literal' },
    { pattern: 'NÄH', syntax: 'literal', ignoreCase: true },
    { pattern: 'n[^a]h', syntax: 'ecmascript' },
    { pattern: '[à-ü]|😀', syntax: 'ecmascript' },
    { pattern: 'ä.*\\b', syntax: 'ecmascript', multiline: true },
  ]
  const maybe = <Value>(key: string, value: Value) => (random(3) === 0 ? { [key]: value } : {})
  return {
    matcher: matchers[random(matchers.length)] as MatcherSpec,
    mode: (['content', 'content', 'files', 'count'] as const)[random(4)] ?? 'content',
    ...maybe('before', random(3)),
    ...maybe('after', random(3)),
    ...maybe('occurrences', true),
    ...maybe('skip', random(60)),
    ...maybe('limit', random(80)),
    ...maybe('total', true),
    ...maybe('limitPerFile', 1 + random(4)),
    ...maybe('maxFiles', random(400)),
    ...maybe('maxFileBytes', random(2) === 0 ? 100 : 31_000),
    ...maybe('maxTextBytes', random(4000)),
    ...maybe('maxLineUnits', 5 + random(50)),
    ...maybe('maxReportedUnits', 3 + random(20)),
    ...maybe('carriageReturnEndsLine', true),
    ...maybe('aroundMatch', true),
    ...maybe('lines', { ...maybe('first', lineFrom(random)), ...maybe('last', lineFrom(random)) }),
    text: {
      ...maybe('nul', { first: 8000, last: 100 }),
      ...maybe('binaryExtensions', ['png']),
      ...maybe('onlyUtf8', true),
      ...maybe('utf16', 'skip'),
      ...maybe('detectEncoding', true),
    },
  }
}

function lineFrom(random: Random): number {
  return (1 + random(8)) * (random(2) === 0 ? 1 : -1)
}

/** The files below a directory, as a search is given them. */
export async function* filesIn(fs: FileSystem, root: string): AsyncGenerator<FilesToSearch> {
  const walk = walkFiles(fs, root, { order: 'paths' })
  for (let files = await walk.nextListed(); files !== undefined; files = await walk.nextListed()) yield files
}
