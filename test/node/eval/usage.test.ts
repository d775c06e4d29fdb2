/** Mistakes on the command line, the help, and what is loaded without it. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { built } from '../cli/built.js'
import { temporaryDirectory } from '../cli/run-cli.js'
import { runEval, sayYes, writeFiles, writeSuite } from './suite.js'

describe('mistakes on the command line', () => {
  const place = temporaryDirectory
  test.each<[string, string[], string]>([
    ['no suite', ['run'], 'no suite to run; name a directory with tasks'],
    ['an unknown option', ['run', 'x', '--nope'], "Unknown option '--nope'"],
    ['an option twice', ['run', 'x', '--seed', '1', '--seed', '2'], '--seed is given twice'],
    ['no trials', ['run', 'x', '--trials', '0'], "--trials takes a whole number from 1, not '0'"],
    ['half a trial', ['run', 'x', '--trials', '1.5'], "--trials takes a whole number from 1, not '1.5'"],
    ['a rate above 1', ['run', 'x', '--fail-under', '50'], "--fail-under takes a number from 0 to 1, not '50'"],
    ['a cost below 0', ['run', 'x', '--max-cost=-1'], "--max-cost takes a number from 0, not '-1'"],
    ['one price', ['run', 'x', '--price', '3'], "--price takes two or three numbers, as in 3,15 or 3,15,0.3, not '3'"],
    [
      'threads of a queue',
      ['run', 'x', '--queue', 'redis://h', '--threads', '2'],
      '--parallel and --threads do not go with',
    ],
    [
      'nothing to resume',
      ['run', '--resume', '--out', '/nonexistent/run'],
      '/nonexistent/run has no run to go on with',
    ],
    ['--resume alone', ['run', '--resume'], '--resume requires --out, the directory of the run'],
    ['no file of faults', ['run', 'x', '--faults', 'nope.json'], '--faults nope.json: ENOENT'],
    ['no such suite', ['run', '/nonexistent/suite'], 'no such directory: /nonexistent/suite'],
    ['an unknown subcommand', ['walk'], "no subcommand 'walk'; there is run, check"],
    ['a name of Object', ['constructor'], "no subcommand 'constructor'"],
    ['no run to report', ['report'], 'no run to report'],
    [
      'a report of no run',
      ['report', '/nonexistent'],
      '/nonexistent is not the directory of a run: it has no run.json',
    ],
    ['two traces', ['replay', 'a', 'b'], "'polyfs eval replay' takes one trace"],
    ['no trace', ['replay', '/nonexistent/trace'], 'no such file: /nonexistent/trace'],
    ['a directory as a trace', ['replay', '/'], 'no such file: /'],
    ['a directory as faults', ['run', 'x', '--faults', '/'], '--faults /: EISDIR'],
    ['nothing to rescore', ['rescore'], "'polyfs eval rescore' takes the directory of a run"],
    ['nothing to check', ['check'], 'no suite to check'],
  ])('%s', async (_, argv, complaint) => {
    const { code, stderr, stdout } = await runEval(...argv)
    expect(stderr).toContain(`polyfs: ${complaint}`)
    expect(stderr.split('\n').length).toBe(2)
    expect([code, stdout]).toEqual([2, ''])
  })

  test.each<[string, string, string]>([
    ['chat without a model', 'chat', '--agent chat requires --model'],
    ['no such module', 'nope.mjs', "no agent 'nope.mjs': --agent takes oracle"],
    ['a directory', '/', "no agent '/': --agent takes oracle"],
    ['no such script', 'scripted:/nope.json', '--agent scripted: no such file: /nope.json'],
    ['no such run', 'replay:/nonexistent', '/nonexistent is not the directory of a run'],
  ])('an agent: %s', async (_, agent, complaint) => {
    const suite = await writeSuite({ one: sayYes })
    const { code, stderr } = await runEval('run', suite, '--agent', agent, '--out', join(await place(), 'run'))
    expect(stderr).toContain(`polyfs: ${complaint}`)
    expect(code).toBe(2)
  })

  test.each<[string, string]>([
    ['{', 'is not JSON'],
    ['{}', 'takes calls such as'],
    ['[1]', 'takes calls such as'],
    ['{"one": [{"tool": 1}]}', 'at "one": takes calls such as'],
    ['{"one": {"calls": [], "answer": 1}}', 'at "one": takes calls such as'],
    ['null', 'takes calls such as'],
  ])('a script: %s', async (text, complaint) => {
    const suite = await writeSuite({ one: sayYes })
    const directory = await place()
    await writeFiles(directory, { 'calls.json': text })
    const { code, stderr } = await runEval('run', suite, '--agent', `scripted:${join(directory, 'calls.json')}`)
    expect(stderr).toContain(complaint)
    expect(code).toBe(2)
  })

  test.each<[string, string]>([
    ['export default 1', 'must export an agent as its default'],
    ['export default { name: "x" }', 'must export an agent as its default'],
    ['export const x = 1', 'must export an agent as its default'],
    ['throw new Error("at once")', "can't be loaded: at once"],
    ['syntax error(', "can't be loaded: "],
  ])('a module: %s', async (text, complaint) => {
    const suite = await writeSuite({ one: sayYes })
    const directory = await place()
    await writeFiles(directory, { 'agent.mjs': text })
    const { code, stderr } = await runEval('run', suite, '--agent', join(directory, 'agent.mjs'))
    expect(stderr).toContain(complaint)
    expect(code).toBe(2)
  })

  test.each<[string, string]>([
    ['openai:#x', '--model openai: takes URL#NAME'],
    ['openai:http://h', '--model openai: takes URL#NAME'],
    ['openai:ftp://h#x', '--model openai: takes URL#NAME'],
    ['anthropic:', "--model takes openai:URL#NAME or anthropic:NAME, not 'anthropic:'"],
    ['mistral:x', "--model takes openai:URL#NAME or anthropic:NAME, not 'mistral:x'"],
  ])('a model: %s', async (model, complaint) => {
    const suite = await writeSuite({ one: sayYes })
    const { code, stderr } = await runEval('run', suite, '--agent', 'chat', '--model', model)
    expect(stderr).toContain(complaint)
    expect(code).toBe(2)
  })

  test('a model for another agent, and a cost limit without prices', async () => {
    const suite = await writeSuite({ one: sayYes })
    expect((await runEval('run', suite, '--agent', 'nop', '--model', 'anthropic:x')).stderr).toContain(
      '--model is for --agent chat',
    )
    const chat = ['--agent', 'chat', '--model', 'anthropic:x', '--max-cost', '1']
    expect((await runEval('run', suite, ...chat)).stderr).toContain('--max-cost requires --price')
  })
})

test('every subcommand has its help', async () => {
  for (const name of ['run', 'check', 'rescore', 'replay', 'report']) {
    const { code, stdout } = await runEval(name, '--help')
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`^polyfs eval ${name}: .+\\n\\nUsage: polyfs eval ${name} `))
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThan(131)
  }
  expect((await runEval('--help')).code).toBe(0)
  expect((await runEval()).code).toBe(2)
})

test('a server that starts loads nothing of it', () => {
  const loaded = new Set<string>()
  for (const entry of ['node/cli.js', 'node/main.js']) load(built(entry))
  expect(loaded.size).toBeGreaterThan(1)
  expect([...loaded].filter((file) => readFileSync(file, 'utf8').includes('polyfs-eval'))).toEqual([])

  /** Follows static imports only; `import(` is not followed. */
  function load(file: string): void {
    if (loaded.has(file)) return
    loaded.add(file)
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import) ?"(\.[^"]+)"/g)) {
      load(join(dirname(file), target))
    }
  }
})
