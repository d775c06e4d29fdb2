/** Scripts on the browser's own engine reach the files and commands of their shell, and nothing of the page, its browser or the network. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isolating, type RoomPage, roomPage } from '../room/room-page.js'

let opened: RoomPage
let outside: Server
let visits = 0

beforeAll(async () => {
  outside = createServer((_, response) => {
    visits += 1
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
    response.end('outside')
  })
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
  opened = await roomPage({ headers: isolating })
})

afterAll(async () => {
  await opened?.close()
  outside?.close()
})

const address = () => `http://127.0.0.1:${(outside.address() as AddressInfo).port}/`
const node = async (script: string) => {
  await opened.files({ '/script.cjs': script })
  const { stdout, stderr, exitCode } = await opened.sh('node script.cjs')
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  return stdout
}

/** Node has them, or every script has them here on both engines. */
const known = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...Object.getOwnPropertyNames(Object.prototype),
  '$polyfs',
  'InternalError',
  'Iterator',
])
/** Two constants of the browser that can't be deleted. */
const constants = ['TEMPORARY', 'PERSISTENT']

test('it is the engine of the browser, and what browsers have and Node has not is hidden', async () => {
  const names = JSON.parse(
    await node(`
      const names = []
      for (let at = globalThis; at !== null; at = Object.getPrototypeOf(at)) names.push(...Object.getOwnPropertyNames(at))
      console.log(JSON.stringify([typeof Error.captureStackTrace, typeof TEMPORARY, ...names]))`),
  ) as string[]
  expect(names.slice(0, 2)).toEqual(['function', 'number'])
  expect(names.slice(2).filter((name) => !known.has(name) && !constants.includes(name))).toEqual([])
})

test('the ways out fail, and nobody is visited', async () => {
  const attempts = {
    fetch: `fetch('${address()}')`,
    import: `import('${address()}')`,
    'import of data': "import('data:text/javascript,export default 1')",
    'import in text': `eval("imp" + "ort('${address()}')")`,
    'import in text in parts': `(0, eval)('imp' + 'ort("${address()}")')`,
    'import in a function': `new Function('address', 'return imp' + 'ort(address)')('${address()}')`,
    'import of a constructor': `(async () => {}).constructor('a', 'return await imp' + 'ort(a)')('${address()}')`,
    http: `new Promise((resolve, reject) => require('http').get('${address()}', resolve).on('error', reject))`,
    importScripts: `importScripts('${address()}')`,
    socket: `new WebSocket('${address().replace('http', 'ws')}')`,
    transport: `new WebTransport('${address().replace('http', 'https')}')`,
    peer: 'new RTCPeerConnection()',
    request: 'new XMLHttpRequest()',
    source: `new EventSource('${address()}')`,
    worker: "new Worker('data:text/javascript,0')",
    databases: "indexedDB.open('x')",
    caches: "caches.open('x')",
    storage: 'navigator.storage.getDirectory()',
    message: 'postMessage(1)',
    channel: "new BroadcastChannel('x')",
    'the constructor of the global':
      "Object.getPrototypeOf(globalThis).constructor.name === 'Object' ? Promise.reject(1) : 1",
    'the global of a function': "Function('return this')().postMessage(1)",
    'the global of an error': `(() => { try { null.x } catch (error) { return error.constructor.constructor('return postMessage')()(1) } })()`,
    'a global of another kind':
      'new (Object.getPrototypeOf(Object.getPrototypeOf(globalThis)).constructor)().addEventListener.call(globalThis)',
  }
  const code = Object.entries(attempts).map(([name, attempt]) => `${JSON.stringify(name)}: () => ${attempt}`)
  const found = JSON.parse(
    await node(`
      const attempts = { ${code.join(',\n')} }
      ;(async () => {
        const found = []
        for (const [name, attempt] of Object.entries(attempts)) {
          try { await attempt(); found.push(name) } catch { }
        }
        console.log(JSON.stringify(found))
      })()`),
  ) as string[]
  expect(found).toEqual([])
  expect(visits).toBe(0)
})

test('the stack has no functions but those of the script', async () => {
  const stdout = await node(`
    const source = require('fs').readFileSync(__filename, 'utf8')
    const found = new Set()
    function look() {
      if (look.caller !== null) found.add(look.caller)
      Object.defineProperty(Error, 'prepareStackTrace', { value: (_, sites) => sites, configurable: true })
      for (const site of new Error().stack) found.add(site.getFunction()).add(site.getThis())
    }
    look()
    process.nextTick(look)
    setTimeout(() => {
      look()
      const isOwn = (each) => each === undefined || each === globalThis || each === module.exports || each.name === '$main' || source.includes(String(each))
      delete Error.prepareStackTrace
      console.log([...found].filter((each) => !isOwn(each) && typeof each === 'function').map((each) => each.name))
    }, 5)`)
  expect(stdout).toBe('[]\n')
})

test('what the engine uses can be replaced by a script without leading anywhere', async () => {
  const stdout = await node(`
    const seen = new Set(), { toString } = Object.prototype, reflect = Reflect.apply
    for (const [holder, names] of [[Array.prototype, ['map', 'push', 'shift', 'filter', 'flatMap']], [Map.prototype, ['get', 'set']], [Promise.prototype, ['then']], [Function.prototype, ['call', 'apply', 'bind']], [Atomics, ['wait', 'load', 'store']], [JSON, ['parse', 'stringify']], [Reflect, ['apply', 'construct']]]) {
      for (const name of names) {
        const own = holder[name]
        holder[name] = function (...given) {
          for (const each of [this, ...given]) if (typeof each === 'object' && each !== null) seen.add(reflect(toString, each, []))
          return reflect(own, this, given)
        }
      }
    }
    require('fs').writeFileSync('x', 'x')
    require('fs').readFileSync('x')
    eval('import("./none.mjs")').catch(() => {})
    setTimeout(() => console.log([...seen].filter((each) => /Port|Worker|Scope|Event|Channel/.test(each)).join()), 5)`)
  expect(stdout).toBe('\n')
})

test('the frame and its threads have an origin of their own, without storage and network', async () => {
  await opened.sh('node -p 1')
  const frame = opened.page.frames().find((each) => each.url().endsWith('/node/frame.html'))
  expect(frame).toBeDefined()
  const attempts = `
    const fails = async (attempt) => { try { await attempt(); return false } catch { return true } }
    const opens = (request) => new Promise((resolve, reject) => { request.onsuccess = resolve; request.onerror = reject })
    setTimeout(async () => postMessage({
      origin: self.origin,
      isolated: crossOriginIsolated,
      databases: await fails(() => opens(indexedDB.open('x'))),
      caches: await fails(() => caches.open('x')),
      network: await fails(() => fetch('${address()}')),
      scripts: await fails(() => importScripts('${address()}')),
      modules: await fails(() => import('${address()}')),
      socket: await fails(() => new Promise((resolve, reject) => { const socket = new WebSocket('${address().replace('http', 'ws')}'); socket.onopen = resolve; socket.onerror = reject })),
      inner: await new Promise((resolve) => {
        const inner = new Worker(URL.createObjectURL(new Blob(["fetch('${address()}').then(() => postMessage(false), () => postMessage(true))"])))
        inner.onmessage = ({ data }) => resolve(data)
      }),
    }))`
  const found = await frame?.evaluate(
    (text) =>
      new Promise((resolve) => {
        const thread = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })))
        thread.onmessage = ({ data }) => resolve(data)
        thread.onerror = ({ message }) => resolve(message)
      }),
    attempts,
  )
  expect(found).toEqual({
    origin: 'null',
    isolated: true,
    databases: true,
    caches: true,
    network: true,
    scripts: true,
    modules: true,
    socket: true,
    inner: true,
  })
  expect(visits).toBe(0)
})
