/** Firefox as distributions have it, driven by WebDriver BiDi, which it speaks without a program in between. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { patienceMs } from '../web/chromium.js'
import { asExpression, type DrivenBrowser } from './driven-page.js'
import { clickActions, pressActions, typeActions } from './web-driver-actions.js'

/** Nothing is asked, fetched or reported in the background. */
const preferences = {
  'app.update.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'http://127.0.0.1:9',
  'toolkit.telemetry.enabled': false,
}

export async function startFirefox(program: string): Promise<DrivenBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'polyfs-firefox-'))
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`)
  await writeFile(join(profile, 'user.js'), lines.join(''))
  const browser = spawn(program, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => browser.once('close', () => resolve()))
  async function close(): Promise<void> {
    browser.kill()
    await ended
    await rm(profile, { recursive: true, force: true, maxRetries: 10 })
  }
  try {
    const { send, close: closeSocket } = await connect(`${await addressOf(browser)}/session`)
    const session = await send('session.new', { capabilities: {} })
    const { context } = (await send('browsingContext.create', { type: 'tab' })) as { context: string }
    await send('browsingContext.setViewport', { context, viewport: { width: 1280, height: 800 } })
    const act = (actions: object[]) => send('input.performActions', { context, actions })
    return {
      version: String((session as { capabilities: { browserVersion: string } }).capabilities.browserVersion),
      page: {
        goto: async (url) => void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
        reload: async () => void (await send('browsingContext.reload', { context, wait: 'complete' })),
        async evaluate(work, ...args) {
          const answer = (await send('script.evaluate', {
            expression: asExpression(work, args),
            target: { context },
            awaitPromise: true,
          })) as Evaluated
          if (answer.type === 'exception') throw new Error(answer.exceptionDetails.text)
          return JSON.parse(answer.result.value)
        },
        click: async (x, y) => void (await act(clickActions(x, y))),
        type: async (text) => void (await act(typeActions(text))),
        press: async (keys) => void (await act(pressActions(keys))),
      },
      async close() {
        closeSocket()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

type Evaluated =
  | { type: 'success'; result: { value: string } }
  | { type: 'exception'; exceptionDetails: { text: string } }

/** Firefox writes the address to its error output once it listens. */
function addressOf(browser: ReturnType<typeof spawn>): Promise<string> {
  return new Promise((resolve, reject) => {
    let written = ''
    const fail = (why: string) => reject(new Error(`Firefox ${why}: ${written}`))
    const timer = setTimeout(() => fail('did not listen in time'), patienceMs)
    browser.once('error', ({ message }) => fail(`did not start (${message})`))
    browser.once('close', () => fail('ended'))
    browser.stderr?.on('data', (part) => {
      written += part
      const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(written) ?? []
      if (address === undefined) return
      clearTimeout(timer)
      resolve(address)
    })
  })
}

/** A connection for commands; events are not subscribed to. */
async function connect(address: string) {
  const socket = new WebSocket(address)
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  let count = 0
  socket.on('message', (data) => {
    const { id, type, result, error, message } = JSON.parse(String(data))
    if (type === 'success') waiting.get(id)?.resolve(result)
    else waiting.get(id)?.reject(new Error(`${error}: ${message}`))
    waiting.delete(id)
  })
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('Firefox closed the connection'))
    waiting.clear()
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return {
    send(method: string, params: object): Promise<unknown> {
      count += 1
      const id = count
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        socket.send(JSON.stringify({ id, method, params }))
      })
    },
    close: () => socket.close(),
  }
}
