import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EpisodeResult } from '../../../harness/run-types.js'
import {
  createRunDirectory,
  type RunFile,
  readRun,
  readTrace,
  resultLine,
  resumeRunDirectory,
} from '../../../node/eval/results/run-directory.js'
import { traceName } from '../../../node/eval/results/trace-name.js'
import { hostileNames } from '../../harness/report/hostile-names.js'
import { resultsOf } from '../../harness/report/results.js'
import { temporaryDirectory } from '../cli/run-cli.js'

const file: RunFile = {
  format: 'polyfs-eval/1',
  version: '0.0.0',
  settings: { run: 'r', suites: ['/s'], suiteHash: 'h', agent: 'nop', trials: 1, seed: 1, budget: {}, retries: 2 },
  tasks: ['a'],
  agentName: 'agent',
  startedAt: '2026-01-01T00:00:00.000Z',
}

const [first, second, third] = resultsOf(['a']) as [EpisodeResult, EpisodeResult, EpisodeResult]

async function created(): Promise<string> {
  const directory = join(await temporaryDirectory(), 'run')
  const run = await createRunDirectory(directory, file)
  for (const result of [first, second]) await run.record({ ...result, trace: `trace ${result.trial}\n` })
  run.close()
  return directory
}

test('results and traces are read back; the trace is in its own file', async () => {
  const directory = await created()
  expect(readRun(directory)).toEqual({ directory, file, results: [first, second] })
  expect(await readTrace(directory, second)).toBe('trace 2\n')
  expect(await readTrace(directory, third)).toBe(undefined)
  expect((await readdir(directory)).sort()).toEqual(['results.jsonl', 'run.json', 'traces'])
})

test('a last line that was cut off anywhere is ignored, and removed before more is added', async () => {
  const line = resultLine(third)
  for (const length of [1, 2, 10, line.length >> 1, line.length - 1]) {
    const directory = await created()
    await appendFile(join(directory, 'results.jsonl'), line.slice(0, length))
    expect(readRun(directory).results).toEqual([first, second])
    const run = await resumeRunDirectory(directory)
    expect(run.results).toEqual([first, second])
    await run.record(third)
    run.close()
    expect(readRun(directory).results).toEqual([first, second, third])
  }
})

test('a line in the middle that is not a result is named', async () => {
  for (const damage of [
    '{"run":',
    '{}',
    '[]',
    'null',
    '',
    '{"run":"r","task":"a","agent":"x","trial":1,"outcome":"won"}',
  ]) {
    const directory = await created()
    await appendFile(join(directory, 'results.jsonl'), `${damage}\n${resultLine(third)}`)
    expect(() => readRun(directory)).toThrow(
      `${join(directory, 'results.jsonl')}:3: not a result; remove the line to have the episode run again`,
    )
  }
})

test('of several results of one job the first counts that says something', async () => {
  const directory = await created()
  const infra: EpisodeResult = { ...third, outcome: 'infra', reason: 'first' }
  const lines = [infra, { ...infra, reason: 'second' }, third, { ...third, reason: 'late' }, infra]
  await appendFile(join(directory, 'results.jsonl'), lines.map(resultLine).join(''))
  expect(readRun(directory).results).toEqual([first, second, third])
})

test('a directory with a run is not overwritten, nor is one with other files', async () => {
  const directory = await created()
  await expect(createRunDirectory(directory, file)).rejects.toThrow(
    `${directory} has a run already; add --resume to go on with it, or name another directory with --out`,
  )
  const other = await temporaryDirectory()
  await writeFile(join(other, 'notes.txt'), '')
  await expect(createRunDirectory(other, file)).rejects.toThrow(
    `${other} is not empty; name another directory with --out`,
  )
})

describe('what is not a run is named', () => {
  test.each([
    ['', 'is not of the format polyfs-eval/1'],
    ['{', 'is not of the format polyfs-eval/1'],
    ['{"format":"polyfs-eval/9"}', 'is not of the format polyfs-eval/1'],
    ['{"format":"polyfs-eval/1"}', 'is not of the format polyfs-eval/1'],
    ['null', 'is not of the format polyfs-eval/1'],
  ])('run.json: %s', async (text, complaint) => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, 'run.json'), text)
    expect(() => readRun(directory)).toThrow(complaint)
  })

  test('a directory without run.json', async () => {
    const directory = await temporaryDirectory()
    await expect(resumeRunDirectory(directory)).rejects.toThrow(
      `${directory} is not the directory of a run: it has no run.json`,
    )
  })
})

describe('names of traces', () => {
  const names = hostileNames.map((task) => traceName({ task, agent: 'a', trial: 1 }))

  test('of hostile ids are safe on every disk, and stay inside the directory', () => {
    for (const name of names) {
      expect(name).toMatch(/^[A-Za-z0-9_~-]+\.a\.1\.jsonl$/)
      expect(name.length).toBeLessThan(120)
      expect(name).not.toMatch(/^(?:con|nul)\./i)
    }
  })

  test('of different ids differ, also where case is ignored', () => {
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length)
    const parts = [
      { task: 'a', agent: 'b.c', trial: 1 },
      { task: 'a.b', agent: 'c', trial: 1 },
      { task: 'a', agent: 'b', trial: 1 },
      { task: 'a', agent: 'b', trial: 11 },
    ].map(traceName)
    expect(new Set(parts).size).toBe(parts.length)
  })

  test('of plain ids are the ids', () => {
    expect(traceName({ task: 'fix-bug_2', agent: 'oracle', trial: 3 })).toBe('fix-bug_2.oracle.3.jsonl')
  })

  test('can all be written', async () => {
    const directory = await temporaryDirectory()
    await mkdir(join(directory, 'traces'))
    for (const name of names) await writeFile(join(directory, 'traces', name), name)
    for (const name of names) expect(await readFile(join(directory, 'traces', name), 'utf8')).toBe(name)
  })
})
