import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { printShortStatus } from '../../../src/git/print/print-results.js'
import { gitAdd } from '../../../src/ops/git/add.js'
import { gitCheckout } from '../../../src/ops/git/checkout.js'
import { gitCommit } from '../../../src/ops/git/commit.js'
import { gitStatus } from '../../../src/ops/git/status.js'
import { openStage, type Stage } from './real-git.js'

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

const at = (name: string) => path.join(stage.directory, name)

const hourAgo = Math.floor(Date.now() / 1000) - 3600

/** Changes a file so that only its change time differs. */
function rewriteUnseen(name: string, text: string): void {
  const before = fs.statSync(at(name))
  do {
    fs.writeFileSync(at(name), text)
    fs.utimesSync(at(name), before.mtimeMs / 1000, before.mtimeMs / 1000)
  } while (fs.statSync(at(name)).ctimeMs === before.ctimeMs)
}

describe('a file that is changed in the second in which it was committed', () => {
  /** Compares only sizes and modified times, so that the current second does not matter. */
  beforeEach(() => {
    stage.git('config', 'core.trustctime', 'false')
    stage.git('config', 'core.checkStat', 'minimal')
    stage.write('a', 'one\n')
    fs.utimesSync(at('a'), hourAgo, hourAgo)
    stage.git('add', '.')
    stage.git('commit', '-qm', 'first')
    stage.write('a', 'two\n')
    fs.utimesSync(at('a'), hourAgo, hourAgo)
    fs.utimesSync(at('.git/index'), hourAgo, hourAgo)
    stage.write('other', 'other\n')
  })

  const status = () => stage.git('--no-optional-locks', 'status', '--porcelain')

  test('is still noticed by git after we have written the index', async () => {
    expect(status()).toBe(' M a\n?? other\n')
    await stage.run(gitAdd, { paths: ['other'] })
    expect(status()).toBe(' M a\nA  other\n')
    expect(printShortStatus(await stage.run(gitStatus, {}))).toBe(' M a\nA  other\n')
    await stage.run(gitCommit, { message: 'other' })
    expect(status()).toBe(' M a\n')
  })

  test('is still noticed after that was undone', async () => {
    await stage.run(gitAdd, { paths: ['other'] })
    await stage.workspace.history.undo()
    expect(status()).toBe(' M a\n?? other\n')
    expect(printShortStatus(await stage.run(gitStatus, {}))).toBe(' M a\n?? other\n')
    await stage.run(gitAdd, { all: true })
    expect(status()).toBe('M  a\nA  other\n')
  })

  test('is trusted once it was staged', async () => {
    await stage.run(gitAdd, { all: true })
    expect(stage.git('diff-files', '--name-only')).toBe('')
  })
})

test('an index has the time at which we began to read files', async () => {
  stage.write('a', 'one\n')
  fs.symlinkSync('a', at('link'))
  await stage.run(gitAdd, { all: true })
  const { mtimeMs, ctimeMs } = fs.statSync(at('.git/index'))
  expect(ctimeMs - mtimeMs).toBeGreaterThan(10)
  // The index has all that git compares, so git need not refresh it first.
  expect(stage.git('diff-files', '--name-only')).toBe('')
})

describe('a change that keeps size and modified time', () => {
  beforeEach(() => {
    stage.write('a', 'one\n')
    stage.git('add', '.')
    stage.git('commit', '-qm', 'first')
    stage.git('checkout', '-qb', 'other')
    stage.write('a', 'longer\n')
    stage.git('commit', '-qam', 'other')
    stage.git('checkout', '-q', 'main')
    fs.utimesSync(at('a'), hourAgo, hourAgo)
    stage.git('update-index', '--refresh')
  })

  test('is noticed, and staged', async () => {
    expect(printShortStatus(await stage.run(gitStatus, {}))).toBe('')
    rewriteUnseen('a', 'two\n')
    expect(printShortStatus(await stage.run(gitStatus, {}))).toBe(' M a\n')
    await stage.run(gitAdd, { all: true })
    expect(stage.git('show', ':a')).toBe('two\n')
  })

  test('is not overwritten by a checkout', async () => {
    rewriteUnseen('a', 'two\n')
    await expect(stage.run(gitCheckout, { revision: 'other' })).rejects.toMatchObject({
      code: 'GIT_REFUSED',
      facts: { reason: 'would-overwrite', paths: ['a'] },
    })
    expect(fs.readFileSync(at('a'), 'utf8')).toBe('two\n')
  })

  test('is noticed when another file has taken the name', async () => {
    stage.git('config', 'core.trustctime', 'false')
    stage.write('new', 'two\n')
    fs.utimesSync(at('new'), hourAgo, hourAgo)
    fs.renameSync(at('new'), at('a'))
    expect(printShortStatus(await stage.run(gitStatus, {}))).toBe(' M a\n')
  })
})
