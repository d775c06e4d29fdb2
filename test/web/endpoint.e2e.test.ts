import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumOptions } from './chromium.js'
import type { ClientName } from './page/clients.js'
import type { TestPage } from './page/page.js'
import { servePage } from './serve-page.js'

/** The page's global of that name; only code that is sent there may use it. */
declare const testPage: TestPage

let site: Awaited<ReturnType<typeof servePage>>
let browser: Browser
let page: Page
const complaints: string[] = []

beforeAll(async () => {
  site = await servePage('page')
  browser = await chromium.launch(chromiumOptions)
  page = await browser.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(site.url)
  await page.waitForFunction(() => 'testPage' in window)
})

afterAll(async () => {
  await browser?.close()
  await site?.close()
})

const versions: Record<ClientName, string | undefined> = {
  'v2 legacy': '2025-11-25',
  'v2 modern': '2026-07-28',
  v1: undefined,
}

describe.each(Object.keys(versions) as ClientName[])('a client of the official SDK, %s', (name) => {
  const seen = {
    version: versions[name],
    server: 'polyfs',
    tools: ['read_file', 'write_file', 'edit_file', 'multi_edit', 'apply_patch', 'list_dir', 'glob', 'grep'],
    list: { content: [{ type: 'text', text: 'notes/\nreadme.md\t8' }], isError: false },
    read: { content: [{ type: 'text', text: '     1\tone\n     2\ttwo' }], isError: false },
    missing: {
      content: [
        { type: 'text', text: '{"error":"not_found","message":"No such file: missing.txt","path":"missing.txt"}' },
      ],
      isError: true,
    },
  }

  test('works in the page that serves', async () => {
    expect(await page.evaluate((client) => testPage.visit(client), name)).toEqual(seen)
  })

  test('works in a worker that was given a port', async () => {
    expect(await page.evaluate((client) => testPage.visitFromWorker(client), name)).toEqual(seen)
  })
})

test('a closed endpoint ends its connections and makes no new ones', async () => {
  await page.evaluate(() => testPage.close())
  expect(await page.evaluate(() => testPage.connectAfterClose())).toBe('Error: The endpoint is closed')
})

test('none of it violates a Content Security Policy of default-src self, or logs an error', async () => {
  expect(await page.evaluate(() => testPage.violations)).toEqual([])
  expect(complaints).toEqual([])
})
