/** The site as a reader sees it, on a host that knows nothing but files. */
import { type Browser, chromium, type Page } from 'playwright'
import { preview } from 'vite'
import { expect, onTestFinished } from 'vitest'
import { buildSite, siteBase } from '../../project/build-site.js'
import { longTest } from '../../scale.js'
import { chromiumOptions } from '../chromium.js'

longTest('the front page, the search, the dark theme and the playground work without any other host', async () => {
  const [url, browser] = await Promise.all([serveSite(), launch()])
  const page = await browser.newPage({ colorScheme: 'dark' })
  const faults = faultsOf(page, new URL(url).origin)

  await page.goto(url)
  expect(await page.locator('h1').innerText()).toContain('File tools for AI agents')
  expect(await page.locator('html').getAttribute('class')).toContain('dark')

  await page.keyboard.press('Control+k')
  await page.locator('#localsearch-input').fill('durableWorkspace')
  await page.locator('.results .result', { hasText: 'durableWorkspace' }).first().click()
  await page.waitForURL(/\/polyfs\/api\/polyfs-workers(\.html)?#/)

  await page.goto(`${url}api.html`)
  await page.locator('.vp-doc a', { hasText: 'glossary' }).first().click()
  await page.waitForURL(/architecture(\.html)?#glossary$/)
  await page.locator('#glossary').waitFor()

  await page.goto(url)
  await page.locator('.VPHero a', { hasText: 'Try it' }).click()
  await page.waitForURL(`${url}playground/**`)
  await page.getByText('README.md').first().waitFor()
  expect(faults).toEqual([])
})

async function serveSite(): Promise<string> {
  const outDir = await buildSite()
  const server = await preview({
    configFile: false,
    appType: 'mpa',
    base: siteBase,
    logLevel: 'error',
    build: { outDir },
    preview: { host: '127.0.0.1', port: 0 },
  })
  onTestFinished(() => server.close())
  const [address = ''] = server.resolvedUrls?.local ?? []
  return address
}

async function launch(): Promise<Browser> {
  const browser = await chromium.launch(chromiumOptions)
  onTestFinished(() => browser.close())
  return browser
}

/** Errors, and requests to other hosts, as they come. */
function faultsOf(page: Page, origin: string): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin) faults.push(request.url())
  })
  return faults
}
