/**
 * Other runtimes than the Node that runs the tests: the contract on their disk, the library at work, and the command with every case of
 * every dialect. `npm test -- --runtimes` runs all of it on all of them; by default the newest Node runs the contract and the library.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { describeVectors } from '../dialects/vectors/suite.js'
import { built } from '../node/cli/built.js'
import { stdioBackend } from '../node/serve/stdio-backend.js'
import { type RuntimeName, runtime, runtimes } from './install.mjs'

const isAll = process.env.POLYFS_TEST_RUNTIMES !== undefined
const names = isAll ? (Object.keys(runtimes) as RuntimeName[]) : (['Node 26'] as const)
const isFit = process.platform === 'linux' && process.arch === 'x64'
const run = promisify(execFile)

/** What the library does on every runtime. */
const expected = {
  memory: 'edited a.txt: 1 place (+1 -1), line 1',
  undo: '1\tone',
  'emulated shell': 'a',
  'node in the emulated shell': '42',
  git: true,
  zip: 'zipped',
  'disk, in threads': 10,
  'overlay on a disk': '/new.txt',
  "the machine's shell": 'from a shell',
  HTTP: true,
  'an episode': '1\ta',
}

const programs = new Map<RuntimeName, readonly string[]>()
const missing = new Map<RuntimeName, string>()
if (isFit) {
  for (const name of names) {
    await runtime(name).then(
      (program) => programs.set(name, program),
      (error: Error) => missing.set(name, error.message.split('\n')[0] ?? ''),
    )
  }
}

describe.each(names)('%s', (name) => {
  beforeAll(() => void built('node/cli.js'))

  test.for(['descriptor', 'walk'])('keeps the contract on a disk, anchored by %s', async (anchor, context) => {
    const { stdout } = await play(name, context, 'contract.mjs', anchor)
    const { passed, failed } = JSON.parse(stdout)
    expect(failed).toEqual([])
    expect(passed).toBeGreaterThan(250)
  })

  test('runs the library', async (context) => {
    const { stdout } = await play(name, context, 'smoke.mjs')
    expect(JSON.parse(stdout)).toEqual(expected)
  })

  const program = programs.get(name)
  if (isAll && program !== undefined) describeVectors(stdioBackend(program))
})

function play(name: RuntimeName, context: { skip(reason: string): void }, script: string, ...args: string[]) {
  if (!isFit) context.skip('the runtimes are packages for Linux on x64')
  const [command, ...first] = programs.get(name) ?? []
  if (command === undefined) {
    if (isAll) throw new Error(`${name} could not be installed: ${missing.get(name)}`)
    context.skip(`${name} could not be installed`)
    throw new Error('skipped')
  }
  const file = fileURLToPath(new URL(script, import.meta.url))
  return run(command, [...first, file, ...args], { maxBuffer: 2 ** 26, timeout: 280_000 })
}
