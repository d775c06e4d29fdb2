import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { printBranches, printShortStatus } from '../../../src/git/print/print-results.js'
import { gitAdd } from '../../../src/ops/git/add.js'
import { gitBranch, gitBranches } from '../../../src/ops/git/branch.js'
import { gitCheckout } from '../../../src/ops/git/checkout.js'
import { gitCommit } from '../../../src/ops/git/commit.js'
import { gitLog } from '../../../src/ops/git/log.js'
import { gitStatus } from '../../../src/ops/git/status.js'
import { openStage, type Stage } from './real-git.js'

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
  stage.write('a.txt', 'a\n')
  stage.git('add', '.')
  stage.git('commit', '-qm', 'first')
})
afterEach(() => stage.close())

const create = (name: string) => stage.run(gitBranch, { action: 'create', name })
const remove = (name: string) => stage.run(gitBranch, { action: 'delete', name, force: true })
const rename = (name: string, to: string) => stage.run(gitBranch, { action: 'rename', name, to })
const conflict = (subject: string, other: string) => ({ facts: { reason: 'name-conflict', subject, paths: [other] } })

describe('a branch and one below its name', () => {
  test.each(['loose', 'packed'])('are refused, %s', async (how) => {
    stage.git('branch', 'a')
    stage.git('branch', 'x/y/z')
    if (how === 'packed') stage.git('pack-refs', '--all')
    await expect(create('a/b')).rejects.toMatchObject(conflict('a/b', 'a'))
    await expect(create('a/b/c')).rejects.toMatchObject(conflict('a/b/c', 'a'))
    await expect(create('x')).rejects.toMatchObject(conflict('x', 'x/y/z'))
    await expect(create('x/y')).rejects.toMatchObject(conflict('x/y', 'x/y/z'))
    await expect(stage.run(gitCheckout, { create: 'a/b' })).rejects.toMatchObject(conflict('a/b', 'a'))
    await expect(rename('main', 'a/b')).rejects.toMatchObject(conflict('a/b', 'a'))
    await create('x/other')
    expect(stage.git('gc', '-q')).toBe('')
    expect(stage.git('fsck', '--strict')).toBe('')
  })

  test.each(['loose', 'packed'])('follow each other when the first is gone, %s', async (how) => {
    stage.git('checkout', '-qb', 'a')
    stage.git('commit', '-q', '--allow-empty', '-m', 'on a')
    stage.git('checkout', '-q', 'main')
    stage.git('branch', 'x/y/z')
    if (how === 'packed') stage.git('pack-refs', '--all')
    await remove('a')
    await create('a/b')
    await remove('x/y/z')
    await create('x')
    expect(stage.git('for-each-ref', '--format=%(refname:short)')).toBe('a/b\nmain\nx\n')
    // Git writes reflogs under the same names.
    for (const branch of ['a/b', 'x']) {
      stage.git('checkout', '-q', branch)
      stage.git('commit', '-q', '--allow-empty', '-m', `on ${branch}`)
    }
    stage.git('checkout', '-q', 'main')
    await rename('a/b', 'a')
    await rename('a', 'a/b/c')
    expect(stage.git('log', '-1', '--format=%s', 'a/b/c')).toBe('on a/b\n')
    expect(stage.git('reflog', 'a/b/c')).toContain('on a/b')
    stage.git('branch', 'a/other')
    stage.git('gc', '-q')
    expect(stage.git('fsck', '--strict')).toBe('')
  })

  test('also where an older log of a removed branch is left', async () => {
    stage.git('branch', 'a')
    fs.rmSync(path.join(stage.directory, '.git/refs/heads/a'))
    await create('a/b')
    stage.git('checkout', '-q', 'a/b')
    stage.git('commit', '-q', '--allow-empty', '-m', 'goes on')
  })
})

test('a branch that is renamed to itself stays as it is', async () => {
  expect(await rename('main', 'main')).toMatchObject({ name: 'main', current: true })
  expect(stage.git('branch')).toBe('* main\n')
})

test('deleting a packed ref leaves the others', async () => {
  stage.git('tag', '-am', 'a tag', 'v1')
  for (const name of ['one', 'three', 'two']) stage.git('branch', name)
  stage.git('pack-refs', '--all')
  stage.git('branch', '-f', 'three', stage.git('commit-tree', '-m', 'x', 'HEAD^{tree}').trim())
  await remove('two')
  await remove('three')
  expect(stage.git('for-each-ref', '--format=%(refname) %(*objectname)')).toBe(
    `refs/heads/main \nrefs/heads/one \nrefs/tags/v1 ${stage.git('rev-parse', 'main')}`,
  )
  expect(printBranches(await stage.run(gitBranches, {}))).toBe(stage.git('branch'))
  await stage.workspace.history.undo()
  expect(stage.git('branch', '--list', 't*')).toBe('  three\n')
})

test('the configuration of a branch is renamed and deleted with it', async () => {
  stage.git('branch', 'side')
  stage.git('config', 'branch.side.remote', '.')
  stage.git('config', 'branch.side.merge', 'refs/heads/main')
  stage.git('config', 'branch.main.description', 'stays')
  await rename('side', 'other')
  expect(stage.git('rev-parse', '--abbrev-ref', 'other@{upstream}')).toBe('main\n')
  await remove('other')
  expect(stage.git('config', '--get-regexp', '^branch')).toBe('branch.main.description stays\n')
})

test('a commit on a symbolic branch updates its target, and leaves it symbolic', async () => {
  stage.git('symbolic-ref', 'refs/heads/alias', 'refs/heads/main')
  await stage.run(gitCheckout, { revision: 'alias' })
  await stage.run(gitCommit, { message: 'second', allowEmpty: true })
  expect(stage.git('symbolic-ref', 'refs/heads/alias')).toBe('refs/heads/main\n')
  expect(fs.readFileSync(path.join(stage.directory, '.git/HEAD'), 'utf8')).toBe('ref: refs/heads/alias\n')
  expect(printShortStatus(await stage.run(gitStatus, {}), { branch: true })).toBe(stage.git('status', '-sb'))
  expect(printBranches(await stage.run(gitBranches, {}))).toMatch(/^ {2}alias.*\n\* main\n$/)
  await expect(remove('alias')).rejects.toMatchObject({ facts: { reason: 'current-branch' } })
  expect(stage.git('log', '-1', '--format=%s', 'main')).toBe('second\n')
  await stage.run(gitCheckout, { revision: 'main' })
  await expect(rename('alias', 'x')).rejects.toMatchObject({ facts: { reason: 'unsupported-repository' } })
  await remove('alias')
  expect(stage.git('branch')).toBe('* main\n')
})

describe('a linked worktree', () => {
  beforeEach(() => {
    stage.git('worktree', 'add', '-q', '-b', 'side', 'linked')
  })
  const elsewhere = (subject: string, place: string) => ({
    facts: { reason: 'checked-out-elsewhere', subject, paths: [place] },
  })

  test('blocks its branch for other worktrees', async () => {
    const linked = path.join(stage.directory, 'linked')
    await expect(stage.run(gitCheckout, { revision: 'side' })).rejects.toMatchObject(elsewhere('side', linked))
    await expect(remove('side')).rejects.toMatchObject(elsewhere('side', linked))
    await expect(
      stage.run(gitBranch, { action: 'create', name: 'side', at: 'HEAD', force: true }),
    ).rejects.toMatchObject(elsewhere('side', linked))
    await expect(stage.run(gitCheckout, { directory: 'linked', revision: 'main' })).rejects.toMatchObject(
      elsewhere('main', stage.directory),
    )
    stage.git('symbolic-ref', 'refs/heads/alias', 'refs/heads/side')
    await expect(stage.run(gitCheckout, { revision: 'alias' })).rejects.toMatchObject(elsewhere('alias', linked))
  })

  test('has its own HEAD and index, and shares the rest', async () => {
    stage.write('linked/new.txt', 'new\n')
    await stage.run(gitAdd, { directory: 'linked', all: true })
    await stage.run(gitCommit, { directory: 'linked', message: 'in the linked one' })
    const inLinked = (...args: string[]) => stage.git('-C', 'linked', ...args)
    expect(inLinked('status', '--porcelain', '-b')).toBe('## side\n')
    expect(inLinked('log', '--format=%s')).toBe('in the linked one\nfirst\n')
    expect(printShortStatus(await stage.run(gitStatus, { directory: 'linked' }), { branch: true })).toBe('## side\n')
    expect((await stage.run(gitLog, { revision: 'side' })).commits).toHaveLength(2)
    expect(stage.git('log', '--format=%s')).toBe('first\n')
    expect(stage.git('fsck', '--strict')).toBe('')
    await stage.run(gitCheckout, { directory: 'linked', create: 'more' })
    expect(stage.git('worktree', 'list', '--porcelain')).toContain('branch refs/heads/more')
    await rename('more', 'most')
    expect(inLinked('status', '--porcelain', '-b')).toBe('## most\n')
    await stage.workspace.history.undo()
    await stage.workspace.history.undo()
    await stage.workspace.history.undo()
    expect(inLinked('status', '--porcelain', '-b')).toBe('## side\nA  new.txt\n')
  })

  test('has the ignore rules and attributes of its repository', async () => {
    stage.write('.git/info/exclude', '*.log\n')
    stage.write('.git/info/attributes', '*.txt text\n')
    stage.write('linked/a.log', 'log\n')
    stage.write('linked/new.txt', 'new\r\n')
    const status = printShortStatus(await stage.run(gitStatus, { directory: 'linked' }))
    expect(status).toBe(stage.git('-C', 'linked', 'status', '--porcelain'))
    expect(status).toBe('?? new.txt\n')
    await stage.run(gitAdd, { directory: 'linked', all: true })
    const ours = stage.git('-C', 'linked', 'ls-files', '-s')
    stage.git('-C', 'linked', 'read-tree', 'HEAD')
    stage.git('-C', 'linked', 'add', '-A')
    expect(ours).toBe(stage.git('-C', 'linked', 'ls-files', '-s'))
  })

  test('is refused when its repository is out of reach or does not list it', async () => {
    const unsupported = (subject: RegExp) => ({
      facts: { reason: 'unsupported-repository', subject: expect.stringMatching(subject) },
    })
    fs.renameSync(path.join(stage.directory, 'linked'), path.join(stage.directory, 'moved'))
    await expect(stage.run(gitStatus, { directory: 'moved' })).rejects.toMatchObject(unsupported(/was moved/))
    fs.writeFileSync(path.join(stage.directory, 'moved/.git'), 'gitdir: /elsewhere/.git/worktrees/moved\n')
    await expect(stage.run(gitStatus, { directory: 'moved' })).rejects.toMatchObject(unsupported(/out of this/))
  })
})
