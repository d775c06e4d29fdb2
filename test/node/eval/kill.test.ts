/** A run that is killed, again and again, ends with the results of one that is not. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { readRun } from '../../../node/eval/results/run-directory.js'
import { sample } from '../../scale.js'
import { built } from '../cli/built.js'
import { temporaryDirectory } from '../cli/run-cli.js'
import { sayYes, writeSuite } from './suite.js'

const taskIds = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const trials = 3

/** Passes with odd seeds. Takes some time, and writes a line when it begins an episode. */
const agentSource = (log: string) => `
import { appendFileSync } from 'node:fs'
export default {
  name: 'mine',
  async run({ episode, task }) {
    const { seed } = episode.trace.header
    appendFileSync(${JSON.stringify(log)}, task.id + ' ' + seed + '\\n')
    for (let i = 0; i < 3; i += 1) {
      await new Promise((done) => setTimeout(done, 15))
      await episode.tools.call('write_file', { path: 'answer.txt', content: seed % 2 === 1 ? 'yes\\n' : 'no ' + i })
    }
    return { answer: 'done' }
  },
}
`

interface Stage {
  suite: string
  agent: string
  /** What episodes were begun. */
  log: string
  out: string
}

async function openStage(): Promise<Stage> {
  const suite = await writeSuite(Object.fromEntries(taskIds.map((id) => [id, sayYes])))
  const directory = await temporaryDirectory()
  const log = join(directory, 'log')
  await writeFile(log, '')
  await writeFile(join(directory, 'agent.mjs'), agentSource(log))
  return { suite, agent: join(directory, 'agent.mjs'), log, out: join(directory, 'run') }
}

function start({ suite, agent, out }: Stage, ...more: string[]): ChildProcess {
  const options = ['--agent', agent, '--trials', String(trials), '--parallel', '3', '--out', out, '--resume', ...more]
  return spawn(process.execPath, [built('node/cli.js'), 'eval', 'run', suite, ...options], { stdio: 'pipe' })
}

async function ended(child: ChildProcess): Promise<{ code: number | null; stderr: string }> {
  let stderr = ''
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  child.stdout?.resume()
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stderr })))
}

/** Results without times and the random id of the run, sorted. */
function essence(out: string): unknown[] {
  const results = readRun(out).results.map(({ wallMs: _, run: __, ...rest }) => rest)
  return results.sort((a, b) => (`${a.task} ${a.trial}` < `${b.task} ${b.trial}` ? -1 : 1))
}

function linesIn(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
}

/** After a time, a time after the run has begun, or so many results more. */
type Point = { ms: number } | { msAfterBegin: number } | { moreResults: number }

async function killAt(child: ChildProcess, results: string, point: Point): Promise<void> {
  const exit = ended(child)
  const aim = linesIn(results).length + ('moreResults' in point ? point.moreResults : 0)
  const isDue = () => existsSync(results) && linesIn(results).length >= aim
  while (!('ms' in point) && child.exitCode === null && !isDue()) await sleep(2)
  if ('ms' in point) await Promise.race([sleep(point.ms), exit])
  if ('msAfterBegin' in point) await Promise.race([sleep(point.msAfterBegin), exit])
  child.kill('SIGKILL')
  await exit
}

test('SIGKILL at any point changes no result and repeats no episode', async () => {
  const whole = await openStage()
  expect(await ended(start(whole))).toMatchObject({ code: 0 })
  const expected = essence(whole.out)
  expect(expected.length).toBe(taskIds.length * trials)

  const points = sample(
    [
      ...[1, 60, 250, 500].map((ms) => ({ ms })),
      ...[0, 20, 45, 70, 110, 160].map((msAfterBegin) => ({ msAfterBegin })),
      ...[0, 1, 1, 2, 3, 1, 4, 5, 2, 1].map((moreResults) => ({ moreResults })),
    ],
    { every: 3 },
  )
  let kills = 0
  for (const rest = [...points]; rest.length > 0; ) {
    const stage = await openStage()
    const results = join(stage.out, 'results.jsonl')
    while (rest.length > 0 && linesIn(results).length < expected.length) {
      const before = doneIn(results)
      const begun = linesIn(stage.log).length
      const point = rest.pop()
      if (point === undefined) break
      await killAt(start(stage, ...(kills % 3 === 2 ? ['--threads', '2'] : [])), results, point)
      kills += 1
      const repeated = linesIn(stage.log)
        .slice(begun)
        .filter((episode) => before.has(episode))
      expect(repeated).toEqual([])
    }
    expect(await ended(start(stage))).toMatchObject({ code: 0 })
    expect(essence(stage.out)).toEqual(expected)
    for (const { task, trial } of readRun(stage.out).results) {
      const trace = await readFile(join(stage.out, 'traces', `${task}.mine.${trial}.jsonl`), 'utf8')
      expect(trace).toMatch(/"type":"end".*\n$/)
    }
  }
  expect(kills).toBe(points.length)
})

/** Episodes with a whole line, as the log names them. */
function doneIn(results: string): Set<string> {
  return new Set(
    linesIn(results)
      .map((line) => JSON.parse(line))
      .map(({ task, seed }) => `${task} ${seed}`),
  )
}

describe.skipIf(process.platform === 'win32')('Ctrl-C', () => {
  test('ends the run with 130 and says how to go on', async () => {
    const stage = await openStage()
    const child = start(stage)
    const exit = ended(child)
    while (child.exitCode === null && linesIn(join(stage.out, 'results.jsonl')).length < 2) await sleep(5)
    child.kill('SIGINT')
    const { code, stderr } = await exit
    expect(code).toBe(130)
    expect(stderr).toMatch(/\npolyfs: interrupted; go on with: polyfs eval run --resume --out \S+\n$/)
    const done = readRun(stage.out).results.length
    expect(done).toBeLessThan(taskIds.length * trials)
    const [, command = ''] = /go on with: polyfs (.*)\n$/.exec(stderr) ?? []
    const resumed = spawn(process.execPath, [built('node/cli.js'), ...command.split(' ')], { stdio: 'pipe' })
    expect(await ended(resumed)).toMatchObject({ code: 0 })
    expect(readRun(stage.out).results.length).toBe(taskIds.length * trials)
  })

  test('a second one ends it at once, also when an agent does not stop', async () => {
    const stage = await openStage()
    await writeFile(stage.agent, `export default { name: 'mine', run: () => { for (;;) {} } }`)
    const child = start(stage, '--threads', '1')
    const exit = ended(child)
    while (child.exitCode === null && !existsSync(join(stage.out, 'results.jsonl'))) await sleep(5)
    await sleep(500)
    child.kill('SIGINT')
    await sleep(200)
    child.kill('SIGINT')
    expect((await exit).code).toBe(130)
  })
})
