import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { largeBytes } from '../../../src/engine/wire.js'
import { isFsError } from '../../../src/errors.js'
import { enterServer } from '../../../web/remote/connection.js'
import { connectPage, openPage, uiSite } from './ui-site.js'

test('a page reads, changes, searches and undoes on the real directory', async () => {
  const site = await uiSite()
  await writeFile(join(site.root, 'a.txt'), 'one\ntwo\n')
  const page = await openPage(site)
  const about = await page.about()
  expect(about).toMatchObject({
    root: site.root,
    roots: [{ path: site.root, access: 'read-write' }],
    dialect: 'polyfs',
  })
  expect((await page.run('listDirectory', { path: site.root })).entries.map(({ name }) => name)).toEqual(['a.txt'])
  await page.run('writeFiles', { files: [{ path: `${site.root}/b.txt`, content: 'new\n' }] })
  expect(await readFile(join(site.root, 'b.txt'), 'utf8')).toBe('new\n')
  const [record] = await page.run('listChanges', {})
  expect(record).toMatchObject({ by: { name: 'polyfs ui' } })
  expect(page.changed).toEqual([[`${site.root}/b.txt`]])
  await page.run('undoChange', {})
  await expect(readFile(join(site.root, 'b.txt'))).rejects.toThrow('ENOENT')
  expect(site.faults).toEqual([])
})

test('an error has its code and its facts', async () => {
  const site = await uiSite()
  const page = await openPage(site)
  const error = await page.run('readBytes', { path: `${site.root}/none` }).catch((reason) => reason)
  expect(isFsError(error, 'NOT_FOUND') && error.facts.path).toBe(`${site.root}/none`)
})

test('tools can be listed and called, with and without MCP', async () => {
  const site = await uiSite()
  const page = await openPage(site)
  expect((await page.listTools()).map(({ name }) => name)).toContain('write_file')
  await page.callTool('write_file', { path: 'c.txt', content: 'c' })
  expect(await readFile(join(site.root, 'c.txt'), 'utf8')).toBe('c')
  const transport = page.connect({ dialect: 'polyfs' })
  const got: unknown[] = []
  transport.onmessage = (message) => void got.push(message)
  await transport.start()
  const clientInfo = { name: 'console', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params } as never)
  await expect.poll(() => got).toMatchObject([{ id: 1, result: { serverInfo: { name: 'polyfs' } } }])
  await transport.close()
})

test('the terminal needs --shell, and then runs the shell of the computer', async () => {
  const closed = await openPage(await uiSite())
  await expect(closed.terminal('echo hi')).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  expect((await closed.listTools()).map(({ name }) => name)).not.toContain('bash')
  const outputs: string[] = []
  const site = await uiSite({ shell: true })
  const page = await openPage(site, { onTerminalOutput: ({ text }) => void outputs.push(text) })
  expect(await page.terminal('mkdir sub && cd sub && echo hi')).toMatchObject({
    stdout: 'hi\n',
    cwd: `${site.root}/sub`,
  })
  expect(await page.terminal('pwd')).toMatchObject({ stdout: `${site.root}/sub\n` })
  expect(outputs.join('')).toContain('hi\n')
  await page.terminal('echo text > file.txt')
  const [record] = await page.run('listChanges', {})
  expect(record).toMatchObject({ label: 'echo text > file.txt', by: { name: 'polyfs ui' } })
})

test('large files and texts go by HTTP, both ways', async () => {
  const site = await uiSite()
  const page = await openPage(site)
  const text = 'a line of text\n'.repeat(largeBytes / 10)
  await page.callTool('write_file', { path: 'large.txt', content: text })
  expect(await readFile(join(site.root, 'large.txt'), 'utf8')).toBe(text)
  const read = await page.run('readBytes', { path: `${site.root}/large.txt` })
  expect(Buffer.from(read.bytes).toString('utf8')).toBe(text)
})

test('calls survive a broken connection, and none is made twice', async () => {
  const site = await uiSite()
  const page = await openPage(site)
  for (let i = 0; i < 10; i += 1) {
    const call = page.callTool('write_file', { path: `${i}.txt`, content: String(i) })
    page.sockets.at(-1)?.terminate()
    expect((await call).isError).not.toBe(true)
  }
  expect(await page.run('listChanges', {})).toHaveLength(10)
  expect(page.states).toContain(false)
})

test('a page that was away too long gets a message, and can connect again', async () => {
  const site = await uiSite({ awayMs: 1 })
  const page = await openPage(site)
  page.sockets.at(-1)?.terminate()
  expect((await page.ended)?.message).toBe('The server has forgotten this page')
  await expect(page.about()).rejects.toThrow('The server has forgotten this page')
  const again = await connectPage(site.origin, page.key)
  expect((await again.about()).root).toBe(site.root)
})

test('a page of a server that was started again learns why it is not admitted', async () => {
  const site = await uiSite()
  const page = await openPage(site)
  const port = Number(new URL(site.origin).port)
  await site.close()
  await uiSite({ port })
  expect((await page.ended)?.name).toBe('NotAdmitted')
})

test('an address works once', async () => {
  const site = await uiSite()
  const token = site.token()
  expect(await enterServer(site.origin, token)).toMatch(/^[\w-]{43}$/)
  await expect(enterServer(site.origin, token)).rejects.toThrow('This address was used already')
})
