/** Generated patterns in ripgrep's own syntax, searched by threads, by the calling thread and by ripgrep. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDirectories } from '../../node/workspace/directory-workspace.js'
import { searchText } from '../../src/ops/search-text.js'
import type { MatcherSpec } from '../../src/search/patterns/matcher.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { type Random, randomFrom } from '../core/search/generated-trees.js'
import { built } from '../node/cli/built.js'
import { words as commonWords, escaped } from './search-patterns.js'

const seed = 20_261_117
/** More than the calling thread searches itself. */
const files = 320
const searches = 1000

const hasRipgrep = spawnSync('rg', ['--version']).status === 0

let root: string
beforeAll(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-torture-threads-')))
})
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

/** Letters of other scripts, marks, joiners, digits and punctuation: what is in a word, and what is not. */
const words = [
  ...commonWords,
  ...[
    'FOO',
    'foo_bar',
    'NÄH',
    'i̇',
    'k',
    's',
    'ß',
    'ẞ',
    'βας',
    'abab',
    'aba',
    'aaaa',
    'x1',
    '_x',
    'x-y',
    '日本',
    '日本語',
  ],
  ...['é', 'e\u0301', '\u200d', '‿', 'ǅ', 'ﬁ', '0', '42', '٣', '$', '-', '->', '::', 'a', 'Z'],
]
const separators = [' ', ' ', '\t', '', '', '.', ',', '-', '_', '(', ')', '\u00a0', '"', '', '😀', 'é', '\u200b']
const classes = [
  ...['.', '[a-f]', '[^a-z]', '[^\\sx]', '\\s', '\\S', '\\w', '\\W', '\\d', '\\D', '\\p{L}', '\\p{Lu}', '\\pN'],
  ...['[[:alpha:]]', '[\\w-]', '[^\\w]', '\\x61', '\\u{e9}', '(?i:k)', '(?-u:\\w)', '[a-c&&b-d]', '[[:upper:]0-9]'],
]
const quantifiers = ['', '', '', '', '', '*', '+', '?', '{1,2}', '*?', '+?', '{2}', '??', '{0,1}']
const edges = ['\\b', '\\B', '(?-u:\\b)']

test('threads find what the calling thread finds, and ripgrep', { timeout: 900_000 }, async ({ skip }) => {
  if (!hasRipgrep) skip('ripgrep is not installed')
  const random = randomFrom(seed)
  for (let i = 0; i < files; i += 1) {
    const directory = path.join(root, `d${i % 7}`, i % 3 === 0 ? `e${i % 5}` : '')
    fs.mkdirSync(directory, { recursive: true })
    fs.writeFileSync(path.join(directory, `f${i}.txt`), textFrom(random, i % 40 === 0 ? 400 : 14))
  }
  const roots = [{ directory: root, access: 'read-only' }] as const
  const threads = await openDirectories(roots, { readOnly: true, searchWorker: built('node/search-worker.js') })
  const alone = await openDirectories(roots, { readOnly: true, searchThreads: 0 })
  const differing: object[] = []
  let matching = 0
  try {
    for (let search = 0; search < searches; search += 1) {
      const matcher = matcherFrom(random)
      const mode = (['content', 'content', 'count', 'files'] as const)[random(4)] as 'content'
      const ours = await rowsOf(threads, matcher, mode)
      const here = await rowsOf(alone, matcher, mode)
      const theirs = ripgrep(matcher, mode)
      const [found, expected] = [ours.join('\n'), theirs.join('\n')]
      if (found !== expected || found !== here.join('\n')) {
        const only = (rows: string[], others: string[]) => rows.filter((row) => !others.includes(row)).slice(0, 3)
        const unlike = { ours: only(ours, theirs), theirs: only(theirs, ours), alone: only(here, ours) }
        differing.push({ search, ...matcher, mode, ...unlike })
      }
      if (ours.length > 0) matching += 1
    }
  } finally {
    threads.close()
    alone.close()
  }
  expect(differing).toEqual([])
  expect(matching).toBeGreaterThan(searches / 2)
})

function textFrom(random: Random, lines: number): string {
  let text = ''
  for (let line = random(lines); line > 0; line -= 1) {
    for (let count = random(12); count > 0; count -= 1) text += pick(words, random) + pick(separators, random)
    text += pick(['\n', '\n', '\n', '\n\n', line === 1 ? '' : '\n'], random)
  }
  return text
}

function matcherFrom(random: Random): MatcherSpec & { wholeWord: boolean } {
  const kind = pick(['word', 'word', 'words', 'pattern', 'pattern', 'pattern'] as const, random)
  const isPattern = kind === 'pattern'
  const wholeWord = random(isPattern ? 6 : 2) === 0
  const texts = Array.from({ length: kind === 'words' ? 2 + random(3) : 1 }, () => escapedWord(random))
  const pattern = isPattern ? patternFrom(random, 2) : texts.join('|')
  // ripgrep 13 misses places where edges of lines and words meet.
  const canHaveEdges = isPattern && !wholeWord
  const [start, end] = [canHaveEdges && random(6) === 0 ? '^' : '', canHaveEdges && random(6) === 0 ? '$' : '']
  return { pattern: start + pattern + end, syntax: 'rust', ignoreCase: random(3) === 0, wholeWord }
}

function patternFrom(random: Random, depth: number): string {
  let made = ''
  for (let count = 1 + random(3); count > 0; count -= 1) made += itemFrom(random, depth)
  return random(4) === 0 ? `${made}|${patternFrom(random, 0)}` : made
}

function itemFrom(random: Random, depth: number): string {
  if (random(11) === 0) return pick(edges, random)
  const isGroup = depth > 0 && random(4) === 0
  const simple = random(2) === 0 ? pick(classes, random) : escapedWord(random)
  const atom = isGroup ? `(${random(2) === 0 ? '?:' : ''}${patternFrom(random, depth - 1)})` : simple
  const quantifier = pick(quantifiers, random)
  return quantifier === '' ? atom : `(?:${atom})${quantifier}`
}

function escapedWord(random: Random): string {
  const word = pick(words, random)
  return escaped(random(3) === 0 ? pick([...word], random) : word)
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[random(items.length)] as Item
}

async function rowsOf(workspace: Workspace, matcher: MatcherSpec, mode: 'content'): Promise<string[]> {
  const request = { matcher, mode, text: {} }
  const { files } = await searchText.run(searchText.input.parse({ path: root, request }), workspace, {})
  return files
    .flatMap(({ path: found, matches, records }) => {
      const name = path.relative(root, found)
      if (mode !== 'content') return mode === 'files' ? [name] : [`${name}:${matches}`]
      return records.map(({ line, text }) => `${name}:${line}:${text}`)
    })
    .sort()
}

function ripgrep({ pattern, ignoreCase, wholeWord }: MatcherSpec, mode: string): string[] {
  const output = mode === 'count' ? '-c' : mode === 'files' ? '-l' : '-n'
  const options = ['--no-config', '--no-ignore', '--color=never', '--no-heading', output, ...(ignoreCase ? ['-i'] : [])]
  // Its own option for whole words also accepts a match that begins or ends with other characters.
  const args = [...options, '-e', wholeWord ? `\\b(?:${pattern})\\b` : pattern, '.']
  const { status, stdout, stderr } = spawnSync('rg', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })
  expect({ pattern, status: status === 2 ? stderr : '' }).toEqual({ pattern, status: '' })
  return stdout
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => row.replace(/^\.\//, ''))
    .sort()
}
