/** The report in a browser, with names of tasks that try to break out of it. */
import { rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { htmlReport } from '../../../harness/report/html.js'
import { junitReport } from '../../../harness/report/junit.js'
import { compareRuns } from '../../../harness/statistics/compare.js'
import { summarize } from '../../../harness/statistics/summary.js'
import { hostileNames } from '../../harness/report/hostile-names.js'
import { resultsOf } from '../../harness/report/results.js'
import { chromiumOptions } from '../chromium.js'

const results = resultsOf(hostileNames, hostileNames[0])
const name = hostileNames[3] ?? ''

let text: string
let browser: Browser
let site: Server
let asked: string[] = []

beforeAll(async () => {
  const summary = summarize({ tasks: hostileNames, trials: 3, results, seed: 1 })
  const facts = Object.fromEntries(hostileNames.slice(0, 10).map((hostile) => [hostile, hostile]))
  const comparison = compareRuns({ before: resultsOf([...hostileNames].reverse()), after: results }, { seed: 1 })
  const run = { name, facts, summary, results }
  text = await htmlReport({ runs: [run, run], compared: { name, comparisons: [comparison, comparison] } })
  site = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.setHeader('content-type', 'text/html; charset=utf-8').end(request.url === '/report.html' ? text : '')
  })
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done))
  browser = await chromium.launch(chromiumOptions)
})

afterAll(async () => {
  await browser?.close()
  site?.close()
})

/** Opens an address, points at and clicks everything, and returns what happened. */
async function visit(url: string): Promise<{ page: Page; requests: string[]; complaints: string[] }> {
  const page = await browser.newPage()
  const requests: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', (dialog) => complaints.push(dialog.message()))
  await page.goto(url)
  await page.evaluate(() => {
    for (const element of document.querySelectorAll('*')) {
      for (const type of ['mouseover', 'focus', 'load', 'error', 'click']) element.dispatchEvent(new Event(type))
    }
    for (const details of document.querySelectorAll('details')) details.open = true
  })
  await page.waitForTimeout(300)
  return { page, requests, complaints }
}

test('no script runs, no request is made, and the style sheet is the report’s own', async () => {
  const file = join(tmpdir(), `polyfs-report-${process.pid}.html`)
  await writeFile(file, text)
  onTestFinished(() => rm(file))
  for (const url of [
    `http://127.0.0.1:${(site.address() as AddressInfo).port}/report.html`,
    pathToFileURL(file).href,
  ]) {
    asked = []
    const { page, requests, complaints } = await visit(url)
    expect(requests.filter((request) => !request.startsWith('data:'))).toEqual([url])
    expect(complaints).toEqual([])
    expect(asked).toEqual(url.startsWith('http') ? ['/report.html'] : [])
    const found = await page.evaluate(() => ({
      ran: 'ran' in globalThis,
      title: document.title,
      headings: [...document.querySelectorAll('section > h1')].map((heading) => heading.textContent),
      scripts: document.querySelectorAll('script, iframe, img, object, embed, base, a').length,
      maxWidth: getComputedStyle(document.body).maxWidth,
      plots: document.querySelectorAll('svg').length,
      address: location.href,
    }))
    expect(found).toMatchObject({ ran: false, headings: [name, name], scripts: 0, maxWidth: '1120px', address: url })
    expect(found.title).toBe(`polyfs eval: ${name}, ${name}`)
    expect(found.plots).toBeGreaterThan(hostileNames.length)
    await page.close()
  }
})

test('every name is shown as it is', async () => {
  const page = await browser.newPage()
  await page.setContent(text)
  const shown = await page.evaluate(() =>
    [...document.querySelectorAll('td:first-child bdi')].map((cell) => cell.textContent),
  )
  // What HTML and XML can't contain is replaced.
  const plain = hostileNames.filter(
    (hostile) => !/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(hostile),
  )
  expect(plain.length).toBeGreaterThan(20)
  expect(plain.filter((hostile) => !shown.includes(hostile))).toEqual([])
  await page.close()
})

test('the policy would stop a script, a style and a request that got in', async () => {
  const page = await browser.newPage()
  const whole = text
  text = whole.replace(
    '<section>',
    '<script>globalThis.ran = 1</script><img src="/x.png" onerror="ran = 2"><style>body { max-width: 1px }</style><section>',
  )
  asked = []
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/report.html`)
  text = whole
  await page.waitForTimeout(300)
  expect(await page.evaluate(() => document.querySelectorAll('img, script').length)).toBe(2)
  expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false)
  expect(await page.evaluate(() => getComputedStyle(document.body).maxWidth)).toBe('1120px')
  expect(asked).toEqual(['/report.html'])
  await page.close()
})

test('JUnit files with hostile names are well-formed, and say the names', async () => {
  const page = await browser.newPage()
  const parsed = await page.evaluate((xml) => {
    const tree = new DOMParser().parseFromString(xml, 'application/xml')
    return {
      error: tree.querySelector('parsererror')?.textContent ?? '',
      cases: [...tree.querySelectorAll('testcase')].map((each) => [
        each.getAttribute('name'),
        each.children[0]?.tagName,
      ]),
      counts: ['tests', 'failures', 'errors', 'skipped'].map((key) => tree.documentElement.getAttribute(key)),
    }
  }, junitReport(results))
  expect(parsed.error).toBe('')
  expect(parsed.cases.length).toBe(results.length)
  const count = (tag: string) => parsed.cases.filter(([, element]) => element === tag).length
  expect(parsed.counts).toEqual([results.length, count('failure'), count('error'), count('skipped')].map(String))
  const names = parsed.cases.map(([each]) => each)
  expect(names).toContain('<script>globalThis.ran = 1</script> #1')
  expect(names).toContain(`${name} #3`)
  await page.close()
})
