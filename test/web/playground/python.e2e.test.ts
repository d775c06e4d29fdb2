import { type Browser, chromium } from 'playwright'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
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

afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
  expect(complaints.splice(0)).toEqual([])
})

test('python3 runs in the terminal, on the files of the page', async () => {
  const { page, panel, type, show, row } = await openPlayground(browser, `${site.url}#workspace=memory&fast=1`)
  expect(page.frames()).toHaveLength(1)
  await panel('Terminal')
  await page.locator('.xterm-helper-textarea').waitFor()
  await type(`python3 -c 'open("made.txt", "w").write(str(6 * 7))'`)
  await page.locator('.notice', { hasText: 'Preparing Python for the first time' }).waitFor()
  await soon(() => row('/made.txt').count()).toBe(1)
  expect(await page.locator('.notice', { hasText: 'Python' }).count()).toBe(0)
  expect(await (await show('/made.txt')).textContent()).toBe('42')
  await panel('Terminal')
  await type('python3 -c "while True: pass"')
  await page.keyboard.press('Control+c')
  await type('python3 -c "print(7 * 6)" > again.txt')
  await soon(() => row('/again.txt').count()).toBe(1)
  expect(page.frames().map((frame) => new URL(frame.url()).pathname)).toEqual(['/', '/python/frame.html'])
})
