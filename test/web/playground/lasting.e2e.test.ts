import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { longTest } from '../../scale.js'
import { chromiumOptions } from '../chromium.js'
import { complaints, openPlayground, type Playground, playgroundOn, soon } from './playground-page.js'
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

async function open(hash = ''): Promise<Playground> {
  return openPlayground(browser, site.url + hash)
}

describe('persistence', () => {
  test('a workspace in the browser survives a reload, and two tabs see each other’s changes', async () => {
    const { page, show, row, call } = await open('')
    const text = await show('/README.md')
    await text.click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('Kept. ')
    await soon(() => page.locator('.tabs .tab').allTextContents()).toEqual(['README.md×'])
    await page.reload()
    await soon(() => page.locator('.cm-content').first().textContent()).toContain('Kept. # Harbour')
    const other = playgroundOn(await page.context().newPage())
    await other.page.goto(site.url)
    await other.row('/README.md').waitFor()
    await call('write_file', { path: 'from-one.txt', content: '1' })
    await other.row('/from-one.txt').waitFor()
    await other.call('write_file', { path: 'README.md', content: 'from two\n' })
    await soon(() => page.locator('.cm-content').first().textContent()).toBe('from two')
    await other.call('write_file', { path: 'from-two.txt', content: '2' })
    await row('/from-two.txt').waitFor()
  })

  longTest('the page asks before unloading while changes are not stored, and stores them', async () => {
    const { page, show } = await open('')
    const text = await show('/README.md')
    await text.click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('At the last moment. ')
    const asked = page.waitForEvent('dialog')
    await page.evaluate(() => void setTimeout(() => location.reload()))
    const dialog = await asked
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    await soon(() => wouldAsk(page)).toBe(false)
    await page.reload()
    await soon(() => text.textContent()).toContain('At the last moment. # Harbour')
  })

  test('what was typed into two files survives a reload, also when a move has made them one', async () => {
    const { page, call, show } = await open('')
    page.on('dialog', (dialog) => void dialog.accept())
    const text = page.locator('.editors .cm-content').filter({ visible: true })
    const banner = page.locator('.editors .banner').filter({ visible: true })
    for (const name of ['one', 'two']) {
      await call('write_file', { path: `${name}.txt`, content: 'first\n' })
      await show(`/${name}.txt`)
      // Until the tool writes before the text is saved: then the text stays in its tab, with a question.
      await soon(async () => {
        await text.focus()
        await page.keyboard.insertText(`typed into ${name} `)
        await call('write_file', { path: `${name}.txt`, content: `by a tool ${Math.random()}\n` })
        return banner.waitFor({ timeout: 1000 }).then(
          () => true,
          () => false,
        )
      }).toBe(true)
    }
    await call('move', { from: 'two.txt', to: 'one.txt', overwrite: true })
    const tabs = page.locator('.editors').getByRole('tab')
    await soon(() => tabs.allTextContents()).toEqual(['● one.txt', '● one.txt'])
    await page.reload()
    await soon(() => tabs.allTextContents()).toEqual(['● one.txt', '● one.txt'])
    const texts: string[] = []
    for (const tab of await tabs.all()) {
      await tab.click()
      await banner.waitFor()
      texts.push(await text.innerText())
    }
    expect(texts).toEqual([expect.stringContaining('typed into one'), expect.stringContaining('typed into two')])
  })

  test('a worker that fails is replaced, and nothing written is lost', async () => {
    const { page, call, row, failures, show } = await open('')
    await call('write_file', { path: 'before.txt', content: 'x' })
    await row('/before.txt').waitFor()
    await soon(() => wouldAsk(page)).toBe(false)
    await (await show('/README.md')).click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('Typed before. ')
    const [worker] = page.workers()
    await worker?.evaluate(() => {
      setTimeout(() => {
        throw new Error('on purpose')
      })
    })
    await soon(failures).toEqual([
      'The worker with the files has failed: Uncaught Error: on purpose. Reopening the workspace.',
    ])
    await row('/before.txt').waitFor()
    expect(await call('read_file', { path: 'before.txt' })).toBe('1\tx')
    await soon(() => call('read_file', { path: 'README.md', limit: 1 })).toContain('Typed before. # Harbour')
  })

  longTest('after the first visit the page opens offline, with every panel', async () => {
    const { page, panel, show } = await openPlayground(browser, site.url, { serviceWorkers: 'allow' })
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready
    })
    await soon(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)
    site.offline = true
    await page.reload()
    await show('/README.md')
    await panel('Terminal')
    await soon(() => page.locator('.xterm-accessibility').textContent()).toContain('/ $')
    await panel('Git')
    await page.getByRole('button', { name: 'Initialize repository' }).click()
    await page.getByRole('button', { name: 'Stage README.md' }).waitFor()
    site.offline = false
  })

  longTest('without space nothing is lost, the page says what to do, and saves as soon as there is space', async () => {
    const { page, call, failures } = await open('')
    await page.locator('.row').first().waitFor()
    const stored = () => page.evaluate(storedText)
    const session = await page.context().newCDPSession(page)
    const origin = new URL(site.url).origin
    await call('write_file', { path: 'small.txt', content: 'before' })
    await soon(stored).toContain('small.txt')
    await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1000 })
    await call('write_file', { path: 'large.txt', content: 'x'.repeat(100_000) })
    await soon(failures).toEqual([
      'Not saved yet: the browser has no space left for this site. Nothing is lost while this page stays open: free some space and it will be saved, or export a zip.',
    ])
    expect(await call('list_dir', { path: '.' })).toContain('large.txt')
    expect(await call('write_file', { path: 'refused.txt', content: 'y' })).toMatch(/^no_space: /)
    expect(await stored()).not.toContain('large.txt')
    expect(await wouldAsk(page)).toBe(true)
    await session.send('Storage.overrideQuotaForOrigin', { origin })
    await page.getByText('All changes are saved').waitFor()
    expect(await failures()).toEqual([])
    expect(await wouldAsk(page)).toBe(false)
    await call('write_file', { path: 'small.txt', content: 'after' })
    await soon(() => wouldAsk(page)).toBe(false)
    await page.reload()
    expect(await call('read_file', { path: 'small.txt' })).toBe('1\tafter')
    expect(await call('bash', { command: 'wc -c < large.txt; ls' })).toBe(
      ['100000', 'README.md', 'data', 'large.txt', 'notes', 'small.txt', 'src'].join('\n'),
    )
  })
})

/** The page would ask before unloading. */
function wouldAsk(page: Page): Promise<boolean> {
  return page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })))
}

/** Everything that the browser's storage has of the sample, as text. */
async function storedText(): Promise<string> {
  const top = await navigator.storage.getDirectory()
  const texts: string[] = []
  for await (const handle of (await top.getDirectoryHandle('.polyfs-pack-sample-project')).values()) {
    texts.push(await (await (handle as FileSystemFileHandle).getFile()).text())
  }
  return texts.join('')
}
