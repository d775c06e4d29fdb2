/** Clones in a page: from a server that allows its origin, from one that does not, and from the latter through a proxy. */
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FileEndpoint } from '../../../web/index.js'
import { openStage, type Stage } from '../../node/git/real-git.js'
import { type GitServer, serveGit } from '../../node/git/serve-git.js'
import { sample } from '../../scale.js'
import { chromiumOptions, patienceMs } from '../chromium.js'

const built = fileURLToPath(new URL('../../../dist/web', import.meta.url))

const texts: Record<string, string> = {
  '/': '<!doctype html><title>polyfs clones</title><script type="module" src="/page.js"></script>',
  '/page.js': `
    import { opfs, serveFiles } from '/polyfs/index.js'
    globalThis.open = async (way, network) => {
      const fs = way === 'OPFS' ? await opfs(crypto.randomUUID()) : { memory: {} }
      globalThis.files = await serveFiles({ fs, ...(network && { network }) })
    }
    globalThis.isReady = true
  `,
}

/** Globals of the page; only code that runs in the page may use them. */
declare const files: FileEndpoint
declare function open(way: string, network?: { corsProxy?: string }): Promise<void>

let stage: Stage
let allowing: GitServer
let refusing: GitServer
let site: Server
let browser: Browser
let page: Page

beforeAll(async () => {
  stage = await openStage()
  writeFileSync(join(stage.directory, 'a.txt'), 'a\n')
  stage.git('add', '.')
  stage.git('commit', '-qm', 'first')
  allowing = await serveGit(stage.directory, { cors: true })
  refusing = await serveGit(stage.directory)
  site = createServer(async (asked, response) => {
    const { pathname } = new URL(asked.url ?? '/', 'http://page')
    if (pathname.startsWith('/proxy/')) {
      const onward = request(`http://${asked.url?.slice('/proxy/'.length)}`, {
        method: asked.method,
        headers: asked.headers,
      })
      onward.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      })
      return void asked.pipe(onward)
    }
    const body = texts[pathname] ?? (await readFile(join(built, pathname.replace('/polyfs/', ''))).catch(() => ''))
    response.setHeader('Content-Type', pathname.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8')
    response.writeHead(body === '' && pathname !== '/favicon.ico' ? 404 : 200).end(body)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  browser = await chromium.launch(chromiumOptions)
  page = await browser.newPage()
  page.setDefaultTimeout(patienceMs)
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  await page.waitForFunction(() => 'isReady' in globalThis)
})

afterAll(async () => {
  await browser?.close()
  site?.closeAllConnections()
  site?.close()
  await allowing?.close()
  await refusing?.close()
  stage?.close()
})

async function clone(way: string, url: string, network?: { corsProxy?: string }) {
  return page.evaluate(
    async ([chosen, from, allowed]) => {
      await open(chosen, allowed)
      const { content, isError = false } = await files.callTool('git', { action: 'clone', url: from, path: 'copy' })
      const listed = await files.callTool('list_dir', { depth: 2 })
      await files.close()
      return { reply: content[0]?.text, isError, entries: listed.content[0]?.text }
    },
    [way, url, network] as const,
  )
}

test.each(sample(['OPFS', 'memory']))('a server that lets pages read it is cloned into %s', async (way) => {
  expect(await clone(way, allowing.url, {})).toEqual({
    reply: 'cloned into copy: main, 1 file',
    isError: false,
    entries: 'copy/\ncopy/.git/\ncopy/a.txt',
  })
})

test('a server that does not allow pages is named in the error, with advice, and nothing is left behind', async () => {
  expect(await clone('memory', refusing.url, {})).toEqual({
    reply: `git_refused: git: the server can not be reached, or does not let this page read it (CORS): ${refusing.url}. Clone from a server that does, or ask the user to give the page a corsProxy.`,
    isError: true,
    entries: '(no entries)',
  })
})

test('that server can be cloned through a proxy', async () => {
  const corsProxy = `${new URL(page.url()).origin}/proxy`
  expect(await clone('memory', refusing.url, { corsProxy })).toMatchObject({ reply: 'cloned into copy: main, 1 file' })
})

test('nothing is fetched unless the page allows it', async () => {
  expect(await clone('memory', allowing.url)).toMatchObject({
    reply:
      'unsupported: This workspace was given no network to clone from. Ask the user for a copy, or to allow the network (--allow-network, or network in a page).',
    isError: true,
  })
})
