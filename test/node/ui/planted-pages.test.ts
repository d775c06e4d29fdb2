/** Files of pages that somebody else has made, or that have outlived their page: nobody gets the secret, nor learns what clients do. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { announcePage, type Presence, reachPage, readPresence, removeGonePages } from '../../../node/ui/presence.js'
import { temporaryDirectory } from '../cli/run-cli.js'

const isRoot = process.geteuid?.() === 0
const strangersId = 65_534

/** The state directory of a page that listens at `url`, and its file. */
async function announced(url: string): Promise<{ state: string; file: string; presence: Presence }> {
  const state = await temporaryDirectory()
  announcePage([state], '1.json', { url, secret: 'secret', asking: null })
  const file = path.join(state, 'ui/1.json')
  const presence = readPresence(file)
  if (presence === undefined || presence === 'damaged') throw new Error('not announced')
  return { state, file, presence }
}

/** Somebody who listens at the address of a page; `heard` is what was sent there. */
async function listener(): Promise<{ url: string; heard: string[] }> {
  const heard: string[] = []
  const server = createServer().on('upgrade', (request, socket) => {
    heard.push(request.headers['sec-websocket-protocol'] ?? '')
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return { url: `ws://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/ui/member`, heard }
}

test('the process that announced a page gets the secret', async () => {
  const { url, heard } = await listener()
  const { presence } = await announced(url)
  await reachPage(presence, 5000)
  expect(heard).toEqual([expect.stringContaining('secret')])
})

test.skipIf(process.platform !== 'linux')(
  'another process that has got the id of a page that was killed, and its port, learns nothing',
  async () => {
    const { url, heard } = await listener()
    const { presence } = await announced(url)
    const stranger = spawn('sleep', ['600'], isRoot ? { uid: strangersId, gid: strangersId } : {})
    onTestFinished(() => void stranger.kill('SIGKILL'))
    await once(stranger, 'spawn')
    expect(await reachPage({ ...presence, pid: stranger.pid ?? 0 }, 5000)).toBe('gone')
    expect(heard).toEqual([])
  },
)

test.each([
  'ws://page.invalid/ui/member',
  'ws://127.0.0.1:4100@page.invalid/ui/member',
  'ws://127.0.0.1.page.invalid/ui/member',
  'ws://%/ui/member',
])('a page at %s is not on this machine', async (url) => {
  const { presence } = await announced(url)
  expect(await reachPage(presence, 5000)).toBe('gone')
})

test.skipIf(process.platform === 'win32')(
  'a file that others can read or write, or that is theirs, is damaged',
  async () => {
    const { file } = await announced('ws://127.0.0.1:9/ui/member')
    for (const mode of [0o604, 0o640, 0o602]) {
      fs.chmodSync(file, mode)
      expect(readPresence(file)).toBe('damaged')
    }
    fs.chmodSync(file, 0o600)
    expect(readPresence(file)).toMatchObject({ secret: 'secret' })
    if (isRoot) {
      fs.chownSync(file, strangersId, strangersId)
      expect(readPresence(file)).toBe('damaged')
    }
  },
)

test.skipIf(process.platform === 'win32')(
  'whatever has the name of a file of a page goes when another page opens, and nothing else',
  async () => {
    const { state, file } = await announced('ws://127.0.0.1:9/ui/member')
    const elsewhere = await temporaryDirectory()
    fs.writeFileSync(path.join(elsewhere, 'kept'), '')
    const folder = path.dirname(file)
    fs.mkdirSync(path.join(folder, '2.json'))
    fs.symlinkSync(elsewhere, path.join(folder, '2.json/inner'))
    fs.symlinkSync(elsewhere, path.join(folder, '3.json'))
    await removeGonePages([state])
    expect(fs.readdirSync(folder)).toEqual([])
    expect(fs.readdirSync(elsewhere)).toEqual(['kept'])
  },
)
