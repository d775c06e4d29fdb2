/**
 * `npm test`: lint, types, build and all suites; the last line has the counts.
 * - `npm test -- --quick`: lint, types, and what runs in process: the core, the tools and the dialects.
 * - `npm test -- --full`: every suite at its full length, test/torture, and, as root, the Node suites once more as another user.
 * - `npm test -- --runtimes`: the contract, the library and every case of every dialect on other runtimes, which npm has.
 * - `npm test -- --clients`: MCP clients of others, which npm has, over stdio and HTTP, and the programs in docs/clients.md.
 * - `npm test -- --windows`: every case of every dialect, the contract and attacks on paths with Node for Windows, run by wine.
 * - `npm test -- --browsers`: the contract, the endpoint and the playground in Firefox and WebKitGTK, which Debian has.
 * - `npm test -- --seed 1f2e3d4c`: the cases of an earlier run, which printed this seed. The commit sets it; --full takes a new one.
 * - `npm test -- core/fs/path-rules`: only test files whose path contains this. Other arguments go to vitest too.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newSeed, parseSeed, printSeed, seedOfCommit } from './seed.mjs'
import { leftToDefault, leftToFull, leftToOthers, quickSuites } from './sizes.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const minuteMs = 60_000
const gibibyte = 2 ** 30

/** How many files that failed are run once more. */
const mostRepeated = 3

/** One after the other; the projects of each side by side. With all of them at once, two cores took a sixth longer. */
const phases = [['browser', 'pages'], ['node']]

/** What runs alone, at its full length, by its flag: the tests, the variable that they read, and what they need beside Node. */
const parts = {
  '--runtimes': { tests: 'test/runtimes/', variable: 'POLYFS_TEST_RUNTIMES' },
  '--clients': { tests: 'test/clients/', variable: 'POLYFS_TEST_CLIENTS' },
  '--windows': { tests: 'test/windows/', variable: 'POLYFS_TEST_WINDOWS' },
  '--browsers': {
    tests: 'test/browsers/',
    variable: 'POLYFS_TEST_BROWSERS',
    programs: { 'firefox-esr': 'firefox-esr', WebKitWebDriver: 'webkit2gtk-driver', Xvfb: 'xvfb' },
    needsBrowser: true,
  },
}

/** `nobody`, which owns no files. */
const otherUser = { uid: 65_534, gid: 65_534 }
const isRoot = process.getuid?.() === 0

/** Programs that tests use, and the Debian package of each. Linux has all of them, so that there nothing runs without them. */
const programs = {
  bwrap: 'bubblewrap',
  column: 'bsdextrautils',
  gawk: 'gawk',
  git: 'git',
  jq: 'jq',
  make: 'make',
  patch: 'patch',
  perl: 'perl-base',
  python3: 'python3',
  'redis-server': 'redis-server',
  rg: 'ripgrep',
  sqlite3: 'sqlite3',
  strings: 'binutils',
  unshare: 'util-linux',
  unzip: 'unzip',
  zip: 'zip',
}
const programsOfTorture = {
  strace: 'strace',
}

/** Running processes. A signal ends them, and nothing is started after it. */
const children = new Set()
let isEnding = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    isEnding = true
    for (const child of children) child.kill(signal)
  })
}

const memory = await placeInMemory()
try {
  process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1
} finally {
  // A directory that can't be removed must not print anything after the last line.
  if (memory !== undefined) await rm(memory, { recursive: true, force: true, maxRetries: 10 }).catch(() => {})
}

async function main(args) {
  const isFull = args.includes('--full')
  const isQuick = args.includes('--quick')
  const part = parts[args.find((arg) => arg in parts)]
  const { seed: givenSeed, wrong, rest } = takeSeed(args)
  if (wrong !== undefined) {
    console.error(`--seed takes up to eight hexadecimal digits, as a run prints them, not ${wrong}`)
    return finish({ failed: 1 })
  }
  const given = rest.filter((arg) => !['--full', '--quick', ...Object.keys(parts)].includes(arg))
  const filters = part ? [part.tests, ...given] : given
  if (isQuick && (isFull || filters.length > 0)) {
    console.error('--quick takes no other argument')
    return finish({ failed: 1 })
  }
  const withTorture = isFull || filters.some((filter) => filter.includes('torture'))
  const missing = await installPrograms({ ...programs, ...(withTorture && programsOfTorture), ...part?.programs })
  if (missing.length > 0 && process.platform === 'linux') {
    const packages = `apt-get install ${missing.map(({ name }) => name).join(' ')}`
    console.error(
      `Tests need ${missing.map(({ program }) => program).join(', ')}: install what is missing (${packages}).`,
    )
    return finish({ failed: 1 })
  }
  const needsBrowser = !isQuick && (part === undefined || part.needsBrowser === true)
  const chromium = needsBrowser ? await findChromium() : undefined
  if (chromium === undefined && needsBrowser) {
    console.error(
      'No Chromium was found: install one (apt-get install chromium), or name one that exists in POLYFS_CHROMIUM.',
    )
    return finish({ failed: 1 })
  }

  const { failed: failedSteps, last } = await runSteps({ isQuick, filters })
  const seed = givenSeed ?? (isFull ? newSeed() : seedOfCommit())
  console.log(`\n== vitest, seed ${printSeed(seed)}`)
  const others = leftToOthers(seed)
  const leftOut = [...leftToFull, ...(isQuick ? leftToDefault : others)]
  const env = {
    POLYFS_CHROMIUM: chromium,
    POLYFS_TEST_SEED: printSeed(seed),
    ...(isFull && { POLYFS_TEST_FULL: '1' }),
    ...(part && { [part.variable]: '1' }),
    ...(!isFull && filters.length === 0 && { POLYFS_TEST_WITHOUT: leftOut.join(' ') }),
  }
  const runs = isQuick
    ? [await runVitest(['node'], { env, filters: quickSuites })]
    : await runSuites({ env, filters, isFull, withTorture })
  await last
  const flaky = isFull || isQuick || filters.length > 0 ? [] : await repeatFailures(runs, { env })
  const succeeded = runs.every((one) => one.succeeded)
  const summary = sumUp(runs.map((one) => one.summary))
  console.log()
  for (const step of failedSteps) console.log(`${step} failed`)
  if (summary === undefined) {
    console.log('vitest ended without a result')
    return finish({ failed: failedSteps.length + 1 })
  }

  if (isQuick) {
    console.log('quick: without the suites of the disk, the command, the browser and the package')
    console.log(`only in npm test: ${leftToDefault.join(', ')}`)
  } else if (!isFull && filters.length === 0) {
    console.log(`left to runs with other seeds: ${others.join(', ')}`)
    console.log(`only in npm test -- --full: ${leftToFull.join(', ')}`)
  }
  console.log(`seed ${printSeed(seed)}: npm test -- --seed ${printSeed(seed)} takes the same cases again`)
  if (isFull && !isRoot) console.log('tested as this user only: run it as root to have it tested as another one too')
  for (const [reason, count] of summary.skipReasons) console.log(`skipped ${count} × ${reason}`)
  for (const failure of flaky) console.log(`flaky: ${failure}; passed when run again alone`)
  // Once more, so that a log whose middle is lost still names them.
  for (const failure of summary.failures) console.log(`failed: ${failure}`)
  for (const fault of summary.faults) console.log(fault)
  let failed = failedSteps.length + summary.failed + summary.faults.length
  if (failed === 0 && summary.passed === 0) {
    console.log('no test ran')
    failed = 1
  }
  if (failed === 0 && !succeeded) {
    console.log('vitest reported a failure outside the tests')
    failed = 1
  }
  return finish({ ...summary, failed })
}

/** The seed that is given, or the text that is not one, and the other arguments. */
function takeSeed(args) {
  const at = args.findIndex((arg) => arg === '--seed' || arg.startsWith('--seed='))
  if (at === -1) return { rest: args }
  const [, inline] = /^--seed=(.*)$/s.exec(args[at]) ?? []
  const text = inline ?? args[at + 1] ?? ''
  const rest = [...args.slice(0, at), ...args.slice(at + (inline === undefined ? 2 : 1))]
  const seed = parseSeed(text)
  return seed === undefined ? { wrong: text === '' ? 'nothing' : text, rest } : { seed, rest }
}

/**
 * Lint, build and types; returns the names of those that failed. Chosen tests only need a build. The suites need not wait for the types,
 * which are checked on one core: what is returned is complete when `last` is done.
 */
async function runSteps({ isQuick, filters }) {
  const isBuilt = existsSync(join(root, 'dist/node/cli.js'))
  const failed = []
  if (filters.length > 0 && isBuilt) return { failed }
  const step = async (name, ...args) => {
    if (!(await run('npm', ['run', '--silent', name, ...args]))) failed.push(name)
  }
  if (filters.length > 0) {
    console.log('\n== build')
    await step('build')
    return { failed }
  }
  console.log('\n== lint, build, typecheck')
  await Promise.all([step('lint'), isQuick ? step('build', '--', 'cli') : step('build')])
  // The build has checked the types of what it publishes, and this goes on from there.
  return { failed, last: step('typecheck') }
}

async function runSuites({ env, filters, isFull, withTorture }) {
  // Chosen tests share one vitest.
  const runs = filters.length > 0 ? [await runVitest(phases.flat(), { env, filters })] : await runPhases({ env })
  if (isFull && isRoot) {
    console.log('\n== vitest as another user')
    runs.push(await runVitest(['node'], { env, filters, user: otherUser }))
  }
  // Alone, because these use all of the machine.
  if (withTorture) runs.push(await runVitest(['torture'], { env, filters }))
  return runs
}

/**
 * Runs the files that failed once more, with nothing beside them: a machine that is too busy can fail a test that is right. What
 * passes then is counted as passed, and returned to be named. `--full` repeats nothing, nor is anything repeated after many failures.
 */
async function repeatFailures(runs, { env }) {
  const hasFailed = (one) => one.failed > 0 || one.faults.length > 0
  const failedFiles = runs.flatMap(({ summary }) => summary?.files.filter(hasFailed) ?? [])
  if (failedFiles.length === 0 || failedFiles.length > mostRepeated) return []
  console.log('\n== vitest, once more for what failed')
  const flaky = []
  for (const run of runs) {
    const failed = run.summary?.files.filter(hasFailed) ?? []
    if (failed.length === 0) continue
    const again = await runVitest(run.projects, { env, filters: failed.map(({ file }) => file) })
    if (!again.succeeded || again.summary?.files.length !== failed.length) continue
    flaky.push(...failed.flatMap(({ failures, faults }) => [...failures, ...faults]))
    const others = run.summary.files.filter((one) => !hasFailed(one))
    run.summary = { ...run.summary, files: [...others, ...again.summary.files] }
    run.succeeded = run.summary.faults.length === 0
  }
  return flaky
}

/**
 * A directory for the tests' files in memory, if there is enough of it and programs may be run from there. On a disk most tests
 * would wait for it to flush. Tests that are about a disk get one from `POLYFS_TEST_DISK`.
 */
async function placeInMemory() {
  const memory = '/dev/shm'
  const { bavail = 0, bsize = 0 } = await statfs(memory).catch(() => ({}))
  if (bavail * bsize < gibibyte || freemem() < 4 * gibibyte) return undefined
  const place = await mkdtemp(join(memory, 'polyfs-tests-'))
  // Like any place for temporary files: some tests become another user.
  await chmod(place, 0o1777)
  const program = join(place, 'program')
  await writeFile(program, '#!/bin/sh\n', { mode: 0o700 })
  if (spawnSync(program).status === 0) return place
  await rm(place, { recursive: true })
  return undefined
}

/** Prints the line that tools read; nothing may be printed after it. */
function finish({ passed = 0, failed, skipped = 0 }) {
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  return failed === 0
}

async function runPhases(options) {
  const runs = []
  for (const projects of phases) {
    runs.push(...(await Promise.all(projects.map((project) => runVitest([project], options)))))
  }
  return runs
}

async function runVitest(projects, { env, filters = [], user }) {
  const directory = await mkdtemp(join(tmpdir(), 'polyfs-summary-'))
  const file = join(directory, 'summary.json')
  const place = user && (await mkdtemp(join(memory ?? tmpdir(), 'polyfs-user-')))
  try {
    for (const own of user ? [directory, place] : []) await chown(own, user.uid, user.gid)
    const succeeded = await run(
      process.execPath,
      [
        join(root, 'node_modules/vitest/vitest.mjs'),
        'run',
        ...projects.flatMap((project) => ['--project', project]),
        // The default loader writes a file beside the configuration, which another user may not.
        '--configLoader',
        'runner',
        '--passWithNoTests',
        '--reporter=default',
        '--reporter=./test/summary-reporter.mjs',
        ...filters,
      ],
      {
        env: {
          ...env,
          POLYFS_TEST_SUMMARY: file,
          POLYFS_TEST_DISK: tmpdir(),
          TMPDIR: place ?? memory ?? tmpdir(),
          ...(user && environmentOf(place)),
        },
        ...user,
      },
    )
    const summary = existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : undefined
    return { projects, summary, succeeded }
  } finally {
    await rm(directory, { recursive: true })
    if (place) await rm(place, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Without the directories of the user that started this, which another user may not enter. */
function environmentOf(place) {
  const own = Object.keys(process.env).filter((name) => name.startsWith('XDG_'))
  const none = Object.fromEntries(own.map((name) => [name, undefined]))
  return { ...none, HOME: place, USER: 'nobody', LOGNAME: 'nobody' }
}

/** One summary of all runs; none when one is missing. */
function sumUp(summaries) {
  if (summaries.includes(undefined)) return undefined
  const files = summaries.flatMap((summary) => summary.files)
  const sum = (key) => files.reduce((total, file) => total + file[key], 0)
  const skipReasons = new Map()
  for (const reason of files.flatMap((file) => file.skipReasons))
    skipReasons.set(reason, (skipReasons.get(reason) ?? 0) + 1)
  return {
    passed: sum('passed'),
    failed: sum('failed'),
    skipped: sum('skipped'),
    failures: files.flatMap((file) => file.failures),
    faults: [...files.flatMap((file) => file.faults).sort(), ...summaries.flatMap((summary) => summary.faults)],
    skipReasons: [...skipReasons].sort((a, b) => b[1] - a[1]),
  }
}

/** Installs missing programs, as root on Debian. Returns those that are still missing, with the names of their packages. */
async function installPrograms(wanted) {
  const missing = () =>
    Object.entries(wanted).flatMap(([program, name]) => (isThere(program) ? [] : [{ program, name }]))
  if (missing().length === 0 || !canInstall()) return missing()
  console.log(
    `== installing ${missing()
      .map(({ program }) => program)
      .join(', ')}`,
  )
  await aptInstall(missing().map(({ name }) => name))
  return missing()
}

function canInstall() {
  return isRoot && isThere('apt-get')
}

function isThere(program) {
  return (process.env.PATH ?? '').split(':').some((place) => existsSync(join(place, program)))
}

async function aptInstall(packages) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  if (!(await run('apt-get', ['update'], { timeoutMs: 5 * minuteMs, env }))) return
  await run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { timeoutMs: 10 * minuteMs, env })
}

/** An installed Chromium, or else one that Playwright or, as root on Debian, apt can install. */
async function findChromium() {
  // Never replaced by another browser.
  const named = process.env.POLYFS_CHROMIUM
  if (named) return existsSync(named) ? named : undefined

  const { chromium } = await import('playwright')
  const places = [
    chromium.executablePath(),
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/usr/bin/google-chrome-stable',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ]
  const found = () => places.find((place) => existsSync(place))
  if (found()) return found()

  console.log('== no Chromium found, installing one')
  await run('npx', ['--no-install', 'playwright', 'install', 'chromium'], { timeoutMs: 5 * minuteMs })
  if (found()) return found()

  if (!canInstall()) return undefined
  await aptInstall(['chromium'])
  return found()
}

/** True when the command exits with 0. It gets no stdin, so that nothing waits for input. */
function run(command, args, { env = {}, timeoutMs, uid, gid } = {}) {
  return new Promise((resolve) => {
    if (isEnding) return resolve(false)
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: timeoutMs,
      uid,
      gid,
      shell: process.platform === 'win32',
    })
    children.add(child)
    child.on('error', (error) => {
      console.error(`${command}: ${error.message}`)
      resolve(false)
    })
    child.on('close', (code) => {
      children.delete(child)
      resolve(code === 0)
    })
  })
}
