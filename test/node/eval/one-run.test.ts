/** Several processes that run into one directory, some of them killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { holdingRun } from '../../../node/eval/results/hold-run.js'
import { readRun } from '../../../node/eval/results/run-directory.js'
import { removeStaged, writeWhole } from '../../../node/eval/results/write-whole.js'
import { seededRandom } from '../../../src/text/seeded-random.js'
import { scaled, seeded } from '../../scale.js'
import { built } from '../cli/built.js'
import { temporaryDirectory } from '../cli/run-cli.js'
import { sayYes, writeSuite } from './suite.js'

const taskIds = ['a', 'b', 'c', 'd']
const trials = 3
const expected = taskIds.flatMap((task) => [1, 2, 3].map((trial) => `${task} ${trial}`))

/** Waits a little in between, so that other processes come in the middle; with the last task until it may go on. */
const slowAgent = (name: string) => `import { existsSync } from 'node:fs'
const { GO_ON } = process.env
export default {
  name: ${JSON.stringify(name)},
  async run({ episode, task }) {
    const isHeldUp = () => GO_ON !== undefined && task.id === 'd' && !existsSync(GO_ON)
    do await new Promise((done) => setTimeout(done, 30))
    while (isHeldUp())
    await episode.tools.call('write_file', { path: 'answer.txt', content: ${JSON.stringify(name)} === 'right' ? 'yes\\n' : 'no' })
    return { answer: '' }
  },
}
`

interface Stage {
  suite: string
  out: string
  agents: Readonly<Record<'right' | 'wrong', string>>
}

async function openStage(): Promise<Stage> {
  const suite = await writeSuite(Object.fromEntries(taskIds.map((id) => [id, sayYes])))
  const directory = await temporaryDirectory()
  const agents = { right: join(directory, 'right.mjs'), wrong: join(directory, 'wrong.mjs') }
  for (const [name, file] of Object.entries(agents)) await writeFile(file, slowAgent(name))
  return { suite, agents, out: join(directory, 'run') }
}

function start(
  { suite, out, agents }: Stage,
  agent: keyof Stage['agents'],
  more: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const options = ['--agent', agents[agent], '--trials', String(trials), '--parallel', '2', '--out', out, ...more]
  return spawn(process.execPath, [built('node/cli.js'), 'eval', 'run', suite, ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  })
}

async function ended(child: ChildProcess): Promise<{ code: number | null; stderr: string }> {
  let stderr = ''
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stderr })))
}

function linesIn(out: string): string[] {
  const results = join(out, 'results.jsonl')
  if (!existsSync(results)) return []
  const lines = readFileSync(results, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line)).map(({ task, trial }) => `${task} ${trial}`)
}

async function untilResults(child: ChildProcess, out: string, count: number): Promise<void> {
  while (child.exitCode === null && linesIn(out).length < count) await sleep(5)
}

const inUse = (out: string) =>
  new RegExp(`polyfs: ${out} is in use by another run, process \\d+, since \\S+; wait until`)

test('of two agents that run into one directory the second is refused, and the first is not disturbed', async () => {
  const stage = await openStage()
  const goOn = join(stage.out, '..', 'go-on')
  const first = start(stage, 'right', [], { GO_ON: goOn })
  const firstEnd = ended(first)
  await untilResults(first, stage.out, 1)
  const [second, resumed] = await Promise.all([
    ended(start(stage, 'wrong')),
    ended(start(stage, 'right', ['--resume'])),
  ])
  expect(second).toMatchObject({ code: 2, stderr: expect.stringMatching(inUse(stage.out)) })
  expect(second.stderr).toContain(`process ${first.pid},`)
  expect(resumed).toMatchObject({ code: 2, stderr: expect.stringMatching(inUse(stage.out)) })
  await writeFile(goOn, '')
  expect((await firstEnd).code).toBe(0)
  expect(linesIn(stage.out).sort()).toEqual(expected)
  const { file, results } = readRun(stage.out)
  expect(file.agentName).toBe('right')
  expect(results.every(({ agent, outcome }) => agent === 'right' && outcome === 'passed')).toBe(true)
})

test('several processes that begin, go on and are killed at any time leave one result for each episode', async () => {
  const random = seededRandom(seeded(1))
  for (let round = 0; round < scaled(10); round += 1) {
    const stage = await openStage()
    const kills = 1 + Math.floor(random() * 3)
    for (let kill = 0; kill < kills; kill += 1) {
      const children = Array.from({ length: 3 }, () => start(stage, 'right', ['--resume']))
      const ends = children.map(ended)
      const holder = () => children.find(({ pid }) => pid === holderOf(stage.out))
      const aim = linesIn(stage.out).length + Math.floor(random() * 3)
      while (holder() === undefined && children.some(({ exitCode }) => exitCode === null)) await sleep(2)
      while (holder()?.exitCode === null && linesIn(stage.out).length < aim) await sleep(2)
      holder()?.kill('SIGKILL')
      for (const { code, stderr } of await Promise.all(ends)) {
        expect(code === null || code === 0 || code === 2, stderr).toBe(true)
        if (code === 2) expect(stderr).toMatch(/ is in use by another run.*; wait until it has ended/)
      }
    }
    expect(await ended(start(stage, 'right', ['--resume']))).toMatchObject({ code: 0 })
    expect(linesIn(stage.out).sort()).toEqual(expected)
    expect((await readdir(stage.out)).sort()).toEqual([
      'junit.xml',
      'report.html',
      'results.jsonl',
      'run.json',
      'summary.json',
      'traces',
    ])
    expect((await readdir(join(stage.out, 'traces'))).length).toBe(expected.length)
  }
})

function holderOf(out: string): number | undefined {
  try {
    return JSON.parse(readFileSync(join(out, 'running.json'), 'utf8')).pid
  } catch {
    return undefined
  }
}

describe('the hold on a directory', () => {
  test('ends with what runs, also when that fails', async () => {
    const directory = join(await temporaryDirectory(), 'run')
    await expect(holdingRun(directory, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expect(await holdingRun(directory, () => readdir(directory))).toEqual(
      expect.arrayContaining(['.lock', 'running.json']),
    )
    expect(await readdir(directory)).toEqual([])
  })

  test('excludes others in the same process too, and says who it is', async () => {
    const directory = await temporaryDirectory()
    await holdingRun(directory, async () => {
      await expect(holdingRun(directory, async () => {})).rejects.toThrow(
        new RegExp(
          `^${directory} is in use by another run, process ${process.pid}, since \\S+Z; wait until it has ended`,
        ),
      )
    })
  })

  test('is refused with the name of a file that is in the way', async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, '.lock'), '')
    await expect(holdingRun(directory, async () => {})).rejects.toThrow(
      `${directory} can't be locked: remove ${directory}/.lock, or name another directory with --out`,
    )
  })
})

test('writers of one file at once leave one of their texts, and nothing else', async () => {
  const directory = await temporaryDirectory()
  const file = join(directory, 'a.json')
  const texts = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(10_000))
  await Promise.all(texts.map((text) => writeWhole(file, text)))
  expect(texts).toContain(await readFile(file, 'utf8'))
  expect(await readdir(directory)).toEqual(['a.json'])
})

test('what killed writers left is removed by name, and nothing else', async () => {
  const directory = await temporaryDirectory()
  const others = ['a.json', 'a.json.new', 'b.json.0123456789ab.new', '0123456789ab.new']
  for (const name of ['a.json.0123456789ab.new', ...others]) await writeFile(join(directory, name), '')
  await removeStaged(directory, (name) => name === 'a.json')
  expect((await readdir(directory)).sort()).toEqual([...others].sort())
})
