import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeFs } from '../../../node/disk/node-fs.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { createIgnoreStack, type IgnoreLevel } from '../../../src/search/patterns/ignore-stack.js'
import { sample } from '../../scale.js'
import { generator, plant, write } from './generated-rules.js'

/** Git itself is the judge: generated trees with generated ignore files at several levels, asked about every path in them. */

let scratch: string
beforeAll(() => {
  scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-ignore-'))
})
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }))

/** Starting git takes longer than all else, so each repository holds many trees, one in each of its directories. */
const treesPerRepository = 40

for (const seed of sample([1, 2, 3, 4, 5, 6, 7, 8])) {
  test(`${treesPerRepository} generated trees are ignored as git ignores them (seed ${seed})`, async () => {
    const random = generator(seed)
    const root = path.join(scratch, `${seed}`)
    for (let tree = 0; tree < treesPerRepository; tree += 1) plant(path.join(root, `tree-${tree}`), random)
    // What holds for all trees at once must not hide what each of them says.
    write(root, '.gitignore', 'y.*\n!tree-*/y.log\n/tree-*/foobar/*\n')
    initialise(root)
    write(root, '.git/info/exclude', '*.exclude\n/tree-[0-3]*/ab/\n.hid\n')

    const expected = ignoredByGit(root)
    const actual = await ignoredByUs(root)
    const differing = [...new Set([...expected, ...actual])].filter((name) => expected.has(name) !== actual.has(name))
    expect(differing.map((name) => explain(root, name, expected.has(name)))).toEqual([])
    expect(expected.size).toBeGreaterThan(100)
  })
}

test('letter case is ignored where git ignores it', async () => {
  const root = path.join(scratch, 'case')
  write(root, '.gitignore', '*.LOG\nBuild/\n[A-C]x\n/Docs/*.md\n[[:upper:]]z\n')
  for (const name of [
    'a.log',
    'B.Log',
    'build/x',
    'BUILD2/x',
    'bx',
    'dx',
    'Cx',
    'docs/a.MD',
    'docs/a.txt',
    'qz',
    'Qz',
  ]) {
    write(root, name, '')
  }
  initialise(root)
  execFileSync('git', ['config', 'core.ignorecase', 'true'], { cwd: root })
  const actual = await ignoredByUs(root, { ignoreCase: true })
  expect([...actual].sort()).toEqual([...ignoredByGit(root)].sort())
})

test('names outside ASCII are compared as text', async () => {
  const root = path.join(scratch, 'text')
  write(root, '.gitignore', '/é\n*ß.txt\nlogs-日本/\n')
  for (const name of ['é', 'a/é', 'aß.txt', 'ß.txt', 'logs-日本/x', 'logs-日/x']) write(root, name, '')
  initialise(root)
  const actual = await ignoredByUs(root)
  expect([...actual].sort()).toEqual([...ignoredByGit(root)].sort())
})

function initialise(root: string): void {
  execFileSync('git', ['init', '-q', '.'], { cwd: root, env: gitEnvironment })
}

const gitEnvironment = {
  ...process.env,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  HOME: '/nonexistent',
  XDG_CONFIG_HOME: '/nonexistent',
}

function ignoredByGit(root: string): Set<string> {
  const names = everyPath(root)
  try {
    const output = execFileSync('git', ['check-ignore', '--no-index', '--stdin', '-z'], {
      cwd: root,
      env: gitEnvironment,
      input: names.join('\0'),
    })
    return new Set(output.toString().split('\0').filter(Boolean))
  } catch (error) {
    // Exit code 1: not one of them is ignored.
    if ((error as { status?: number }).status === 1) return new Set()
    throw error
  }
}

/** Which ignore files had a say, for a failure that can be understood. */
function explain(root: string, name: string, byGit: boolean): string {
  const files: string[] = []
  for (let directory = path.dirname(name); directory !== '.'; directory = path.dirname(directory)) {
    const file = path.join(root, directory, '.gitignore')
    if (fs.existsSync(file)) files.push(`${directory}: ${JSON.stringify(fs.readFileSync(file, 'utf8'))}`)
  }
  return `${name} is ignored by ${byGit ? 'git' : 'us'} alone; ${files.join('; ')}`
}

/** Everything an ignored directory holds is ignored with it. */
async function ignoredByUs(root: string, options: { ignoreCase?: boolean } = {}): Promise<Set<string>> {
  const disk = nodeFs(root, { fsync: false })
  const stack = createIgnoreStack(disk, { top: '/', ...options })
  const ignored = new Set<string>()
  const top = await disk.readDir('/')
  await visit('', await stack.open('/', top), top)
  disk.close()
  return ignored

  async function visit(
    prefix: string,
    level: IgnoreLevel | undefined,
    entries: Awaited<ReturnType<FileSystem['readDir']>>,
  ) {
    for (const { name, kind } of entries) {
      if (name === '.git') continue
      const isIgnored = level === undefined || level.ignores(name, kind === 'directory')
      if (isIgnored) ignored.add(`${prefix}${name}`)
      if (kind !== 'directory') continue
      const below = await disk.readDir(`/${prefix}${name}`)
      await visit(`${prefix}${name}/`, isIgnored ? undefined : await level.enter(name, below), below)
    }
  }
}

function everyPath(root: string, prefix = ''): string[] {
  return fs.readdirSync(path.join(root, prefix), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === '.git') return []
    const name = `${prefix}${entry.name}`
    return entry.isDirectory() ? [name, ...everyPath(root, `${name}/`)] : [name]
  })
}
