import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  printBranches,
  printDiff,
  printDiffStat,
  printLog,
  printShortStatus,
  printShow,
  printStatus,
} from '../../../src/git/print/print-results.js'
import { gitAdd } from '../../../src/ops/git/add.js'
import { gitBranch, gitBranches } from '../../../src/ops/git/branch.js'
import { gitCheckout } from '../../../src/ops/git/checkout.js'
import { gitClone } from '../../../src/ops/git/clone.js'
import { gitCommit } from '../../../src/ops/git/commit.js'
import { gitDiff } from '../../../src/ops/git/diff.js'
import { gitInit } from '../../../src/ops/git/init.js'
import { gitLog } from '../../../src/ops/git/log.js'
import { gitRestore } from '../../../src/ops/git/restore.js'
import { gitShow } from '../../../src/ops/git/show.js'
import { gitStatus } from '../../../src/ops/git/status.js'
import { openStage, type Stage } from './real-git.js'

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

/** Two commits by the real git, packed. */
function plantHistory(): void {
  stage.write('a.txt', 'one\ntwo\nthree\n')
  stage.write('d/b.txt', 'b\n')
  stage.write('tool.sh', '#!/bin/sh\n')
  fs.chmodSync(path.join(stage.directory, 'tool.sh'), 0o755)
  stage.git('add', '.')
  stage.git('commit', '-qm', 'first')
  stage.write('a.txt', 'one\n2\nthree\n')
  stage.git('commit', '-qam', 'second\n\nwith a body')
  stage.git('tag', '-am', 'a tag', 'v1')
  stage.git('gc', '-q')
}

test('a directory deeper than the longest path is walked like any other', async () => {
  stage.write('a.txt', 'a\n')
  stage.write('deep/b.txt', 'b\n')
  // Each level is created from inside the previous one.
  const name = 'n'.repeat(200)
  const dig = `for (let i = 0; i < 25; i += 1) { fs.mkdirSync('${name}'); process.chdir('${name}') }`
  execFileSync(process.execPath, ['-e', dig], { cwd: path.join(stage.directory, 'deep') })
  try {
    const status = await stage.run(gitStatus, {})
    expect([status.untracked, status.tooDeep]).toEqual([['a.txt', 'deep/'], undefined])
    expect(printShortStatus(status)).toBe(stage.git('status', '--short'))
    const added = await stage.run(gitAdd, { all: true })
    expect([added.changes.map((each) => each.path), added.tooDeep]).toEqual([['a.txt', 'deep/b.txt'], undefined])
    await stage.run(gitCommit, { message: 'all of it' })
    await stage.run(gitCheckout, { create: 'other' })
  } finally {
    execFileSync('rm', ['-rf', path.join(stage.directory, 'deep')])
  }
})

describe('our output equals git’s', () => {
  test('of a repository with changes of every kind', async () => {
    plantHistory()
    stage.write('a.txt', 'one\n2\nthree\nfour\n')
    stage.write('with space.txt', 'x\n')
    stage.write('süß/y.txt', 'y\n')
    stage.write('staged.txt', 'staged\n')
    stage.write('binary', new Uint8Array([1, 0, 2]))
    stage.git('add', 'staged.txt', 'binary')
    stage.write('staged.txt', 'staged\nand more\n')
    fs.rmSync(path.join(stage.directory, 'd/b.txt'))
    fs.chmodSync(path.join(stage.directory, 'tool.sh'), 0o644)
    const status = await stage.run(gitStatus, {})
    expect(printShortStatus(status, { branch: true })).toBe(stage.git('status', '--short', '--branch', '--no-renames'))
    expect(printStatus(status)).toBe(stage.git('status', '--no-renames'))
    expect(printDiff(await stage.run(gitDiff, {}))).toBe(stage.git('diff', '--no-renames'))
    const cached = await stage.run(gitDiff, { from: 'head', to: 'index' })
    expect(printDiff(cached)).toBe(stage.git('diff', '--cached'))
    expect(printDiffStat(cached)).toBe(stage.git('diff', '--cached', '--stat'))
    const both = await stage.run(gitDiff, { from: 'head' })
    expect(printDiffStat(both)).toBe(stage.git('diff', 'HEAD', '--stat', '--no-renames'))
    expect(printDiff(await stage.run(gitDiff, { from: 'head', paths: ['d'] }))).toBe(
      stage.git('diff', 'HEAD', '--', 'd'),
    )
  })

  test('of its history', async () => {
    plantHistory()
    expect(printLog((await stage.run(gitLog, {})).commits)).toBe(stage.git('log'))
    expect(printLog((await stage.run(gitLog, { revision: 'v1' })).commits, { oneline: true })).toBe(
      stage.git('log', '--oneline', 'v1'),
    )
    expect(printLog((await stage.run(gitLog, { paths: ['d'] })).commits)).toBe(stage.git('log', '--', 'd'))
    expect(await stage.run(gitLog, { limit: 1 })).toMatchObject({
      commits: [{ message: 'second\n\nwith a body\n' }],
      more: true,
    })
    expect(await stage.run(gitLog, { limit: 1, skip: 1 })).toMatchObject({
      commits: [{ message: 'first\n' }],
      more: false,
    })
    expect(printShow(await stage.run(gitShow, {}))).toBe(stage.git('show', 'HEAD'))
    expect(printShow(await stage.run(gitShow, { revision: 'HEAD~' }))).toBe(stage.git('show', 'HEAD~'))
    expect(printShow(await stage.run(gitShow, { revision: 'HEAD~1', path: 'a.txt' }))).toBe(
      stage.git('show', 'HEAD~1:a.txt'),
    )
    expect(printShow(await stage.run(gitShow, { path: 'd' }), 'HEAD')).toBe(
      stage.git('show', 'HEAD:d').replace('HEAD:d', 'HEAD:d'),
    )
    stage.git('branch', 'topic/one')
    expect(printBranches(await stage.run(gitBranches, {}))).toBe(stage.git('branch'))
  })

  test('before the first commit, and when all is clean', async () => {
    expect(printStatus(await stage.run(gitStatus, {}))).toBe(stage.git('status'))
    stage.write('a.txt', 'a\n')
    expect(printStatus(await stage.run(gitStatus, {}))).toBe(stage.git('status'))
    await stage.run(gitAdd, { all: true })
    expect(printStatus(await stage.run(gitStatus, {}))).toBe(stage.git('status'))
    await stage.run(gitCommit, { message: 'first' })
    expect(printStatus(await stage.run(gitStatus, {}))).toBe(stage.git('status'))
  })

  test('during a merge with conflicts, which add and commit conclude', async () => {
    plantHistory()
    stage.git('checkout', '-qb', 'theirs', 'HEAD~1')
    stage.write('a.txt', 'one\nzwei\nthree\n')
    stage.git('commit', '-qam', 'theirs')
    stage.git('checkout', '-q', 'main')
    expect(() => stage.git('merge', 'theirs')).toThrow()
    const status = await stage.run(gitStatus, {})
    expect(printShortStatus(status)).toBe(stage.git('status', '--porcelain'))
    expect(printStatus(status)).toBe(stage.git('status'))
    await expect(stage.run(gitCommit, { message: 'no' })).rejects.toMatchObject({
      code: 'GIT_REFUSED',
      facts: { reason: 'unmerged', paths: ['a.txt'] },
    })
    stage.write('a.txt', 'one\nzwei und 2\nthree\n')
    await stage.run(gitAdd, { paths: ['a.txt'] })
    expect(printStatus(await stage.run(gitStatus, {}))).toBe(stage.git('status'))
    await stage.run(gitCommit, { message: 'merged' })
    expect(stage.git('log', '--format=%s %P', '-1').trim()).toBe(
      `merged ${stage.git('rev-parse', 'main~1').trim()} ${stage.git('rev-parse', 'theirs').trim()}`,
    )
    expect(printStatus(await stage.run(gitStatus, {}))).toBe(stage.git('status'))
    expect(printLog((await stage.run(gitLog, {})).commits, { oneline: true })).toBe(stage.git('log', '--oneline'))
    expect(stage.git('fsck', '--strict', '--no-dangling')).toBe('')
  })

  test('ahead of and behind its upstream', async () => {
    plantHistory()
    stage.git('branch', 'base')
    stage.git('branch', '-q', '--set-upstream-to', 'base')
    const lines = async () => [printStatus(await stage.run(gitStatus, {})), stage.git('status')]
    const [same, theirs] = await lines()
    expect(same).toBe(theirs)
    stage.git('commit', '-q', '--allow-empty', '-m', 'ahead')
    const [ahead, gitAhead] = await lines()
    expect(ahead).toBe(gitAhead)
    stage.git('checkout', '-q', 'base')
    stage.git('commit', '-q', '--allow-empty', '-m', 'behind')
    stage.git('checkout', '-q', 'main')
    const [apart, gitApart] = await lines()
    expect(apart).toBe(gitApart)
  })
})

describe('git can read what we write', () => {
  test('a repository from its first to its last commit', async () => {
    const fresh = await openStage({ init: false })
    try {
      await fresh.run(gitInit, { branch: 'trunk' })
      fresh.write('a.txt', 'a\n')
      await fresh.run(gitAdd, { paths: ['a.txt'] })
      const author = { name: 'Eve <Ex>', email: 'eve@example.org' }
      await expect(fresh.run(gitCommit, { message: 'x' })).rejects.toMatchObject({
        facts: { reason: 'missing-author' },
      })
      await expect(fresh.run(gitCommit, { message: ' \n', author })).rejects.toMatchObject({
        facts: { reason: 'missing-message' },
      })
      await fresh.run(gitCommit, { message: 'first  \n\n\n\nbody\n\n', author })
      await expect(fresh.run(gitCommit, { message: 'again', author })).rejects.toMatchObject({
        facts: { reason: 'nothing-to-commit' },
      })
      expect(fresh.git('log', '--format=%an|%ae|%B|%D')).toBe('Eve Ex|eve@example.org|first\n\nbody\n|HEAD -> trunk\n')
      expect(fresh.git('fsck', '--strict')).toBe('')
      expect(fresh.git('status', '--porcelain')).toBe('')
      await fresh.run(gitCommit, { message: '', amend: true, author })
      expect(fresh.git('log', '--format=%s')).toBe('first\n')
      await expect(fresh.run(gitInit, {})).rejects.toMatchObject({ facts: { reason: 'repository-exists' } })
    } finally {
      fresh.close()
    }
  })

  test('branches created, renamed and deleted, packed or not', async () => {
    plantHistory()
    await stage.run(gitBranch, { action: 'create', name: 'topic' })
    stage.git('pack-refs', '--all')
    await stage.run(gitBranch, { action: 'rename', name: 'topic', to: 'topic/one' })
    expect(stage.git('branch', '--format=%(refname:short)')).toBe('main\ntopic/one\n')
    await stage.run(gitBranch, { action: 'rename', name: 'main', to: 'trunk' })
    expect(stage.git('branch', '--show-current')).toBe('trunk\n')
    await stage.run(gitCheckout, { create: 'work' })
    await stage.run(gitCommit, { message: 'work', allowEmpty: true })
    await stage.run(gitCheckout, { revision: 'trunk' })
    await expect(stage.run(gitBranch, { action: 'delete', name: 'work' })).rejects.toMatchObject({
      facts: { reason: 'not-merged' },
    })
    await expect(stage.run(gitBranch, { action: 'delete', name: 'trunk' })).rejects.toMatchObject({
      facts: { reason: 'current-branch' },
    })
    await stage.run(gitBranch, { action: 'delete', name: 'work', force: true })
    await stage.run(gitBranch, { action: 'delete', name: 'topic/one' })
    expect(stage.git('branch', '--format=%(refname:short)')).toBe('trunk\n')
    await expect(stage.run(gitBranch, { action: 'create', name: 'trunk' })).rejects.toMatchObject({
      facts: { reason: 'branch-exists' },
    })
    expect(stage.git('fsck', '--strict', '--no-dangling')).toBe('')
  })
})

describe('checkout', () => {
  beforeEach(plantHistory)

  test('moves files both ways, links and modes included', async () => {
    stage.git('checkout', '-qb', 'other')
    fs.rmSync(path.join(stage.directory, 'd'), { recursive: true })
    stage.write('d', 'now a file\n')
    fs.symlinkSync('a.txt', path.join(stage.directory, 'link'))
    fs.chmodSync(path.join(stage.directory, 'tool.sh'), 0o644)
    stage.git('add', '-A')
    stage.git('commit', '-qm', 'other')
    for (const revision of ['main', 'other', 'main~1', 'other']) {
      await stage.run(gitCheckout, { revision })
      expect(stage.git('status', '--porcelain')).toBe('')
      expect(stage.git('rev-parse', 'HEAD')).toBe(stage.git('rev-parse', revision))
    }
    expect(fs.readlinkSync(path.join(stage.directory, 'link'))).toBe('a.txt')
    expect(stage.git('symbolic-ref', 'HEAD')).toBe('refs/heads/other\n')
  })

  test('preserves changes where the commits do not differ, and otherwise refuses', async () => {
    stage.write('d/b.txt', 'mine\n')
    stage.write('new.txt', 'new\n')
    await stage.run(gitCheckout, { revision: 'HEAD~1' })
    expect(stage.git('status', '--porcelain')).toBe(' M d/b.txt\n?? new.txt\n')
    stage.write('a.txt', 'mine too\n')
    await expect(stage.run(gitCheckout, { revision: 'main' })).rejects.toMatchObject({
      code: 'GIT_REFUSED',
      facts: { reason: 'would-overwrite', paths: ['a.txt'] },
    })
    expect(stage.git('rev-parse', 'HEAD')).toBe(stage.git('rev-parse', 'main~1'))
    await stage.run(gitCheckout, { revision: 'main', force: true })
    expect(stage.git('status', '--porcelain')).toBe('?? new.txt\n')
  })

  test('refuses to overwrite an untracked file', async () => {
    stage.git('rm', '-q', 'd/b.txt')
    stage.git('commit', '-qm', 'without')
    stage.write('d/b.txt', 'untracked\n')
    const refused = { code: 'GIT_REFUSED', facts: { reason: 'would-overwrite', paths: ['d/b.txt'] } }
    await expect(stage.run(gitCheckout, { revision: 'main~1' })).rejects.toMatchObject(refused)
    fs.rmSync(path.join(stage.directory, 'd'), { recursive: true })
    stage.write('d', 'in the way\n')
    await expect(stage.run(gitCheckout, { revision: 'main~1' })).rejects.toMatchObject({ facts: { paths: ['d'] } })
  })

  test('is one change, which undo reverts with everything in .git', async () => {
    const before = stage.git('rev-parse', 'HEAD')
    await stage.run(gitCheckout, { revision: 'HEAD~1' })
    await stage.workspace.history.undo()
    expect(stage.git('rev-parse', 'HEAD')).toBe(before)
    expect(stage.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main\n')
    expect(stage.git('status', '--porcelain')).toBe('')
  })

  test('restores files from the index, from a commit, and unstages', async () => {
    stage.write('a.txt', 'changed\n')
    await stage.run(gitAdd, { paths: ['a.txt'] })
    stage.write('a.txt', 'changed again\n')
    await stage.run(gitRestore, { paths: ['a.txt'] })
    expect(fs.readFileSync(path.join(stage.directory, 'a.txt'), 'utf8')).toBe('changed\n')
    await stage.run(gitRestore, { paths: ['.'], staged: true })
    expect(stage.git('status', '--porcelain')).toBe(' M a.txt\n')
    await stage.run(gitRestore, { paths: ['a.txt'], revision: 'HEAD~1' })
    expect(fs.readFileSync(path.join(stage.directory, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n')
    expect(stage.git('status', '--porcelain')).toBe('M  a.txt\n')
    await expect(stage.run(gitRestore, { paths: ['missing'] })).rejects.toMatchObject({
      facts: { reason: 'unmatched-path', paths: ['missing'] },
    })
  })
})

describe('staging', () => {
  test('respects ignore files, and stages removals', async () => {
    plantHistory()
    stage.write('.gitignore', '*.log\nbuild/\n')
    stage.write('x.log', '')
    stage.write('build/out', '')
    fs.rmSync(path.join(stage.directory, 'd/b.txt'))
    await expect(stage.run(gitAdd, { paths: ['x.log'] })).rejects.toMatchObject({
      facts: { reason: 'ignored', paths: ['x.log'] },
    })
    await expect(stage.run(gitAdd, { paths: ['nothing'] })).rejects.toMatchObject({
      facts: { reason: 'unmatched-path', paths: ['nothing'] },
    })
    expect((await stage.run(gitAdd, { all: true })).changes).toEqual([
      { path: '.gitignore', change: 'added' },
      { path: 'd/b.txt', change: 'deleted' },
    ])
    await stage.run(gitAdd, { paths: ['x.log'], force: true })
    expect(stage.git('status', '--porcelain', '--no-renames')).toBe('A  .gitignore\nD  d/b.txt\nA  x.log\n')
  })

  test('leaves nested repositories alone', async () => {
    stage.write('sub/.git/HEAD', 'ref: refs/heads/main\n')
    stage.write('sub/file', '')
    stage.write('own', '')
    expect(await stage.run(gitAdd, { all: true })).toEqual({
      changes: [{ path: 'own', change: 'added' }],
      skipped: ['sub/'],
      unreadable: [],
    })
  })
})

test('many new files go into one pack, which git finds intact', async () => {
  for (let i = 0; i < 60; i += 1) stage.write(`part-${i % 7}/${i}.txt`, `${i}\n`.repeat(i * 40))
  stage.write('empty', '')
  await stage.run(gitAdd, { all: true })
  await stage.run(gitCommit, { message: 'many' })
  expect(stage.git('fsck', '--strict')).toBe('')
  expect(stage.git('status', '--porcelain')).toBe('')
  const packs = fs.readdirSync(path.join(stage.directory, '.git/objects/pack')).filter((name) => name.endsWith('.idx'))
  expect(packs.length).toBe(1)
  stage.git('verify-pack', `.git/objects/pack/${packs[0]}`)
  stage.git('rm', '-rq', '.')
  await stage.run(gitCheckout, { force: true })
  expect(stage.git('status', '--porcelain')).toBe('')
})

test('cloning is refused without network access', async () => {
  await expect(stage.run(gitClone, { url: 'https://example.org/x.git' })).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    facts: { operation: 'clone' },
  })
})
