import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { gitAdd } from '../../../src/ops/git/add.js'
import { gitCheckout } from '../../../src/ops/git/checkout.js'
import { gitCommit } from '../../../src/ops/git/commit.js'
import { gitRestore } from '../../../src/ops/git/restore.js'
import { openStage, type Stage } from './real-git.js'

/** Operations in progress that git started: a merge, a cherry-pick and others. */
let stage: Stage
beforeEach(async () => {
  stage = await openStage()
  stage.write('a', 'base\n')
  stage.git('add', '.')
  stage.git('commit', '-qm', 'base')
  stage.git('checkout', '-qb', 'theirs')
  stage.write('a', 'theirs\n')
  stage.write('new', 'theirs\n')
  stage.git('add', '.')
  stage.git('commit', '-qm', 'theirs', '--author', 'Eve <eve@example.org>', '--date', '2001-02-03T04:05:06+0000')
  stage.git('checkout', '-q', 'main')
  stage.write('a', 'ours\n')
  stage.git('commit', '-qam', 'ours')
})
afterEach(() => stage.close())

function begin(...args: string[]): void {
  expect(() => stage.git(...args)).toThrow()
}

async function resolve(): Promise<void> {
  stage.write('a', 'both\n')
  await stage.run(gitAdd, { paths: ['a'] })
}

const left = () =>
  fs
    .readdirSync(path.join(stage.directory, '.git'))
    .filter((name) => /^(.*MERGE.*|CHERRY_PICK_HEAD|REVERT_HEAD|SQUASH_MSG|sequencer)$/.test(name))

const inProgress = (subject: string) => ({ code: 'GIT_REFUSED', facts: { reason: 'under-way', subject } })

for (const [name, args, force] of [
  ['merge', ['merge', 'theirs'], true],
  ['cherry-pick', ['cherry-pick', 'theirs'], true],
  ['rebase', ['rebase', 'theirs'], false],
] as const) {
  test(`a checkout during a ${name} is refused, even when all conflicts are resolved`, async () => {
    begin(...args)
    await resolve()
    const before = [stage.git('status', '--porcelain'), stage.git('rev-parse', 'HEAD'), left()]
    for (const input of [{ revision: 'theirs' }, { create: 'another' }, ...(force ? [] : [{ force: true }])]) {
      await expect(stage.run(gitCheckout, input)).rejects.toMatchObject(inProgress(name))
    }
    expect([stage.git('status', '--porcelain'), stage.git('rev-parse', 'HEAD'), left()]).toEqual(before)
  })
}

test('a forced checkout abandons a merge, and the next commit has one parent', async () => {
  begin('merge', 'theirs')
  await stage.run(gitCheckout, { revision: 'theirs', force: true })
  expect(left()).toEqual([])
  expect(stage.git('status', '--porcelain')).toBe('')
  stage.write('a', 'more\n')
  await stage.run(gitCommit, { message: 'more', all: true })
  expect(stage.git('log', '-1', '--format=%P')).toBe(stage.git('rev-parse', 'theirs~1'))
})

test('a forced checkout removes files that only the other side had', async () => {
  stage.git('rm', '-q', 'a')
  stage.git('commit', '-qm', 'without a')
  begin('merge', 'theirs')
  expect(stage.git('status', '--porcelain')).toBe('DU a\nA  new\n')
  await stage.run(gitCheckout, { force: true })
  expect(stage.git('status', '--porcelain')).toBe('')
})

test('the last commit can’t be amended during a merge or cherry-pick', async () => {
  for (const [name, ...args] of [
    ['merge', 'theirs'],
    ['cherry-pick', 'theirs'],
  ] as const) {
    begin(name, ...args)
    await resolve()
    expect(() => stage.git('commit', '--amend', '-m', 'x')).toThrow()
    await expect(stage.run(gitCommit, { message: 'x', amend: true })).rejects.toMatchObject(inProgress(name))
    stage.git(name, '--abort')
  }
})

test('a commit ends a merge, with both parents', async () => {
  begin('merge', 'theirs')
  await resolve()
  await stage.run(gitCommit, { message: 'merged' })
  expect(stage.git('log', '-1', '--format=%P').trim().split(' ')).toHaveLength(2)
  expect(left()).toEqual([])
  expect(stage.git('ls-tree', '--name-only', 'HEAD')).toBe('a\nnew\n')
})

test('a commit concludes a cherry-pick with its original author, and a series with its last one', async () => {
  stage.git('checkout', '-q', 'theirs')
  stage.write('a', 'again\n')
  stage.git('commit', '-qam', 'again')
  stage.git('checkout', '-q', 'main')
  begin('cherry-pick', 'theirs~1', 'theirs')
  await resolve()
  await stage.run(gitCommit, { message: 'picked' })
  expect(stage.git('log', '-1', '--format=%an %ae %aI %cn')).toBe('Eve eve@example.org 2001-02-03T04:05:06+00:00 Ada\n')
  expect(left()).toEqual(['sequencer'])
  begin('cherry-pick', '--continue')
  stage.write('a', 'all\n')
  await stage.run(gitCommit, { message: 'last', all: true })
  expect(left()).toEqual([])
  expect(stage.git('status')).toContain('nothing to commit')
})

test('a merge with an autostash is left to git', async () => {
  stage.write('b', 'b\n')
  stage.git('add', '.')
  stage.git('commit', '-qm', 'b')
  stage.write('b', 'uncommitted\n')
  begin('merge', '--autostash', 'theirs')
  await resolve()
  await expect(stage.run(gitCommit, { message: 'merged' })).rejects.toMatchObject({
    facts: { reason: 'unsupported-repository' },
  })
  expect(left()).toContain('MERGE_AUTOSTASH')
})

test('a conflicted path is not restored from the index, which has three versions of it', async () => {
  begin('merge', 'theirs')
  const before = stage.git('status', '--porcelain')
  for (const name of ['a', '.']) {
    expect(() => stage.git('restore', name)).toThrow()
    await expect(stage.run(gitRestore, { paths: [name] })).rejects.toMatchObject({
      facts: { reason: 'unmerged', paths: ['a'] },
    })
  }
  expect(stage.git('status', '--porcelain')).toBe(before)
})
