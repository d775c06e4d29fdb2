import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { decodeTarget, encodeTarget } from '../../../src/fs/link-target.js'
import { printNameStatus, printShortStatus } from '../../../src/git/print/print-results.js'
import { gitAdd } from '../../../src/ops/git/add.js'
import { gitCheckout } from '../../../src/ops/git/checkout.js'
import { gitDiff } from '../../../src/ops/git/diff.js'
import { gitStatus } from '../../../src/ops/git/status.js'
import { openStage, type Stage } from './real-git.js'

/** Names and links are bytes, which need not be UTF-8. */
let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

const at = (name: string) => path.join(stage.directory, name)

const targets = [
  'plain',
  'sü\u{1f600}',
  '\ufeffmark',
  '\ufffd',
  [0xff],
  [0x61, 0x80, 0xc3, 0xbc, 0xed, 0xa0, 0x80, 0x62],
]

test('link targets round-trip byte for byte', () => {
  let state = 1
  const random = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return state >>> 16
  }
  for (let round = 0; round < 500; round += 1) {
    const bytes = Uint8Array.from({ length: random() % 12 }, () => random() & 0xff)
    expect(encodeTarget(decodeTarget(bytes))).toEqual(bytes)
    expect(JSON.parse(JSON.stringify(decodeTarget(bytes)))).toBe(decodeTarget(bytes))
  }
})

test('links are staged, checked out and restored by undo byte for byte', async () => {
  stage.write('base', '')
  stage.git('add', '.')
  stage.git('commit', '-qm', 'base')
  for (const [i, target] of targets.entries()) fs.symlinkSync(Buffer.from(target as string), at(`link${i}`))
  await stage.run(gitAdd, { all: true })
  const ours = stage.git('ls-files', '-s')
  stage.git('rm', '-q', '--cached', '-r', '.')
  stage.git('add', '.')
  expect(ours).toBe(stage.git('ls-files', '-s'))
  stage.git('checkout', '-qb', 'links')
  stage.git('commit', '-qm', 'links')
  await stage.run(gitCheckout, { revision: 'main' })
  expect(fs.readdirSync(stage.directory)).not.toContain('link0')
  await stage.run(gitCheckout, { revision: 'links' })
  const expectAll = () => {
    for (const [i, target] of targets.entries()) {
      expect(fs.readlinkSync(at(`link${i}`), 'buffer')).toEqual(Buffer.from(target as string))
    }
    expect(stage.git('status', '--porcelain')).toBe('')
  }
  expectAll()
  await stage.run(gitCheckout, { revision: 'main' })
  await stage.workspace.history.undo()
  expectAll()
  expect(printShortStatus(await stage.run(gitStatus, {}))).toBe('')
})

test('names that are not UTF-8 are reported as skipped', async ({ skip }) => {
  try {
    fs.writeFileSync(Buffer.concat([Buffer.from(`${stage.directory}/bad`), Buffer.from([0xff])]), 'x')
  } catch {
    skip('the file system has no such names')
  }
  fs.mkdirSync(Buffer.concat([Buffer.from(`${stage.directory}/dir`), Buffer.from([0xfe])]))
  stage.write('good', 'x')
  stage.write('real\ufffd', 'x')
  const added = await stage.run(gitAdd, { all: true })
  expect(added.changes.map((change) => change.path)).toEqual(['good', 'real\ufffd'])
  expect(added.unreadable.sort()).toEqual(['bad\ufffd', 'dir\ufffd'])
})

test('a changed link that leads outside counts as modified, and its target is not revealed', async () => {
  fs.symlinkSync('inside', at('link'))
  stage.git('add', '.')
  stage.git('commit', '-qm', 'link')
  fs.rmSync(at('link'))
  fs.symlinkSync('/somewhere/outside', at('link'))
  expect(printShortStatus(await stage.run(gitStatus, {}))).toBe(' M link\n')
  const diff = await stage.run(gitDiff, {})
  expect(printNameStatus(diff)).toBe('M\tlink\n')
  expect(JSON.stringify(diff)).not.toContain('outside')
  expect(stage.git('status', '--porcelain')).toBe(' M link\n')
})
