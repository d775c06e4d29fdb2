import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isFsError } from '../../../src/errors.js'
import { gitAdd } from '../../../src/ops/git/add.js'
import { gitCommit } from '../../../src/ops/git/commit.js'
import { gitAbortMerge, gitCherryPick, gitMerge } from '../../../src/ops/git/merge.js'
import { type Random, randomFrom } from '../../core/search/generated-trees.js'
import { scaled, seeded } from '../../scale.js'
import { openStage, type Stage } from './real-git.js'

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

const read = (name: string) => readFileSync(join(stage.directory, name), 'utf8')

function commit({ write, git }: Stage, files: Record<string, string>, message: string, ...options: string[]): void {
  for (const [name, text] of Object.entries(files)) write(name, text)
  git('add', '-A')
  git('commit', '-qm', message, '--allow-empty', ...options)
}

/** Two branches with a common start; `main` is checked out. */
function diverge(at: Stage, ours: Record<string, string>, theirs: Record<string, string>): void {
  commit(at, { 'a.txt': 'one\ntwo\nthree\n' }, 'base')
  at.git('checkout', '-qb', 'side')
  commit(at, theirs, 'theirs', '--author', 'Eve <eve@example.org>', '--date', '2001-02-03T04:05:06+0000')
  at.git('checkout', '-q', 'main')
  if (Object.keys(ours).length > 0) commit(at, ours, 'ours')
}

describe('a merge', () => {
  test('of what is there already changes nothing', async () => {
    diverge(stage, {}, {})
    stage.git('merge', '-q', '--no-ff', 'side')
    expect(await stage.run(gitMerge, { revision: 'side' })).toMatchObject({ outcome: 'up-to-date', changes: [] })
  })

  test('of what has only more goes forward', async () => {
    diverge(stage, {}, { 'b.txt': 'b\n' })
    const merged = await stage.run(gitMerge, { revision: 'side' })
    expect(merged).toMatchObject({
      outcome: 'fast-forward',
      branch: 'main',
      changes: [{ path: 'b.txt', change: 'added' }],
    })
    expect(stage.git('rev-parse', 'HEAD')).toBe(stage.git('rev-parse', 'side'))
    expect(stage.git('status', '--porcelain')).toBe('')
  })

  test('of two changed sides is a commit with two parents', async () => {
    diverge(stage, { 'a.txt': 'ONE\ntwo\nthree\n' }, { 'a.txt': 'one\ntwo\nTHREE\n' })
    const parents = [stage.git('rev-parse', 'main'), stage.git('rev-parse', 'side')].map((oid) => oid.trim())
    expect(await stage.run(gitMerge, { revision: 'side' })).toMatchObject({ outcome: 'committed', commit: { parents } })
    expect(read('a.txt')).toBe('ONE\ntwo\nTHREE\n')
    expect(stage.git('log', '-1', '--format=%B')).toBe("Merge branch 'side'\n\n")
    expect(stage.git('status', '--porcelain')).toBe('')
  })

  test('with conflicts leaves them in the files, and ends with a commit', async () => {
    diverge(stage, { 'a.txt': 'ours\ntwo\nthree\n' }, { 'a.txt': 'theirs\ntwo\nthree\n', 'b.txt': 'b\n' })
    expect(await stage.run(gitMerge, { revision: 'side' })).toMatchObject({
      outcome: 'conflicts',
      conflicts: ['a.txt'],
    })
    expect(read('a.txt')).toBe('<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\ntwo\nthree\n')
    expect(stage.git('status', '--porcelain')).toBe('UU a.txt\nA  b.txt\n')
    await expect(stage.run(gitCommit, { message: '' })).rejects.toMatchObject({ facts: { reason: 'unmerged' } })
    stage.write('a.txt', 'both\ntwo\nthree\n')
    await stage.run(gitAdd, { paths: ['a.txt'] })
    const { commit } = await stage.run(gitCommit, { message: '' })
    expect(commit.parents).toHaveLength(2)
    expect(stage.git('log', '-1', '--format=%B')).toBe("Merge branch 'side'\n\n")
    expect(stage.git('status')).toContain('nothing to commit, working tree clean')
  })

  test('with conflicts can be taken back, and other changes stay', async () => {
    diverge(stage, { 'a.txt': 'ours\n' }, { 'a.txt': 'theirs\n', 'b.txt': 'b\n' })
    stage.write('untracked', 'kept')
    await stage.run(gitMerge, { revision: 'side' })
    expect(await stage.run(gitAbortMerge, {})).toBe('merge')
    expect(stage.git('status', '--porcelain')).toBe('?? untracked\n')
    expect(read('a.txt')).toBe('ours\n')
    await expect(stage.run(gitAbortMerge, {})).rejects.toMatchObject({ facts: { reason: 'nothing-to-abort' } })
  })

  test.each([
    ['uncommitted changes that it would overwrite', (at: Stage) => at.write('a.txt', 'mine'), 'would-overwrite'],
    ['staged changes', stageAnother, 'would-overwrite'],
    ['an unfinished merge', (at: Stage) => at.write('.git/MERGE_HEAD', at.git('rev-parse', 'side')), 'under-way'],
  ])('is refused with %s', async (_what, prepare, reason) => {
    diverge(stage, { 'b.txt': 'b' }, { 'a.txt': 'theirs\n' })
    prepare(stage)
    const before = stage.git('status', '--porcelain')
    await expect(stage.run(gitMerge, { revision: 'side' })).rejects.toMatchObject({ facts: { reason } })
    expect(stage.git('status', '--porcelain')).toBe(before)
  })
})

function stageAnother(at: Stage): void {
  at.write('c.txt', 'c')
  at.git('add', '.')
}

describe('a cherry-pick', () => {
  test('commits what a commit has changed, with its author and message', async () => {
    diverge(stage, { 'b.txt': 'b\n' }, { 'a.txt': 'one\ntwo\nTHREE\n' })
    expect(await stage.run(gitCherryPick, { revision: 'side' })).toMatchObject({ outcome: 'committed' })
    expect(stage.git('log', '-1', '--format=%an %s %p')).toBe(
      `Eve theirs ${stage.git('rev-parse', '--short', 'HEAD~1')}`,
    )
    expect(read('a.txt')).toBe('one\ntwo\nTHREE\n')
  })

  test('with conflicts ends with a commit of the same author', async () => {
    diverge(stage, { 'a.txt': 'ours\n' }, { 'a.txt': 'theirs\n' })
    expect(await stage.run(gitCherryPick, { revision: 'side' })).toMatchObject({ outcome: 'conflicts' })
    stage.write('a.txt', 'both\n')
    await stage.run(gitAdd, { paths: ['a.txt'] })
    await stage.run(gitCommit, { message: '' })
    expect(stage.git('log', '-1', '--format=%an %s')).toBe('Eve theirs\n')
    expect(stage.git('status')).toContain('working tree clean')
  })

  test('that changes nothing is refused', async () => {
    diverge(stage, { 'a.txt': 'same\n' }, { 'a.txt': 'same\n' })
    await expect(stage.run(gitCherryPick, { revision: 'side' })).rejects.toMatchObject({
      facts: { reason: 'nothing-to-commit' },
    })
  })
})

test('merges and picks of generated histories leave what git leaves', async () => {
  const random = randomFrom(seeded(31))
  const counted: Record<string, number> = {}
  for (let round = 0; round < scaled(120); round++) {
    const base = states(random, undefined)
    const [left, right] = [states(random, base), states(random, base)]
    const operation = random(3) === 0 ? ('cherry-pick' as const) : ('merge' as const)
    const real = await openStage()
    put(real, {}, base)
    real.git('commit', '-qm', 'base', '--allow-empty')
    real.git('checkout', '-qb', 'side')
    put(real, base, right)
    real.git('commit', '-qm', 'theirs', '--allow-empty')
    real.git('checkout', '-q', 'main')
    put(real, base, left)
    real.git('commit', '-qm', 'ours', '--allow-empty')
    const own = await openStage({ from: real })
    try {
      const outcome = await own.run(operation === 'merge' ? gitMerge : gitCherryPick, { revision: 'side' }).then(
        (done) => done.outcome,
        (error: unknown) => {
          if (isFsError(error, 'GIT_REFUSED')) return error.facts.reason
          throw error
        },
      )
      counted[outcome] = (counted[outcome] ?? 0) + 1
      // Kinds of merges that are refused are so by name.
      if (outcome === 'unsupported-merge') continue
      try {
        real.git(operation, 'side')
      } catch {
        // A conflict, which both have.
      }
      if (outcome === 'nothing-to-commit') real.git('cherry-pick', '--skip')
      expect([operation, outcome, leftBy(own)]).toEqual([operation, outcome, leftBy(real)])
    } finally {
      real.close()
      own.close()
    }
  }
  console.log(`generated merges: ${JSON.stringify(counted)}`)
  expect(Object.keys(counted)).toEqual(expect.arrayContaining(['committed', 'conflicts']))
})

type Files = Record<string, string>

/** Some files, or what became of them on one side. */
function states(random: Random, from: Files | undefined): Files {
  const line = () => ['alpha', 'beta', 'gamma', 'delta'][random(4)]
  if (from === undefined) {
    const names = ['a', 'b', 'd/c', 'd/e', 'f'].filter(() => random(4) > 0)
    return Object.fromEntries(
      names.map((name) => [name, Array.from({ length: 8 }, (_, at) => `${at} ${line()} ${name}\n`).join('')]),
    )
  }
  const files: Files = {}
  for (const [name, text] of Object.entries(from)) {
    const fate = random(10)
    if (fate === 0) continue
    const at = random(8)
    const edited = text.replace(new RegExp(`^${at} .*`, 'm'), () => `${at} ${line()}!`)
    files[fate === 1 ? `${name}.moved` : name] = fate < 6 ? edited : text
  }
  if (random(3) === 0) files[`new${random(2)}`] = `${line()}\n`
  return files
}

function put(at: Stage, before: Files, after: Files): void {
  for (const name of Object.keys(before)) if (!(name in after)) at.git('rm', '-q', name)
  for (const [name, text] of Object.entries(after)) at.write(name, text)
  at.git('add', '-A')
}

/** What a merge has left: the files, the index, and the commit but for its times. */
function leftBy({ git }: Stage): unknown {
  const files = git('ls-files', '-s', '-c', '-o', '--exclude-standard')
  return [
    files,
    git('status', '--porcelain'),
    git('diff'),
    git('log', '-1', '--format=%T %an %B'),
    git('rev-list', '--count', 'HEAD'),
  ]
}
