/**
 * `npm test`: everything a change must pass, ending in one line that counts. Arguments go to vitest and leave out the
 * other steps: `npm test -- core/fs/path-rules`. `npm test -- --full` adds the long comparisons of `test/torture`, and, when
 * root runs it, the tests of Node once more as another user: what only one of the two may do is easily missed.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const minuteMs = 60_000
const gibibyte = 2 ** 30

/** Each runs beside the others, and its projects one after the other, so that all of them take about as long. */
const lanes = [['node'], ['browser', 'pages']]

/** `nobody`, which owns nothing and belongs to no group. */
const otherUser = { uid: 65_534, gid: 65_534 }
const isRoot = process.getuid?.() === 0

/** Programs that tests use or compare with, and the Debian package of each. Without one, its tests are skipped with a reason. */
const programs = { bwrap: 'bubblewrap', git: 'git', unshare: 'util-linux' }
const programsOfTorture = { rg: 'ripgrep', unzip: 'unzip', zip: 'zip', python3: 'python3' }

/** What is running; nothing more is started once we were told to end. */
const children = new Set()
let told = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    told = true
    for (const child of children) child.kill(signal)
  })
}

const memory = await placeInMemory()
try {
  process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1
} finally {
  // The line that counts stays the last one, whatever can't be cleared away.
  if (memory !== undefined) await rm(memory, { recursive: true, force: true, maxRetries: 10 }).catch(() => {})
}

async function main(args) {
  const full = args.includes('--full')
  const filters = args.filter((arg) => arg !== '--full')
  const torture = full || filters.some((filter) => filter.includes('torture'))
  await installPrograms(torture ? { ...programs, ...programsOfTorture } : programs)
  const chromium = await findChromium()
  if (chromium === undefined) {
    console.error(
      'No Chromium was found: install one (apt-get install chromium), or name one that exists in POLYFS_CHROMIUM.',
    )
    return finish({ failed: 1 })
  }

  const steps = stepsBefore(filters)
  if (steps.length > 0) console.log(`\n== ${steps.join(', ')}`)
  const stepsSucceeded = await Promise.all(steps.map((step) => run('npm', ['run', '--silent', step])))
  const failedSteps = steps.filter((_, i) => !stepsSucceeded[i])

  // Side by side, because vitest would start the browser only after everything else.
  console.log('\n== vitest')
  const runs = (await Promise.all(lanes.map((projects) => runInTurn(projects, filters, chromium)))).flat()
  if (full && isRoot) {
    console.log('\n== vitest as another user')
    runs.push(await runVitest('node', filters, chromium, otherUser))
  }
  // Alone, because these take all that the machine has.
  if (torture) runs.push(await runVitest('torture', filters, chromium))
  const succeeded = runs.every((one) => one.succeeded)
  const summary = together(runs.map((one) => one.summary))
  console.log()
  for (const step of failedSteps) console.log(`${step} failed`)
  if (summary === undefined) {
    console.log('vitest ended without a result')
    return finish({ failed: failedSteps.length + 1 })
  }

  if (full && !isRoot) console.log('tested as this user only: run it as root to have it tested as another one too')
  for (const [reason, count] of summary.skipReasons) console.log(`skipped ${count} × ${reason}`)
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

/**
 * A directory for the tests' files, in memory where there is plenty and programs may be run from it: on a disk they would
 * mostly wait until it has what they wrote. What is about a disk is given one by `POLYFS_TEST_DISK`.
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

/** A chosen few tests need no more than something built. */
function stepsBefore(filters) {
  if (filters.length === 0) return ['lint', 'typecheck', 'build']
  return existsSync(join(root, 'dist')) ? [] : ['build']
}

/** Prints the line that tools read; nothing may be printed after it. */
function finish({ passed = 0, failed, skipped = 0 }) {
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  return failed === 0
}

async function runInTurn(projects, filters, chromium) {
  const runs = []
  for (const project of projects) runs.push(await runVitest(project, filters, chromium))
  return runs
}

async function runVitest(project, filters, chromium, user) {
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
        '--project',
        project,
        // Otherwise it writes beside the configuration.
        ...(user ? ['--configLoader', 'runner'] : []),
        '--passWithNoTests',
        '--reporter=default',
        '--reporter=./test/summary-reporter.mjs',
        ...filters,
      ],
      {
        env: {
          POLYFS_CHROMIUM: chromium,
          POLYFS_TEST_SUMMARY: file,
          POLYFS_TEST_DISK: tmpdir(),
          TMPDIR: place ?? memory ?? tmpdir(),
          ...(user && environmentOf(place)),
        },
        ...user,
      },
    )
    const summary = existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : undefined
    return { summary, succeeded }
  } finally {
    await rm(directory, { recursive: true })
    if (place) await rm(place, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Without the directories of the user that started this, which another may not enter. */
function environmentOf(place) {
  const own = Object.keys(process.env).filter((name) => name.startsWith('XDG_'))
  const none = Object.fromEntries(own.map((name) => [name, undefined]))
  return { ...none, HOME: place, USER: 'nobody', LOGNAME: 'nobody' }
}

/** One summary of all; none when one is missing. */
function together(summaries) {
  if (summaries.includes(undefined)) return undefined
  const sum = (key) => summaries.reduce((total, summary) => total + summary[key], 0)
  const skipReasons = new Map()
  for (const [reason, count] of summaries.flatMap((summary) => summary.skipReasons))
    skipReasons.set(reason, (skipReasons.get(reason) ?? 0) + count)
  return {
    passed: sum('passed'),
    failed: sum('failed'),
    skipped: sum('skipped'),
    faults: summaries.flatMap((summary) => summary.faults),
    skipReasons: [...skipReasons].sort((a, b) => b[1] - a[1]),
  }
}

/** Installs what is missing where that can be done: as root on Debian. */
async function installPrograms(wanted) {
  const places = (process.env.PATH ?? '').split(':')
  const isThere = (program) => places.some((place) => existsSync(join(place, program)))
  const missing = Object.keys(wanted).filter((program) => !isThere(program))
  if (missing.length === 0 || !canInstall()) return
  console.log(`== installing ${missing.join(', ')}`)
  await aptInstall(missing.map((program) => wanted[program]))
}

function canInstall() {
  return isRoot && existsSync('/usr/bin/apt-get')
}

async function aptInstall(packages) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  if (!(await run('apt-get', ['update'], { timeoutMs: 5 * minuteMs, env }))) return
  await run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { timeoutMs: 10 * minuteMs, env })
}

/** A Chromium that is there, or one that could be installed: by Playwright, or, as root on Debian, by apt. */
async function findChromium() {
  // Named on purpose: another one in its place would be a surprise.
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

/** True when the command ended with 0. Never reads our stdin, so that nothing waits for a person. */
function run(command, args, { env = {}, timeoutMs, uid, gid } = {}) {
  return new Promise((resolve) => {
    if (told) return resolve(false)
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
