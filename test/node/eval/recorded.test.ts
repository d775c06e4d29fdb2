/** What can be done with a run after it: check, rescore, replay and report. */
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readRun } from '../../../node/eval/results/run-directory.js'
import { temporaryDirectory } from '../cli/run-cli.js'
import { runEval, sayYes, solution, type TaskFiles, writeFiles, writeSuite } from './suite.js'

/** A scripted run of two tasks: `right` passes, `wrong` does not. */
async function recorded(): Promise<{ suite: string; out: string }> {
  const suite = await writeSuite({ right: sayYes, wrong: sayYes })
  const directory = await temporaryDirectory()
  const maybe = [{ tool: 'write_file', args: { path: 'answer.txt', content: 'maybe\n' } }]
  await writeFiles(directory, { 'calls.json': JSON.stringify({ right: solution, wrong: maybe }) })
  const out = join(directory, 'run')
  const { code } = await runEval('run', suite, '--agent', `scripted:${join(directory, 'calls.json')}`, '--out', out)
  expect(code).toBe(0)
  return { suite, out }
}

const acceptsMaybe = '[[check]]\nfile = "answer.txt"\nregex = "maybe|yes"\n'

describe('check', () => {
  test('one line for each task, with everything that is wrong with it', async () => {
    const suite = await writeSuite({
      fine: sayYes,
      'passes-by-doing-nothing': { ...sayYes, 'environment/answer.txt': 'yes\n' },
      'solved-wrong': { ...sayYes, 'solution/solve.sh': 'echo perhaps > answer.txt\n' },
      'solution-fails': { ...sayYes, 'solution/solve.sh': 'echo oh >&2; exit 3\n' },
      unsolved: Object.fromEntries(Object.entries(sayYes).filter(([path]) => !path.startsWith('solution'))),
      'needs-more': { ...sayYes, 'environment/Dockerfile': 'FROM debian\nRUN make\n' },
    })
    const { code, stdout } = await runEval('check', suite)
    expect(stdout.split('\n').filter((line) => !line.startsWith('   '))).toEqual([
      'ok      fine',
      'WRONG   passes-by-doing-nothing',
      'WRONG   solution-fails',
      'WRONG   solved-wrong',
      'WRONG   unsolved',
      expect.stringMatching(/^skipped needs-more: .*RUN/),
      '5 tasks checked, 4 problems, 1 skipped',
      '',
    ])
    expect(stdout).toContain('          doing nothing scores 1, not 0\n')
    expect(stdout).toContain('          the solution scores 0, not 1: ')
    expect(stdout).toContain('          there is no solution: add solution/solve.sh\n')
    expect(code).toBe(1)
  })

  test('exits with 0 when all is well', async () => {
    const fine = await writeSuite({ fine: sayYes })
    expect(await runEval('check', fine)).toEqual({
      code: 0,
      stdout: 'ok      fine\n1 task checked, 0 problems, 0 skipped\n',
      stderr: '',
    })
  })
})

describe('rescore', () => {
  test('says what changed, and leaves the results of the run as they are', async () => {
    const { suite, out } = await recorded()
    const before = await readFile(join(out, 'results.jsonl'), 'utf8')
    await writeFile(join(suite, 'wrong/tests/checks.toml'), acceptsMaybe)
    const { code, stdout } = await runEval('rescore', out)
    expect(stdout).toBe(`wrong #1  failed 0.00 -> passed\n2 results, 1 changed, in ${join(out, 'rescored.jsonl')}\n`)
    expect(code).toBe(0)
    expect(await readFile(join(out, 'results.jsonl'), 'utf8')).toBe(before)
    const outcomes = readRun(out, 'rescored.jsonl').results.map(({ task, outcome, value, reason }) => [
      task,
      outcome,
      value,
      reason,
    ])
    expect(outcomes.sort()).toEqual([
      ['right', 'passed', 1, undefined],
      ['wrong', 'passed', 1, undefined],
    ])
    expect((await runEval('report', out, '--rescored')).stdout).toContain('2 passed\n')
    expect((await runEval('report', out)).stdout).toContain('1 passed, 1 failed\n')
  })

  test('a run that has other files now has no score, and the reason says where it parts', async () => {
    const { suite, out } = await recorded()
    await writeFile(join(suite, 'right/environment/answer.txt'), 'something else\n')
    const { code, stdout, stderr } = await runEval('rescore', out)
    expect(code).toBe(3)
    expect(stdout).toContain('right #1  passed -> infra\n')
    expect(stderr).toContain('polyfs: 1 trace could not be scored again; the reasons are in ')
    expect(readRun(out, 'rescored.jsonl').results.find(({ task }) => task === 'right')?.reason).toBe(
      'call 0 gives another result now',
    )
  })

  test('a trace that is missing or damaged, and a task that is gone', async () => {
    for (const damage of ['missing', 'cut', 'garbled', 'gone'] as const) {
      const { suite, out } = await recorded()
      const file = join(out, 'traces', 'right.scripted.1.jsonl')
      const text = await readFile(file, 'utf8')
      if (damage === 'missing')
        await writeFile(
          join(out, 'results.jsonl'),
          (await readFile(join(out, 'results.jsonl'), 'utf8')).replaceAll('"right"', '"left"'),
        )
      if (damage === 'cut') await writeFile(file, text.slice(0, text.length - 20))
      if (damage === 'garbled') await writeFile(file, text.replace('\n', '\nnonsense\n'))
      const other: Record<string, TaskFiles> = { wrong: sayYes }
      const where = damage === 'gone' ? ['--suite', await writeSuite(other)] : ['--suite', suite]
      const { code } = await runEval('rescore', out, ...where)
      expect(code).toBe(3)
      const reasons = readRun(out, 'rescored.jsonl').results.filter(({ outcome }) => outcome === 'infra')
      expect(reasons.map(({ reason }) => reason)).toEqual([
        {
          missing: 'its trace is missing',
          cut: 'its trace is incomplete',
          garbled: 'This is not a trace: line 2 is not an event.',
          gone: 'there is no such task in the suite',
        }[damage],
      ])
    }
  })
})

describe('replay', () => {
  const traceOf = (out: string) => join(out, 'traces', 'right.scripted.1.jsonl')

  test('repeats the calls and shows what changed', async () => {
    const { out } = await recorded()
    const { code, stdout } = await runEval('replay', traceOf(out))
    expect(stdout).toMatch(
      /^1 of 1 call repeated, all as recorded\nmodified\s+\/app\/answer.txt\nstate [0-9a-f]{64}\n$/,
    )
    expect(code).toBe(0)
    const none = await runEval('replay', traceOf(out), '--until', '0')
    expect(none.stdout).toMatch(/^0 of 1 call repeated, all as recorded\nstate [0-9a-f]{64}\n$/)
  })

  test('stops at the first step that differs, with a diff', async () => {
    const { out } = await recorded()
    const text = await readFile(traceOf(out), 'utf8')
    await writeFile(traceOf(out), text.replace(/("type":"call".*?)"stateHash":"./, '$1"stateHash":"x'))
    const { code, stdout } = await runEval('replay', traceOf(out))
    expect(code).toBe(1)
    expect(stdout).toMatch(/^Call 1 is not as recorded:\n/)
    expect(stdout).toMatch(/^-.*"stateHash": "x/m)
  })

  test('a trace that was cut off is repeated to its last whole line, with a note', async () => {
    const { out } = await recorded()
    await appendFile(traceOf(out), '{"type":"call","st')
    const { code, stderr } = await runEval('replay', traceOf(out))
    expect(stderr).toBe('polyfs: the last line of the trace is incomplete and is left out\n')
    expect(code).toBe(0)
  })

  test('a trace elsewhere needs the suite', async () => {
    const { suite, out } = await recorded()
    const elsewhere = join(await temporaryDirectory(), 'trace.jsonl')
    await writeFile(elsewhere, await readFile(traceOf(out)))
    expect((await runEval('replay', elsewhere)).stderr).toContain('name the tasks with --suite')
    expect((await runEval('replay', elsewhere, '--suite', suite)).code).toBe(0)
    const other = await writeSuite({ other: sayYes })
    expect((await runEval('replay', elsewhere, '--suite', other)).stderr).toContain(
      'there is no task "right" in the suite',
    )
  })

  test.each(['', '{}', 'nonsense\n', '{"type":"header","format":"polyfs-trace/9"}\n', '[]\n'])(
    'not a trace: %s',
    async (text) => {
      const { suite } = await recorded()
      const file = join(await temporaryDirectory(), 'trace.jsonl')
      await writeFile(file, text)
      const { code, stderr } = await runEval('replay', file, '--suite', suite)
      expect(stderr).toContain(`polyfs: ${file}: This is not a trace: `)
      expect(code).toBe(2)
    },
  )
})

test('report: several runs, what they are compared with, as text, JSON and a page', async () => {
  const { suite, out } = await recorded()
  const best = join(await temporaryDirectory(), 'best')
  await runEval('run', suite, '--out', best)
  const page = join(await temporaryDirectory(), 'report.html')
  const { code, stdout } = await runEval('report', best, out, '--compare', out, '--html', page)
  expect(code).toBe(0)
  expect(stdout).toBe(`${best}
2 passed
pass rate  100.0 % (100.0 to 100.0)
score      100.0 % (100.0 to 100.0)
coverage   100.0 %, 2 of 2 episodes
usage      2 calls (0 failed)
compared with ${out}
pass rate  +50.0 (0.0 to +100.0)
score      +50.0 (0.0 to +100.0)
tasks      2 in both, 1 better, 0 worse
  +100.0  wrong

${out}
1 passed, 1 failed
pass rate  50.0 % (0.0 to 100.0)
score      50.0 % (0.0 to 100.0)
coverage   100.0 %, 2 of 2 episodes
usage      2 calls (0 failed)
compared with ${out}
pass rate  0.0 (0.0 to 0.0)
score      0.0 (0.0 to 0.0)
tasks      2 in both, 0 better, 0 worse
`)
  expect(await readFile(page, 'utf8')).toContain('Compared with')
  const [first] = JSON.parse((await runEval('report', best, '--compare', out, '--json')).stdout)
  expect(first).toMatchObject({ directory: best, summary: { counted: 2 }, comparison: { passRate: { value: 0.5 } } })
  expect((await readdir(out)).sort()).toEqual([
    'junit.xml',
    'report.html',
    'results.jsonl',
    'run.json',
    'summary.json',
    'traces',
  ])
})
