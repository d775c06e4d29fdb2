import { describe, expect, test } from 'vitest'
import { bothNodes, otherVersion } from './same-as-node.js'

/** What needs no network, and how a connection to nobody fails: port 1 is never served. */
const scripts: Readonly<Record<string, string>> = {
  'http says what it knows': `const http = require('http'); console.log(http.METHODS.join(), http.STATUS_CODES, http.maxHeaderSize, typeof http.request, typeof require('https').get)`,
  'http fails to connect': `const r = require('http').get('http://127.0.0.1:1/x?y', () => console.log('never')); r.on('error', (e) => console.log(e.code, e.errno, e.syscall, e.address, e.port, e.message)); r.on('close', () => console.log('close')); console.log(r.method, r.path, r.host)`,
  'headers of a request': `const r = require('http').request({ host: '127.0.0.1', port: 1, method: 'post', headers: { 'X-One': '1' } }); r.setHeader('Two', 2); console.log(r.getHeader('x-one'), r.getHeader('TWO'), r.hasHeader('three'), r.method); r.on('error', (e) => console.log(e.code)); r.end('body')`,
  'another protocol': `try { require('http').get('https://127.0.0.1:1') } catch (e) { console.log(e.name, e.code, e.message) }`,
  'net fails to connect': `const s = require('net').connect(1, '127.0.0.1', () => console.log('never')); s.on('error', (e) => console.log(e.code, e.message)); s.on('close', () => console.log('close'))`,
  addresses: `const net = require('net'); for (const a of ['1.2.3.4', '256.1.1.1', '01.2.3.4', '::', '::1', '1::2::3', 'fe80::1%eth0', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7', '::ffff:1.2.3.4', 'x', '', 5]) console.log(a, net.isIP(a), net.isIPv4(a), net.isIPv6(a))`,
  'fetch is rejected': `fetch('http://127.0.0.1:2/').catch((e) => console.log(e.name, e.message, e.cause.code))`,
  'dns of an address': `require('dns').lookup('127.0.0.1', (e, a, f) => console.log(e, a, f)); require('dns').promises.lookup('127.0.0.1', { all: true }).then(console.log)`,
  threads: `const w = require('worker_threads'); console.log(w.isMainThread, w.parentPort, w.threadId, w.workerData); w.setEnvironmentData('a', 1); console.log(w.getEnvironmentData('a'))`,
  channels: `const d = require('diagnostics_channel'); const c = d.channel('x'); const l = (m, n) => console.log(m, n); console.log(c.hasSubscribers, d.channel('x') === c); d.subscribe('x', l); c.publish({ a: 1 }); console.log(d.hasSubscribers('x'), c.unsubscribe(l), c.unsubscribe(l), c.hasSubscribers); try { d.channel(5) } catch (e) { console.log(e.code, e.message) }`,
  resources: `const { AsyncResource } = require('async_hooks'); class A extends AsyncResource { constructor() { super('A') } } const a = new A(); console.log(a.runInAsyncScope(function (x) { return [this, x] }, 1, 2), AsyncResource.bind((x) => x + 1)(2)); try { new AsyncResource(5) } catch (e) { console.log(e.code, e.message) }`,
}

describe.skipIf(otherVersion)('without a network', () => {
  const { both } = bothNodes()
  for (const [name, script] of Object.entries(scripts)) {
    test(name, async () => {
      const { ours, theirs } = await both({ 'main.cjs': script }, ['main.cjs'])
      expect(ours).toEqual(theirs)
    })
  }

  test('what is missing says so', async () => {
    const script = `for (const run of [() => require('https').createServer(), () => require('http2').createServer(), () => new (require('worker_threads').Worker)('x')]) try { run() } catch (e) { console.log(e.message) }`
    const { ours } = await both({ 'main.cjs': script }, ['main.cjs'])
    expect(ours.stdout).toBe(
      'https.createServer is not supported by this shell, which has no network\nhttp2.createServer is not supported by this shell, which has no network\nworker_threads.Worker is not supported by this shell\n',
    )
  })
})
