/** Cloning by URL: from a git server that lets pages read it, through a proxy, and everything that can go wrong. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { gitEnvironment, openStage, type Stage } from '../../node/git/real-git.js'
import { type GitServer, serveGit } from '../../node/git/serve-git.js'
import { longTest, testInTurn } from '../../scale.js'
import { chromiumOptions } from '../chromium.js'
import { complaints, openPlayground, type Playground, soon } from './playground-page.js'
import { type PlaygroundSite, servePlayground } from './serve-playground.js'

let site: PlaygroundSite
let browser: Browser
let stage: Stage
let repositories: string
let host: GitServer
/** The same repositories, and no page may read them. */
let closedHost: GitServer
let proxy: Server
let proxyUrl: string
/** Requests that are never answered. */
const waiting = new Set<ServerResponse>()

beforeAll(async () => {
  ;[site, browser, stage] = await Promise.all([servePlayground(), chromium.launch(chromiumOptions), openStage()])
  repositories = mkdtempSync(join(tmpdir(), 'polyfs-repositories-'))
  makeRepositories()
  const wait = (_: unknown, response: ServerResponse) => {
    waiting.add(response)
    response.on('close', () => waiting.delete(response))
  }
  /** Lists branches as another repository does, begins to send, and never ends. */
  const stall = ({ method }: IncomingMessage, response: ServerResponse, begun: string) => {
    const list = `${host.origin}/harbour.git/info/refs?service=git-upload-pack`
    if (method === 'GET')
      return void request(list, (answer) => {
        response.writeHead(200, { 'content-type': String(answer.headers['content-type']) })
        answer.pipe(response)
      }).end()
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' })
    response.write(packet('NAK\n') + packet(begun))
    wait(undefined, response)
  }
  host = await serveGit(repositories, {
    cors: true,
    answers: {
      '/private.git': (_, response) => response.writeHead(401, { 'www-authenticate': 'Basic' }).end(),
      '/page': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>'),
      '/broken.git': (_, response) => response.writeHead(500).end(),
      '/silent.git': wait,
      '/preparing.git': (asked, response) => stall(asked, response, '\u0002Counting objects:  50% (5/10)\rCounting'),
      '/sending.git': (asked, response) => stall(asked, response, `\u0001PACK${'.'.repeat(1200)}`),
      '/endless.git': (_, response) => {
        response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
        const ref = `${'1'.repeat(40)} refs/heads/`
        response.write(`${packet('# service=git-upload-pack\n')}0000${packet(`${ref}a\0shallow\n`)}`)
        const pieces = Buffer.from(packet(`${ref}${'x'.repeat(65_000)}\n`).repeat(100))
        const more = () => {
          while (!response.destroyed && response.write(pieces));
        }
        response.on('drain', more)
        more()
      },
    },
  })
  closedHost = await serveGit(repositories)
  proxy = createServer((asked, response) => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', 'content-type, git-protocol')
    if (asked.method === 'OPTIONS') return void response.writeHead(204).end()
    const { method, headers } = asked
    const onward = request(`http:/${asked.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.writeHead(502).end())
    asked.pipe(onward)
  })
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening))
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
})

afterAll(async () => {
  await browser?.close()
  await site?.close()
  await host?.close()
  await closedHost?.close()
  proxy?.closeAllConnections()
  proxy?.close()
  stage?.close()
  if (repositories) rmSync(repositories, { recursive: true, force: true })
})

afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
  // The browser reports requests that fail, and the tests make some fail.
  expect(complaints.splice(0).filter((text) => !/Failed to load resource|CORS policy/.test(text))).toEqual([])
})

/** A line of the protocol. */
function packet(line: string): string {
  return `${(line.length + 4).toString(16).padStart(4, '0')}${line}`
}

/** `harbour.git` with a history, and others for one test each. */
function makeRepositories(): void {
  const { git, directory, write } = stage
  write('README.md', '# Harbour\n')
  write('tools/run.sh', '#!/bin/sh\necho ran\n')
  chmodSync(join(directory, 'tools/run.sh'), 0o755)
  symlinkSync('README.md', join(directory, 'link.md'))
  git('add', '.')
  git('commit', '-qm', 'first')
  write('notes.txt', 'notes\n')
  git('add', '.')
  git('commit', '-qm', 'second')
  git('branch', 'other')
  write('notes.txt', 'more notes\n')
  git('commit', '-qam', 'third')
  publish('harbour.git', 'main:main', 'other:other')
  publish('empty.git')
  const script = blob('#!/bin/sh\n')
  publishTree('hooks', tree(['40000', '.git', tree(['40000', 'hooks', tree(['100755', 'post-checkout', script])])]))
  publishTree('above', tree(['40000', '..', tree(['100644', 'x', script])]))
  publishTree('slash', tree(['100644', '../x', script]))
  publishTree('leaving', tree(['100644', 'a.txt', script], ['120000', 'out', blob('/etc/passwd')]))
}

/** Small to send, and large to hold. */
function makeLargeRepositories(): void {
  const mebibyte = 1024 * 1024
  publishTree('huge', tree(['100644', 'huge', blob('', 130 * mebibyte)]))
  const large = blob('', 60 * mebibyte)
  publishTree('many', tree(...Array.from({ length: 9 }, (_, i): Entry => ['100644', `${i}`, large])))
}

type Entry = [mode: string, name: string, oid: string]

/** A tree with these entries, whatever git thinks of them. */
function tree(...entries: Entry[]): string {
  const bytes = entries.map(([mode, name, oid]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')])
  const { directory: cwd } = stage
  const args = ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin']
  return String(execFileSync('git', args, { cwd, env: gitEnvironment, input: Buffer.concat(bytes.flat()) })).trim()
}

/** A file with this text, and zeros up to this size. */
function blob(text: string, size = text.length): string {
  const file = join(stage.directory, '.git/blob')
  writeFileSync(file, text)
  truncateSync(file, size)
  return stage.git('hash-object', '-w', '.git/blob').trim()
}

function publishTree(name: string, top: string): void {
  stage.git('update-ref', `refs/made/${name}`, stage.git('commit-tree', '-m', 'made', top).trim())
  publish(`${name}.git`, `refs/made/${name}:refs/heads/main`)
}

function publish(name: string, ...refs: string[]): void {
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', name], { cwd: repositories, env: gitEnvironment })
  if (refs.length > 0) stage.git('push', '-q', join(repositories, name), ...refs)
}

interface Cloning extends Playground {
  /** Opens the dialog, fills it and sends it. */
  clone(url: string, fields?: Record<string, string>): Promise<void>
  /** Why it failed, once it did. */
  fault(): Promise<string>
  place(): Promise<string | null>
}

async function open(options: BrowserContextOptions = {}): Promise<Cloning> {
  const playground = await openPlayground(browser, `${site.url}#workspace=memory&fast=1`, options)
  const { page } = playground
  const dialog = page.getByRole('dialog', { name: 'Clone a repository' })
  return {
    ...playground,
    async clone(url, fields = {}) {
      if ((await dialog.count()) === 0) {
        await page.locator('.place').click()
        await page.getByRole('button', { name: 'Git repository…' }).click()
      }
      for (const [label, value] of Object.entries({ Address: url, ...fields })) {
        await dialog.getByLabel(label, { exact: true }).fill(value)
      }
      await dialog.getByRole('button', { name: 'Clone', exact: true }).click()
    },
    async fault() {
      await dialog.getByRole('button', { name: 'Clone', exact: true, disabled: false }).waitFor()
      await dialog.getByRole('alert').waitFor()
      return (await dialog.getByRole('alert').textContent()) ?? ''
    },
    place: () => page.locator('.place').textContent(),
  }
}

const sample = ['▸ data', '▸ notes', '▸ src', 'README.md']

test('a repository is cloned, opened, edited and committed to', async () => {
  const { page, clone, place, rows, show, panel, type, failures, call } = await open()
  // Changes that are only in memory are not lost without a question.
  await call('write_file', { path: 'mine.txt', content: 'mine' })
  await clone(`${host.origin}/harbour.git/`)
  const question = page.getByRole('dialog', { name: 'Leave Sample project?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Clone', exact: true, disabled: false }).click()
  expect(await place()).toBe('Sample project · in memory')
  await question.getByRole('button', { name: 'Leave', exact: true }).click()
  await soon(place).toBe('harbour · clone, in memory')
  await page.getByText('harbour was cloned: 4 files of the branch main').waitFor()
  expect(await page.title()).toBe('harbour – polyfs playground')
  await soon(rows).toEqual(['▸ .git', '▸ tools', 'README.md', '↪ link.md', 'notes.txt'])
  await panel('Git')
  await soon(() => page.getByLabel('Branch').inputValue()).toBe('main')
  // Only the newest commit was fetched, and modes and links are as they were committed.
  await soon(() => page.locator('.log summary').allTextContents()).toEqual([expect.stringContaining('third')])
  await page.getByText('Nothing to commit.').waitFor()

  await panel('Files')
  const text = await show('/README.md')
  await text.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('Typed here.')
  await panel('Git')
  await page.getByRole('button', { name: 'Stage README.md' }).click()
  await page.getByLabel('Commit message').fill('Say more')
  await page.getByRole('button', { name: 'Commit', exact: true }).click()
  await soon(() => page.locator('.log summary').allTextContents()).toEqual([
    expect.stringContaining('Say more'),
    expect.stringContaining('third'),
  ])
  await panel('Terminal')
  const screen = () => page.locator('.xterm-accessibility').textContent()
  await soon(screen).toContain('/ $')
  await type('git log --format=%s; git status -sb; git remote -v; sh tools/run.sh; cat link.md')
  await soon(screen).toMatch(/Say more.*third.*## main\.\.\.origin\/main \[ahead 1\].*harbour\.git.*ran.*Typed here/s)
  await page.locator('.place').click()
  await page.getByRole('button', { name: 'Empty, in memory' }).click()
  await page.getByRole('heading', { name: 'Leave harbour?' }).waitFor()
  expect(await failures()).toEqual([])
})

longTest('a branch, the whole history and a repository without commits', async () => {
  const { page, clone, place, panel, rows } = await open()
  const log = () => page.locator('.log summary').allTextContents()
  await clone(`${host.origin}/harbour.git`, { Branch: 'other' })
  await page.getByText('harbour was cloned: 4 files of the branch other').waitFor()
  await panel('Git')
  await soon(log).toEqual([expect.stringContaining('second')])
  await clone(`${host.origin}/harbour.git`, { Commits: '' })
  await page.getByText('harbour was cloned: 4 files of the branch main').waitFor()
  await soon(log).toEqual(['third', 'second', 'first'].map((text) => expect.stringContaining(text)))
  await clone(`${host.origin}/empty.git`)
  await page.getByText('empty was cloned; it has no commits yet').waitFor()
  await panel('Files')
  await soon(rows).toEqual(['▸ .git'])
  expect(await place()).toBe('empty · clone, in memory')
})

longTest('a host that no page may read is cloned through a proxy, which is remembered', async () => {
  const { page, clone, fault, place } = await open()
  const { host: name } = new URL(closedHost.origin)
  await clone(`${closedHost.origin}/harbour.git`)
  expect(await fault()).toBe(
    `${name} can’t be reached, or does not let pages read it (CORS). Enter a CORS proxy below, or clone it on your computer and open the folder.`,
  )
  await clone(`${closedHost.origin}/harbour.git`, { 'CORS proxy': `${proxyUrl}/` })
  await soon(place).toBe('harbour · clone, in memory')
  await clone(`${closedHost.origin}/none.git`)
  expect(await page.getByLabel('CORS proxy').inputValue()).toBe(proxyUrl)
  expect(await fault()).toBe(
    `${name} has no repository at this address. Check the spelling; a private one is not shown here.`,
  )
  expect(await place()).toBe('harbour · clone, in memory')
})

describe('what can go wrong', () => {
  const onComputer = 'clone it on your computer and open the folder'

  longTest('is reported in sentences that say what to do, and nothing is opened', async () => {
    const { clone, fault, place, rows } = await open()
    const { host: name } = new URL(host.origin)
    const faults: Record<string, string> = {}
    const given = ['', 'git@github.com:team/project.git', 'file:///etc', 'https://me:secret@example.org/x']
    const asked = ['none.git', 'private.git', 'page', 'broken.git'].map((path) => `${host.origin}/${path}`)
    for (const url of [...given, ...asked]) {
      await clone(url)
      faults[url.replace(`${host.origin}/`, '')] = await fault()
    }
    expect(faults).toEqual({
      '': 'Enter the address of a repository.',
      'git@github.com:team/project.git': 'A page can’t use SSH. Try https://github.com/team/project.git.',
      'file:///etc': 'The address has to begin with https:// or http://.',
      'https://me:secret@example.org/x': 'Leave out the user name and password: this page sends none.',
      'none.git': `${name} has no repository at this address. Check the spelling; a private one is not shown here.`,
      'private.git': `${name} wants a login, and this page sends none. Check the spelling; if the repository is private, ${onComputer}.`,
      page: 'No git server answers there. Enter the address that “git clone” takes.',
      'broken.git': `${name} failed to answer. Try again in a while.`,
    })
    const harbour = `${host.origin}/harbour.git`
    for (const [fields, sentence] of [
      [{ Commits: '0' }, 'The number of commits has to be at least 1; leave it empty for all.'],
      [{ Commits: '1', 'CORS proxy': 'nonsense' }, 'The address of the proxy has to begin with https:// or http://.'],
      [
        { 'CORS proxy': '', Branch: 'missing' },
        'There is no branch “missing”. Check its name, or leave it empty for the default branch.',
      ],
      [{ Branch: 'a..b' }, 'Git does not allow “a..b”. Check the address and the branch.'],
    ] as const) {
      await clone(harbour, fields)
      expect(await fault()).toBe(sentence)
    }
    expect(await place()).toBe('Sample project · in memory')
    expect(await rows()).toEqual(sample)
  })

  longTest('is too large to hold in memory, and refused before it is', async () => {
    makeLargeRepositories()
    const { clone, fault, rows } = await open()
    const faults: Record<string, string> = {}
    for (const path of ['huge.git', 'many.git', 'endless.git']) {
      await clone(`${host.origin}/${path}`)
      faults[path] = await fault()
    }
    const tooLarge = (what: string) => `It is too large for this page: ${what}. Please ${onComputer}.`
    expect(faults).toEqual({
      'huge.git': tooLarge('an object, the limit is 128 MiB'),
      'many.git': tooLarge('what would be written, the limit is 512 MiB'),
      'endless.git': tooLarge('the list of branches and tags, the limit is 64 MiB'),
    })
    expect(await rows()).toEqual(sample)
  })

  longTest('a hostile repository writes nothing outside its files', async () => {
    const { page, clone, fault, rows, place, call } = await open()
    const faults: Record<string, string> = {}
    for (const name of ['hooks', 'above', 'slash']) {
      await clone(`${host.origin}/${name}.git`)
      faults[name] = await fault()
    }
    const unsafe = (name: string) =>
      `The repository has a name that is not safe to write (${name}), so nothing of it was opened.`
    expect(faults).toEqual({ hooks: unsafe('.git'), above: unsafe('..'), slash: unsafe('../x') })
    expect(await rows()).toEqual(sample)
    // A link can only lead to the files of the workspace, which has no such file.
    await clone(`${host.origin}/leaving.git`)
    await soon(place).toBe('leaving · clone, in memory')
    expect(await call('read_file', { path: 'out' })).toMatch(/^not_found/)
    await soon(rows).toEqual(['▸ .git', 'a.txt', '↪ out'])
    expect(await page.locator('.notice.failed').count()).toBe(0)
  })

  longTest('a computer that is offline, and a site whose policy does not allow the host', async () => {
    const { page, clone, fault } = await open()
    const context = page.context()
    await page.locator('.place').click()
    await page.getByRole('button', { name: 'Git repository…' }).click()
    await page.getByLabel('Address').waitFor()
    await context.setOffline(true)
    await clone(`${host.origin}/harbour.git`)
    expect(await fault()).toBe('This computer is offline. Connect it to a network, and try again.')
    await context.setOffline(false)
    await page.route('**/clone-worker-*', async (route) => {
      const response = await route.fetch()
      const headers = { ...response.headers(), 'content-security-policy': "default-src 'self'" }
      await route.fulfill({ response, headers })
    })
    await clone(`${host.origin}/harbour.git`)
    expect(await fault()).toBe(
      `The site that serves this page does not let it connect to ${host.origin}, or was sent on to another server. Who runs the site can allow it in its Content-Security-Policy; or clone it on your computer and open the folder.`,
    )
    // The browser reports what it blocks, unless the worker has ended before.
    complaints.splice(0)
  })
})

longTest('a clone that takes long shows how far it is, and can be cancelled', async () => {
  const { page, clone, place, rows } = await open()
  const dialog = page.getByRole('dialog', { name: 'Clone a repository' })
  const status = () => dialog.getByRole('status').textContent()
  const cancel = () => dialog.getByRole('button', { name: 'Cancel' }).click()
  for (const [name, shown, stop] of [
    ['silent.git', `Asking ${host.origin}/silent.git…`, cancel],
    ['preparing.git', 'The server prepares 5 of 10 objects…', () => page.keyboard.press('Escape')],
    ['sending.git', 'Received 1.2 kB…', cancel],
  ] as const) {
    await clone(`${host.origin}/${name}`)
    await soon(() => waiting.size).toBe(1)
    await dialog.getByRole('progressbar', { name: 'Progress of the clone' }).waitFor()
    await soon(status).toBe(shown)
    expect(await dialog.getByLabel('Address').isDisabled()).toBe(true)
    await stop()
    await soon(status).toBe('Cancelled; nothing was opened.')
    // The connection has ended too.
    await soon(() => waiting.size).toBe(0)
    expect(page.workers().filter((worker) => worker.url().includes('clone-worker'))).toEqual([])
  }
  await clone(`${host.origin}/harbour.git`)
  await soon(place).toBe('harbour · clone, in memory')
  await soon(rows).toContain('notes.txt')
})

testInTurn('only the worker may reach the host, and only that one', () => reachesOnly('block'))

longTest('the same from the copy for use without a network', () => reachesOnly('allow'))

async function reachesOnly(serviceWorkers: 'block' | 'allow'): Promise<void> {
  const { page, clone } = await open({ serviceWorkers })
  if (serviceWorkers === 'allow')
    await soon(() => page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe('activated')
  await clone(`${host.origin}/silent.git`)
  await soon(() => waiting.size).toBe(1)
  const [worker] = page.workers().filter((each) => each.url().includes('clone-worker'))
  const reach = (url: string) => fetch(url).then(String, String)
  expect(await page.evaluate(reach, `${host.origin}/harbour.git`)).toContain('TypeError')
  expect(await worker?.evaluate(reach, proxyUrl)).toContain('TypeError')
  expect(await worker?.evaluate(reach, site.url)).toContain('TypeError')
  expect(await worker?.evaluate(reach, `${host.origin}/none.git`)).toBe('[object Response]')
  const blocked = complaints.splice(0).filter((text) => !text.includes('Failed to load resource'))
  expect(blocked.length).toBeGreaterThan(0)
  expect(blocked.every((text) => text.includes('Content Security Policy'))).toBe(true)
}
