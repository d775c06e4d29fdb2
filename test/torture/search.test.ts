/** Generated searches of generated trees, compared with ripgrep. Git decides which files are ignored. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDirectories } from '../../node/workspace/directory-workspace.js'
import { polyfs } from '../../src/dialects/polyfs/tools.js'
import { callTool } from '../../src/tools/call-tool.js'
import type { ToolResult } from '../../src/tools/dialect.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { type Random, randomFrom } from '../core/search/generated-trees.js'
import { escaped, patternFrom, wordFrom } from './search-patterns.js'
import { plant } from './search-trees.js'

const seed = 20_261_116
const trees = 40
const searchesPerTree = 60

const hasRipgrep = spawnSync('rg', ['--version']).status === 0

let scratch: string
beforeAll(() => {
  scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-torture-search-')))
})
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }))

test('searches find what ripgrep finds, and pages make up the whole', async ({ skip }) => {
  if (!hasRipgrep) skip('ripgrep is not installed')
  const random = randomFrom(seed)
  const differing: object[] = []
  const counts = { trees: 0, searches: 0, refused: 0, matching: 0, judged: 0, pages: 0 }
  for (let tree = 0; tree < trees; tree += 1) {
    const { root, twin, visible } = plant(scratch, `tree-${tree}`, random)
    const workspace = await openDirectories([{ directory: root, access: 'read-only' }], { readOnly: true })
    try {
      const listed = await rowsOf(workspace, 'glob', { pattern: '**' })
      expect({ tree, listed: listed.sort() }).toEqual({ tree, listed: visible })
      for (let search = 0; search < searchesPerTree; search += 1) {
        const made = searchFrom(random)
        const theirs = ripgrep(twin, made)
        if (theirs === undefined) {
          counts.refused += 1
          continue
        }
        const ours = await polyfsRows(workspace, made)
        const isSame = ours.join('\n') === theirs.join('\n')
        if (!isSame) counts.judged += 1
        if (!isSame && !isRight(twin, made, ours))
          differing.push({ tree, search, ...made, ...unlike(twin, ours, theirs) })
        counts.searches += 1
        if (ours.length > 0) counts.matching += 1
        if (search % 4 === 0) counts.pages += await comparePages(workspace, made, random)
      }
      counts.trees += 1
    } finally {
      workspace.close()
      fs.rmSync(root, { recursive: true })
      fs.rmSync(twin, { recursive: true })
    }
  }
  console.log(`search against ripgrep, seed ${seed}: ${JSON.stringify(counts)}`)
  expect(differing).toEqual([])
  expect(counts.searches).toBeGreaterThan((trees * searchesPerTree) / 2)
  expect(counts.matching).toBeGreaterThan(counts.searches / 4)
  expect(counts.judged).toBeLessThan(counts.searches / 20)
})

/**
 * Where the two differ the platform's regular expressions judge. ripgrep 13 misses places where edges of lines and words meet (`$^`, `\\b^`),
 * and after an empty match in a text of several lines it goes on with the next line.
 */
function isRight(twin: string, { args }: Search, ours: readonly string[]): boolean {
  const expected = filesIn(twin, '').flatMap((file) => {
    const lines = isChosen(file, args.glob) ? matchingLines(textOf(path.join(twin, file)), args) : []
    if (lines.length === 0) return []
    if (args.output === 'files') return [file]
    if (args.output === 'count') return [`${file}\t${lines.length}`]
    return lines.map((line) => shortened(`${file}\t${line}`))
  })
  const rows = args.context === undefined ? ours : ours.filter((row) => /^[^\t]*\t\d+:/.test(row))
  return rows.join('\n') === expected.sort().join('\n')
}

/** `3:text` for every line that is part of a match. */
function matchingLines(text: string, { pattern, literal, multiline, ignore_case }: Search['args']): string[] {
  const source = literal === true ? escaped(pattern) : pattern
  const expression = new RegExp(source, `gu${ignore_case === true ? 'i' : ''}${multiline === true ? 'ms' : ''}`)
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const numbered = lines.map((line, at) => `${at + 1}:${line}`)
  if (multiline !== true) return numbered.filter((_, at) => new RegExp(expression).test(lines[at] as string))
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length - 1
  const found = new Set<number>()
  for (const { 0: match, index } of text.matchAll(expression)) {
    const last = lineOf(Math.max(index, index + match.length - 1))
    for (let line = lineOf(index); line <= last; line += 1) found.add(line)
  }
  return numbered.filter((_, at) => found.has(at))
}

function filesIn(root: string, directory: string): string[] {
  return fs.readdirSync(path.join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(directory, entry.name)
    return entry.isDirectory() ? filesIn(root, name) : [name]
  })
}

function isChosen(name: string, glob: unknown): boolean {
  if (glob === undefined) return true
  return glob === 'src/**' ? name.startsWith('src/') : name.endsWith(String(glob).replace(/^.*\*/, ''))
}

function textOf(file: string): string {
  const bytes = fs.readFileSync(file)
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

/** Rows that differ, and the file of the first of them. */
function unlike(twin: string, ours: readonly string[], theirs: readonly string[]) {
  const onlyOurs = ours.filter((row) => !theirs.includes(row)).slice(0, 5)
  const onlyTheirs = theirs.filter((row) => !ours.includes(row)).slice(0, 5)
  const [file = ''] = [...onlyOurs, ...onlyTheirs].map((row) => row.split('\t')[0])
  return { onlyOurs, onlyTheirs, content: fs.readFileSync(path.join(twin, file ?? ''), 'utf8').slice(0, 500) }
}

interface Search {
  args: { pattern: string; output: 'content' | 'files' | 'count' } & Record<string, unknown>
  options: string[]
  theirs: string
}

function searchFrom(random: Random): Search {
  const multiline = random(3) === 0
  const ignoreCase = random(4) === 0
  const literal = !multiline && random(5) === 0
  const word = wordFrom(random)
  const { ours, theirs } = literal ? { ours: word, theirs: word } : patternFrom(random, { multiline, ignoreCase })
  // In multiline mode ripgrep counts matches and we count blocks.
  const output = (['content', 'content', 'files', 'count'] as const)[random(multiline ? 3 : 4)] as 'content'
  // ripgrep has context around an empty match after the last line end, which is in no line.
  const context = output === 'content' && !multiline && random(3) === 0 ? 1 + random(2) : 0
  const glob = ['*.txt', '**/*.md', 'src/**', undefined, undefined, undefined, undefined, undefined][random(8)]
  return {
    args: {
      pattern: ours,
      output,
      ...(multiline && { multiline }),
      ...(ignoreCase && { ignore_case: true }),
      ...(literal && { literal }),
      ...(context > 0 && { context }),
      ...(glob !== undefined && { glob }),
    },
    options: [
      ...(multiline ? ['-U', '--multiline-dotall'] : []),
      ...(ignoreCase ? ['-i'] : []),
      ...(literal ? ['-F'] : []),
      ...(context > 0 ? ['-C', `${context}`] : []),
      ...(glob === undefined ? [] : ['-g', glob]),
      ...(output === 'content' ? ['-n'] : output === 'files' ? ['-l'] : ['-c']),
    ],
    theirs,
  }
}

/** Undefined for a pattern that ripgrep refuses. */
function ripgrep(twin: string, { options, theirs }: Search): string[] | undefined {
  const always = ['--no-config', '--no-ignore', '--hidden', '--color=never', '--no-heading', '-H', '--null', '-j1']
  const args = [...always, ...options, '-e', theirs, '.']
  const { status, stdout, stderr } = spawnSync('rg', args, { cwd: twin, encoding: 'utf8', maxBuffer: 1 << 28 })
  if (status === 2 && !stderr.includes('No such file')) return undefined
  const rows = options.includes('-l')
    ? stdout.split('\0')
    : stdout
        .replace(/\n$/, '')
        .split('\n')
        .filter((row) => row !== '--')
        .map((row) => row.replace('\0', '\t'))
  return rows
    .filter((row) => row !== '')
    .map((row) => shortened(row.replace(/^\.\//, '')))
    .sort()
}

/** We cut lines that are longer. */
const longest = 300

async function polyfsRows(workspace: Workspace, { args }: Search): Promise<string[]> {
  const rows = await rowsOf(workspace, 'grep', args)
  if (args.output === 'files') return rows.sort()
  if (args.output === 'count') {
    // The last row is the total.
    return rows
      .slice(0, -1)
      .map((row) => row.replace(/: (\d+)$/, '\t$1'))
      .sort()
  }
  return underNames(rows).map(shortened).sort()
}

/** Long lines are shown in part, around their match: only their numbers are compared. */
function shortened(row: string): string {
  return row.length > longest ? row.replace(/^([^\t]*\t\d+[:-]).*$/su, '$1(long)') : row
}

/** Lines below the name of their file, each with that name. */
function underNames(rows: readonly string[]): string[] {
  let file = ''
  return rows.flatMap((row) => {
    if (row === '--') return []
    const [, line, sign, text = ''] = /^(\d+)([:-]) (.*)$/su.exec(row) ?? []
    if (line === undefined) file = row
    return line === undefined ? [] : [`${file}\t${line}${sign}${text}`]
  })
}

/** Returns the number of pages. */
async function comparePages(workspace: Workspace, { args }: Search, random: Random): Promise<number> {
  const { context: _, ...rest } = args
  const whole = await rowsOf(workspace, 'grep', rest)
  const budget = { max_tokens: 256 + random(300), ...(random(2) === 0 && { limit: 1 + random(5) }) }
  const rows: string[] = []
  let pages = 0
  for (let cursor: unknown; pages === 0 || cursor !== undefined; pages += 1) {
    const page = await call(workspace, 'grep', { ...rest, ...budget, ...(cursor !== undefined && { cursor }) })
    expect({ args, isError: page.isError ?? false }).toEqual({ args, isError: false })
    rows.push(...payloadOf(page))
    cursor = page.facts?.cursor
  }
  const compared = (rows: readonly string[]) => {
    return (args.output === 'content' ? underNames(rows) : rows).map((row) => row.slice(0, 60))
  }
  expect({ args, rows: compared(rows) }).toEqual({ args, rows: compared(whole) })
  return pages
}

async function rowsOf(workspace: Workspace, tool: string, args: object): Promise<string[]> {
  const result = await call(workspace, tool, { ...args, max_tokens: 2_000_000 })
  expect({ args, failure: result.isError ? result.content : undefined }).toEqual({ args, failure: undefined })
  return payloadOf(result)
}

function payloadOf({ content: [first] }: ToolResult): string[] {
  const text = first?.text ?? ''
  return text === '(no matches)' || text.startsWith('[') ? [] : text.split('\n')
}

function call(workspace: Workspace, tool: string, args: object): Promise<ToolResult> {
  return callTool(workspace, polyfs, tool, args, {
    onFault: (fault) => {
      throw fault
    },
  })
}
