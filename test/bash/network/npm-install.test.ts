import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeNetwork } from '../../../node/network/node-network.js'
import { sample, scaled, seeded } from '../../scale.js'
import { onMachine, onOurs, versionOf } from './both-shells.js'
import { archiveOf, packed, type TestPackage, testRegistry } from './test-registry.js'
import type { TestServer } from './test-server.js'

const otherNpm = versionOf('npm').startsWith('11.') ? undefined : 'the emulated npm is version 11'

let packages: readonly TestPackage[] = []
let badArchive: Buffer | undefined
let registry: TestServer
/** Of the real npm. */
const cache = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-test-npm-cache-'))
afterAll(() => fs.rmSync(cache, { recursive: true, force: true }))
beforeAll(async () => {
  registry = await testRegistry(() => packages, { archive: (one) => badArchive ?? packed(one) })
})
afterAll(() => registry.close())

const setUp =
  'export npm_config_registry=@HERE npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false npm_config_logs_max=0 npm_config_cache=@CACHE npm_config_userconfig=/nowhere/.npmrc\n'
const links = '\nfind . -type l -printf "%p -> %l\\n" | sort; find . -type f -perm -100 | sort'
/** Without durations, and without what npm counts as changed, which it does by files that no longer matter. */
const timeless = (text: string) =>
  text
    .replace(/in \d+m?s$/gm, 'in N')
    .replace(/,? and changed \d+ packages?/g, '')
    .replace(/,? and removed/g, ', removed')

async function both(command: string, files: Record<string, string>) {
  const script = (setUp + command + links).replaceAll('@HERE', registry.origin).replaceAll('@CACHE', cache)
  const network = nodeNetwork({ allow: [registry.origin] })
  const [ours, theirs] = [await onOurs(script, { network, given: files }), await onMachine(script, files)]
  return { ours: { ...ours, stdout: timeless(ours.stdout) }, theirs: { ...theirs, stdout: timeless(theirs.stdout) } }
}

async function expectSame(command: string, files: Record<string, string>): Promise<void> {
  const { ours, theirs } = await both(command, files)
  const what = `${command}\n${JSON.stringify(files)}\n${JSON.stringify(packages)}`
  expect({ ...ours, stderr: '' }, `${what}\n${ours.stderr}`).toEqual({ ...theirs, stderr: '' })
}

const project = (more: object) => ({
  'package.json': `${JSON.stringify({ name: 'app', version: '1.0.0', ...more }, null, 2)}\n`,
})
const one = (name: string, version: string, manifest: Record<string, unknown> = {}): TestPackage => ({
  name,
  version,
  manifest,
})

const shop: TestPackage[] = [
  one('a', '1.0.0', {
    dependencies: { b: '^1.0.0' },
    license: 'MIT',
    bin: { 'a-tool': 'cli.js' },
    engines: { node: '>=10' },
  }),
  one('a', '1.2.0', { dependencies: { b: '^1.0.0', c: '^2.0.0' }, license: 'MIT', bin: 'index.js' }),
  one('b', '1.0.0'),
  one('b', '1.5.0', { license: { type: 'ISC', url: 'x' } }),
  one('b', '2.0.0', { scripts: { postinstall: 'touch /tmp/polyfs-never' } }),
  one('c', '1.0.0', { dependencies: { b: '2' } }),
  one('c', '2.0.0', { dependencies: { b: '2' }, deprecated: 'use d' }),
  one('@s/p', '1.0.0', { bin: { p: './index.js' }, peerDependencies: { b: '^1.0.0' } }),
  one('peer-new', '1.0.0', { peerDependencies: { b: '2' }, peerDependenciesMeta: { c: { optional: true } } }),
  one('only-mac', '1.0.0', { os: ['darwin'] }),
  one('native', '1.0.0', { optionalDependencies: { 'only-mac': '1', 'only-x64': '1', gone: '1' } }),
  one('only-x64', '1.0.0', { cpu: ['x64'], os: ['!win32'] }),
  one('pre', '1.0.0'),
  one('pre', '2.0.0-beta.1'),
]

const cases: [string, object][] = [
  ['npm install', { dependencies: { a: '^1.0.0' } }],
  ['npm install', { dependencies: { a: '1.0.0', c: '1' }, devDependencies: { b: '^1.0.0' } }],
  ['npm i a', {}],
  ['npm i -D a@1.0.0 b@2; npm i -E c@1', { dependencies: { pre: '*' } }],
  ['npm i @s/p a; npm uninstall a', {}],
  ['npm i c; npm i c@1; npm rm c', { license: 'MIT' }],
  ['npm install && npm ci && npm ci --omit=dev', { dependencies: { c: '1' }, devDependencies: { a: '1' } }],
  [
    'npm install --omit=dev; npm install',
    { dependencies: { c: '1' }, devDependencies: { a: '1' }, optionalDependencies: { b: '1' } },
  ],
  ['npm install native', {}],
  ['npm install only-mac; echo $?', {}],
  ['npm i peer-new; npm i @s/p; echo $?', {}],
  ['npm i x@npm:b@1 b@2 --no-save; cat package.json', { dependencies: { c: '1' } }],
  ['npm i --save-optional b --save-prefix=~; npm i pre@2.0.0-beta.1', { dependencies: { c: '1.x' } }],
  ['npm ci; echo $?', { dependencies: { b: '1' } }],
  ['npm install nothing-like-it; echo $?; npm i b@9; echo $?', {}],
  [
    "npm i && node -p \"require('a') + require('b')\" && npm ls --all | tail -n +2",
    { dependencies: { a: '^1.0.0', b: '2' } },
  ],
  ['npm i --lockfile-version 2; npm i b@1', { dependencies: { a: '^1.0.0', b: '2' } }],
  ['npm i --no-package-lock --no-bin-links', { dependencies: { a: '^1.0.0' } }],
  ['npm i --package-lock-only; ls', { dependencies: { a: '^1.0.0' } }],
  ['npm i --legacy-peer-deps', { dependencies: { '@s/p': '1', b: '2' } }],
  ['npm i; rm -rf node_modules/b; npm i; sed -i s/1.0.0/1.2.0/ package.json; npm i', { dependencies: { a: '1.0.0' } }],
  [
    'npm install',
    {
      dependencies: { b: '1' },
      scripts: { preinstall: 'echo pre', postinstall: 'echo post', prepare: 'echo prepare' },
    },
  ],
]

describe.skipIf(otherNpm !== undefined)('npm installs what npm installs', () => {
  test.each(sample(cases, { every: 5 }))('%s %j', async (command, more) => {
    packages = shop
    await expectSame(command, project(more))
  })

  test('workspaces are linked, and what they need goes to the top where it can', async () => {
    packages = shop
    const workspace = (name: string, more: object) => `${JSON.stringify({ name, version: '1.0.0', ...more })}\n`
    const files = {
      ...project({ workspaces: ['packages/*'], dependencies: { b: '1' } }),
      'packages/x/package.json': workspace('x', { dependencies: { y: '1', c: '1', b: '2' }, bin: { x: 'x.js' } }),
      'packages/x/x.js': '#!/usr/bin/env node\n',
      'packages/y/package.json': workspace('@w/y', { devDependencies: { a: '1' } }),
    }
    await expectSame(
      'mkdir -p packages/x packages/y; for f in x y; do mv p-$f packages/$f/package.json; done; touch packages/x/x.js; npm install',
      {
        'package.json': files['package.json'],
        'p-x': files['packages/x/package.json'].replace('"y":"1",', ''),
        'p-y': files['packages/y/package.json'],
      },
    )
  })

  test('generated graphs of packages', async () => {
    for (let round = 0; round < scaled(60); round += 1) {
      await expectSameOfGraph(numbers(seeded(1000 + round)))
    }
  })

  async function expectSameOfGraph(random: (below: number) => number, command?: string): Promise<void> {
    packages = graph(random)
    const chosen = commands[random(commands.length)] as string
    await expectSame(command ?? chosen, project(wants(random, 4)))
  }
})

function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const ranges = ['*', '^1.0.0', '1', '2', '~1.0.0', '>=1.1.0', '1.0.0', '1 || 2', '^2.0.0']

function wants(random: (below: number) => number, most: number, self = -1): Record<string, unknown> {
  const pick = () => {
    const names = Array.from({ length: random(most + 1) }, () => random(10)).filter((each) => each !== self)
    return Object.fromEntries(names.map((each) => [`p${each}`, ranges[random(ranges.length)] as string]))
  }
  const all = {
    dependencies: pick(),
    ...(self < 0 && { devDependencies: pick() }),
    ...(random(5) === 0 && { optionalDependencies: pick() }),
  }
  return Object.fromEntries(Object.entries(all).filter(([, names]) => Object.keys(names).length > 0))
}

function graph(random: (below: number) => number): TestPackage[] {
  return Array.from({ length: 10 }, (_, number) =>
    ['1.0.0', '1.1.0', '2.0.0'].map((version) => one(`p${number}`, version, wants(random, 2, number))),
  ).flat()
}

const commands = [
  'npm install',
  'npm install; npm i p3 p5@1; npm ci',
  'npm install; npm install; npm rm p1 p2',
  'npm install && npm ci --omit=dev',
  'npm i --no-package-lock; npm i --no-package-lock; npm i --no-package-lock p4',
]

describe('what comes from a registry', () => {
  const lockWithoutDigest = () =>
    JSON.stringify({
      name: 'app',
      lockfileVersion: 3,
      requires: true,
      packages: {
        '': { dependencies: { a: '1' } },
        'node_modules/a': { version: '1.0.0', resolved: `${registry.origin}/a/-/a-1.0.0.tgz` },
      },
    })
  const install = async (archive: Buffer | undefined, more: object = {}) => {
    packages = [one('a', '1.0.0')]
    badArchive = archive
    const network = nodeNetwork({ allow: [registry.origin] })
    try {
      return await onOurs(`npm_config_registry=${registry.origin} npm i a; echo $?; ls -A / /srv`, {
        network,
        given: project(more),
        maxAccountedBytes: 300e6,
      })
    } finally {
      badArchive = undefined
    }
  }

  test('is compared with its digest, and nothing of it is kept otherwise', async () => {
    const { stdout, stderr, files } = await install(archiveOf([{ name: 'package/package.json', content: '{}' }]))
    expect(stderr).toContain('npm error code EINTEGRITY')
    expect(stdout).toMatch(/^1\n/)
    expect(Object.keys(files)).toEqual(['package.json'])
  })

  test.each([
    [
      'leads out of it',
      [
        { name: 'package/package.json', content: '{}' },
        { name: 'package/../../../../evil', content: 'x' },
      ],
    ],
    [
      'is absolute',
      [
        { name: 'package/package.json', content: '{}' },
        { name: '/evil', content: 'x' },
        { name: 'package//evil/../../x', content: 'x' },
      ],
    ],
    [
      'goes through a link',
      [
        { name: 'package/package.json', content: '{}' },
        { name: 'package/out', target: '/' },
        { name: 'package/out/evil', content: 'x' },
      ],
    ],
  ])('writes nothing elsewhere where a path %s', async (_, entries) => {
    const archive = archiveOf(entries)
    packages = [one('a', '1.0.0')]
    badArchive = archive
    const network = nodeNetwork({ allow: [registry.origin] })
    const given = { ...project({ dependencies: { a: '1' } }), 'package-lock.json': lockWithoutDigest() }
    const { stdout, files } = await onOurs('npm ci > /dev/null 2>&1; ls -A / /srv', { network, given })
    badArchive = undefined
    expect(stdout).toBe('/:\nsrv\n\n/srv:\nw\n')
    expect(Object.keys(files).filter((name) => !/^node_modules\/(a\/|\.package-lock)|^package/.test(name))).toEqual([])
  })

  test.each(['../a', 'node_modules/../../a', '/a', 'node_modules/..', 'node_modules/a/../b', 'node_modules/@x/..'])(
    'a lock file can not put a package at %s',
    async (place) => {
      const lock = {
        lockfileVersion: 3,
        packages: { '': {}, [place]: { version: '1.0.0', resolved: `${registry.origin}/a/-/a-1.0.0.tgz` } },
      }
      const network = nodeNetwork({ allow: [registry.origin] })
      const given = { ...project({}), 'package-lock.json': JSON.stringify(lock) }
      const { stdout, stderr } = await onOurs('npm ci; echo $?', { network, given })
      expect([stdout, stderr]).toEqual(['1\n', expect.stringContaining('npm error code EINVALIDLOCK')])
    },
  )

  test('an archive that grows without an end ends the command', async () => {
    const content = '\0'.repeat(100_000_000)
    badArchive = archiveOf([
      { name: 'package/package.json', content: '{}' },
      { name: 'package/zeros', content },
    ])
    packages = [one('a', '1.0.0')]
    const given = { ...project({ dependencies: { a: '1' } }), 'package-lock.json': lockWithoutDigest() }
    const network = nodeNetwork({ allow: [registry.origin] })
    await expect(onOurs('npm ci', { network, given, maxAccountedBytes: 100e6 })).rejects.toThrow('too much memory')
    badArchive = undefined
  })

  test('without a network, a line says how the host allows it', async () => {
    const { stderr, exitCode } = await onOurs('npm install a', { given: project({}) })
    expect(exitCode).toBe(1)
    expect(stderr).toContain(
      "This shell has no network; its host allows it with a rule such as 'https://registry.npmjs.org' (--network).",
    )
  })
})
