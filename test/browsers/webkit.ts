/** WebKitGTK: its own small browser, on a screen in memory, driven by its WebDriver or left to itself. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { patienceMs } from '../web/chromium.js'
import { asExpression, type DrivenBrowser } from './driven-page.js'
import { clickActions, pressActions, typeActions } from './web-driver-actions.js'

/** Safari has the browser's storage of files. WebKitGTK has it too, and leaves it off. */
const storage = ['+FileSystem', '+FileSystemWritableStream', '+AccessHandle', '+StorageAPI']

export async function startWebKit(driver: string): Promise<DrivenBrowser> {
  const { start, close } = await onScreen()
  try {
    const port = await freePort()
    start(driver, ['--host=127.0.0.1', `--port=${port}`])
    const ask = await client(`http://127.0.0.1:${port}`)
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': { args: ['--automation'] } } }
    const session = (await ask('POST', '/session', { capabilities })) as Session
    const at = `/session/${session.sessionId}`
    await ask('POST', `${at}/timeouts`, { script: 600_000, pageLoad: patienceMs })
    await ask('POST', `${at}/window/rect`, { width: 1300, height: 900 })
    const act = (actions: object[]) => ask('POST', `${at}/actions`, { actions })
    return {
      version: session.capabilities.browserVersion,
      page: {
        goto: async (url) => void (await ask('POST', `${at}/url`, { url })),
        reload: async () => void (await ask('POST', `${at}/refresh`, {})),
        async evaluate(work, ...args) {
          const settled = '.then((json) => done({ json }), (error) => done({ fault: String(error) }))'
          const script = `const done = arguments[0]; ${asExpression(work, args)}${settled}`
          const { json, fault } = (await ask('POST', `${at}/execute/async`, { script, args: [] })) as Evaluated
          if (fault !== undefined) throw new Error(fault)
          return JSON.parse(json)
        },
        click: async (x, y) => void (await act(clickActions(x, y))),
        type: async (text) => void (await act(typeActions(text))),
        press: async (keys) => void (await act(pressActions(keys))),
      },
      async close() {
        await ask('DELETE', at).catch(() => {})
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Shows a page with the storage that Safari has. A WebDriver can't: its windows are private, and private windows store nothing. */
export async function showInWebKit(url: string): Promise<{ close(): Promise<void> }> {
  const { start, close } = await onScreen()
  start(miniBrowser(), [`--features=${storage.join()}`, url])
  return { close }
}

/** Where Debian puts the browser that WebKitGTK has for its own tests. */
function miniBrowser(): string {
  const places = readdirSync('/usr/lib').map((folder) => join('/usr/lib', folder, 'webkit2gtk-4.1/MiniBrowser'))
  const found = places.find((place) => existsSync(place))
  if (found === undefined) throw new Error('There is no MiniBrowser: apt-get install libwebkit2gtk-4.1-0')
  return found
}

/** A screen in memory for the programs that are started, and a directory for what they store. */
async function onScreen() {
  const home = await mkdtemp(join(tmpdir(), 'polyfs-webkit-'))
  const started: ChildProcess[] = []
  async function close(): Promise<void> {
    for (const child of [...started].reverse()) await end(child)
    await rm(home, { recursive: true, force: true, maxRetries: 10 })
  }
  try {
    const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    })
    started.push(screen)
    const DISPLAY = `:${(await firstOutput(screen)).trim()}`
    const env = { ...process.env, ...placesIn(home), DISPLAY, GDK_BACKEND: 'x11', NO_AT_BRIDGE: '1' }
    return {
      start: (program: string, args: readonly string[]) =>
        void started.push(spawn(program, args, { env, stdio: 'ignore' })),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

interface Session {
  sessionId: string
  capabilities: { browserVersion: string }
}

interface Evaluated {
  json: string
  fault?: string
}

function placesIn(home: string): Record<string, string> {
  const names = ['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME']
  return { HOME: home, ...Object.fromEntries(names.map((name) => [name, join(home, name)])) }
}

/** The number of the screen, once it is there. */
function firstOutput(screen: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    screen.once('error', reject)
    screen.once('close', (code) => reject(new Error(`Xvfb ended with ${code}`)))
    screen.stdio[3]?.once('data', (data) => resolve(String(data)))
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No port is free')
  return address.port
}

/** Sends commands to the driver; resolves once it answers. */
async function client(url: string) {
  async function ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown> {
    const response = await fetch(url + path, { method, ...(body && { body: JSON.stringify(body) }) })
    const { value } = (await response.json()) as { value: { error?: string; message?: string } }
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`)
    return value
  }
  const until = Date.now() + patienceMs
  while (true) {
    const answer = await ask('GET', '/status').catch((error: Error) => error)
    if (!(answer instanceof Error)) return ask
    if (Date.now() > until) throw answer
    await sleep(50)
  }
}

async function end(child: ChildProcess): Promise<void> {
  // A program that could not be started has no id, and does not end.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill()
  await ended
}
