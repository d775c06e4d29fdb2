import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { gitAdd } from '../../../src/ops/git/add.js'
import { gitCheckout } from '../../../src/ops/git/checkout.js'
import { gitRestore } from '../../../src/ops/git/restore.js'
import { openStage, type Stage } from './real-git.js'

/** One side has a file where the other has a directory of the same name. */
let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

/** `main` has `tracked` and `b`; `other` has `tracked`, `a/b` and `b/c`. */
function plantBranches(): void {
  stage.write('tracked', 'tracked\n')
  stage.git('add', '.')
  stage.git('commit', '-qm', 'base')
  stage.git('checkout', '-qb', 'other')
  stage.write('a/b', 'a/b\n')
  stage.write('b/c', 'b/c\n')
  stage.git('add', '.')
  stage.git('commit', '-qm', 'directories')
  stage.git('checkout', '-q', 'main')
  stage.write('b', 'b\n')
  stage.git('add', '.')
  stage.git('commit', '-qm', 'files')
}

function everything(): unknown {
  const { directory, git } = stage
  const names = (fs.readdirSync(directory, { recursive: true }) as string[]).filter(
    (name) => name !== '.git' && !name.startsWith('.git/'),
  )
  const files = names.sort().map((name) => {
    const full = path.join(directory, name)
    return [name, fs.statSync(full).isFile() ? fs.readFileSync(full, 'utf8') : 'directory']
  })
  return [git('ls-files', '-s'), git('status', '--porcelain'), git('rev-parse', 'HEAD'), files]
}

async function expectRefused(run: () => Promise<unknown>, reason: string, paths: string[]): Promise<void> {
  const before = everything()
  await expect(run()).rejects.toMatchObject({ code: 'GIT_REFUSED', facts: { reason, paths } })
  expect(everything()).toEqual(before)
}

test('a checkout does not replace a staged file by a directory', async () => {
  plantBranches()
  stage.write('a', 'staged, in no commit\n')
  stage.git('add', 'a')
  expect(() => stage.git('checkout', 'other')).toThrow()
  await expectRefused(() => stage.run(gitCheckout, { revision: 'other' }), 'would-overwrite', ['a'])
})

test('nor a directory of staged files by a file', async () => {
  plantBranches()
  stage.git('checkout', '-q', 'other~1')
  stage.write('b/new', 'staged, in no commit\n')
  stage.git('add', 'b/new')
  await expectRefused(() => stage.run(gitCheckout, { revision: 'main' }), 'would-overwrite', ['b/new'])
})

test('where everything is tracked and clean, a file and a directory swap places', async () => {
  plantBranches()
  fs.mkdirSync(path.join(stage.directory, 'a/empty/below'), { recursive: true })
  await stage.run(gitCheckout, { revision: 'other' })
  expect(stage.git('status', '--porcelain')).toBe('')
  expect(stage.git('write-tree')).toBe(stage.git('rev-parse', 'other^{tree}'))
  await stage.run(gitCheckout, { revision: 'main' })
  expect(stage.git('status', '--porcelain')).toBe('')
  expect(stage.git('write-tree')).toBe(stage.git('rev-parse', 'main^{tree}'))
})

test('a forced checkout discards staged changes, but no directory of untracked files', async () => {
  plantBranches()
  stage.write('a', 'staged\n')
  stage.git('add', 'a')
  await stage.run(gitCheckout, { revision: 'other', force: true })
  expect(stage.git('status', '--porcelain')).toBe('')
  stage.write('b/untracked', 'untracked\n')
  await expectRefused(() => stage.run(gitCheckout, { revision: 'main', force: true }), 'in-the-way', ['b/untracked'])
})

test('a file is not restored below a tracked file that was not named', async () => {
  plantBranches()
  await expectRefused(() => stage.run(gitRestore, { revision: 'other', paths: ['b/c'] }), 'in-the-way', ['b'])
  await expectRefused(() => stage.run(gitRestore, { revision: 'other', paths: ['b/c'], staged: true }), 'in-the-way', [
    'b',
  ])
  await stage.run(gitRestore, { revision: 'other', paths: ['b'] })
  expect(stage.git('ls-files')).toBe('b/c\ntracked\n')
  expect(stage.git('status', '--porcelain', '--no-renames')).toBe('D  b\nA  b/c\n')
  stage.git('write-tree')
})

test('nor in place of an untracked file or directory', async () => {
  plantBranches()
  stage.git('checkout', '-q', 'other')
  fs.rmSync(path.join(stage.directory, 'b'), { recursive: true })
  stage.write('b', 'untracked\n')
  await expectRefused(() => stage.run(gitRestore, { paths: ['b/c'] }), 'in-the-way', ['b'])
  fs.rmSync(path.join(stage.directory, 'tracked'))
  stage.write('tracked/untracked', 'untracked\n')
  await expectRefused(() => stage.run(gitRestore, { paths: ['tracked'] }), 'in-the-way', ['tracked/untracked'])
})

test('a file marked "assume unchanged" is not overwritten unnoticed', async () => {
  plantBranches()
  stage.git('checkout', '-qb', 'third')
  stage.write('tracked', 'third\n')
  stage.git('commit', '-qam', 'third')
  stage.git('update-index', '--assume-unchanged', 'tracked')
  stage.write('tracked', 'in no commit\n')
  expect(() => stage.git('checkout', 'main')).toThrow()
  await expectRefused(() => stage.run(gitCheckout, { revision: 'main' }), 'would-overwrite', ['tracked'])
})

test('a file that was removed only from the index is not deleted', async () => {
  plantBranches()
  stage.git('rm', '-q', '--cached', 'b')
  stage.git('commit', '-qm', 'without b')
  stage.git('checkout', '-q', '--detach', 'HEAD~1', '-f')
  stage.git('rm', '-q', '--cached', 'b')
  stage.write('b', 'untracked\n')
  expect(() => stage.git('checkout', 'main')).toThrow()
  await expectRefused(() => stage.run(gitCheckout, { revision: 'main' }), 'would-overwrite', ['b'])
})

test('nor is a directory that replaced such a file', async () => {
  plantBranches()
  stage.git('rm', '-q', '--cached', 'b')
  fs.rmSync(path.join(stage.directory, 'b'))
  stage.write('b/untracked', 'untracked\n')
  expect(() => stage.git('checkout', 'other~1')).toThrow()
  await expectRefused(() => stage.run(gitCheckout, { revision: 'other~1' }), 'would-overwrite', ['b/untracked'])
})

test('an untracked file is in the way even with the same content', async () => {
  plantBranches()
  stage.write('a/b', 'a/b\n')
  expect(() => stage.git('checkout', 'other')).toThrow()
  await expectRefused(() => stage.run(gitCheckout, { revision: 'other' }), 'would-overwrite', ['a/b'])
})

test('an empty directory can be named for add', async () => {
  fs.mkdirSync(path.join(stage.directory, 'empty/below'), { recursive: true })
  stage.git('add', 'empty')
  expect(await stage.run(gitAdd, { paths: ['empty'] })).toMatchObject({ changes: [] })
  await expect(stage.run(gitAdd, { paths: ['missing'] })).rejects.toMatchObject({ facts: { reason: 'unmatched-path' } })
})
