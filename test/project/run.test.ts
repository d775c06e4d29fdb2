/** `npm test` itself, in a made-up project: its last line and exit code are what people and machines rely on. */
import { execFile, execFileSync } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compileGlobs, defaultGlobRules } from '../../src/search/patterns/glob.js'
import { isFull, longTest, onlyInFull } from '../scale.js'
import { inTurn, leftToDefault, leftToFull, leftToOthers, quickSuites } from '../sizes.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const isRoot = process.getuid?.() === 0
const onlyThisUser = 'tested as this user only: run it as root to have it tested as another one too'
const seedLine = /^seed ([0-9a-f]{8}): npm test -- --seed \1 takes the same cases again$/
let project: string

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'polyfs-run-'))
  // Like any checkout: another user may read it.
  await chmod(project, 0o755)
  await mkdir(join(project, 'test'))
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'), 'junction')
  for (const file of ['mix.mjs', 'run.mjs', 'seed.mjs', 'sizes.mjs', 'summary-reporter.mjs'])
    await copyFile(join(root, 'test', file), join(project, 'test', file))
  const projects = [
    {
      test: {
        name: 'node',
        include: ['test/*.test.ts', 'test/core/*.test.ts'],
        exclude: ['test/*.browser.test.ts', 'test/*.e2e.test.ts'],
      },
    },
    { test: { name: 'browser', include: ['test/*.browser.test.ts'] } },
    { test: { name: 'pages', include: ['test/*.e2e.test.ts'] } },
    { test: { name: 'torture', include: ['test/torture/*.test.ts'] } },
  ]
  await writeFile(join(project, 'vitest.config.mjs'), `export default ${JSON.stringify({ test: { projects } })}`)
})

afterEach(async () => {
  await rm(project, { recursive: true, force: true })
})

test('every pattern that chooses suites by size matches one', async () => {
  const files = (await readdir(join(root, 'test'), { recursive: true })).map(
    (name) => `test/${name.replaceAll('\\', '/')}`,
  )
  const suites = files.filter((file) => file.endsWith('.test.ts'))
  const isIdle = (pattern: string) => {
    const glob = compileGlobs([pattern], defaultGlobRules)
    return !suites.some((suite) => glob.matches(suite))
  }
  expect([...leftToFull, ...leftToDefault, ...inTurn].filter(isIdle)).toEqual([])
  expect(quickSuites.filter((start) => !suites.some((suite) => suite.startsWith(start)))).toEqual([])
})

test('every suite that is left to other runs is in about half of them', () => {
  const runs = Array.from({ length: 200 }, (_, seed) => new Set(leftToOthers(Math.imul(seed, 0x5bd1e995) >>> 0)))
  for (const suite of inTurn) {
    const without = runs.filter((left) => left.has(suite)).length
    expect([suite, without > 60 && without < 140]).toEqual([suite, true])
  }
})

/** Suites that a run of everything leaves out are named. */
const leftToOtherRuns = expect.stringMatching(/^left to runs with other seeds: test\//)
const onlyInFullRuns = expect.stringMatching(/^only in npm test -- --full: test\//)

longTest('counts what passed and what was skipped, with the reasons', async () => {
  await steps({ lint: 'true', typecheck: 'true', build: 'true' })
  await suite(
    'good',
    `test('a', () => {})
     test('b', () => {})
     test('c', ({ skip }) => skip('no links here'))
     test('d', ({ skip }) => skip('no links here'))`,
  )
  await suite('page.browser', `test('e', () => {})\ntest('f', ({ skip }) => skip('no links here'))`)
  await suite('whole', `describe.skip('on a machine with wings', () => { test('h', () => {}) })`)
  await mkdir(join(project, 'test/torture'))
  await suite('torture/long', `test('g', () => { throw new Error('not by default') })`)
  expect(await ending()).toEqual({
    code: 0,
    lines: [
      leftToOtherRuns,
      onlyInFullRuns,
      'skipped 3 × no links here',
      'skipped 1 × on a machine with wings',
      '3 passed, 0 failed, 4 skipped',
    ],
  })
})

test('counts and names a failed step, a failed test, a suite that does not load, a hook and a stray error', async () => {
  await steps({ lint: 'false', typecheck: 'true', build: 'true' })
  await suite('bad', `test('a', () => {})\ntest('b', () => { throw new Error('b') })`)
  await suite('broken', `import './absent.js'`)
  await suite('hook', `describe('h', () => { beforeAll(() => { throw new Error('h') }); test('c', () => {}) })`)
  await suite('stray', `test('d', async () => { Promise.reject(new Error('stray')); await new Promise(setImmediate) })`)
  expect(await ending()).toEqual({
    code: 1,
    lines: [
      'lint failed',
      leftToOtherRuns,
      onlyInFullRuns,
      'skipped 1 × no reason given',
      'failed: test/bad.test.ts > b: b',
      'failed outside a test: test/broken.test.ts',
      'failed outside a test: test/hook.test.ts h',
      'unhandled: stray',
      '2 passed, 5 failed, 1 skipped',
    ],
  })
})

longTest('runs what failed once more, alone, names it, and counts what passes then', async () => {
  await steps({ lint: 'true', typecheck: 'true', build: 'true' })
  await suite(
    'busy',
    `import { existsSync, writeFileSync } from 'node:fs'
     test('a', () => {})
     test('b', () => {
       const mark = new URL('seen', import.meta.url)
       if (existsSync(mark)) return
       writeFileSync(mark, '')
       throw new Error('too late')
     })`,
  )
  await suite('other', `test('c', () => {})`)
  expect(await ending()).toEqual({
    code: 0,
    lines: [
      leftToOtherRuns,
      onlyInFullRuns,
      'flaky: test/busy.test.ts > b: too late; passed when run again alone',
      '3 passed, 0 failed',
    ],
  })
  await rm(join(project, 'test/seen'))
  const failure = 'failed: test/busy.test.ts > b: too late'
  expect(await ending(['busy'])).toEqual({ code: 1, lines: [failure, '1 passed, 1 failed'] })
})

test('runs test/torture, and every suite at its full length, with --full; and a part of it by name', async ({
  skip,
}) => {
  if (!isFull) skip(onlyInFull)
  await steps({ lint: 'true', typecheck: 'true', build: 'true' })
  await mkdir(join(project, 'test/torture'))
  await suite('good', `test('a', ({ skip }) => { if (!process.env.POLYFS_TEST_FULL) skip('only in full') })`)
  await suite('torture/long', `test('b', () => {})\ntest('c', () => {})`)
  // As root the tests of Node run twice.
  const lines = isRoot ? ['4 passed, 0 failed'] : [onlyThisUser, '3 passed, 0 failed']
  expect(await ending(['--full'])).toEqual({ code: 0, lines })
  expect(await ending(['torture/long'])).toEqual({ code: 0, lines: ['2 passed, 0 failed'] })
})

longTest('needs no browser with --quick, and says what it leaves out', async () => {
  await steps({ lint: 'true', typecheck: 'true', build: 'true' })
  await mkdir(join(project, 'test/core'))
  await suite('core/in-process', `test('a', () => {})`)
  await suite('page.browser', `test('b', () => { throw new Error('b') })`)
  expect(await ending(['--quick'], join(project, 'absent'))).toEqual({
    code: 0,
    lines: [
      'quick: without the suites of the disk, the command, the browser and the package',
      expect.stringMatching(/^only in npm test: test\/core\//),
      '1 passed, 0 failed',
    ],
  })
})

test('what only another user meets is a failure like any other when everything is asked for', async ({ skip }) => {
  if (!isRoot) skip('only root can become another user')
  if (!isFull) skip(onlyInFull)
  await steps({ lint: 'true', typecheck: 'true', build: 'true' })
  await suite(
    'users',
    `import { mkdtempSync, readFileSync } from 'node:fs'
     import { homedir, tmpdir } from 'node:os'
     test('root', () => { if (process.getuid() !== 0) throw new Error('another user') })
     test('any', () => { mkdtempSync(tmpdir() + '/a-'); mkdtempSync(homedir() + '/b-') })
     test('other', ({ skip }) => {
       if (process.getuid() === 0) skip('root may')
       try { readFileSync('/etc/shadow') } catch (error) { if (error.code === 'EACCES') return }
       throw new Error('as root')
     })`,
  )
  const failure = 'failed: test/users.test.ts > root: another user'
  const lines = ['skipped 1 × root may', failure, '4 passed, 1 failed, 1 skipped']
  expect(await ending(['--full', 'users'])).toEqual({ code: 1, lines })
})

longTest('fails when no test ran', async () => {
  await steps({ lint: 'true', typecheck: 'true', build: 'true' })
  await suite('good', `test('a', () => {})`)
  expect(await ending(['no-such-file'])).toEqual({ code: 1, lines: ['no test ran', '0 passed, 1 failed'] })
})

test('fails with one sentence when the browser is not there', async () => {
  await steps({ lint: 'true', typecheck: 'true', build: 'true' })
  expect(await ending([], join(project, 'absent'))).toEqual({
    code: 1,
    lines: [
      'No Chromium was found: install one (apt-get install chromium), or name one that exists in POLYFS_CHROMIUM.',
      '0 passed, 1 failed',
    ],
  })
})

test.skipIf(process.platform !== 'linux')('fails with one sentence when programs are not there', async () => {
  await steps({ lint: 'true', typecheck: 'true', build: 'true' })
  // Nothing can be installed from there either.
  const path = join(project, 'programs')
  await mkdir(path)
  await symlink('/bin/sh', join(path, 'sh'))
  await symlink('/bin/true', join(path, 'git'))
  const { code, lines } = await ending([], process.execPath, { path })
  expect({ code, lines: lines.slice(-2) }).toEqual({
    code: 1,
    lines: [
      'Tests need bwrap, column, gawk, jq, make, patch, perl, python3, redis-server, rg, sqlite3, strings, unshare, unzip, zip: install what is missing (apt-get install bubblewrap bsdextrautils gawk jq make patch perl-base python3 redis-server ripgrep sqlite3 binutils util-linux unzip zip).',
      '0 passed, 1 failed',
    ],
  })
})

test('takes the same cases with the same seed, which is that of the commit', async () => {
  await steps({ lint: 'true', typecheck: 'true', build: 'true' })
  await suite('seed', `test('a', () => { throw new Error(process.env.POLYFS_TEST_SEED) })`)
  const failed = (seed: string) => ({
    code: 1,
    lines: [`failed: test/seed.test.ts > a: ${seed}`, '0 passed, 1 failed'],
  })
  // The project is not a repository yet.
  expect(await ending(['seed'])).toEqual(failed('00000000'))
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' })
  git('init', '-q')
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '--allow-empty', '-m', 'a')
  expect(await ending(['seed'])).toEqual(failed(git('rev-parse', 'HEAD').slice(0, 8)))
  expect(await ending(['--seed', '1f2e3d4c', 'seed'])).toEqual(failed('1f2e3d4c'))
  expect(await ending(['seed', '--seed=7'])).toEqual(failed('00000007'))
  expect(await ending(['--seed', 'seven', 'seed'])).toEqual({
    code: 1,
    lines: ['--seed takes up to eight hexadecimal digits, as a run prints them, not seven', '0 passed, 1 failed'],
  })
})

function steps(scripts: Record<string, string>): Promise<void> {
  return writeFile(join(project, 'package.json'), JSON.stringify({ name: 'made-up', type: 'module', scripts }))
}

function suite(name: string, body: string): Promise<void> {
  const imports = "import { beforeAll, describe, test } from 'vitest'\n"
  return writeFile(join(project, 'test', `${name}.test.ts`), imports + body)
}

/** The lines after the last empty one, which are the runner's own, and the exit code. No suite starts a browser, so any file passes for one. */
function ending(
  filters: string[] = [],
  chromium = process.execPath,
  { path = process.env.PATH } = {},
): Promise<{ code: number; lines: string[] }> {
  const env = { ...process.env, PATH: path, POLYFS_CHROMIUM: chromium, NO_COLOR: '1' }
  return new Promise((resolve) => {
    const args = ['-c', 'exec "$0" "$@" 2>&1', process.execPath, 'test/run.mjs', ...filters]
    const child = execFile('sh', args, { cwd: project, env }, (_, stdout) => {
      const lines = stdout.trimEnd().split('\n')
      const own = lines.slice(lines.lastIndexOf('') + 1)
      resolve({ code: child.exitCode ?? -1, lines: own.filter((line) => !seedLine.test(line)) })
    })
  })
}
