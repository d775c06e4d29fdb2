import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { longTest, scaled } from '../../scale.js'
import { temporaryDirectory } from '../cli/run-cli.js'
import { type Answer, protocolMessages } from './protocol-messages.js'
import { initialized, type RawServer, type Reply, rpc, startRaw } from './raw-server.js'

async function serve(...flags: string[]): Promise<RawServer & { root: string }> {
  const root = await temporaryDirectory()
  await writeFile(join(root, 'a.txt'), 'alpha\nbeta\n')
  return { ...(await initialized(await startRaw(['--dialect', 'clarvis', ...flags, root]))), root }
}

function answerOf({ error, result }: Reply): Answer {
  if (error) return error.code
  return result?.isError ? 'failure' : 'result'
}

describe('each message that breaks servers is answered once, with the right code', () => {
  test(`all ${protocolMessages.length} of them`, async () => {
    const server = await serve()
    const found: Record<string, Answer> = {}
    for (const [index, { name, line, answer, withoutId }] of protocolMessages.entries()) {
      const id = `message ${index}`
      const withId = typeof line === 'string' ? line.replaceAll('ID', `"${id}"`) : withBytes(line, id)
      server.write(withId)
      server.write('\n')
      found[name] = answer === 'none' ? 'none' : answerOf(await server.reply(withoutId ? null : id))
      expect(await server.request(`after ${index}`, 'ping')).toMatchObject({ result: {} })
    }
    expect(found).toEqual(Object.fromEntries(protocolMessages.map(({ name, answer }) => [name, answer])))
    const answered = protocolMessages.filter(({ answer }) => answer !== 'none').length
    // The handshake, and a ping after each.
    expect(server.replies).toHaveLength(1 + protocolMessages.length + answered)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  function withBytes(line: Buffer, id: string): Buffer {
    const at = line.indexOf('ID')
    return Buffer.concat([line.subarray(0, at), Buffer.from(`"${id}"`), line.subarray(at + 2)])
  }
})

test('thousands of requests with a byte changed: each line gets the right number of responses, and the server goes on', async () => {
  const server = await serve()
  let seed = 20_260_728
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((seed / 0x80000000) * below)
  }
  let expected = 0
  const rounds = scaled(10_000)
  for (let round = 0; round < rounds; round += 1) {
    const valid = [
      rpc(`${round}`, 'tools/call', { name: 'read_file', arguments: { path: 'a.txt', limit: 5 } }),
      rpc(`${round}`, 'tools/list'),
      rpc(`${round}`, 'ping'),
    ][random(3)] as string
    const bytes = Buffer.from(valid)
    for (let flips = 1 + random(3); flips > 0; flips -= 1) bytes[random(bytes.length)] = random(256)
    for (const line of bytes.toString('utf8').split('\n')) expected += deserved(line)
    server.write(bytes)
    server.write('\n')
  }
  expect(await server.call('last', 'read_file', { path: 'a.txt' })).toMatchObject({
    result: { content: [{ text: '     1\talpha\n     2\tbeta' }] },
  })
  // Responses may arrive after that of the last call; closing the input waits for them.
  server.child.stdin?.end()
  expect(await server.closed).toEqual([0, null])
  expect(server.replies.length - 2).toBe(expected)

  /** How many responses a line must get. */
  function deserved(line: string): number {
    if (line.trim() === '') return 0
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch {
      return 1
    }
    if (typeof message !== 'object' || message === null || Array.isArray(message)) return 1
    const { jsonrpc, id, method, result, error } = message as Record<string, unknown>
    if (jsonrpc !== '2.0') return 1
    if ('id' in message && typeof id !== 'string' && !Number.isSafeInteger(id)) return 1
    // A notification gets none, unless it is malformed.
    const isKnown = Object.keys(message).every((key) => ['jsonrpc', 'id', 'method', 'params'].includes(key))
    if ('method' in message) return 'id' in message || typeof method !== 'string' || !isKnown ? 1 : 0
    return result === undefined && error === undefined ? 1 : 0
  }
})

describe('sizes', () => {
  test('an 11 MB write and a 20 MB line are answered', async () => {
    const server = await serve()
    const content = 'x'.repeat(11 << 20)
    expect(answerOf(await server.call(1, 'write_file', { path: 'big.txt', content }))).toBe('result')
    expect((await readFile(join(server.root, 'big.txt'), 'utf8')) === content).toBe(true)
    expect(answerOf(await server.call(2, 'read_file', { path: 'x'.repeat(20 << 20) }))).toBe('failure')
  })

  test('a line beyond the limit is rejected, and the next one is served', async () => {
    const server = await serve('--max-message-bytes', '1M')
    server.write(`${rpc(1, 'tools/call', { name: 'read_file', arguments: { path: 'x'.repeat(20 << 20) } })}\n`)
    expect(await server.reply(1)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32600, message: 'Message longer than 1048576 bytes' },
    })
    expect(answerOf(await server.call(2, 'read_file', { path: 'a.txt' }))).toBe('result')
  })
})

describe('concurrent requests', () => {
  test('thousands of calls sent without waiting are all answered, each once', async () => {
    const server = await serve()
    const lines = Array.from({ length: scaled(20_000) }, (_, i) =>
      rpc(i, 'tools/call', { name: 'read_file', arguments: { path: 'a.txt' } }),
    )
    server.write(`${lines.join('\n')}\n`)
    const replies = await Promise.all(lines.map((_, i) => server.reply(i)))
    expect(replies.map(answerOf).every((answer) => answer === 'result')).toBe(true)
    expect(new Set(server.replies.map(({ id }) => id)).size).toBe(lines.length + 1)
  })

  longTest('the input of a client that does not read the output is paused', async () => {
    const server = await serve()
    await writeFile(join(server.root, 'wide.txt'), `${'y'.repeat(200)}\n`.repeat(500))
    server.child.stdout?.pause()
    const line = (id: number) => rpc(id, 'tools/call', { name: 'read_file', arguments: { path: 'wide.txt' } })
    for (let id = 0; id < 500; id += 1) server.write(`${line(id)}\n`)
    server.child.stdout?.resume()
    const replies = await Promise.all(Array.from({ length: 500 }, (_, id) => server.reply(id)))
    expect(replies.map(answerOf).every((answer) => answer === 'result')).toBe(true)
  })

  test('a read does not wait for slow searches', async () => {
    const server = await serve()
    await mkdir(join(server.root, 'many'))
    await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        writeFile(join(server.root, 'many', `${i}.txt`), 'needle in hay\n'.repeat(300)),
      ),
    )
    const order: string[] = []
    const searches = Array.from({ length: 8 }, (_, i) =>
      server
        .call(`search ${i}`, 'grep', { pattern: '(n|e)+d.*h[a-z]y$', output_mode: 'count' })
        .then(() => order.push('search')),
    )
    await server.call('read', 'read_file', { path: 'a.txt' }).then(() => order.push('read'))
    await Promise.all(searches)
    expect(order.indexOf('read')).toBeLessThan(order.length - 1)
  })
})

describe('ids and cancelling', () => {
  test('a second request with the id of a running one is rejected, and the first is answered', async () => {
    const server = await serve()
    const slow = rpc('same', 'tools/call', { name: 'bash', arguments: { command: 'sleep 1; echo done' } })
    server.write(`${slow}\n${slow}\n`)
    expect(answerOf(await server.reply('same'))).toBe(-32600)
    expect((await server.reply('same')).result?.content?.[0]?.text).toContain('done')
    expect(await server.request('same', 'ping')).toMatchObject({ result: {} })
  })

  test('a call cancelled before, while and after it runs gets at most one response', async () => {
    const server = await serve()
    const cancel = (requestId: string) => rpc(undefined, 'notifications/cancelled', { requestId })
    for (let i = 0; i < 200; i += 1) {
      const call = rpc(`call ${i}`, 'tools/call', { name: 'grep', arguments: { pattern: 'a' } })
      if (i % 4 === 0) server.write(`${cancel(`call ${i}`)}\n${call}\n`)
      if (i % 4 === 1) server.write(`${call}\n${cancel(`call ${i}`)}\n`)
      if (i % 4 === 2) {
        server.write(`${call}\n`)
        await new Promise((resolve) => setImmediate(resolve))
        server.write(`${cancel(`call ${i}`)}\n`)
      }
      if (i % 4 === 3) {
        await server.call(`call ${i}`, 'grep', { pattern: 'a' })
        server.write(`${cancel(`call ${i}`)}\n`)
      }
    }
    expect(await server.request('end', 'ping')).toMatchObject({ result: {} })
    const counts = new Map<unknown, number>()
    for (const { id } of server.replies) counts.set(id, (counts.get(id) ?? 0) + 1)
    expect(Math.max(...counts.values())).toBe(1)
  })

  test('cancelling a call ends its command', async () => {
    const server = await serve()
    const mark = join(server.root, 'still-there')
    server.write(`${rpc('slow', 'tools/call', { name: 'bash', arguments: { command: `sleep 600; touch ${mark}` } })}\n`)
    await server.request('meanwhile', 'ping')
    server.write(`${rpc(undefined, 'notifications/cancelled', { requestId: 'slow' })}\n`)
    server.child.stdin?.end()
    expect(await server.closed).toEqual([0, null])
  })
})

describe('shutdown', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends the server, and running changes are completed', async (signal) => {
    const server = await serve()
    const content = 'new\n'.repeat(100_000)
    server.write(`${rpc('write', 'tools/call', { name: 'write_file', arguments: { path: 'a.txt', content } })}\n`)
    await server.request('seen', 'ping')
    server.child.kill(signal)
    expect(await server.closed).toEqual([0, null])
    expect(['alpha\nbeta\n', content]).toContain(await readFile(join(server.root, 'a.txt'), 'utf8'))
    expect(server.stderr()).toBe('')
  })

  test('a client that disconnects ends the server', async () => {
    const server = await serve()
    server.child.stdout?.destroy()
    for (let id = 0; id < 50; id += 1)
      server.write(`${rpc(id, 'tools/call', { name: 'read_file', arguments: { path: 'a.txt' } })}\n`)
    expect(await server.closed).toEqual([0, null])
  })
})
