/** What polyfs has besides tools, in both protocol eras: resources, prompts, progress, cancellation. */
import { Client } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { clarvis } from '../../../src/dialects/clarvis/tools.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { serve } from '../../../src/mcp/serve.js'
import type { Dialect } from '../../../src/tools/dialect.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { linked } from '../../node/serve/linked-transports.js'

const eras = [
  ['2025-11-25', {}],
  ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
] as const

const longCalls = [
  ['archive', { action: 'create', path: 'new.zip' }],
  ['archive', { action: 'extract', path: 'many.zip', destination: 'out' }],
  ['copy', { source: 'd', destination: 'e' }],
  ['delete', { path: 'd', recursive: true }],
  ['grep', { pattern: 'text', path: 'd' }],
  ['git', { action: 'add', paths: ['.'] }],
] as const

describe.each(eras)('%s', (_revision, options) => {
  async function connect(workspace: Workspace, dialect: Dialect = polyfs): Promise<Client> {
    const [near, far] = linked()
    const server = serve(far, { workspace, dialect })
    const client = new Client({ name: 'test', version: '1' }, options)
    await client.connect(near)
    onTestFinished(async () => {
      await client.close()
      await server.close()
    })
    return client
  }

  test('files are resources: listed, read as text or bytes, found by a template', async () => {
    const files = { '/a b.txt': 'one\n', '/d/b.bin': Uint8Array.of(0, 1, 255), '/.gitignore': 'out\n', '/out/x': '' }
    const client = await connect(createWorkspace({ fs: memory(files) }))
    expect((await client.listResources()).resources).toEqual([
      { uri: 'polyfs:///.gitignore', name: '.gitignore' },
      { uri: 'polyfs:///a%20b.txt', name: 'a b.txt' },
      { uri: 'polyfs:///d/b.bin', name: 'd/b.bin' },
    ])
    expect((await client.readResource({ uri: 'polyfs:///a%20b.txt' })).contents).toEqual([
      { uri: 'polyfs:///a%20b.txt', mimeType: 'text/plain', text: 'one\n' },
    ])
    expect((await client.readResource({ uri: 'polyfs:///d/b.bin' })).contents).toEqual([
      { uri: 'polyfs:///d/b.bin', mimeType: 'application/octet-stream', blob: 'AAH/' },
    ])
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: 'polyfs:///{+path}' },
    ])
  })

  test('entries out of reach are not resources', async () => {
    const fs = memory({ '/w/a.txt': '', '/secret.txt': 'secret' })
    const client = await connect(createWorkspace({ fs, roots: [{ path: '/w', access: 'read-write' }] }))
    for (const uri of [
      'polyfs:///secret.txt',
      'polyfs:///w/../secret.txt',
      'polyfs:///w/no',
      'file:///w/a.txt',
      'polyfs:///w',
    ]) {
      await expect(client.readResource({ uri })).rejects.toThrow(/not found/i)
    }
  })

  test('many resources come page by page', async () => {
    const files = Object.fromEntries(Array.from({ length: 450 }, (_, at) => [`/f${String(at).padStart(3, '0')}`, '']))
    const client = await connect(createWorkspace({ fs: memory(files) }))
    const uris: string[] = []
    let cursor: string | undefined
    do {
      const page = await client.listResources(cursor === undefined ? {} : { cursor })
      uris.push(...page.resources.map(({ uri }) => uri))
      cursor = page.nextCursor
    } while (cursor !== undefined && uris.length < 1000)
    expect(new Set(uris).size).toBe(450)
  })

  test('prompts teach the tools', async () => {
    const client = await connect(createWorkspace({ fs: memory() }))
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['explore', 'careful_change'])
    const { messages } = await client.getPrompt({ name: 'careful_change', arguments: { change: 'Rename it.' } })
    expect(messages).toMatchObject([
      { role: 'user', content: { type: 'text', text: expect.stringMatching(/^Rename it\.\n/) } },
    ])
    await expect(client.getPrompt({ name: 'careful_change' })).rejects.toThrow('careful_change needs change')
    await expect(client.getPrompt({ name: 'none' })).rejects.toThrow('There is no prompt none')
  })

  test('paths of resources are completed, within the roots', async () => {
    const fs = memory({ '/w/src/index.ts': '', '/w/src/inner/a': '', '/w/src/other': '', '/secret/x': '' })
    const client = await connect(createWorkspace({ fs, roots: [{ path: '/w', access: 'read-write' }] }))
    const complete = async (value: string, uri = 'polyfs:///{+path}') => {
      const argument = { name: 'path', value }
      return (await client.complete({ ref: { type: 'ref/resource', uri }, argument })).completion
    }
    expect(await complete('w/src/in')).toEqual({ values: ['w/src/index.ts', 'w/src/inner/'], total: 2, hasMore: false })
    expect((await complete('')).values).toEqual(['w/'])
    expect((await complete('secret/')).values).toEqual([])
    expect((await complete('w/../secret/')).values).toEqual([])
    expect((await complete('w/none/x')).values).toEqual([])
    await expect(complete('w/', 'other:///{path}')).rejects.toThrow('There is no template other:///{path}')
    const ref = { type: 'ref/prompt' as const, name: 'explore' }
    expect((await client.complete({ ref, argument: { name: 'question', value: '' } })).completion.values).toEqual([])
  })

  test('more than a hundred completions are cut, and counted', async () => {
    const files = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`/f${at}`, '']))
    const client = await connect(createWorkspace({ fs: memory(files) }))
    const ref = { type: 'ref/resource' as const, uri: 'polyfs:///{+path}' }
    const { completion } = await client.complete({ ref, argument: { name: 'path', value: 'f' } })
    expect({ ...completion, values: completion.values.length }).toEqual({ values: 100, total: 120, hasMore: true })
  })

  test('the listing of tools does not change after calls', async () => {
    const { client } = await manyFiles(5)
    const { tools } = await client.listTools()
    for (const [name, args] of longCalls) await client.callTool({ name, arguments: args })
    await client.callTool({ name: 'workspace', arguments: {} })
    expect((await client.listTools()).tools).toEqual(tools)
    expect(client.getServerCapabilities()?.tools?.listChanged ?? false).toBe(false)
  })

  test('other dialects have neither', async () => {
    const client = await connect(createWorkspace({ fs: memory() }), clarvis)
    expect(client.getServerCapabilities()).toEqual({ tools: expect.anything() })
  })

  test.each(longCalls)('%s %j reports progress, and only to clients that request it', async (name, args) => {
    const { client } = await manyFiles(300)
    const received: Array<{ progress: number; total?: number | undefined }> = []
    await client.callTool({ name, arguments: args }, { onprogress: (one) => received.push(one) })
    const grown = received.map(({ progress }) => progress)
    expect(grown.length).toBeGreaterThan(0)
    expect(grown).toEqual([...new Set(grown)].sort((a, b) => a - b))
    const { progress, total = progress } = received.at(-1) ?? {}
    expect(progress).toBe(total)
  })

  test.each(longCalls)('%s %j that is cancelled stops, and changes nothing', async (name, args) => {
    const { client, workspace } = await manyFiles(1000)
    const before = await workspace.history.list()
    const controller = new AbortController()
    const options = { onprogress: () => controller.abort(), signal: controller.signal }
    await expect(client.callTool({ name, arguments: args }, options)).rejects.toThrow()
    // Waits until the cancelled call has released its locks.
    await workspace.changes.run({ label: 'wait', scopes: [{ path: '/', tree: true }] }, async () => {})
    expect(await workspace.history.list()).toEqual(before)
    expect((await workspace.fs.readDir('/')).map((entry) => entry.name)).toEqual(['.git', 'd', 'many.zip'])
    expect((await workspace.fs.readDir('/d')).length).toBe(1000)
  })

  async function manyFiles(count: number) {
    const files = Object.fromEntries(Array.from({ length: count }, (_, at) => [`/d/f${at}`, 'text\n']))
    const workspace = createWorkspace({ fs: memory(files) })
    const client = await connect(workspace)
    for (const [name, args] of [
      ['archive', { action: 'create', path: 'many.zip', paths: ['d'] }],
      ['git', { action: 'init' }],
    ] as const) {
      await client.callTool({ name, arguments: args })
    }
    return { client, workspace }
  }
})

test.each(eras)('%s: subscribers of a file are notified when it changes', async (revision, options) => {
  const fs = memory({ '/a.txt': 'one\n', '/b.txt': '' })
  const [near, far] = linked()
  const server = serve(far, { workspace: createWorkspace({ fs }), dialect: polyfs })
  const client = new Client({ name: 'test', version: '1' }, options)
  const received: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    received.push(params.uri)
  })
  await client.connect(near)
  onTestFinished(async () => {
    await client.close()
    await server.close()
  })
  const uri = 'polyfs:///a.txt'
  const isOlder = revision === '2025-11-25'
  if (isOlder) await client.subscribeResource({ uri })
  else await client.listen({ resourceSubscriptions: [uri] })
  await client.callTool({ name: 'write_file', arguments: { path: 'b.txt', content: 'x' } })
  await client.callTool({ name: 'edit_file', arguments: { path: 'a.txt', old_string: 'one', new_string: 'two' } })
  await expect.poll(() => received.length).toBeGreaterThan(0)
  if (isOlder) {
    const before = received.length
    await fs.writeFile('/a.txt', new TextEncoder().encode('by someone else'))
    await expect.poll(() => received.length).toBeGreaterThan(before)
    await client.unsubscribeResource({ uri })
  }
  expect(new Set(received)).toEqual(new Set([uri]))
})

test('a client that spells a URI in its own way hears of changes under that URI', async () => {
  const [near, far] = linked()
  const { watch: _, ...fs } = memory({ '/a b.txt': 'one\n' })
  const unwatched = { ...fs, capabilities: { ...fs.capabilities, watch: false } }
  const server = serve(far, { workspace: createWorkspace({ fs: unwatched }), dialect: polyfs })
  const client = new Client({ name: 'test', version: '1' })
  const received: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    received.push(params.uri)
  })
  await client.connect(near)
  onTestFinished(async () => {
    await client.close()
    await server.close()
  })
  const uri = 'polyfs:///%61%20b.txt'
  await client.subscribeResource({ uri })
  await client.callTool({ name: 'write_file', arguments: { path: 'a b.txt', content: 'two\n' } })
  await expect.poll(() => received).toEqual([uri])
  await client.unsubscribeResource({ uri })
  await client.callTool({ name: 'write_file', arguments: { path: 'a b.txt', content: 'three\n' } })
  await client.listTools()
  expect(received).toEqual([uri])
})

test.each(['unsubscribes', 'closes'])('no watch stays open when a client %s before it has begun', async (how) => {
  const [near, far] = linked()
  const fs = memory({ '/a.txt': 'one\n' })
  let [begin, begun, open]: [() => void, number, number] = [() => {}, 0, 0]
  const waiting = new Promise<void>((resolve) => {
    begin = resolve
  })
  const slow = {
    ...fs,
    async watch() {
      begun += 1
      await waiting
      open += 1
      return () => void (open -= 1)
    },
  }
  const server = serve(far, { workspace: createWorkspace({ fs: slow }), dialect: polyfs })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(near)
  onTestFinished(async () => {
    await client.close()
    await server.close()
  })
  const uri = 'polyfs:///a.txt'
  const subscribed = client.subscribeResource({ uri }).catch(() => {})
  await expect.poll(() => begun).toBe(1)
  if (how === 'closes') await client.close()
  else await client.unsubscribeResource({ uri })
  begin()
  await subscribed
  await expect.poll(() => open).toBe(0)
})

test('the number of subscriptions of a connection is limited, and exceeding it is reported', async () => {
  const [near, far] = linked()
  const server = serve(far, { workspace: createWorkspace({ fs: memory({}) }), dialect: polyfs })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(near)
  onTestFinished(async () => {
    await client.close()
    await server.close()
  })
  const uri = (i: number) => `polyfs:///${i}.txt`
  await Promise.all(Array.from({ length: 1000 }, (_, i) => client.subscribeResource({ uri: uri(i) })))
  await expect(client.subscribeResource({ uri: uri(1000) })).rejects.toThrow(
    'Too many subscriptions: there are 1000; unsubscribe from some first',
  )
  await client.unsubscribeResource({ uri: uri(0) })
  expect(await client.subscribeResource({ uri: uri(1000) })).toEqual({})
})
