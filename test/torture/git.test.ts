/**
 * Compares with git: random sequences of changes and git operations, ours in one directory and git's in its twin. Afterwards both have the same
 * files, index, status and tree; what is refused has changed nothing; and no content that was in no commit is lost, but by force.
 */
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { printDiff, printShortStatus } from '../../src/git/print/print-results.js'
import { gitAdd } from '../../src/ops/git/add.js'
import { gitBranch } from '../../src/ops/git/branch.js'
import { gitCheckout } from '../../src/ops/git/checkout.js'
import { gitCommit } from '../../src/ops/git/commit.js'
import { gitDiff } from '../../src/ops/git/diff.js'
import { gitRestore } from '../../src/ops/git/restore.js'
import { gitStatus } from '../../src/ops/git/status.js'
import { type Random, randomFrom } from '../core/search/generated-trees.js'
import type { Stage } from '../node/git/real-git.js'
import {
  attempt,
  closeTwin,
  lostContents,
  openTwin,
  resync,
  runGit,
  type Snapshot,
  snapshot,
  type Twin,
  withUserConfig,
} from './git-twin.js'

const sequences = Number(process.env.POLYFS_TORTURE_SEQUENCES ?? 50)
const steps = 40
const firstSeed = Number(process.env.POLYFS_TORTURE_SEED ?? 1)

/** Few names, so that files and directories conflict. */
const names = ['a', 'b', 'c', 'a.b', 'x.log']
const branches = ['main', 'one', 'two', 'three']
/** In half of the repositories another worktree has it. */
const wanted = [...branches, 'four']

interface Tally {
  operations: number
  refusedByBoth: number
  /** Where git would have overwritten ignored or untracked files, and we did not. */
  stricter: Record<string, number>
  /** Files that git removed and we did not, though nobody said that they should be. */
  kept: number
}

test(`${sequences} sequences of ${steps} steps end as git ends them`, async () => {
  const tally: Tally = { operations: 0, refusedByBoth: 0, stricter: {}, kept: 0 }
  const failures: string[] = []
  for (let seed = firstSeed; seed < firstSeed + sequences; seed += 1) {
    await play(seed, tally).catch((error: Error & { diff?: string }) => {
      failures.push(`${error.message}\n${error.diff ?? JSON.stringify(Object.entries(error))}`)
    })
  }
  console.log(`git: ${tally.operations} operations in ${sequences} repositories, seeds from ${firstSeed}:`, tally)
  expect(failures).toEqual([])
})

async function play(seed: number, tally: Tally): Promise<void> {
  const random = randomFrom(seed)
  const userConfig = userConfigs[seed % userConfigs.length] as string
  const forget = withUserConfig(userConfig)
  const isLinked = seed % 3 === 2
  const twin = await openTwin((stage) => plantBranches(stage, random), { isLinked })
  const done: string[] = [`${userConfig.replaceAll(/\s+/g, ' ')}${isLinked ? ', linked' : ''}`]
  try {
    for (let step = 0; step < steps; step += 1) {
      const { kind, label, ...rest } = nextStep(twin, random, step)
      done.push(label)
      const context = `seed ${seed}: ${[done[0], ...done.slice(1).slice(-12)].join('; ')}`
      if (kind === 'change') {
        rest.change?.(twin.ours.directory)
        rest.change?.(twin.theirs)
      } else if (kind === 'git') {
        const refusals = [twin.ours.directory, twin.theirs].map((directory) => runGit(directory, rest.args ?? []))
        expect(refusals[0] === undefined, `${context}: ${refusals.join('')}`).toBe(refusals[1] === undefined)
      } else await compareStep(twin, rest as Compared, tally, context)
      if (kind === 'ours' || step % 8 === 7) await compareAnswers(twin, context)
    }
    expect(twin.ours.git('fsck', '--strict', '--no-dangling'), `seed ${seed}`).toBe('')
  } finally {
    closeTwin(twin)
    forget()
  }
}

/** Settings of the user; `~` is a directory with files for them. */
const userConfigs = [
  '',
  '[core]\n\texcludesFile = ~/ignore\n',
  '[core]\n\tautocrlf = true\n',
  '[core]\n\tattributesFile = ~/attributes\n',
  '[core]\n\tautocrlf = input\n\texcludesFile = ~/ignore\n\tattributesFile = ~/attributes\n',
]

/** A commit that all have, and one of its own on each branch. */
function plantBranches({ directory, git }: Stage, random: Random): void {
  for (const branch of branches) {
    // By force: what the user's settings ignore was not committed, and may be in the way.
    if (branch !== 'main') git('checkout', '-fqb', branch, branches[random(branches.indexOf(branch))] as string)
    for (let count = 0; count < 4; count += 1) writeOver(directory, anyName(random), `${branch} ${random(4)}\n`)
    if (random(2) === 0) plantLink(directory, anyName(random), random)
    if (random(3) === 0) writeOver(directory, '.gitignore', '*.log\n')
    git('add', '-A')
    git('commit', '-qm', branch, '--allow-empty')
  }
  // Nobody else may check out or delete a branch that another worktree has.
  if (random(2) === 0) {
    const elsewhere = `${directory}-elsewhere`
    git('worktree', 'add', '-q', '-b', 'four', elsewhere)
    fs.rmSync(elsewhere, { recursive: true })
  }
}

function plantLink(directory: string, name: string, random: Random): void {
  linkOver(directory, name, targetFor(name, random))
}

/** A link to nothing or to what may be a directory; never a loop, which git refuses. */
function targetFor(name: string, random: Random): string {
  return name.includes('c') || random(2) === 0 ? 'nowhere' : 'c'
}

function anyName(random: Random): string {
  return Array.from({ length: 1 + random(3) }, () => names[random(names.length)]).join('/')
}

interface Compared {
  run: () => Promise<unknown>
  args: string[]
  /** Content may be lost. */
  gives?: boolean
}

interface Step extends Partial<Compared> {
  kind: 'change' | 'git' | 'ours'
  label: string
  change?: (directory: string) => void
}

async function compareStep(twin: Twin, { run, args, gives }: Compared, tally: Tally, context: string): Promise<void> {
  const before = snapshot(twin.ours.directory)
  const ours = await attempt(run)
  const after = snapshot(twin.ours.directory)
  const theirs = runGit(twin.theirs, args)
  const message = `${context}: ours ${JSON.stringify(ours)}, git ${theirs}`
  tally.operations += 1
  if (ours !== undefined) expect(after, message).toEqual(before)
  else if (!gives) expect(lostContents(twin.ours.directory, before, after), message).toEqual([])
  if (ours !== undefined && theirs !== undefined) tally.refusedByBoth += 1
  else if (ours !== undefined) await acceptStricter(twin, ours, before, tally, message)
  else if (theirs !== undefined && isNeedless(theirs, before)) return resync(twin)
  else expect(theirs, message).toBe(undefined)
  await compareTwins(twin, before, tally, message)
}

/**
 * Git refuses to add tracked files in a directory that is ignored, and to leave a file alone that stands where others were taken out of the
 * index. We do both, and nothing is lost.
 */
const needless = /are ignored by one of your .gitignore|untracked working tree files would be removed by checkout/

/** Git also refuses to take a file out of the index that is gone because a file stands in place of its directory. */
function isNeedless(message: string, { files }: Snapshot): boolean {
  if (needless.test(message)) return true
  const isBelowFile = (name: string) => Object.keys(files).some((file) => name.startsWith(`${file}/`))
  const named = [...message.matchAll(/^\t(.+)$/gm)].map(([, name = '']) => name)
  return message.startsWith('error: Your local changes') && named.length > 0 && named.every(isBelowFile)
}

async function compareTwins(twin: Twin, before: Snapshot, tally: Tally, message: string): Promise<void> {
  const [ours, theirs] = [snapshot(twin.ours.directory), snapshot(twin.theirs)]
  const isKept = (name: string) => !(name in theirs.files) && ours.files[name] === before.files[name]
  const kept = Object.keys(ours.files).filter(isKept)
  if (kept.length === 0) return expect(ours, message).toEqual(theirs)
  // Git removes staged files in a directory that takes the place of a deleted file; we do not.
  tally.kept += kept.length
  const without = (lines: string) => lines.split('\n').filter((line) => !kept.some((name) => line.endsWith(name)))
  for (const part of ['index', 'status', 'head'] as const)
    expect(without(ours[part]), message).toEqual(without(theirs[part]))
  await resync(twin)
}

/** We refuse where git would lose content that is in no commit. */
async function acceptStricter(
  twin: Twin,
  { reason, paths }: { reason: string; paths: readonly string[] },
  before: Snapshot,
  tally: Tally,
  message: string,
): Promise<void> {
  expect(['would-overwrite', 'in-the-way'], message).toContain(reason)
  const after = snapshot(twin.theirs)
  const lost = lostContents(twin.theirs, before, after)
  const isStaged = before.index !== after.index
  // Its content may be in some commit, but nobody said that this file should go.
  const isGone = paths.some((name) => name in before.files && !(name in after.files))
  expect(lost.length > 0 || isStaged || isGone, `${message}: nothing would have been lost`).toBe(true)
  tally.stricter[reason] = (tally.stricter[reason] ?? 0) + 1
  await resync(twin)
}

async function compareAnswers({ ours }: Twin, context: string): Promise<void> {
  const status = await ours.run(gitStatus, { untracked: 'all' })
  const git = (...args: string[]) => ours.git('--no-optional-locks', ...args)
  expect(printShortStatus(status), context).toBe(git('status', '--porcelain', '--no-renames', '--untracked-files=all'))
  if (status.conflicted.length > 0) return
  // There can be several shortest differences.
  const withoutHunks = (diff: string) => diff.split('\n').filter((line) => /^(diff|index|old|new|deleted) /.test(line))
  expect(withoutHunks(printDiff(await ours.run(gitDiff, {}))), context).toEqual(
    withoutHunks(git('diff', '--no-renames')),
  )
}

function nextStep(twin: Twin, random: Random, step: number): Step {
  const pick = <Item>(items: readonly Item[]) => items[random(items.length)] as Item
  const { run } = twin.ours
  const name = anyName(random)
  const existing = pick([...Object.keys(snapshotNames(twin.ours.directory)), name])
  const at = pick([name, existing, '.', pick(names)])
  const branch = pick(wanted)
  const same = (args: string[]): Step => ({ kind: 'git', label: `git ${args.join(' ')}`, args })
  const compared = (label: string, args: string[], runs: () => Promise<unknown>, gives = false): Step => ({
    kind: 'ours',
    label,
    args,
    run: runs,
    gives,
  })
  const text = `${random(1000)}${pick(['\n', '\n', '\r\n'])}`.repeat(1 + random(3))
  const message = `step ${step}`
  const target = targetFor(name, random)
  const kinds: Array<[weight: number, make: () => Step]> = [
    [8, () => ({ kind: 'change', label: `write ${name}`, change: (top) => writeOver(top, name, text) })],
    [4, () => ({ kind: 'change', label: `edit ${existing}`, change: (top) => editInPlace(top, existing) })],
    [3, () => ({ kind: 'change', label: `delete ${existing}`, change: (top) => removeAt(top, existing) })],
    [
      3,
      () => ({ kind: 'change', label: `rename ${existing} ${name}`, change: (top) => moveOver(top, existing, name) }),
    ],
    [1, () => ({ kind: 'change', label: `chmod ${existing}`, change: (top) => flipMode(top, existing) })],
    [2, () => ({ kind: 'change', label: `link ${name}`, change: (top) => linkOver(top, name, target) })],
    [
      1,
      () => {
        const file = pick(['.gitignore', `${pick(names)}/.gitignore`])
        const rule = pick(['*.log\n', 'a/\n!a.b\n', '/b\n', ''])
        return { kind: 'change', label: `write ${file} ${rule}`, change: (top) => writeOver(top, file, rule) }
      },
    ],
    [6, () => compared(`add ${at}`, ['add', '--', at], () => run(gitAdd, { paths: [at] }))],
    [2, () => compared('add all', ['add', '-A'], () => run(gitAdd, { all: true }))],
    [1, () => compared('add -u', ['add', '-u'], () => run(gitAdd, { all: true, update: true }))],
    [4, () => compared('commit', ['commit', '-qm', message], () => run(gitCommit, { message }))],
    [2, () => compared('commit -a', ['commit', '-qam', message], () => run(gitCommit, { message, all: true }))],
    [
      1,
      () =>
        compared('amend', ['commit', '-q', '--amend', '-m', message], () => run(gitCommit, { message, amend: true })),
    ],
    [
      1,
      () => compared(`branch ${branch}`, ['branch', branch], () => run(gitBranch, { action: 'create', name: branch })),
    ],
    [6, () => compared(`switch ${branch}`, ['switch', '-q', branch], () => run(gitCheckout, { revision: branch }))],
    [
      1,
      () => compared('detach', ['switch', '-q', '--detach', 'HEAD~1'], () => run(gitCheckout, { revision: 'HEAD~1' })),
    ],
    [2, () => compared(`create ${branch}`, ['switch', '-q', '-c', branch], () => run(gitCheckout, { create: branch }))],
    [
      2,
      () =>
        compared(
          `checkout -f ${branch}`,
          ['checkout', '-q', '-f', branch, '--'],
          () => run(gitCheckout, { revision: branch, force: true }),
          true,
        ),
    ],
    [2, () => compared(`restore ${at}`, ['restore', '--', at], () => run(gitRestore, { paths: [at] }), true)],
    [
      2,
      () =>
        compared(
          `unstage ${at}`,
          ['restore', '--staged', '--', at],
          () => run(gitRestore, { paths: [at], staged: true }),
          true,
        ),
    ],
    [
      2,
      () =>
        compared(
          `restore ${at} from ${branch}`,
          ['restore', '--source', branch, '--staged', '--worktree', '--', at],
          () => run(gitRestore, { paths: [at], revision: branch }),
          true,
        ),
    ],
    [3, () => same(['merge', '-q', '-m', 'merge', branch])],
    [1, () => same(['cherry-pick', branch])],
    [1, () => same(['merge', '--abort'])],
    [1, () => same(['pack-refs', '--all'])],
    [1, () => same(['gc', '-q'])],
    [1, () => same(['rm', '-q', '--cached', '--', existing])],
    [1, () => same(['update-index', '--refresh', '-q'])],
  ]
  let chosen = random(kinds.reduce((sum, [weight]) => sum + weight, 0))
  for (const [weight, make] of kinds) {
    if (chosen < weight) return make()
    chosen -= weight
  }
  throw new Error('unreachable')
}

function snapshotNames(directory: string, prefix = ''): Record<string, true> {
  const found: Record<string, true> = {}
  for (const entry of fs.readdirSync(path.join(directory, prefix), { withFileTypes: true })) {
    if (entry.name === '.git' || (prefix === '' && entry.name === '.main')) continue
    found[prefix + entry.name] = true
    if (entry.isDirectory()) Object.assign(found, snapshotNames(directory, `${prefix}${entry.name}/`))
  }
  return found
}

/** Removes what is in the way. */
function makeRoom(top: string, name: string): string {
  const parts = name.split('/')
  for (let depth = 1; depth < parts.length; depth += 1) {
    const parent = path.join(top, ...parts.slice(0, depth))
    if (!statIfThere(parent)?.isDirectory()) fs.rmSync(parent, { force: true })
  }
  const file = path.join(top, name)
  fs.rmSync(file, { recursive: true, force: true })
  fs.mkdirSync(path.dirname(file), { recursive: true })
  return file
}

function writeOver(top: string, name: string, text: string): void {
  fs.writeFileSync(makeRoom(top, name), text)
}

function linkOver(top: string, name: string, target: string): void {
  fs.symlinkSync(target, makeRoom(top, name))
}

/** Renames a file or directory, unless that would move it into itself. */
function moveOver(top: string, from: string, to: string): void {
  if (to === from || to.startsWith(`${from}/`) || from.startsWith(`${to}/`) || !statIfThere(path.join(top, from)))
    return
  const place = makeRoom(top, to)
  // What made room may have been what was to be moved.
  if (statIfThere(path.join(top, from))) fs.renameSync(path.join(top, from), place)
}

/** Another content of the same size, mostly in the second in which the file was staged. */
function editInPlace(top: string, name: string): void {
  const file = path.join(top, name)
  const stat = statIfThere(file)
  if (!stat?.isFile() || stat.size === 0) return
  const bytes = fs.readFileSync(file)
  bytes[0] = 0x41 + ((bytes[0] as number) % 26)
  fs.writeFileSync(file, bytes)
}

function statIfThere(file: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(file)
  } catch {
    return undefined
  }
}

function removeAt(top: string, name: string): void {
  if (statIfThere(path.join(top, name))) fs.rmSync(path.join(top, name), { recursive: true })
}

function flipMode(top: string, name: string): void {
  const file = path.join(top, name)
  const stat = statIfThere(file)
  if (stat?.isFile()) fs.chmodSync(file, stat.mode ^ 0o111)
}
