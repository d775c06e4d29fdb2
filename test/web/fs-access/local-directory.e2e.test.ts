import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contractCases, type Deviations } from '../../../contract/fs/index.js'
import { sampleOf } from '../../describe-contract.js'
import { onlyInFull } from '../../scale.js'
import type { TestPage } from '../local-page/page.js'
import { opfsDeviations } from '../opfs/opfs-deviations.js'
import { type LocalDirectory, openLocalDirectory } from './local-directory.js'

/** A global of the page; only code that runs in the page may use it. */
declare const testPage: TestPage

let local: LocalDirectory
beforeAll(async () => {
  local = await openLocalDirectory()
})
afterAll(() => local?.close())

test('the page may write', async () => {
  expect(await local.page.evaluate(() => testPage.permission())).toBe('granted')
})

test('what is written is on the disk', async () => {
  await local.page.evaluate(() => testPage.write('/hello.txt', 'from the page'))
  expect(await readFile(join(local.directory, 'hello.txt'), 'utf8')).toBe('from the page')
})

test('a symbolic link is invisible', async () => {
  await writeFile(join(local.directory, 'target'), 'x')
  await symlink('target', join(local.directory, 'link'))
  expect(await local.page.evaluate(() => testPage.codeOf('stat', '/target'))).toBe('ok')
  expect(await local.page.evaluate(() => testPage.codeOf('stat', '/link'))).toBe('NOT_FOUND')
  expect(await local.page.evaluate(() => testPage.codeOf('readFile', '/link'))).toBe('NOT_FOUND')
})

test('a name is refused if the name of its swap file would be too long', async () => {
  const path = `/${'n'.repeat(250)}`
  expect(await local.page.evaluate((name) => testPage.codeOf('writeFile', name), path)).toBe('INVALID_PATH')
})

test.each(['x.exe', 'x.sh', 'x.py', 'x.js', '.git', '.bashrc'])('%s is written and replaced', async (name) => {
  for (const text of ['new', 'replaced']) {
    await local.page.evaluate((args) => testPage.write(...args), [`/${name}`, text] as const)
    expect(await readFile(join(local.directory, name), 'utf8')).toBe(text)
  }
})

/** Chromium accepts only names that are safe on every system it supports. */
const refusedNames = [
  'a leading space',
  'a trailing space',
  'only a space',
  'three dots',
  'a trailing dot',
  'two leading dots',
  'a tilde',
  'a newline',
  'a carriage return and a tab',
  'an escape character',
  'a colon',
  'a star and a question mark',
  'quotes',
  'angle brackets and a pipe',
  'an emoji',
  'a right-to-left override',
  'a zero-width joiner',
  'a byte order mark',
  'a device name of another system',
]
const refused = 'the browser refuses the name in local directories'
const tooLong = 'a write in progress has a longer name beside it, which the disk does not take'

const deviations: Deviations = {
  ...opfsDeviations,
  ...Object.fromEntries(refusedNames.map((what) => [`a name may hold ${what}`, refused])),
  'readDir lists names that begin with a dot, and neither "." nor ".."': refused,
  'names with spaces around them are other names': refused,
  'a name of 255 bytes is a name like any other': tooLong,
  'a name of 255 bytes may have fewer characters': tooLong,
}

describe('a local directory in the browser keeps the contract', () => {
  const played = new Set(sampleOf('a local directory'))
  for (const contractCase of contractCases) {
    const { name } = contractCase
    test(name, async (context) => {
      if (!played.has(contractCase)) context.skip(onlyInFull)
      const result = await local.page.evaluate((question) => testPage.runCase(...question), [name, deviations] as const)
      if (result.outcome === 'skipped') context.skip(result.reason)
      if (result.outcome === 'failed') expect.fail(result.message)
    })
  }
})
