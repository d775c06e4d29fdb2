/** What others on the same machine, and pages of other sites in the user's browser, could try. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { uiPaths, uiProtocol } from '../../../src/engine/ui-protocol.js'
import { encodeMessage } from '../../../src/engine/wire.js'
import { enterServer } from '../../../web/remote/connection.js'
import { openPage, type UiSite, uiSite } from './ui-site.js'

interface Attempt {
  path?: string
  protocols?: string[]
  headers?: Record<string, string>
}

/** The status of a refused handshake, or `open`. */
function handshake(
  { origin }: UiSite,
  { path = uiPaths.socket, protocols = [uiProtocol.name], headers = {} }: Attempt,
) {
  return new Promise<number | 'open'>((resolve, reject) => {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}${path}`, protocols, { headers })
    socket.once('open', () => {
      socket.terminate()
      resolve('open')
    })
    socket.once('unexpected-response', (_, { statusCode }) => resolve(statusCode ?? 0))
    socket.once('error', reject)
  })
}

async function keyed(site: UiSite): Promise<string[]> {
  return [uiProtocol.name, `${uiProtocol.key}${await enterServer(site.origin, site.token())}`]
}

/** `fetch` sets Host and Origin itself. */
function send(
  site: UiSite,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string },
) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const { body, ...rest } = options
    const sent = request(`${site.origin}${path}`, rest, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

test('the socket opens with a key only, and neither a token nor the key of another server is one', async () => {
  const site = await uiSite()
  const other = await uiSite()
  const token = site.token()
  expect(await handshake(site, { protocols: await keyed(site) })).toBe('open')
  const wrong = ['', 'x', token, 'a'.repeat(43), (await keyed(other))[1]?.slice(4) ?? '']
  for (const key of wrong) {
    const protocols = key === '' ? [uiProtocol.name] : [uiProtocol.name, `${uiProtocol.key}${key}`]
    expect(await handshake(site, { protocols })).toBe(401)
    expect(await handshake(site, { protocols, path: uiPaths.member })).toBe(401)
  }
  // A page's key does not let a server in, and the other way round.
  expect(await handshake(site, { protocols: await keyed(site), path: uiPaths.member })).toBe(401)
  const secret = [uiProtocol.name, `${uiProtocol.key}${site.ui.memberSecret}`]
  expect(await handshake(site, { protocols: secret })).toBe(401)
  expect(await handshake(site, { protocols: secret, path: uiPaths.member })).toBe('open')
})

test('no page of another site gets in, nor one that has rebound its name to this machine', async () => {
  const site = await uiSite()
  const protocols = await keyed(site)
  const { host, port } = new URL(site.origin)
  const refused = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `http://127.0.0.1:${Number(port) + 1}` },
    { origin: `http://${host}.evil.example` },
    { host: 'evil.example' },
    { host: `evil.example:${port}`, origin: `http://evil.example:${port}` },
  ]
  for (const headers of refused) expect(await handshake(site, { protocols, headers: headers as never })).toBe(403)
  expect(await handshake(site, { protocols, headers: { origin: site.origin } })).toBe('open')
  const token = site.token()
  for (const headers of refused) {
    const answer = await send(site, uiPaths.enter, { method: 'POST', headers: headers as never, body: token })
    expect(answer.status).toBe(403)
  }
  // None of them has used the token up.
  expect(await enterServer(site.origin, token)).toMatch(/^[\w-]{43}$/)
})

test('a token is taken from the body of a POST only', async () => {
  const site = await uiSite()
  const token = site.token()
  expect((await send(site, `${uiPaths.enter}?token=${token}`, {})).status).toBe(405)
  expect((await send(site, `${uiPaths.enter}?token=${token}`, { method: 'POST', body: '' })).status).toBe(403)
  expect((await send(site, uiPaths.enter, { method: 'POST', body: 'x'.repeat(100_000) })).status).toBe(403)
  expect((await send(site, uiPaths.enter, { method: 'POST', body: token })).status).toBe(200)
})

test('large values need the key, and are given once', async () => {
  const site = await uiSite()
  const [, protocol = ''] = await keyed(site)
  const authorization = `Bearer ${protocol.slice(uiProtocol.key.length)}`
  expect((await send(site, `${uiPaths.values}/x`, {})).status).toBe(401)
  expect((await send(site, uiPaths.values, { method: 'POST', body: 'x' })).status).toBe(401)
  expect((await send(site, `${uiPaths.values}/x`, { headers: { authorization } })).status).toBe(404)
  expect((await send(site, `${uiPaths.values}?session=x`, { method: 'POST', headers: { authorization } })).status).toBe(
    404,
  )
  expect((await send(site, `${uiPaths.values}/../../etc/passwd`, { headers: { authorization } })).status).toBe(404)
})

test('the page does not reach past the directory, nor into the state of the server', async () => {
  const site = await uiSite({ shell: false })
  await mkdir(join(site.root, '..', 'secret'))
  await writeFile(join(site.root, '..', 'secret', 'file'), 'secret')
  await symlink('../secret', join(site.root, 'link'))
  const page = await openPage(site)
  const outside = ['../secret/file', `${site.root}/../secret/file`, '/etc/passwd', 'link/file', `${site.state}/x`]
  for (const path of outside) {
    await expect(page.run('readBytes', { path })).rejects.toMatchObject({
      code: expect.stringMatching(/OUTSIDE|NOT_FOUND/),
    })
    await expect(page.run('writeFiles', { files: [{ path, content: 'x' }] })).rejects.toMatchObject({ name: 'FsError' })
  }
  expect(await readFile(join(site.root, '..', 'secret', 'file'), 'utf8')).toBe('secret')
})

test('no name that a page sends is more than the name of an operation or a method', async () => {
  const site = await uiSite()
  const page = await openPage(site)
  for (const name of ['constructor', '__proto__', 'toString', 'then', 'nothing']) {
    await expect(page.run(name as never, {} as never)).rejects.toThrow(`Unknown operation: ${name}`)
  }
})

test('messages that no page sends end the connection, and nothing else', async () => {
  const site = await uiSite()
  const page = await openPage(site)
  const protocols = await keyed(site)
  const frame = (message: Uint8Array) => Buffer.concat([Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]), message])
  const attempts: [string, string | Buffer][] = [
    ['text', 'hello'],
    ['no frame', Buffer.from([1, 2])],
    ['a gap', Buffer.from([0, 0, 0, 9, 0, 0, 0, 0])],
    ['a message never sent', Buffer.from([0, 0, 0, 0, 0, 0, 9, 9])],
    ['no message', frame(Buffer.from('nonsense'))],
    ['a value that does not exist', frame(encodeMessage('x'.repeat(300_000), () => 'no such value'))],
    ['more than 8 MB', Buffer.alloc(9 * 1024 * 1024)],
  ]
  for (const [what, data] of attempts) {
    const socket = new WebSocket(`${site.origin.replace('http', 'ws')}${uiPaths.socket}`, protocols)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.once('open', () => socket.send(data))
    socket.on('error', () => {})
    await closed
    expect(await page.about(), what).toMatchObject({ root: site.root })
  }
  expect(page.states).not.toContain(false)
})
