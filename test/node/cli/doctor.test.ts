import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { examine, type Surroundings } from '../../../node/cli/doctor.js'
import { openSandbox } from '../../../node/shell/sandbox/sandbox.js'
import { runCli, temporaryDirectory } from './run-cli.js'

const around: Surroundings = {
  nodeVersion: 'v20.19.0',
  platform: 'linux',
  env: { POLYFS_STATE_DIR: '/tmp' },
  versionOf: async (program) => (program === 'git' ? 'git version 2.39.5' : undefined),
  sandboxFault: () => undefined,
  treesFault: () => undefined,
  boundsProcesses: async () => true,
  controlGroupFault: () => 'this machine has no control groups of version 2',
  isRoot: false,
}

async function verdicts(
  given: Partial<Surroundings>,
  roots: string[] = [],
  access: 'read-write' | 'read-only' = 'read-write',
) {
  const directories = roots.map((directory) => ({ directory, access }))
  const findings = await examine(directories, { ...around, ...given })
  return Object.fromEntries(findings.map(({ what, verdict, found }) => [what, `${verdict}: ${found}`]))
}

test('a machine with everything', async () => {
  const root = await temporaryDirectory()
  expect(await verdicts({}, [root])).toEqual({
    'Node.js': 'good: v20.19.0',
    [`root ${root}`]: 'good: readable and writable',
    state: 'good: /tmp',
    links: 'good: directories are held open through /proc/self/fd',
    commands: 'limited: /bin/bash',
    sandbox: 'good: bubblewrap works',
    'programs on trees': 'good: layers can be mounted',
    limits: 'good: processes, memory of each process and size of each file are limited in a sandbox',
    git: 'good: git version 2.39.5',
    ripgrep: 'good: not found',
  })
})

test('everything missing is reported, and only what the server needs is broken', async () => {
  const directory = await temporaryDirectory()
  const file = join(directory, 'file')
  await writeFile(file, '')
  const found = await verdicts(
    { nodeVersion: 'v18.20.0', versionOf: async () => undefined, env: { POLYFS_STATE_DIR: join(file, 'state') } },
    [file, join(directory, 'missing')],
  )
  expect(found).toMatchObject({
    'Node.js': 'broken: v18.20.0',
    [`root ${file}`]: 'broken: is not a directory',
    [`root ${join(directory, 'missing')}`]: 'broken: does not exist',
    state: `limited: ${join(file, 'state')} is not writable`,
    git: 'limited: not found',
  })
})

test('a root that is not writable is reported', async (context) => {
  if (process.getuid?.() === 0) context.skip('root may write everything')
  const root = join(await temporaryDirectory(), 'closed')
  await mkdir(root)
  await chmod(root, 0o555)
  expect(await verdicts({}, [root])).toMatchObject({ [`root ${root}`]: 'limited: readable, not writable' })
})

test('links are only checked on systems other than Linux', async () => {
  for (const platform of ['darwin', 'win32'] as const) {
    expect((await verdicts({ platform })).links).toBe('limited: paths are checked component by component')
  }
})

test('a sandbox that does not work is reported with the reason', async () => {
  const fault = "commands can't be confined as required: bubblewrap (bwrap) is not installed"
  expect((await verdicts({ sandboxFault: () => fault })).sandbox).toBe(`limited: ${fault}`)
})

test('a limit that can not be enforced is reported with the reason', async () => {
  const bounded =
    'memory of each process and size of each file are limited in a sandbox, the number of processes is not'
  const unbounded = { boundsProcesses: async () => false }
  expect((await verdicts({ ...unbounded, isRoot: true })).limits).toBe(
    `limited: ${bounded}: the kernel does not limit those of root`,
  )
  expect((await verdicts(unbounded)).limits).toBe(`limited: ${bounded}: the kernel does not enforce the limit`)
  expect((await verdicts({ boundsProcesses: async () => undefined })).limits).toBeUndefined()
  const [limits] = (await examine([], around)).filter(({ what }) => what === 'limits')
  expect(limits?.means).toContain('are not limited: this machine has no control groups of version 2. Start the server')
  const whole = await verdicts({ ...unbounded, controlGroupFault: () => undefined })
  expect(whole.limits).toBe('good: processes and memory of each command and size of each file are limited in a sandbox')
})

test('the sandbox check starts one, like the server does', async () => {
  const works = openSandbox({ mode: 'auto', roots: [] })
  works?.close()
  const sandbox = (await examine([])).find(({ what }) => what === 'sandbox')
  expect(sandbox?.verdict).toBe(works === undefined ? 'limited' : 'good')
})

test('the command prints its findings, and its exit code is 1 when something is broken', async () => {
  const root = await temporaryDirectory()
  const good = await runCli(['doctor', root])
  expect({ code: good.code, stderr: good.stderr }).toEqual({ code: 0, stderr: '' })
  expect(good.stdout).toMatch(/^ok {3}Node\.js .*\n +Recent enough\.\n/)
  expect(good.stdout).toMatch(/\nNo problems found\.\n$/)
  const broken = await runCli(['doctor', '--json', join(root, 'missing')])
  expect(broken.code).toBe(1)
  expect(JSON.parse(broken.stdout)[1]).toEqual({
    what: `root ${join(root, 'missing')}`,
    verdict: 'broken',
    found: 'does not exist',
    means: 'The server refuses to start with it.',
  })
})
