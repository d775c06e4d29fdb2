import fs from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { nodeShims } from '../../build/vite-plugin.js'
import { launchChromium } from './browser.mjs'

/** Tools on 5,000 files of the browser's storage, compared with the same tools on memory, in Chromium, each in a worker. */
export async function benchWeb(_ours, rows, { rounds, only }) {
  const isWanted = (part) => `${part} in the browser`.includes(only)
  if (!['files', 'git', 'packed storage', 'long history'].some(isWanted)) return
  const outDir = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-bench-page-'))
  const root = fileURLToPath(new URL('./web-page', import.meta.url))
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [nodeShims()],
    worker: { format: 'es', plugins: () => [nodeShims()] },
    build: { outDir, emptyOutDir: true, target: 'es2022', chunkSizeWarningLimit: Number.POSITIVE_INFINITY },
  })
  const server = createServer(async ({ url }, response) => {
    const { pathname } = new URL(url, 'http://page')
    const file = path.join(outDir, pathname === '/' ? 'index.html' : pathname)
    const body = await readFile(file).catch(() => undefined)
    response.writeHead(body ? 200 : 404, { 'Content-Type': file.endsWith('.js') ? 'text/javascript' : 'text/html' })
    response.end(body)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${server.address().port}/`)
    await page.waitForFunction(() => 'run' in globalThis)
    if (isWanted('git')) {
      for (const [label, { storedMs, heldMs, ratio }] of Object.entries(
        await page.evaluate(() => globalThis.runGit()),
      )) {
        rows.row(`git in a page, ${label}, 1,000 stored files`, 'in memory', {
          oursMs: storedMs,
          theirsMs: heldMs,
          ratio,
        })
      }
    }
    if (isWanted('packed storage')) {
      const stored = await page.evaluate(() => globalThis.runStorage())
      for (const [label, { packedMs, plainMs, ratio }] of Object.entries(stored)) {
        rows.row(`${label} in a page`, 'a stored file for each', { oursMs: packedMs, theirsMs: plainMs, ratio })
        if (label in mostMs) rows.limit(`${label} in a page`, packedMs, mostMs[label])
      }
    }
    if (isWanted('long history')) {
      const { early, late } = await page.evaluate((calls) => globalThis.runHistory(calls), historyCalls)
      const measured = { oursMs: late, theirsMs: early, ratio: late / early }
      const title = `an edit after ${historyCalls.toLocaleString('en')} changes in a page`
      rows.row(title, 'one after 500 changes', measured, 1.2)
    }
    if (!isWanted('files')) return
    const measured = await page.evaluate((count) => globalThis.run(count), Math.min(rounds, 5))
    const { plantedMs, loadedMs, flushedMs, results } = measured
    rows.note(
      `5,000 files in the browser's storage, one by one: written in ${plantedMs.toFixed(0)} ms, loaded in ${loadedMs.toFixed(0)} ms, ` +
        `what was changed flushed in ${flushedMs.toFixed(0)} ms`,
    )
    for (const [label, { storedMs, heldMs, ratio }] of Object.entries(results)) {
      rows.row(`${label} of 5,000 stored in a page`, 'in memory', { oursMs: storedMs, theirsMs: heldMs, ratio }, 3)
    }
  } finally {
    await browser.close()
    server.closeAllConnections()
    server.close()
    fs.rmSync(outDir, { recursive: true, force: true })
  }
}

const historyCalls = 10_000
const mostMs = { 'store 5,000 files': 2000, 'open 5,000 files': 600 }
