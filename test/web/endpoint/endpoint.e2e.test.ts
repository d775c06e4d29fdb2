import { type Browser, type CDPSession, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isFull } from '../../scale.js'
import { chromiumOptions, patienceMs } from '../chromium.js'
import { clients, seenBy, ways } from '../page/expected.js'
import type { TestPage, Way } from '../page/page.js'
import { servePage } from '../serve-page.js'

/** A global of the page; only code that runs in the page may use it. */
declare const testPage: TestPage

let site: Awaited<ReturnType<typeof servePage>>
let browser: Browser
const complaints: string[] = []

beforeAll(async () => {
  site = await servePage('page')
  // Behind a flag in current browsers.
  browser = await chromium.launch({ ...chromiumOptions, args: [...chromiumOptions.args, '--enable-features=WebMCP'] })
})

afterAll(async () => {
  await browser?.close()
  await site?.close()
})

async function openPage(): Promise<Page> {
  const context = await browser.newContext()
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(site.url)
  await page.waitForFunction(() => 'testPage' in window)
  return page
}

describe.each(Object.keys(ways) as Way[])('%s', (way) => {
  /** Another one for each way by default. */
  const some = clients.filter((_, index) => isFull || index === Object.keys(ways).indexOf(way))
  let page: Page

  beforeAll(async () => {
    page = await openPage()
    expect(await page.evaluate((chosen) => testPage.open(chosen), way)).toBe(ways[way])
  })

  test.each(some)('is served to a client in the same page, %s', async (name) => {
    expect(await page.evaluate((client) => testPage.visit(client), name)).toEqual(seenBy(name, way))
  })

  test.each(some)('is served to a client in a worker that was given a port, %s', async (name) => {
    expect(await page.evaluate((client) => testPage.visitFromWorker(client), name)).toEqual(seenBy(name, way))
  })

  test.each(some)('has an address for a client that takes only one, %s', async (name) => {
    expect(await page.evaluate((client) => testPage.visitAddress(client), name)).toEqual(seenBy(name, way))
  })

  test("registers the tools with the browser's own agent, if there is one", async () => {
    const session = await page.context().newCDPSession(page)
    const tools = await webMcpTools(session, page)
    expect(tools.map((tool) => tool.name).sort()).toEqual(seenBy('v1', way).tools.sort())
    const responded = new Promise((resolve) => session.on('WebMCP.toolResponded' as never, resolve))
    const input = { path: 'notes/todo.txt' }
    await session.send(
      'WebMCP.invokeTool' as never,
      { frameId: tools[0]?.frameId, toolName: 'read_file', input } as never,
    )
    expect(JSON.stringify(await responded)).toContain('one')
  })

  test('is shared by its connections, and closing one leaves the others open', async () => {
    const text = [{ type: 'text', text: '     1\tfrom the first' }]
    expect(await page.evaluate(() => testPage.shareFiles())).toEqual([text, text])
  })

  test('can be used in another dialect, and reports an unknown one', async () => {
    expect(await page.evaluate(() => testPage.otherDialect())).toEqual([
      'fs.list_files',
      'fs.read_file',
      'fs.search_text',
    ])
    expect(await page.evaluate(() => testPage.unknownDialect())).toContain('INVALID_INPUT')
  })

  test('returns structured results to the page itself, and error codes', async () => {
    expect(await page.evaluate(() => testPage.run())).toMatchObject({ entries: [{ name: 'todo.txt' }] })
    expect(await page.evaluate(() => testPage.runFailing())).toBe('FsError: NOT_FOUND: /missing')
  })

  if (ways[way] === 'worker') {
    test('does not block the page during a search', async () => {
      const { turns, isError } = await page.evaluate(() => testPage.turnsDuringSearch())
      expect(isError).toBeFalsy()
      expect(turns).toBeGreaterThan(3)
    })
  }

  test('closing ends all connections and accepts no new ones', async () => {
    expect(await page.evaluate(() => testPage.closeAndConnect())).toEqual([
      'connection closed',
      'Error: The endpoint is closed',
    ])
    await page.context().close()
  })
})

test('without an open page the address answers with instructions', async () => {
  const page = await openPage()
  await page.evaluate(() => testPage.open('a tree in a worker'))
  await page.evaluate(() => testPage.visitAddress('v1'))
  await page.goto(`${site.url}?empty`)
  const answer = await page.evaluate(async () => {
    const response = await fetch('/mcp', { method: 'POST', body: '{}' })
    return [response.status, await response.json()]
  })
  expect(answer).toEqual([
    503,
    {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32000, message: 'No open page serves files here. Open the page, and try again.' },
    },
  ])
  await page.context().close()
})

test('none of it violates a Content Security Policy of default-src self, or logs an error', async () => {
  expect(complaints.filter((text) => !isExpected(text))).toEqual([])
})

/** Expected: clients request a stream, which stateless servers reject, and the test requests an address without a page. */
function isExpected(complaint: string): boolean {
  return /status of (405|503)/.test(complaint)
}

async function webMcpTools(session: CDPSession, page: Page): Promise<Array<{ name: string; frameId: string }>> {
  const added = new Promise<{ tools: Array<{ name: string; frameId: string }> }>((resolve) => {
    session.on('WebMCP.toolsAdded' as never, resolve as never)
  })
  expect(await page.evaluate(() => testPage.exposeWebMCP())).toBe(true)
  await session.send('WebMCP.enable' as never)
  return (await added).tools
}
