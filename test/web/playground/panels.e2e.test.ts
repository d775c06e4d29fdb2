import { readFile } from 'node:fs/promises'
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { dialectNames } from '../../../src/dialects/registry.js'
import type { FileEndpoint } from '../../../web/index.js'
import { longTest, testInTurn } from '../../scale.js'
import { chromiumOptions } from '../chromium.js'
import { complaints, openPlayground, type Playground, playgroundOn, soon } from './playground-page.js'
import { type PlaygroundSite, servePlayground } from './serve-playground.js'

let site: PlaygroundSite
let browser: Browser

beforeAll(async () => {
  // WebMCP is behind a flag in current browsers.
  const args = [...chromiumOptions.args, '--enable-features=WebMCP']
  ;[site, browser] = await Promise.all([servePlayground(), chromium.launch({ ...chromiumOptions, args })])
})

afterAll(async () => {
  await browser?.close()
  await site?.close()
})

afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
  expect(complaints.splice(0)).toEqual([])
})

async function open(hash = '#workspace=memory&fast=1'): Promise<Playground> {
  return openPlayground(browser, site.url + hash)
}

describe('search', () => {
  test('finds text and patterns as they are typed, and shows the line', async () => {
    const { page, panel } = await open()
    await panel('Search')
    await page.getByLabel('Search for').fill('metres')
    await soon(() => page.locator('.search .summary').textContent()).toBe('5 matches in 2 of 4 files')
    await page.getByRole('button', { name: 'Match case' }).click()
    await soon(() => page.locator('.search .summary').textContent()).toBe('2 matches in 1 of 4 files')
    await page.locator('.match').first().click()
    await page.locator('.cm-content[aria-label="/src/tides.ts"]').waitFor()
    await page.getByRole('button', { name: 'Regular expression' }).click()
    await page.getByLabel('Search for').fill('(')
    await soon(() => page.locator('.search .summary').textContent()).toMatch(
      /^Search failed: the pattern is invalid \(.+\)$/,
    )
  })
})

describe('a search that need not wait for more keys', () => {
  test.each(['Enter', 'an option'])('%s starts it at once', async (what) => {
    const { page, panel } = await open()
    await panel('Search')
    const isSearching = await page.evaluate((by) => {
      const field = document.querySelector('.search input') as HTMLInputElement
      field.value = 'metres'
      field.dispatchEvent(new Event('input', { bubbles: true }))
      const results = document.querySelector('.search .results') as HTMLElement
      const before = results.getAttribute('aria-busy')
      if (by === 'Enter') field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
      else (document.querySelector('.search [aria-label="Match case"]') as HTMLElement).click()
      return [before, results.getAttribute('aria-busy')]
    }, what)
    expect(isSearching[0]).not.toBe('true')
    expect(isSearching[1]).toBe('true')
    const found = what === 'Enter' ? '5 matches in 2 of 4 files' : '2 matches in 1 of 4 files'
    await soon(() => page.locator('.search .summary').textContent()).toBe(found)
  })
})

describe('replace in files', () => {
  testInTurn('asks how much, is one change, and follows the options of the search', async () => {
    const { page, panel, call } = await open()
    const text = async (path: string) => call('bash', { command: `cat ${path}` })
    await call('bash', { command: "printf 'cost $1 cat\\r\\nconcat Cat' > one.txt; printf 'a cat' > two.txt" })
    await panel('Search')
    await page.getByLabel('Search for').fill('cat')
    await page.getByRole('button', { name: 'Whole words' }).click()
    await page.getByLabel('Files to include').fill('*.txt')
    await page.getByLabel('Replace with').fill('$1 dog')
    await soon(() => page.locator('.search .summary').textContent()).toBe('3 matches in 2 of 2 files')
    const replace = page.getByRole('button', { name: 'Replace all…' })
    await replace.click()
    await page.getByRole('heading', { name: 'Replace 3 places in 2 files?' }).waitFor()
    await page.locator('dialog[open]').getByRole('button', { name: 'Replace', exact: true }).click()
    await page.getByText('Replaced 3 places in 2 files').waitFor()
    expect(await call('bash', { command: 'od -c one.txt | head -1 | tr -s " "; cat two.txt' })).toContain('a $1 dog')
    expect(await text('one.txt')).toContain('concat $1 dog')
    await call('history', { action: 'undo' })
    expect(await text('two.txt')).toContain('a cat')
    await page.getByRole('button', { name: 'Whole words' }).click()
    await page.getByRole('button', { name: 'Regular expression' }).click()
    await page.getByLabel('Search for').fill('c(.)t')
    await page.getByLabel('Replace with').fill('$1')
    await soon(() => page.locator('.match mark').first().textContent()).toBe('cat')
    await replace.click()
    await page.locator('dialog[open]').getByRole('button', { name: 'Replace', exact: true }).click()
    await soon(() => text('two.txt')).toContain('a a')
    // A click on a match selects it.
    await page.getByRole('button', { name: 'Regular expression' }).click()
    await page.getByLabel('Search for').fill('cost')
    await page.locator('.match').first().click()
    await page.locator('.cm-content').waitFor()
    await soon(() => page.locator('.cm-selectionBackground').count()).toBeGreaterThan(0)
  })
})

describe('history', () => {
  test('undoes changes, reverts one file, creates checkpoints and restores them', async () => {
    const { page, panel, call, answer, rows } = await open()
    const labels = () => page.locator('.timeline .label').allTextContents()
    await call('bash', { command: 'echo one > one.txt; echo two > two.txt' })
    await panel('History')
    await soon(labels).toEqual(['echo one > one.txt; echo two > two.txt'])
    await page.locator('.change').first().click()
    await soon(() => page.locator('.change-details .path').allTextContents()).toEqual(['/one.txt', '/two.txt'])
    await page.getByRole('button', { name: 'Revert /one.txt to how it was before this change' }).click()
    await soon(() => page.locator('.timeline li').count()).toBe(2)
    await panel('Files')
    await soon(rows).toEqual(['▸ data', '▸ notes', '▸ src', 'README.md', 'two.txt A'])
    await panel('History')
    await page.getByRole('button', { name: 'Checkpoint…' }).click()
    await answer('good', 'Create')
    await soon(async () => (await labels())[0]).toBe('good')
    await call('delete', { path: 'src', recursive: true })
    await call('write_file', { path: 'README.md', content: 'spoiled' })
    await soon(() => page.locator('.timeline li').count()).toBe(5)
    await page.locator('.change.checkpoint').click()
    await page.getByRole('button', { name: 'Restore all files to this point' }).click()
    await page.locator('dialog').getByRole('button', { name: 'Restore' }).click()
    await soon(() => page.locator('.timeline li').count()).toBe(6)
    expect(await call('read_file', { path: 'README.md', limit: 1 })).toContain('# Harbour')
    await page.getByRole('button', { name: 'Undo last' }).click()
    await soon(() => page.locator('.timeline li').count()).toBe(7)
    expect(await call('read_file', { path: 'README.md' })).toContain('spoiled')
    await page.locator('.change', { hasText: 'echo one' }).click()
    await page.locator('.change-details .path', { hasText: 'two.txt' }).click()
    await soon(() => page.locator('.cm-content').last().textContent()).toContain('two')
  })

  longTest('offers to undo and redo only where there is something to', async () => {
    const { page, panel, call, answer } = await open()
    const can = async () =>
      Promise.all(
        ['Undo last', 'Redo'].map((name) => page.getByRole('button', { name, exact: true }).isEnabled()),
      ).then(([undo, redo]) => ({ undo, redo }))
    await panel('History')
    await page.getByText('No changes yet').waitFor()
    expect(await can()).toEqual({ undo: false, redo: false })
    await page.getByRole('button', { name: 'Checkpoint…' }).click()
    await answer('named', 'Create')
    await page.locator('.change.checkpoint').waitFor()
    expect(await can()).toEqual({ undo: false, redo: false })
    await call('write_file', { path: 'one.txt', content: '1' })
    await soon(can).toEqual({ undo: true, redo: false })
    await page.getByRole('button', { name: 'Undo last' }).click()
    await soon(can).toEqual({ undo: false, redo: true })
    await page.getByRole('button', { name: 'Redo', exact: true }).click()
    await soon(can).toEqual({ undo: true, redo: false })
    // Another workspace has a history of its own.
    await page.locator('.place').click()
    await page.getByRole('button', { name: 'Empty, in memory' }).click()
    await page.getByRole('button', { name: 'Leave', exact: true }).click()
    await page.getByText('No changes yet').waitFor()
    await soon(can).toEqual({ undo: false, redo: false })
  })

  longTest('is shown when its tab is clicked before the workspace is open', async () => {
    const before = await open('')
    await before.call('write_file', { path: 'one.txt', content: '1' })
    await before.page.evaluate(() => (globalThis as unknown as { polyfs: FileEndpoint }).polyfs.flush())
    const page = await before.page.context().newPage()
    await before.page.close()
    let go = () => {}
    const released = new Promise<void>((resolve) => {
      go = resolve
    })
    await page.route('**/engine-worker-*', async (route) => {
      await released
      await route.continue()
    })
    await page.goto(site.url)
    const { panel } = playgroundOn(page)
    await panel('History')
    await page.getByText('Opening…').waitFor()
    expect(await page.locator('.timeline').count()).toBe(0)
    go()
    await soon(() => page.locator('.timeline .label').allTextContents()).toEqual(['write'])
    await soon(() => page.getByRole('button', { name: 'Undo last' }).isEnabled()).toBe(true)
    expect(await playgroundOn(page).failures()).toEqual([])
  })
})

describe('history for people', () => {
  longTest('says who and when, joins what was typed, undoes and redoes it, and shows earlier files', async () => {
    const { page, panel, call, show, row } = await open('')
    const rowsOf = () =>
      page.locator('.timeline li').evaluateAll((all) =>
        all.map((each) => {
          const [label, facts = ''] = [...each.querySelectorAll('span')].map((part) => part.textContent ?? '')
          return `${label}: ${facts.replace(/\d+:\d+:\d+( [AP]M)?/, 'time')}`
        }),
      )
    const text = await show('/README.md')
    for (const word of ['one ', 'two ', 'three ']) {
      await text.click()
      await page.keyboard.press('Control+Home')
      await page.keyboard.type(word)
      await soon(() => page.locator('.editors').getByRole('tab').allTextContents()).toEqual(['README.md'])
      await soon(() => call('read_file', { path: 'README.md', limit: 1 })).toContain(word)
    }
    await call('write_file', { path: 'new.txt', content: 'new' })
    await panel('History')
    const seen = ['write: tools panel · time · /new.txt', 'typing: you · time · /README.md · 3 saves']
    await soon(rowsOf).toEqual(seen)
    await page.reload()
    await panel('History')
    await soon(rowsOf).toEqual(seen)

    await page.locator('.change', { hasText: 'typing' }).click()
    await page.locator('.change-details .path').click()
    await soon(() => page.locator('.cm-changedLine').allTextContents()).toEqual([
      expect.stringContaining('three two one # Harbour'),
    ])
    await page.getByRole('button', { name: 'Undo this' }).click()
    await page.getByText('Undone: typing').waitFor()
    await soon(rowsOf).toEqual([
      'undo typing: you · time · /README.md · 3 saves',
      seen[0],
      'typing: you · time · /README.md · 3 saves · undone',
    ])
    expect(await call('read_file', { path: 'README.md', limit: 1 })).toContain('1\t# Harbour')
    await page.getByRole('button', { name: 'Redo' }).click()
    await page.getByText('Redone: typing').waitFor()
    await soon(() => call('read_file', { path: 'README.md', limit: 1 })).toContain('three two one # Harbour')
    await soon(() => page.getByRole('button', { name: 'Redo' }).isDisabled()).toBe(true)

    // The slider shows the tree and the open file as they were; nothing is changed by looking.
    await panel('Files')
    await show('/README.md')
    await call('delete', { path: 'src', recursive: true })
    await panel('History')
    await soon(async () => (await rowsOf()).length).toBe(5)
    await page.getByLabel('Point in time').fill('2')
    await soon(() => page.locator('.then li').allTextContents()).toEqual([
      '/README.mdmodified since',
      '/src/berths.tsdeleted since',
      '/src/tides.tsdeleted since',
      '/data/arrivals.csv',
      '/new.txt',
    ])
    await soon(() => page.locator('.cm-deletedLine').allTextContents()).toEqual([expect.stringContaining('# Harbour')])
    await page.getByLabel('Point in time').fill('0')
    await soon(() => page.locator('.then li').allTextContents()).not.toContain('/new.txt')
    await page.locator('.then').getByRole('button', { name: '/src/tides.ts' }).click()
    await soon(() => page.locator('.cm-deletedLine').first().textContent()).toContain('metres')
    await panel('Files')
    expect(await row('/src').count()).toBe(0)
  })
})

describe('git', () => {
  testInTurn('creates a repository, stages, commits, compares and branches', async () => {
    const { page, panel, call, answer } = await open()
    const group = (name: string) =>
      page.locator('.git-body details', { hasText: name }).locator('.path').allTextContents()
    await panel('Git')
    await page.getByRole('button', { name: 'Initialize repository' }).click()
    await soon(() => group('Untracked')).toEqual(['README.md', 'data/arrivals.csv', 'src/berths.ts', 'src/tides.ts'])
    await page.getByRole('button', { name: 'Stage README.md' }).click()
    await soon(() => group('Staged')).toEqual(['README.md'])
    await page.getByRole('button', { name: 'Stage all' }).click()
    await soon(() => group('Staged')).toEqual(['README.md', 'data/arrivals.csv', 'src/berths.ts', 'src/tides.ts'])
    await page.getByLabel('Commit message').fill('First')
    await page.getByRole('button', { name: 'Commit', exact: true }).click()
    await soon(() => page.locator('.log li span').allTextContents()).toEqual(['First'])
    await page.locator('.log summary').click()
    await soon(() => page.locator('.log .path').allTextContents()).toEqual([
      'README.md',
      'data/arrivals.csv',
      'src/berths.ts',
      'src/tides.ts',
    ])
    expect(await page.locator('.log .when').textContent()).toContain('Playground <playground@localhost>, ')
    await page.locator('.log').getByRole('button', { name: 'src/tides.ts' }).click()
    await soon(() => page.locator('.cm-changedLine').first().textContent()).toContain('metres')
    await call('write_file', { path: 'README.md', content: '# Port\n' })
    await soon(() => group('Changed')).toEqual(['README.md'])
    await page.locator('.git-body .path').click()
    await soon(() => page.locator('.cm-content .cm-changedLine').allTextContents()).toEqual(['# Port'])
    await page.getByRole('button', { name: 'New branch…' }).click()
    await answer('side', 'Create and check out')
    await soon(() => page.getByLabel('Branch').inputValue()).toBe('side')
    await page.getByRole('button', { name: 'Discard changes to README.md' }).click()
    await page.locator('dialog').getByRole('button', { name: 'Discard' }).click()
    await page.getByText('Nothing to commit.').waitFor()
  })
})

describe('the terminal', () => {
  test('changes files, keeps its working directory, and interrupts a running command', async () => {
    const { page, panel, type, row } = await open()
    const screen = () => page.locator('.xterm-accessibility').textContent()
    await panel('Terminal')
    await soon(screen).toContain('/ $')
    expect(await page.locator('.engine').textContent()).toBe(
      'runs on an emulated bash that runs no programs of the machine',
    )
    await type('cd notes && echo hi > greeting.txt')
    await soon(screen).toContain('/notes $')
    await row('/notes').click()
    await row('/notes/greeting.txt').waitFor()
    await type('while true; do :; done')
    await soon(() => page.locator('.terminal[aria-busy=true]').getAttribute('data-busy')).toBe(
      'Running… Ctrl C stops it',
    )
    await page.keyboard.press('Control+c')
    await soon(screen).toMatch(/\[(aborted|exit code 130)\]/)
    await type('echo still $((20 + 22))')
    await soon(screen).toContain('still 42')
  })

  longTest('runs node, which the policy of the page has to allow', async () => {
    const { page, panel, type } = await open()
    const screen = () => page.locator('.xterm-accessibility').textContent()
    await panel('Terminal')
    await soon(screen).toContain('/ $')
    await type('node -p "[6 * 7, process.version].join()"')
    await soon(screen).toContain('42,v20')
  })
})

describe('the tools', () => {
  testInTurn('are called by form and by JSON, report failures, and can be replayed', async () => {
    const { page, call } = await open()
    const answer = () => page.locator('.result pre').first().textContent()
    await page.locator('#field-path').fill('data/arrivals.csv')
    await page.locator('#field-limit').fill('1')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await soon(answer).toContain('ship,draught,arrives')
    expect(await call('read_file', { path: 'missing' })).toContain('missing')
    expect(await page.locator('.result.failed').count()).toBe(1)
    await page.getByText('Past calls').click()
    await page.getByRole('button', { name: 'Replay the call of read_file' }).last().click()
    await soon(answer).toContain('ship,draught,arrives')
    expect(await page.locator('.calls li').count()).toBe(3)
  })

  longTest('are copied as code that gives the same result in an official client', async () => {
    const { page, call } = await open()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const answer = await call('read_file', { path: 'data/arrivals.csv', limit: 2 })
    await page.getByText('Past calls').click()
    await page.getByRole('button', { name: 'Copy code for the call of read_file' }).click()
    await page.getByText('Copied code that makes this call with any MCP client').waitFor()
    const code = await page.evaluate(() => navigator.clipboard.readText())
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL('mcp', site.url)))
    const run = new Function('client', `return (async () => ${code})()`) as (client: Client) => Promise<CallToolResult>
    const { content } = await run(client)
    expect(content[0]).toMatchObject({ type: 'text', text: answer })
    await client.close()
  })

  longTest('speak each dialect, and the traffic shows every message', async () => {
    const { page, panel } = await open()
    await page.locator('.tools form button[type=submit]:enabled').waitFor()
    await panel('Traffic')
    const names = () => page.locator('#tool option').allTextContents()
    const seen: Record<string, number> = {}
    expect(await page.getByLabel('Tool dialect').locator('option').allTextContents()).toEqual(dialectNames)
    for (const name of dialectNames) {
      const before = (await names()).join()
      await page.getByLabel('Tool dialect').selectOption(name)
      if (name !== 'polyfs') await soon(async () => (await names()).join()).not.toBe(before)
      await soon(async () => (await names()).length).toBeGreaterThan(0)
      seen[name] = (await names()).length
    }
    expect(Object.values(seen).every((count) => count > 2)).toBe(true)
    await soon(() => page.locator('.messages .said').allTextContents()).toContain('tools/list')
    await page.getByLabel('Filter messages').fill('tools/list')
    await soon(async () => new Set(await page.locator('.messages .said').allTextContents())).toEqual(
      new Set(['tools/list']),
    )
    expect(await page.locator('.messages .size').first().textContent()).toMatch(/^\d+ B · ~\d+ tok$/)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n')
    expect(lines.every((line) => JSON.parse(line).message.method === 'tools/list')).toBe(true)
  })
})

describe('resources and prompts', () => {
  longTest('are read as an agent reads them, with completions', async () => {
    const { page } = await open()
    await page.locator('.tools form button[type=submit]:enabled').waitFor()
    await page.getByRole('button', { name: 'Resources and prompts…' }).click()
    const resources = page.getByRole('form', { name: 'Resources' })
    const address = resources.getByLabel('Address of a resource')
    await soon(() => address.inputValue()).toMatch(/README\.md$/)
    await resources.getByRole('button', { name: 'Read' }).click()
    await soon(() => page.getByLabel('The resource').textContent()).toContain('# Harbour')
    const [, before] = /^(.*)README\.md$/.exec(await address.inputValue()) ?? []
    await address.fill(`${before}src/b`)
    const choices = () =>
      page.locator('#resources option').evaluateAll((all) => all.map((each) => each.getAttribute('value')))
    await soon(choices).toEqual([`${before}src/berths.ts`])
    const prompts = page.getByRole('form', { name: 'Prompts' })
    for (const field of await prompts.locator('input').all()) await field.fill('README.md')
    await prompts.getByRole('button', { name: 'Get' }).click()
    await soon(() => page.getByLabel('The messages of the prompt').textContent()).toContain('"role": "user"')
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByLabel('Tool dialect').selectOption('fs')
    await soon(() => page.locator('#tool option').count()).toBe(3)
    await page.getByRole('button', { name: 'Resources and prompts…' }).click()
    await page.getByText('This dialect has no prompts.').waitFor()
  })
})

describe('connect', () => {
  /** Sends a message of the protocol from a page of the same site. */
  function send(page: Page, address: string, message: object): Promise<string> {
    return page.evaluate(
      async ([url, body]) => {
        const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
        const response = await fetch(url, { method: 'POST', headers, body })
        return `${response.status} ${await response.text()}`
      },
      [address, JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })] as const,
    )
  }

  longTest('an agent in another page works on the files of this tab, and is named', async () => {
    const { page, panel, row } = await openPlayground(browser, `${site.url}#workspace=memory&fast=1`, {
      serviceWorkers: 'allow',
    })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await panel('Connect')
    const field = page.getByLabel('Address of this tab')
    await soon(() => field.inputValue()).toMatch(/\/tab\/[0-9a-f]{12}\/mcp$/)
    const address = await field.inputValue()
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByText('The address was copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address)
    await page.getByText('Nobody is connected yet.').waitFor()

    const other = await page.context().newPage()
    await other.goto(`${site.url}#workspace=memory`)
    await soon(() => other.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)
    const clientInfo = { name: 'other page', version: '2' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    expect(await send(other, address, { method: 'initialize', params })).toContain('"name":"polyfs"')
    const args = { path: 'from-outside.txt', content: 'hello' }
    const written = await send(other, address, {
      method: 'tools/call',
      params: { name: 'write_file', arguments: args },
    })
    expect(written).toContain('created from-outside.txt')
    await row('/from-outside.txt').waitFor()
    await soon(() => page.locator('.clients li').allTextContents()).toEqual([
      expect.stringMatching(/^other page 22 requests, last at /),
    ])

    await page.getByLabel('Answer at an address').uncheck()
    await page.getByText('Off: requests to the address are refused.').waitFor()
    expect(await send(other, address, { method: 'tools/list' })).toMatch(/^503 .*No open page serves files here/)
    await page.getByLabel('Answer at an address').check()
    await soon(() => field.inputValue()).toBe(address)
    await page.reload()
    // The panel is not open, but an agent may use the address.
    await soon(() => send(other, address, { method: 'tools/list' })).toContain('"write_file"')
    complaints.splice(0)
  })

  longTest('the browser’s own agent gets the tools, of the chosen dialect', async () => {
    const { page, panel } = await open()
    const session = await page.context().newCDPSession(page)
    const names = new Set<string>()
    const each = (change: (name: string) => void) =>
      ((event: { tools: { name: string }[] }) => {
        for (const { name } of event.tools) change(name)
      }) as never
    session.on(
      'WebMCP.toolsAdded' as never,
      each((name) => names.add(name)),
    )
    session.on(
      'WebMCP.toolsRemoved' as never,
      each((name) => names.delete(name)),
    )
    await session.send('WebMCP.enable' as never)
    await panel('Connect')
    await page.getByLabel('Offer the tools (WebMCP)').check()
    await page.getByText('The browser’s agent sees 17 tools.').waitFor()
    await soon(() => names.size).toBe(17)
    await page.getByLabel('Tool dialect').selectOption('fs')
    await soon(() => [...names].sort()).toEqual(['fs.list_files', 'fs.read_file', 'fs.search_text'])
    await page.getByLabel('Offer the tools (WebMCP)').uncheck()
    await soon(() => names.size).toBe(0)
  })

  longTest('code and configurations are copied', async () => {
    const { page, panel } = await open()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Embed it…' }).click()
    await page.getByText('This page has no service worker here, so it has no address.').waitFor()
    await panel('Connect')
    for (const [part, title, text] of [
      ['In your own page', 'Any page', "import { Client } from '@modelcontextprotocol/client'"],
      ['In your own page', 'React', 'useEffect('],
      ['In your own page', 'AI SDK', 'aiSdkTools(await files.listTools()'],
      ['On your computer', 'VS Code', '"servers"'],
      ['On your computer', 'Claude Desktop', '"mcpServers"'],
    ] as const) {
      await page.getByLabel(part, { exact: true }).and(page.locator('select')).selectOption(title)
      await page.getByRole('button', { name: `Copy: ${part}` }).click()
      await soon(() => page.evaluate(() => navigator.clipboard.readText())).toContain(text)
    }
  })
})

testInTurn('the palette does everything by keyboard alone', async () => {
  const { page } = await open()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('berths')
  await soon(() => page.locator('.palette [aria-selected=true]').textContent()).toBe('src/berths.ts')
  await page.keyboard.press('Enter')
  await page.locator('.cm-content[aria-label="/src/berths.ts"]').waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('clarvis dialect')
  await page.keyboard.press('Enter')
  await soon(() => page.getByLabel('Tool dialect').inputValue()).toBe('clarvis')
  await page.keyboard.press('Control+k')
  await page.keyboard.press('Escape')
  await page.locator('.palette').waitFor({ state: 'detached' })
})
