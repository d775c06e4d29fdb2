/**
 * The same in Chromium, Firefox and WebKitGTK: the contracts, the endpoint with the official clients, and what people do in the playground.
 * Only `npm test -- --browsers` runs it. The table in docs/browsers.md must say what came out; with `-u` it is written.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ContractPage } from '../web/contract-page/page.js'
import type { Results, TargetName } from '../web/contract-page/targets.js'
import { clients, seenBy, ways } from '../web/page/expected.js'
import type { TestPage, Way } from '../web/page/page.js'
import { servePlayground } from '../web/playground/serve-playground.js'
import { servePage } from '../web/serve-page.js'
import { startChromium } from './chromium.js'
import type { DrivenBrowser } from './driven-page.js'
import { startFirefox } from './firefox.js'
import { story } from './playground-story.js'
import { showInWebKit, startWebKit } from './webkit.js'

/** Globals of the pages; only code that runs in them may use them. */
declare const contractPage: ContractPage
declare const testPage: TestPage

const table = fileURLToPath(new URL('../../docs/browsers.md', import.meta.url))
const timeout = 900_000

const browsers: Record<string, { start(): Promise<DrivenBrowser>; stores: boolean }> = {
  Chromium: { start: startChromium, stores: true },
  Firefox: { start: () => startFirefox(program('firefox-esr', 'firefox-esr')), stores: true },
  WebKitGTK: { start: () => startWebKit(program('WebKitWebDriver', 'webkit2gtk-driver xvfb')), stores: false },
}

type Run = [where: keyof ContractPage, target: TargetName]

const inMemory: Record<string, Run> = {
  'contract of file systems, in memory': ['inPage', 'memory'],
  'contract of shells, the emulated bash': ['inPage', 'shell'],
}
const stored: Record<string, Run> = {
  'contract, browser storage, in a page': ['inPage', 'opfs'],
  'contract, browser storage, in a worker': ['inWorker', 'opfs'],
  'contract, a pack in browser storage, in a worker': ['inWorker', 'pack'],
}

/** Passed and failed, by row and browser. */
const counts = new Map<string, Map<string, { passed: number; failed: number }>>()
const versions = new Map<string, string>()

if (process.env.POLYFS_TEST_BROWSERS === undefined) {
  test('other browsers', (context) => context.skip('other browsers are tested by npm test -- --browsers'))
} else {
  describe.each(Object.entries(browsers))('%s', (name, { start, stores }) => {
    let browser: DrivenBrowser

    beforeAll(async () => {
      browser = await start()
      versions.set(name, browser.version)
    })
    afterAll(() => browser?.close())

    test('keeps the contracts', { timeout }, async () => {
      const site = await servePage('contract-page')
      try {
        await browser.page.goto(site.url)
        for (const [row, run] of Object.entries({ ...inMemory, ...(stores && stored) })) {
          count(row, name, await browser.page.evaluate((where, target) => contractPage[where](target), ...run))
        }
      } finally {
        await site.close()
      }
    })

    test('has and lacks what docs/browsers.md says', async () => {
      const site = await servePage('local-page')
      try {
        await browser.page.goto(site.url)
        const found = await browser.page.evaluate(async () => ({
          'browser storage (OPFS)': await (async () => navigator.storage.getDirectory())().then(
            () => true,
            () => false,
          ),
          'folder picker': 'showDirectoryPicker' in globalThis,
          '`FileSystemObserver`': 'FileSystemObserver' in globalThis,
          '`body` of a request': 'body' in Request.prototype,
        }))
        const lines = (await readFile(table, 'utf8')).split('\n')
        const column = Object.keys(browsers).indexOf(name) + 2
        const said = Object.keys(found).map((title) => {
          const line = lines.find((each) => each.startsWith(`| ${title} |`))
          return [title, line?.split('|')[column]?.trim() === 'yes']
        })
        expect(Object.fromEntries(said)).toEqual(found)
      } finally {
        await site.close()
      }
    })

    if (!stores) {
      test('keeps the contract on its storage, when that is switched on', { timeout }, async () => {
        const reports = await reportsOf(Object.values(stored))
        for (const [row, run] of Object.entries(stored)) count(row, name, reports.get(run.join(' ')) ?? [])
      })
    }

    describe('serves MCP in a page', () => {
      let site: Awaited<ReturnType<typeof servePage>>
      beforeAll(async () => {
        site = await servePage('page')
      })
      afterAll(() => site?.close())

      test.each(Object.keys(ways) as Way[])('%s', { timeout }, async (way) => {
        const { page } = browser
        await page.goto(`${site.url}?${encodeURIComponent(way)}`)
        await expect.poll(() => page.evaluate(() => 'testPage' in globalThis), { timeout }).toBe(true)
        if (way === 'OPFS in a worker' && !stores) {
          const refusal = page.evaluate((chosen) => testPage.open(chosen), way)
          await expect(refusal).rejects.toThrow('FsError: UNSUPPORTED')
          return
        }
        expect(await page.evaluate((chosen) => testPage.open(chosen), way)).toBe(ways[way])
        for (const client of clients) {
          const seen = {
            'a client in the page': await page.evaluate((each) => testPage.visit(each), client),
            'a client in a worker': await page.evaluate((each) => testPage.visitFromWorker(each), client),
            'a client of the service worker': await page.evaluate((each) => testPage.visitAddress(each), client),
          }
          for (const [who, saw] of Object.entries(seen)) {
            // As it comes through JSON.
            expect(saw, `${who}, ${client}`).toEqual(JSON.parse(JSON.stringify(seenBy(client, way))))
            count(`MCP to ${who}`, name, [{ name: client, outcome: 'passed' }])
          }
        }
        expect(await page.evaluate(() => testPage.violations)).toEqual([])
      })
    })

    describe('shows the playground, which', () => {
      let site: Awaited<ReturnType<typeof servePlayground>>
      beforeAll(async () => {
        site = await servePlayground()
      })
      afterAll(() => site?.close())

      for (const step of story) {
        test(step.name, { timeout }, async () => {
          await step.run({ page: browser.page, url: site.url, stores })
          count('steps of a visit to the playground', name, [{ name: step.name, outcome: 'passed' }])
        })
      }
    })
  })

  test('docs/browsers.md says so', async () => {
    const text = await readFile(table, 'utf8')
    const made = withTable(text)
    // Other versions of the browsers with the same counts need no new table.
    const isSame = withoutVersions(made) === withoutVersions(text)
    await expect(isSame ? text : made).toMatchFileSnapshot(table)
  })
}

/** Adds results to a row, and fails with those that failed. */
function count(row: string, name: string, results: Results): void {
  const failed = results.filter((result) => result.outcome === 'failed')
  const passed = results.filter((result) => result.outcome === 'passed').length
  const cells = counts.get(row) ?? new Map()
  counts.set(row, cells)
  const before = cells.get(name) ?? { passed: 0, failed: 0 }
  cells.set(name, { passed: before.passed + passed, failed: before.failed + failed.length })
  expect(failed, row).toEqual([])
  expect(passed, row).toBeGreaterThan(0)
}

/** What the page of the contracts reports from a browser that nobody drives. */
async function reportsOf(runs: readonly Run[]): Promise<Map<string, Results>> {
  const wanted = runs.map((run) => run.join(' '))
  const reports = new Map<string, Results>()
  let finish = () => {}
  let fail = (_error: Error) => {}
  const finished = new Promise<void>((resolve, reject) => {
    finish = resolve
    fail = reject
  })
  const site = await servePage('contract-page', {
    onReport(text) {
      const { run, results, fault } = JSON.parse(text)
      if (fault !== undefined) return fail(new Error(`${run}: ${fault}`))
      reports.set(run, results)
      if (reports.size === runs.length) finish()
    },
  })
  const query = new URLSearchParams(wanted.map((run) => ['run', run]))
  const browser = await showInWebKit(`${site.url}?${query}`)
  try {
    await finished
    return reports
  } finally {
    await browser.close()
    await site.close()
  }
}

/** The page with the table of this run in place of its own. */
function withTable(text: string): string {
  const names = Object.keys(browsers)
  const row = (cells: readonly string[]) => `|${cells.map((text) => ` ${text} `.replace('  ', ' ')).join('|')}|\n`
  const cell = (cells: Map<string, { passed: number; failed: number }>, name: string) => {
    const found = cells.get(name)
    return found === undefined ? '–' : `${found.passed}/${found.failed}`
  }
  const rows = [
    row(['', ...names.map((name) => `${name} ${versions.get(name)}`)]),
    `|${'---|'.repeat(names.length + 1)}\n`,
    ...[...counts].map(([title, cells]) => row([title, ...names.map((name) => cell(cells, name))])),
  ]
  return text.replace(/^(\|.*\n)+/m, () => rows.join(''))
}

function withoutVersions(text: string): string {
  return text.replace(/^\| \| .*$/m, '')
}

function program(name: string, packages: string): string {
  const places = (process.env.PATH ?? '').split(':').map((place) => join(place, name))
  const found = places.find((place) => existsSync(place))
  if (found === undefined) throw new Error(`There is no ${name} here: apt-get install ${packages}`)
  return found
}
