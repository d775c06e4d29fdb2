/** The scripts of `npm run compare -- agents`, played on the built command and, where it is installed, on the official server. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { answerLine, evaluate, treeIs } from '../compare/agents/checks.mjs'
import { play } from '../compare/agents/play.mjs'
import { writeRepository } from '../compare/agents/repository/index.mjs'
import { outcomeTable, totalTable } from '../compare/agents/table.mjs'
import { introduction, tasks } from '../compare/agents/tasks/index.mjs'
import { installedOfficial, startOurs } from '../compare/servers.mjs'
import { isFull } from '../scale.js'

type Outcome = Awaited<ReturnType<typeof play>>

/** What the official server has no tool for. */
const outOfReach = ['legacy', 'remove-feature']
const official = installedOfficial()
/** Trying edits on a log of 18 MB takes that server half a minute. */
const compared = tasks.filter(({ id }) => isFull || id !== 'log')

const ours = new Map<string, Outcome>()
const theirs = new Map<string, Outcome>()
let untouched: string

beforeAll(async () => {
  untouched = await mkdtemp(join(tmpdir(), 'polyfs-agents-'))
  writeRepository(untouched)
  await Promise.all([
    playAll(tasks, 'polyfs', (root: string) => startOurs(root, '--no-shell'), ours),
    official && playAll(compared, 'official', official, theirs),
  ])
})

afterAll(() => rmSync(untouched, { recursive: true, force: true }))

describe.each(tasks)('$title', (task) => {
  test('is done with polyfs, by calls that succeed', () => {
    expect(ours.get(task.id)).toMatchObject({ fault: undefined, surprises: [], failed: 0 })
  })

  test('is not done by doing nothing', async () => {
    expect(await task.check({ root: untouched, answer: '' })).toEqual(expect.any(String))
  })

  test('the agent with polyfs names only what it has seen', () => {
    expect(unseen(task.prompt, ours.get(task.id))).toEqual([])
  })
})

describe('with the official server', () => {
  beforeEach((context) => {
    if (official === undefined) context.skip('the official server is not installed; npm run compare installs it')
  })

  test.each(compared)('$title', (task) => {
    const outcome = theirs.get(task.id)
    expect(outcome?.surprises).toEqual([])
    expect(outcome?.fault === undefined).toBe(!outOfReach.includes(task.id))
    expect(unseen(task.prompt, outcome)).toEqual([])
  })

  test('the same tasks take over twice the calls and ten times the bytes', () => {
    const sum = (outcomes: Map<string, Outcome>, value: (outcome: Outcome) => number) =>
      compared.reduce((total, { id }) => total + value(played(outcomes, id)), 0)
    const bytes = (outcome: Outcome) => outcome.sentBytes + outcome.receivedBytes
    expect(sum(theirs, ({ calls }) => calls)).toBeGreaterThan(2 * sum(ours, ({ calls }) => calls))
    expect(sum(theirs, bytes)).toBeGreaterThan(10 * sum(ours, bytes))
  })
})

describe('checks', () => {
  test('a tree is right as it was, and wrong with one byte, one file more, or one less', async () => {
    expect(await treeIs(untouched, {})).toBeUndefined()
    const faults: unknown[] = []
    for (const change of [
      (root: string) => appendFileSync(join(root, 'logs/server.log'), '\n'),
      (root: string) => writeFileSync(join(root, 'src/new.js'), ''),
      (root: string) => rmSync(join(root, 'legacy/TARIF.INI')),
    ]) {
      const root = await mkdtemp(join(tmpdir(), 'polyfs-agents-'))
      writeRepository(root)
      change(root)
      faults.push(await treeIs(root, {}))
      rmSync(root, { recursive: true })
    }
    expect(faults).toEqual([
      'logs/server.log has other bytes than it should',
      'src/new.js should not be there',
      'legacy/TARIF.INI is missing',
    ])
  })

  test('files can be expected to differ, or to be gone', async () => {
    expect(await treeIs(untouched, { 'README.md': 'other' })).toBe('README.md has other bytes than it should')
    expect(await treeIs(untouched, { 'README.md': null })).toBe('README.md is still there')
    expect(await treeIs(untouched, { 'README.md': async () => 'the fault' })).toBe('the fault')
    expect(await treeIs(untouched, { 'src/new.js': 'x' })).toBe('src/new.js is missing')
  })

  test.each([
    ['ANSWER: 1 a b', '1 a b'],
    ['It is done.\n\n**ANSWER: 1 a b**\n', '1 a b'],
    ['**ANSWER:** 1 a b.', '1 a b'],
    ['ANSWER: draft\nANSWER: A, B', 'A, B'],
    ['The answer is 1.', undefined],
  ])('the answer in %j is %j', (text, answer) => {
    expect(answerLine(text)).toBe(answer)
  })

  test('code that an agent wrote has no access to the machine, and can’t hang the check', async () => {
    expect(await evaluate('export function twice(x) { return 2 * x }', 'twice(4)')).toBe(8)
    expect(await evaluate('', '[typeof process, typeof require, typeof fetch]')).toEqual(Array(3).fill('undefined'))
    expect(await evaluate('for (;;) {}', '1')).toBeUndefined()
    expect(await evaluate('const all = []; for (;;) all.push(new Array(1e6).fill(0))', '1')).toBeUndefined()
    expect(await evaluate("import fs from 'node:fs'", '1')).toBeUndefined()
  })
})

test.each(['README.md', 'docs/comparison.md'])('the figures in %s are those of the scripts', async (page) => {
  const text = await readFile(new URL(`../../${page}`, import.meta.url), 'utf8')
  const all = [
    ...tasks.map(({ id, title }) => ({ task: title, server: 'polyfs', ...played(ours, id) })),
    ...(official && isFull ? tasks : []).map(({ id, title }) => ({
      task: title,
      server: 'official',
      ...played(theirs, id),
    })),
  ]
  const table = page === 'README.md' ? totalTable(all) : outcomeTable(all)
  const rows = table
    .split('\n')
    .slice(2)
    .map((row) => row.replace(/ \|$/, ''))
  expect(rows.filter((row) => !text.split('\n').some((line) => isNear(row, line)))).toEqual([])
})

function played(outcomes: Map<string, Outcome>, id: string): Outcome {
  const outcome = outcomes.get(id)
  if (outcome === undefined) throw new Error(`${id} was not played`)
  return outcome
}

/** Whether a line of a page begins with a row of a table. Bytes may differ by a fifth: every wording changes them a little. */
function isNear(row: string, line: string): boolean {
  const size = /([\d.]+) kB/g
  const begin = line.slice(0, matchEnd(line, row))
  if (begin.replaceAll(size, 'kB') !== row.replaceAll(size, 'kB')) return false
  const [printed, measured] = [begin, row].map((text) => [...text.matchAll(size)].map(([, value]) => Number(value)))
  return measured?.every((value, i) => Math.abs(value - (printed?.[i] ?? 0)) <= Math.max(0.3, value / 5)) ?? false
}

/** The end of as many cells as the row has. */
function matchEnd(line: string, row: string): number {
  const cells = line.split(' | ').slice(0, row.split(' | ').length)
  return cells.join(' | ').replace(/ \|$/, '').length
}

async function playAll(
  chosen: typeof tasks,
  server: 'polyfs' | 'official',
  start: (root: string) => string[],
  outcomes: Map<string, Outcome>,
) {
  for (const task of chosen) outcomes.set(task.id, await play({ start, task, script: task.scripts[server] }))
}

/**
 * Paths and texts in the calls that neither the prompt nor an earlier result shows. A script that has some knows more than an agent can.
 */
function unseen(prompt: string, outcome: Outcome | undefined): string[] {
  const found: string[] = []
  let seen = `${introduction} ${prompt}`
  for (const { step, reply } of outcome?.transcript ?? []) {
    const isSeen = (text: string) => seen.includes(text)
    if (!step.guess) found.push(...namedBy(step.call[1]).filter((text) => !isSeen(text)))
    seen += `\n${reply.text}`
  }
  return found
}

/** What a call takes to be there: files, and lines that are to be replaced. */
function namedBy(args: Record<string, unknown>): string[] {
  const isNew = 'content' in args
  const paths = [isNew ? [] : args.path, args.paths, args.source].flat().filter((path) => typeof path === 'string')
  const edits = [args, ...((args.edits as Record<string, unknown>[] | undefined) ?? [])]
  const texts = edits.filter(({ regex }) => regex !== true).flatMap(({ old_string, oldText }) => [old_string, oldText])
  const lines = texts.filter((text) => typeof text === 'string').flatMap((text) => text.split('\n'))
  const patched = String(args.patch ?? '')
    .split('\n')
    .filter((line) => /^[- ]/.test(line))
    .map((line) => line.slice(1))
  return [...paths.map((path) => posix.basename(path)), ...[...lines, ...patched].map((line) => line.trim())].filter(
    (text) => text !== '.' && text !== '',
  )
}
