/** The scripts of `npm run compare -- agents`, played on the built command and, where it is installed, on the official server. */
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { play } from '../compare/agents/play.mjs'
import { writeRepository } from '../compare/agents/repository/index.mjs'
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

describe.skipIf(official === undefined)('with the official server (installed by npm run compare)', () => {
  test.each(compared)('$title', (task) => {
    const outcome = theirs.get(task.id)
    expect(outcome?.surprises).toEqual([])
    expect(outcome?.fault === undefined).toBe(!outOfReach.includes(task.id))
    expect(unseen(task.prompt, outcome)).toEqual([])
  })

  test('the same tasks take more calls and bytes than with polyfs', () => {
    const sum = (outcomes: Map<string, Outcome>, value: (outcome: Outcome) => number) =>
      compared.reduce((total, { id }) => total + value(outcomes.get(id) as Outcome), 0)
    const bytes = (outcome: Outcome) => outcome.sentBytes + outcome.receivedBytes
    expect(sum(theirs, ({ calls }) => calls)).toBeGreaterThan(sum(ours, ({ calls }) => calls))
    expect(sum(theirs, bytes)).toBeGreaterThan(5 * sum(ours, bytes))
  })
})

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
