import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isFsError } from '../../../src/errors.js'
import { printDiffStat, printLog, printShortStatus } from '../../../src/git/print/print-results.js'
import { openRepository, readIndex } from '../../../src/git/repository.js'
import { gitAdd } from '../../../src/ops/git/add.js'
import { gitBranch } from '../../../src/ops/git/branch.js'
import { gitCheckout } from '../../../src/ops/git/checkout.js'
import { gitCommit } from '../../../src/ops/git/commit.js'
import { gitDiff } from '../../../src/ops/git/diff.js'
import { gitLog } from '../../../src/ops/git/log.js'
import { gitStatus } from '../../../src/ops/git/status.js'
import { sample } from '../../scale.js'
import { gitEnvironment, openStage, type Stage } from './real-git.js'

/** Random sequences of operations, run by us or by git; after each step our results must equal git's. */
const steps = 24

for (const seed of sample([1, 2, 3, 4], { every: 4 })) {
  test(`${steps} random steps leave what git agrees with (seed ${seed})`, async () => {
    const stage = await openStage()
    try {
      const random = generator(seed)
      stage.write('.gitignore', '*.log\nbuild/\n!keep.log\n')
      const done: string[] = []
      for (let step = 0; step < steps; step += 1) {
        done.push(await act(stage, seed % 2 === 0 ? byGit(stage) : byUs(stage), random, step))
        await compare(stage, done)
      }
      expect(stage.git('fsck', '--strict', '--no-dangling')).toBe('')
    } finally {
      stage.close()
    }
  })
}

type Random = (below: number) => number

const names = ['a', 'b.txt', 'c d', 'süß', 'build', 'x.log', 'keep.log', 'dir', 'a.b', 'a0']

/** Which side performs each operation. */
interface Actor {
  add(paths: string[]): Promise<unknown>
  commit(message: string, all: boolean): Promise<unknown>
  branch(name: string): Promise<unknown>
  checkout(revision: string, force: boolean): Promise<unknown>
}

function byUs({ run }: Stage): Actor {
  return {
    add: (paths) => run(gitAdd, { paths }),
    commit: (message, all) => run(gitCommit, { message, all }),
    branch: (name) => run(gitBranch, { action: 'create', name }),
    checkout: (revision, force) => run(gitCheckout, { revision, force }),
  }
}

function byGit({ git }: Stage): Actor {
  return {
    add: async (paths) => git('add', '--', ...paths),
    async commit(message, all) {
      git('commit', '-qm', message, ...(all ? ['-a'] : []))
      // Ensures that there are packed objects to read.
      git('gc', '-q')
    },
    branch: async (name) => git('branch', name),
    checkout: async (revision, force) => git('checkout', '-q', ...(force ? ['-f'] : []), revision, '--'),
  }
}

async function act(stage: Stage, actor: Actor, random: Random, step: number): Promise<string> {
  const pick = <Item>(items: readonly Item[]) => items[random(items.length)] as Item
  const some = () => Array.from({ length: 1 + random(3) }, () => pick(names)).join('/')
  const file = path.join(stage.directory, some())
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others'], {
    cwd: stage.directory,
    env: gitEnvironment,
    encoding: 'utf8',
  })
    .split('\0')
    .filter(
      (name) => name !== '' && fs.lstatSync(path.join(stage.directory, name), { throwIfNoEntry: false })?.isFile(),
    )
  const existing = files.length === 0 ? undefined : path.join(stage.directory, pick(files))
  const kind = random(14)
  if (kind < 3) return `write ${writeOver(file, `${random(1000)}\n`.repeat(1 + random(4)))}`
  if (kind === 3 && existing) return `edit ${writeOver(existing, `${step}\n${fs.readFileSync(existing, 'utf8')}`)}`
  if (kind === 4 && existing) return `delete ${remove(existing)}`
  if (kind === 5 && existing) {
    const to = `${existing}-moved`
    fs.renameSync(existing, to)
    return `rename ${existing}`
  }
  if (kind === 6 && existing) {
    fs.chmodSync(existing, random(2) === 0 ? 0o755 : 0o644)
    return `chmod ${existing}`
  }
  if (kind === 7) {
    writeOver(file, '')
    fs.rmSync(file)
    fs.symlinkSync(pick(names), file)
    return `link ${file}`
  }
  if (kind < 10) return attempt('add', () => actor.add([random(2) === 0 ? '.' : pick(names)]))
  if (kind === 10) return attempt('commit', () => actor.commit(`step ${step}`, random(2) === 0))
  if (kind === 11) return attempt('branch', () => actor.branch(`branch-${random(3)}`))
  if (kind === 12) {
    const [revision, force] = [`branch-${random(3)}`, random(3) === 0]
    return attempt(`checkout ${revision} ${force}`, () => actor.checkout(revision, force))
  }
  return attempt('commit', async () => {
    await actor.add(['.'])
    await actor.commit(`step ${step}`, false)
  })
}

/** A refusal that git shares is not a failure. */
async function attempt(name: string, run: () => Promise<unknown>): Promise<string> {
  try {
    await run()
    return name
  } catch (error) {
    if (isFsError(error, 'GIT_REFUSED')) return `${name} refused: ${error.facts.reason}`
    if (error instanceof Error && 'status' in error) return `${name} refused by git`
    throw error
  }
}

function writeOver(file: string, text: string): string {
  const parents = [path.dirname(path.dirname(file)), path.dirname(file)]
  // From the top: only directories have anything below them.
  for (const parent of parents) {
    const stat = fs.lstatSync(parent, { throwIfNoEntry: false })
    if (stat && !stat.isDirectory()) fs.rmSync(parent)
  }
  fs.rmSync(file, { recursive: true, force: true })
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
  return file
}

function remove(file: string): string {
  fs.rmSync(file)
  return file
}

async function compare(stage: Stage, done: readonly string[]): Promise<void> {
  const context = done.slice(-4).join('; ')
  const status = await stage.run(gitStatus, {})
  const ours = {
    status: printShortStatus(status),
    all: printShortStatus(await stage.run(gitStatus, { untracked: 'all' })),
    unstaged: printDiffStat(await stage.run(gitDiff, {})),
    staged: printDiffStat(await stage.run(gitDiff, { from: 'head', to: 'index' })),
    index: await stagedLines(stage),
    log:
      status.head === undefined ? '' : printLog((await stage.run(gitLog, { limit: 1000 })).commits, { oneline: true }),
  }
  // Without refreshing the index, so that git reads what we have written.
  const git = (...args: string[]) => stage.git('--no-optional-locks', ...args)
  const theirs = {
    status: git('status', '--porcelain', '--no-renames'),
    all: git('status', '--porcelain', '--no-renames', '--untracked-files=all'),
    unstaged: git('diff', '--stat', '--no-renames'),
    staged: git('diff', '--cached', '--stat', '--no-renames'),
    index: git('ls-files', '-s', '-z').split('\0').slice(0, -1),
    log: status.head === undefined ? '' : git('log', '--oneline', '--abbrev=7'),
  }
  expect(ours, context).toEqual(theirs)
  expect(stage.git('write-tree'), context).not.toBe('')
}

/** Every index entry as `git ls-files -s` prints it. */
async function stagedLines({ workspace }: Stage): Promise<string[]> {
  const { entries } = await readIndex(await openRepository(workspace, workspace.root, {}))
  return entries.map(
    ({ mode, oid, stage, path: name }) => `${mode.toString(8).padStart(6, '0')} ${oid} ${stage}\t${name}`,
  )
}

/** Deterministic: the same seed gives the same sequence. */
function generator(seed: number): Random {
  let state = seed * 2654435761
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) % below
  }
}
