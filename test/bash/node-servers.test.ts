import { describe, expect, test } from 'vitest'
import { bothNodes, otherVersion } from './same-as-node.js'

/** Servers that a script asks itself. `ask` says what a request got, and `seen` what the server got. */
const asking = `const http = require('http')
const seen = []
const ask = (path, options = {}, body) => new Promise((resolve) => {
  const request = http.request({ port: server.address().port, path, ...options }, (answer) => {
    const parts = []
    answer.on('data', (part) => parts.push(part)).on('end', () => {
      const { date, ...headers } = answer.headers
      resolve([answer.statusCode, answer.statusMessage, headers, typeof date, Buffer.concat(parts).toString(), answer.complete, answer.rawHeaders.filter((_, at) => at % 2 === 0).join()])
    })
  })
  request.on('error', (error) => resolve([error.code, error.message]))
  request.end(body)
})
const server = http.createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (part) => (body += part)).on('end', () => {
    seen.push([request.method, request.url, Object.keys(request.headers).join(), body])
    answers[request.url.split('?')[0]](request, response, body)
  })
})
`
const run = `server.listen(0, async () => {
  for (const [path, options, body] of requests) console.log(path, await ask(path, options, body))
  console.log(seen)
  server.close(() => console.log('closed', server.listening))
})`

const scripts: Readonly<Record<string, string>> = {
  'answers of every length': `${asking}
const answers = {
  '/': (_request, response) => response.end('hello'),
  '/chunks': (_request, response) => { response.write('a'); response.write(Buffer.from('b')); response.end('c') },
  '/json': (_request, response, body) => { response.setHeader('Content-Type', 'application/json'); response.statusCode = 201; response.end(JSON.stringify({ body })) },
  '/none': (_request, response) => { response.writeHead(204, { 'X-A': '1' }); response.end() },
  '/words': (_request, response) => response.writeHead(418, 'Teapot it is', { 'Set-Cookie': ['a=1', 'b=2'], Vary: 'x' }).end('short'),
  '/length': (_request, response) => { response.setHeader('Content-Length', 3); response.write('abc'); response.end() },
  '/close': (_request, response) => { response.setHeader('Connection', 'close'); response.end('bye') },
  '/large': (_request, response) => response.end('x'.repeat(200000)),
  '/hang': (request) => request.socket.destroy(),
}
const requests = [
  ['/'], ['/chunks'], ['/json', { method: 'POST', headers: { 'Content-Type': 'text/plain' } }, 'héllo'], ['/none'],
  ['/chunks', { method: 'HEAD' }], ['/words?q=1', { headers: { 'X-One': ['1', '2'], Cookie: ['a', 'b'] } }], ['/length'], ['/close'], ['/hang'],
  ['/json', { method: 'PUT', headers: { 'transfer-encoding': 'chunked' } }, 'zz'], ['/json', { method: 'DELETE' }],
]
${run}`,
  'headers that are wrong or too late': `${asking}
const answers = {
  '/twice': (_request, response) => { response.end('x'); for (const late of [() => response.setHeader('a', 'b'), () => response.writeHead(200), () => response.removeHeader('a')]) try { late() } catch (error) { seen.push(error.code + error.message) } },
  '/wrong': (_request, response) => {
    for (const wrong of [() => response.setHeader('a b', 'c'), () => response.setHeader('a', undefined), () => response.setHeader('a', 'b\\n'), () => response.writeHead(99), () => response.write(5), () => response.write(null)])
      try { wrong() } catch (error) { seen.push([error.name, error.code, error.message]) }
    response.setHeader('One', 1)
    response.appendHeader('one', '2')
    seen.push(response.getHeaders(), response.getHeaderNames(), response.getHeader('ONE'), response.hasHeader('two'), response.headersSent)
    response.end()
    seen.push(response.headersSent, response.writableEnded, response.finished)
  },
}
const requests = [['/twice'], ['/wrong']]
${run}`,
  'a port that is taken': `const net = require('net')
const one = net.createServer().listen(0, '127.0.0.1', () => {
  console.log(one.listening, one.address().family, one.address().address)
  const other = net.createServer().listen(one.address().port, '127.0.0.1')
  other.on('error', (error) => {
    console.log(error.code, error.syscall, error.address, error.message.replace(/[0-9]+$/, ''))
    one.close((error) => console.log('closed', error, one.address()))
    other.close((error) => console.log(error.code, error.message))
  })
})`,
  'plain sockets, each end by itself': `const net = require('net')
const [near, far] = [[], []]
const server = net.createServer((socket) => {
  far.push([socket.remoteFamily, socket.remoteAddress, typeof socket.remotePort, socket.readyState])
  socket.setEncoding('utf8')
  socket.on('data', (text) => socket.write(text.toUpperCase())).on('end', () => far.push('end')).on('close', (error) => { far.push('close', error); server.close() })
})
server.listen(0, '127.0.0.1', () => {
  const socket = net.connect(server.address().port, '127.0.0.1', () => { near.push(['connect', socket.pending, socket.connecting]); socket.write('one '); socket.end('two') })
  let got = ''
  socket.on('data', (part) => (got += part)).on('end', () => near.push(['end', got, socket.bytesRead, socket.bytesWritten])).on('close', (error) => near.push('close', error))
})
process.on('exit', () => console.log(near, far))`,
}

describe.skipIf(otherVersion)('servers that only the script asks', () => {
  const { both } = bothNodes()
  for (const [name, script] of Object.entries(scripts)) {
    test(`${name}, as in Node`, async () => {
      const { ours, theirs } = await both({ 'main.cjs': script }, ['main.cjs'])
      expect(ours).toEqual(theirs)
    })
  }

  test('a server that nothing else can reach ends the script', async () => {
    const script = `require('http').createServer().listen(8080, () => console.log('ready'))`
    const { ours } = await nodeAlone(both, script)
    expect(ours).toEqual({
      stdout: 'ready\n',
      stderr:
        'node: a server listens on port 8080, which only this script can reach, and the script has nothing left to do\n',
      exitCode: 1,
    })
  })
})

/** The real one would wait for ever, so that it gets another script. */
async function nodeAlone(both: ReturnType<typeof bothNodes>['both'], script: string) {
  return both({ 'main.cjs': `if (process.pid === 4242) { ${script} }` }, ['main.cjs'])
}
