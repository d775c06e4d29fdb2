/** Python code reaches the files and commands of its shell, and nothing of the page, its browser or the network. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RoomPage, roomPage } from '../room/room-page.js'

let opened: RoomPage
let outside: Server
let visits = 0

beforeAll(async () => {
  outside = createServer((_, response) => {
    visits += 1
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.end('outside')
  })
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
  opened = await roomPage()
  await opened.page.evaluate(() => {
    localStorage.setItem('secret', 'of the page')
  })
})

afterAll(async () => {
  await opened?.close()
  outside?.close()
})

const port = () => (outside.address() as AddressInfo).port

describe('modules that would lead out', () => {
  test.each(['js', 'pyodide', 'pyodide_js', '_pyodide_core', 'ctypes', '_ctypes'])('%s', async (name) => {
    expect(
      await opened.python(`
try:
    import ${name}
    print("there", [name for name in dir(${name}) if name in ("document", "fetch", "CDLL", "dlopen", "eval", "code")])
except ImportError:
    print("none")
`),
    ).toEqual({ stdout: 'none\n', stderr: '', exitCode: 0 })
  })
})

test('calls that would lead out fail, and nobody is visited', async () => {
  const attempts = {
    connect: `import socket; socket.create_connection(("127.0.0.1", ${port()}), 2)`,
    listen: 'import socket; socket.create_server(("127.0.0.1", 0))',
    name: 'import socket; socket.getaddrinfo("example.com", 80)',
    fetch: `import urllib.request; urllib.request.urlopen("http://127.0.0.1:${port()}/", timeout=2)`,
    import:
      'import importlib.machinery as m; m.ExtensionFileLoader("x", "/x.so").create_module(m.ModuleSpec("x", None, origin="/x.so"))',
    system: 'import os; assert os.path.exists("/proc/self/environ")',
    fork: 'import os; os.fork()',
  }
  for (const [name, code] of Object.entries(attempts)) {
    const { exitCode, stderr } = await opened.sh(`touch x.so; python3 - <<'EOF'\n${code}\nEOF`)
    expect([name, exitCode, stderr.split('\n').at(-2)?.split(':')[0]]).toEqual([
      name,
      1,
      expect.stringMatching(/^(\w+\.)*\w*(Error|error)( |$)?/),
    ])
  }
  expect(visits).toBe(0)
})

/** Runs as text in the frame and in a worker of it: what is evaluated from outside may use `eval` in spite of the policy. */
const probe = (address: string) => `
  const fails = async (attempt) => {
    try {
      await attempt()
      return false
    } catch {
      return true
    }
  }
  const database = () => new Promise((resolve, reject) => {
    const request = indexedDB.open('x')
    request.onsuccess = resolve
    request.onerror = reject
  })
  const found = async () => ({
    origin: self.origin,
    databases: await fails(database),
    caches: await fails(() => caches.open('x')),
    directory: await fails(() => navigator.storage.getDirectory()),
    network: await fails(() => fetch('${address}')),
    ownSite: await fails(() => fetch(new URL('/python/frame.html', '${address}'))),
    socket: await fails(() => new Promise((resolve, reject) => {
      const socket = new WebSocket('${address}'.replace('http', 'ws'))
      socket.onopen = resolve
      socket.onerror = reject
    })),
    evaluation: await fails(() => new Function('return 1')()),
  })
  setTimeout(async () => (self.tell ?? postMessage)(await found()))
`

const confined = {
  origin: 'null',
  databases: true,
  caches: true,
  directory: true,
  network: true,
  ownSite: true,
  socket: true,
  evaluation: true,
}

test('the frame and its threads have an origin of their own, without storage, network or code from texts', async () => {
  await opened.python('print(1)')
  const frame = opened.page.frames().find((each) => each.url().endsWith('/python/frame.html'))
  expect(frame).toBeDefined()
  const code = probe(`http://127.0.0.1:${port()}/`)
  const inFrame = await frame?.evaluate(
    (text) =>
      new Promise((resolve) => {
        Object.assign(self, { tell: resolve })
        const script = document.createElement('script')
        script.textContent = text
        document.head.append(script)
      }),
    code,
  )
  expect(inFrame).toEqual(confined)
  const inThread = await frame?.evaluate(
    (text) =>
      new Promise((resolve) => {
        const thread = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })))
        thread.onmessage = ({ data }) => resolve(data)
        thread.onerror = ({ message }) => resolve(message)
      }),
    code,
  )
  expect(inThread).toEqual(confined)
  const ofPage = await frame?.evaluate(() => {
    const attempts = [() => localStorage.getItem('secret'), () => document.cookie, () => parent.document]
    return attempts.map((attempt) => {
      try {
        return String(attempt())
      } catch (error) {
        return (error as Error).name
      }
    })
  })
  expect(ofPage).toEqual(['SecurityError', 'SecurityError', 'SecurityError'])
  expect(visits).toBe(0)
})

test('the files of the page are those of its shell', async () => {
  expect(
    await opened.python('import os; print(sorted(os.listdir("/")), os.path.exists("/python/frame.html"))'),
  ).toMatchObject({
    stdout: expect.stringMatching(/^\[.*\] False\n$/),
    exitCode: 0,
  })
  expect(
    await opened.python('import os; print([name for name in os.environ if "secret" in name.lower()])'),
  ).toMatchObject({
    stdout: '[]\n',
  })
})
