/** A walk whose parts are listed by threads reports exactly what the portable walk reports. */
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NodeFsOptions } from '../../../node/disk/node-fs.js'
import { type PoolThreads, poolThreads } from '../../../node/threads/thread-pool.js'
import { walkPool } from '../../../node/threads/walk-pool.js'
import { type DirectoryWorkspace, openDirectories } from '../../../node/workspace/directory-workspace.js'
import type { WalkEntry } from '../../../src/fs/walk/walk.js'
import { compileGlobs, defaultGlobRules } from '../../../src/search/patterns/glob.js'
import { type FileWalk, type Walker, walkFiles } from '../../../src/search/run/walk-files.js'
import { type Random, randomFrom } from '../../core/search/generated-trees.js'
import { isFull, sample } from '../../scale.js'
import { built } from '../cli/built.js'

/** As it is shipped. */
const searchWorker = built('node/search-worker.js')

type Options = Parameters<Walker['walk']>[1]

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'polyfs-walk-pool-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

const names = ['a', 'a-b', 'a.b', 'ab', 'B', 'lib', 'src', 'x y', 'ü', 'node_modules', '.hidden', 'tmp']
const rules = [
  '*.log',
  'tmp/',
  '!keep.log',
  '/a',
  'lib/*',
  '!lib/src1',
  '**/ab*/',
  'x*',
  '/src2/**/B*',
  '*[0-4].ts',
  '',
]

/** Some hundred directories with files, ignore files and links in them, in a directory of its own. */
async function plant(random: Random, directoryCount = 400): Promise<string> {
  const root = await mkdtemp(join(scratch, 'tree-'))
  const pick = (from: readonly string[]) => from[random(from.length)] as string
  const directories = ['']
  for (let i = 0; i < directoryCount; i += 1) {
    const directory = `${pick(directories)}/${pick(names)}${i % 5}`
    await mkdir(root + directory, { recursive: true })
    directories.push(directory)
  }
  for (const directory of directories) {
    for (let count = random(4); count > 0; count -= 1) {
      await writeFile(`${root}${directory}/${pick(names)}${random(9)}${pick(['', '.ts', '.log', '.d.ts'])}`, '').catch(
        unlessThere,
      )
    }
    if (random(6) === 0) await writeFile(`${root}${directory}/.gitignore`, `${pick(rules)}\n${pick(rules)}\n`)
    if (random(20) === 0) await writeFile(`${root}${directory}/.ignore`, `${pick(rules)}\n`)
    if (random(30) === 0) await mkdir(`${root}${directory}/.git/info`, { recursive: true })
    if (random(25) === 0) await symlink(pick(['.', '..', '/', 'nowhere', 'lib1']), `${root}${directory}/link`)
  }
  await writeFile(`${root}/.gitignore.large`, '')
  execFileSync('mkfifo', [join(root, 'pipe')])
  return root
}

/** A file of that name may be a directory. */
function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EISDIR') throw error
}

async function open(root: string, options: NodeFsOptions & { beside?: string[]; stateDirectory?: string } = {}) {
  const { beside = [], ...rest } = options
  const hidden = rest.stateDirectory === undefined ? [] : [rest.stateDirectory]
  const points = [root, ...beside] as [string, ...string[]]
  const [first, ...others] = points.map((directory) => ({ directory, access: 'read-only' as const }))
  const workspace = await openDirectories([first!, ...others], {
    ...{ readOnly: true, searchThreads: 0 },
    ...rest,
  })
  const roots = workspace.disks.map((disk) => disk.share())
  const threads = poolThreads({ roots, workerFile: searchWorker, count: 2 })
  const walker = walkPool({ fs: workspace.fs, points, hidden, threads, fewDirectories: 0 })
  threads.start()
  await expect.poll(() => threads.ready, { timeout: 60_000 }).toBe(true)
  return { workspace, threads, walker, close: () => close(workspace, threads) }
}

function close(workspace: DirectoryWorkspace, threads: PoolThreads): void {
  threads.close()
  workspace.close()
}

async function resultOf(walk: FileWalk) {
  const entries: WalkEntry[] = []
  for (let batch = await walk.next(); batch !== undefined; batch = await walk.next()) entries.push(...batch)
  return { entries, summary: walk.summary, incomplete: walk.incompleteIgnoreFiles }
}

async function resultInThreads(walker: Walker, directory: string, options: Options) {
  const walk = walker.walk(directory, options)
  try {
    return await resultOf(walk)
  } finally {
    walk.close()
  }
}

function optionsFrom(random: Random, root: string): Options {
  const glob = (...patterns: string[]) => compileGlobs(patterns, defaultGlobRules)
  const either = <Value>(value: Value) => (random(2) === 0 ? value : undefined)
  const order = either('paths' as const)
  const include =
    random(3) === 0 ? glob(['**/*.ts', 'src*/**', '*.d.ts', 'lib?/**/{a,B}*'][random(4)] as string) : undefined
  const exclude = random(3) === 0 ? glob(['**/ab*', 'node_modules*', '*.log'][random(3)] as string) : undefined
  const git = (['always', 'in-repository', 'never'] as const)[random(3)]
  const ignore = {
    top: root,
    always: ['.git', '/src1'],
    dotIgnore: random(2) === 0,
    globalRules: 'x*\n',
    ...(git && { git }),
  }
  const maxDepth = random(5) === 0 ? random(6) : undefined
  const maxEntries = random(3) === 0 ? random(900) : undefined
  return {
    hidden: random(3) > 0,
    excludePrunes: random(2) === 0,
    alsoReport: { directories: random(2) === 0, others: random(2) === 0 },
    ...(order && { order }),
    ...(include && { include }),
    ...(exclude && { exclude }),
    ...(random(3) > 0 && { ignore }),
    ...(maxDepth !== undefined && { maxDepth }),
    ...(maxEntries !== undefined && { maxEntries }),
  }
}

describe('a walk in threads', () => {
  it.each([
    ...sample([1, 2, 3]).map((seed) => ({ seed, anchor: 'descriptor' as const })),
    { seed: 4, anchor: 'walk' as const },
  ])(
    'reports what the portable one reports, with any options (seed $seed, anchor $anchor)',
    async ({ seed, anchor }) => {
      const random = randomFrom(seed)
      const root = await plant(random)
      const { workspace, walker, close } = await open(root, { anchor })
      for (let i = 0; i < (isFull ? 30 : 5); i += 1) {
        const options = optionsFrom(random, root)
        const directory = random(3) === 0 ? `${root}/src1` : root
        await mkdir(directory, { recursive: true })
        const given = { ...options, ...(random(2) === 0 && { globBase: root }) }
        const expected = await resultOf(walkFiles(workspace.fs, directory, given))
        expect({ given, ...(await resultInThreads(walker, directory, given)) }).toEqual({ given, ...expected })
      }
      close()
    },
  )

  it('counts what it may not list, and ignore files that are too large', async () => {
    const root = await plant(randomFrom(5), 100)
    await mkdir(`${root}/closed/inside`, { recursive: true })
    await mkdir(`${root}/large`)
    await writeFile(`${root}/large/.gitignore`, `*.log\n${'#'.repeat(1_100_000)}`)
    await chmod(scratch, 0o755)
    await chmod(root, 0o755)
    const { workspace, walker, close } = await open(root)
    await chmod(`${root}/closed`, 0)
    if (process.getuid?.() === 0) process.seteuid?.(65_534)
    try {
      const options = { ignore: { top: root } }
      const expected = await resultOf(walkFiles(workspace.fs, root, options))
      expect(await resultInThreads(walker, root, options)).toEqual(expected)
      expect([expected.summary.unreadable, expected.incomplete]).toEqual([1, [`${root}/large/.gitignore`]])
    } finally {
      if (process.getuid?.() === 0) process.seteuid?.(0)
      close()
      await chmod(`${root}/closed`, 0o755)
    }
  })

  it.each(['descriptor', 'walk'] as const)(
    'follows links of ignore files as the gate does (anchor %s)',
    async (anchor) => {
      const place = await mkdtemp(join(scratch, 'linked-'))
      const [root, other, outside] = [`${place}/root`, `${place}/other`, `${place}/outside`] as const
      for (const directory of [`${root}/rules`, other, outside]) {
        await mkdir(directory, { recursive: true })
        await writeFile(`${directory}/exclude`, 'skipped\n')
      }
      execFileSync('mkfifo', [`${root}/rules/pipe`])
      await symlink('exclude', `${root}/rules/link`)
      await symlink('loop', `${root}/rules/loop`)

      /** A directory in which `skipped` is reported unless the rules there are honoured. */
      async function plantRepository(name: string, make: (repository: string) => Promise<unknown>): Promise<void> {
        await mkdir(`${root}/${name}/deeper/still`, { recursive: true })
        await make(`${root}/${name}`)
        for (const at of ['', '/deeper', '/deeper/still']) await writeFile(`${root}/${name}${at}/skipped`, '')
      }
      const excludeTo = (target: string) => async (repository: string) => {
        await mkdir(`${repository}/.git/info`, { recursive: true })
        await symlink(target, `${repository}/.git/info/exclude`)
      }
      const gitFile = (directory: string) => async (repository: string) => {
        await mkdir(`${directory}/info`, { recursive: true })
        await writeFile(`${directory}/info/exclude`, 'skipped\n')
        await writeFile(`${repository}/.git`, `gitdir: ${directory}\n`)
      }
      const honoured = {
        'a file': async (repository: string) => {
          await mkdir(`${repository}/.git/info`, { recursive: true })
          await writeFile(`${repository}/.git/info/exclude`, 'skipped\n')
        },
        'a link inside': excludeTo('../../../rules/exclude'),
        'an absolute link inside': excludeTo(`${root}/rules/exclude`),
        'a link to a link': excludeTo('../../../rules/link'),
        'a link on the way': async (repository: string) => {
          await mkdir(`${repository}/.git`)
          await symlink('../../rules', `${repository}/.git/info`)
        },
        'a link into another root': excludeTo('../../../../other/exclude'),
      }
      const unreadable = {
        'a link to a pipe': excludeTo('../../../rules/pipe'),
        'a link to itself': excludeTo('../../../rules/loop'),
        'a link to a directory': excludeTo('../../../rules'),
        'a pipe': async (repository: string) => {
          await mkdir(`${repository}/.git/info`, { recursive: true })
          execFileSync('mkfifo', [`${repository}/.git/info/exclude`])
        },
      }
      const notHonoured = {
        ...unreadable,
        'a link out': excludeTo('../../../../outside/exclude'),
        'an absolute link out': excludeTo(`${outside}/exclude`),
        'an absolute link into another root': excludeTo(`${other}/exclude`),
        'a link to nothing': excludeTo('../../../rules/missing'),
        'a git file that leads inside': gitFile(`${root}/rules/git`),
        'a git file that leads into another root': gitFile(`${other}/git`),
        'a git file that leads out': gitFile(`${outside}/git`),
        'a git file that leads nowhere': (repository: string) => writeFile(`${repository}/.git`, 'gitdir: ../missing'),
        'a linked git directory': async (repository: string) => {
          await mkdir(`${root}/rules/linked/info`, { recursive: true })
          await writeFile(`${root}/rules/linked/info/exclude`, 'skipped\n')
          await symlink('../rules/linked', `${repository}/.git`)
        },
        'a linked ignore file': (repository: string) => symlink('../rules/exclude', `${repository}/.gitignore`),
        'an ignore file that is a pipe': async (repository: string) =>
          execFileSync('mkfifo', [`${repository}/.gitignore`]),
      }
      for (const [name, make] of Object.entries({ ...honoured, ...notHonoured })) await plantRepository(name, make)

      const { workspace, walker, close } = await open(root, { anchor, beside: [other] })
      for (const git of ['always', 'in-repository'] as const) {
        const options = { ignore: { top: root, git, always: ['.git'] } }
        const expected = await resultOf(walkFiles(workspace.fs, root, options))
        expect(await resultInThreads(walker, root, options)).toEqual(expected)
        const skipped = expected.entries.filter(({ name }) => name === 'skipped').map(({ path }) => path)
        const inTopDirectories = skipped.filter((path) => path.split('/').length === root.split('/').length + 2)
        expect(inTopDirectories).toEqual(
          Object.keys(notHonoured)
            .sort()
            .map((name) => `${root}/${name}/skipped`),
        )
        expect(skipped).toHaveLength(3 * inTopDirectories.length)
        const incomplete = Object.keys(unreadable).sort()
        expect(expected.incomplete).toEqual(incomplete.map((name) => `${root}/${name}/.git/info/exclude`))
        for (const name of Object.keys({ ...honoured, ...notHonoured })) {
          const below = `${root}/${name}/deeper`
          const expectedBelow = await resultOf(walkFiles(workspace.fs, below, options))
          expect({ below, ...(await resultInThreads(walker, below, options)) }).toEqual({ below, ...expectedBelow })
        }
      }
      close()
    },
  )

  it('of a directory behind a link, and of one that is not there, is as ever', async () => {
    const root = await plant(randomFrom(6), 60)
    await symlink('.', `${root}/through`)
    const { workspace, walker, close } = await open(root)
    const expected = await resultOf(walkFiles(workspace.fs, `${root}/through`))
    expect(await resultInThreads(walker, `${root}/through`, {})).toEqual(expected)
    expect(expected.entries.length).toBeGreaterThan(60)
    await expect(resultInThreads(walker, `${root}/missing`, {})).rejects.toMatchObject({ code: 'NOT_FOUND' })
    close()
  })

  it('never reveals what lies behind a link that a directory is swapped for', async () => {
    const outside = await mkdtemp(join(scratch, 'outside-'))
    for (let i = 0; i < 20; i += 1) await mkdir(`${outside}/secret${i}/deeper`, { recursive: true })
    const root = await plant(randomFrom(7), 100)
    for (let i = 0; i < 20; i += 1) await mkdir(`${root}/swapped/inside${i}/deeper`, { recursive: true })
    const { walker, close } = await open(root)
    let swapping = true
    const swapper = (async () => {
      await symlink(outside, `${root}/zlink`)
      while (swapping) {
        await rename(`${root}/swapped`, `${root}/zaside`)
        await rename(`${root}/zlink`, `${root}/swapped`)
        await rename(`${root}/swapped`, `${root}/zlink`)
        await rename(`${root}/zaside`, `${root}/swapped`)
      }
    })()
    for (let round = 0; round < 40; round += 1) {
      const { entries } = await resultInThreads(walker, root, { alsoReport: { directories: true } })
      expect(entries.filter(({ name }) => name.startsWith('secret'))).toEqual([])
      expect(entries.length).toBeGreaterThan(100)
    }
    swapping = false
    await swapper
    close()
  })

  it('ends at an abort and at its deadline, and may be closed before its end', async () => {
    const root = await plant(randomFrom(8))
    const { workspace, walker, close } = await open(root)
    const aborter = new AbortController()
    const aborted = walker.walk(root, { signal: aborter.signal })
    expect(await aborted.nextListed()).toBeDefined()
    aborter.abort(new Error('enough'))
    await expect(resultOf(aborted)).rejects.toThrow('enough')
    aborted.close()
    const late = walker.walk(root, { deadlineMs: Date.now() - 1 })
    expect(await resultOf(late)).toMatchObject({ entries: [], summary: { truncated: 'deadline' } })
    late.close()
    const closed = walker.walk(root, {})
    expect(await closed.nextListed()).toBeDefined()
    closed.close()
    expect(await resultInThreads(walker, root, {})).toEqual(await resultOf(walkFiles(workspace.fs, root)))
    close()
  })

  it('is finished by the program itself when the threads are gone', async () => {
    const root = await plant(randomFrom(9))
    const { workspace, walker, threads, close } = await open(root)
    const expected = await resultOf(walkFiles(workspace.fs, root))
    const walk = walker.walk(root, {})
    const first = await walk.next()
    threads.close()
    const rest = await resultOf(walk)
    expect({ ...rest, entries: [...(first ?? []), ...rest.entries] }).toEqual(expected)
    walk.close()
    close()
  })

  it('is not begun for a small tree: no thread is started', async () => {
    const root = await plant(randomFrom(10), 60)
    const workspace = await openDirectories([{ directory: root, access: 'read-only' }], { readOnly: true })
    const threads = poolThreads({
      roots: workspace.disks.map((disk) => disk.share()),
      workerFile: searchWorker,
      count: 2,
    })
    const watched = { ...threads, start: () => expect.unreachable('a thread was started') }
    const walker = walkPool({ fs: workspace.fs, points: [root], threads: watched })
    expect(await resultInThreads(walker, root, {})).toEqual(await resultOf(walkFiles(workspace.fs, root)))
    close(workspace, threads)
  })
})

it('passes over what the gate hides, and reads no ignore rules from there', async () => {
  const root = await mkdtemp(join(scratch, 'home-'))
  const state = join(root, 'a/state')
  await mkdir(join(state, 'other/history'), { recursive: true })
  await writeFile(join(state, 'other/history/record'), 'b*\n')
  for (const directory of ['a', 'b', 'b/c']) await mkdir(join(root, directory), { recursive: true })
  await symlink('../a/state/other/history/record', join(root, 'b/.gitignore'))
  await writeFile(join(root, 'b/c/bee.txt'), '')
  const opened = await open(root, { stateDirectory: state })
  try {
    for (const directory of [root, join(root, 'b')]) {
      const { entries } = await resultInThreads(opened.walker, directory, { ignore: { top: root, git: 'always' } })
      const paths = entries.map(({ path }) => path).filter((path) => !path.endsWith('.gitignore'))
      expect(paths).toEqual([join(root, 'b/c/bee.txt')])
    }
  } finally {
    opened.close()
  }
})
