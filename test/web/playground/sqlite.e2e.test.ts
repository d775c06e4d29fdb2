import { type Browser, chromium } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chromiumOptions } from '../chromium.js'
import { complaints, openPlayground, soon } from './playground-page.js'
import { type PlaygroundSite, servePlayground } from './serve-playground.js'

let site: PlaygroundSite
let browser: Browser

beforeAll(async () => {
  ;[site, browser] = await Promise.all([servePlayground(), chromium.launch(chromiumOptions)])
})

afterAll(async () => {
  await browser?.close()
  await site?.close()
})

test('sqlite3 runs in the terminal, and its engine is loaded with the first', async () => {
  const { panel, page, type, show, row } = await openPlayground(browser, `${site.url}#workspace=memory&fast=1`)
  const engines = () => site.requested.filter(({ path }) => path.endsWith('/sqlite3.wasm')).map(({ path }) => path)
  await panel('Terminal')
  await page.locator('.xterm-helper-textarea').waitFor()
  expect(engines()).toEqual([])
  await type(`sqlite3 a.db 'create table t(a); insert into t values(42); select a from t' > made.txt`)
  await soon(() => row('/made.txt').count()).toBe(1)
  expect(await (await show('/made.txt')).textContent()).toBe('42')
  expect(await row('/a.db').count()).toBe(1)
  expect(engines()).toEqual(['/sqlite3.wasm'])
  expect(complaints.splice(0)).toEqual([])
})
