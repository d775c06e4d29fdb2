/**
 * Other runtimes than the Node that runs the tests: the contract on their disk, the library at work, and the command with every case of
 * every dialect. `npm test -- --runtimes` runs all of it on all of them; by default the newest Node runs the contract and the library.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { describeVectors } from '../dialects/vectors/suite.js'
import { built } from '../node/cli/built.js'
import { stdioBackend } from '../node/serve/stdio-backend.js'
import { type RuntimeName, runtime, runtimes } from './install.mjs'

const isAll = process.env.POLYFS_TEST_RUNTIMES !== undefined
const names = isAll ? (Object.keys(runtimes) as RuntimeName[]) : (['Node 26'] as const)
const isFit = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch)
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

  test.runIf(name.startsWith('Node'))('stores the compiled code of the command', async (context) => {
    const state = await mkdtemp(join(tmpdir(), 'polyfs-compiled-'))
    onTestFinished(() => rm(state, { recursive: true, force: true }))
    const [command] = installed(name, context)
    const tools = () =>
      run(command, [built('node/cli.js'), 'tools'], { env: { ...process.env, POLYFS_STATE_DIR: state } })
    const first = await tools()
    expect(await readdir(join(state, 'compiled'), { recursive: true })).not.toEqual([])
    expect((await tools()).stdout).toBe(first.stdout)
  })

  const program = programs.get(name)
  if (isAll && program !== undefined) describeVectors(stdioBackend(program))
})

interface Skippable {
  skip(reason: string): void
}

/** The command line of a runtime. Skips a test if there is none. */
function installed(name: RuntimeName, context: Skippable): readonly [string, ...string[]] {
  if (!isFit) context.skip('the runtimes are packages for Linux on x64 and arm64')
  const [command, ...first] = programs.get(name) ?? []
  if (command === undefined) {
    if (isAll) throw new Error(`${name} could not be installed: ${missing.get(name)}`)
    context.skip(`${name} could not be installed`)
    throw new Error('skipped')
  }
  return [command, ...first]
}

function play(name: RuntimeName, context: Skippable, script: string, ...args: string[]) {
  const [command, ...first] = installed(name, context)
  const file = fileURLToPath(new URL(script, import.meta.url))
  return run(command, [...first, file, ...args], { maxBuffer: 2 ** 26, timeout: 280_000 })
}
