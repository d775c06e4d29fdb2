/** Three servers on one store behind a round-robin proxy, one of them killed each second: nothing acknowledged is lost. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStoreWorkspaces } from '../../../node/workspace/store-workspace.js'
import { sha256 } from '../../../src/fs/digests/sha256.js'
import { isFull } from '../../scale.js'
import { type RedisServer, redisIsMissing, startRedis, whyNoRedis } from '../eval/redis-server.js'
import { type BalancedServers, startBalanced } from './balanced-servers.js'

/** One each second, later when no other server is up again. */
const kills = isFull ? 60 : 3
const clients = 6
const files = ['/one.txt', '/two.txt', '/deep/three.txt']

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

describe.skipIf(redisIsMissing)(`behind a balancer (skipped where ${whyNoRedis})`, () => {
  let redis: RedisServer
  let servers: BalancedServers
  beforeAll(async () => {
    redis = await startRedis()
    servers = await startBalanced(['--store', redis.url, '--dialect', 'polyfs', '--no-shell'], 3)
  }, 120_000)
  afterAll(async () => {
    await servers?.close()
    await redis?.remove()
  })

  /** A call that stands alone. Returns why it was refused, or undefined. */
  async function call(workspace: string, name: string, args: object): Promise<{ text: string; refusal?: string }> {
    const response = await fetch(`${servers.url}/${workspace}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args, _meta: envelope },
      }),
      signal: AbortSignal.timeout(60_000),
    }).catch((error: Error) => error)
    if (response instanceof Error) return { text: '', refusal: `connection: ${response.message}` }
    const body = await response.text().catch((error: Error) => `cut off: ${error.message}`)
    if (response.status !== 200) return { text: body, refusal: `${response.status} ${body.slice(0, 60)}` }
    const line = body.split('\n').find((each) => each.startsWith('data: {')) ?? body
    try {
      const { result, error } = JSON.parse(line.replace(/^data: /, ''))
      const text: string = result?.content?.[0]?.text ?? error?.message ?? ''
      return result === undefined || result.isError ? { text, refusal: text } : { text }
    } catch {
      return { text: body, refusal: `cut off: ${body.slice(0, 60)}` }
    }
  }

  test('no acknowledged change is lost, no tree is torn, and every call is answered or refused with a reason', async ({
    annotate,
  }) => {
    const beganAt = performance.now()
    let isOver = false
    const waits: number[] = []
    const refusals = new Map<string, number>()
    const killing = (async () => {
      while (servers.kills < kills) {
        await sleep(1000)
        servers.killOne()
      }
      isOver = true
    })()
    const textOf = (version: number) => `version ${version}\n`.repeat(1 + (version % 40))

    async function client(name: string) {
      const acknowledged: number[] = []
      let version = 0
      while (!isOver || acknowledged.length === 0) {
        version += 1
        const beganMs = performance.now()
        const content = textOf(version)
        const { refusal } = await call(name, 'write_file', { files: files.map((path) => ({ path, content })) })
        waits.push(performance.now() - beganMs)
        if (refusal === undefined) acknowledged.push(version)
        else {
          expect(refusal).not.toBe('')
          const kind = refusal.replace(/\d{2,}/g, 'N').slice(0, 70)
          refusals.set(kind, (refusals.get(kind) ?? 0) + 1)
          await sleep(20)
        }
      }
      return { name, acknowledged, attempted: version }
    }

    const outcomes = await Promise.all(Array.from({ length: clients }, (_, index) => client(`client-${index}`)))
    await killing
    const { open, close } = await openStoreWorkspaces(redis.url, {})
    let total = 0
    for (const { name, acknowledged, attempted } of outcomes) {
      const workspace = open(name)
      await workspace.ready
      const contents = await Promise.all(
        files.map(async (path) => new TextDecoder().decode(await workspace.fs.readFile(path))),
      )
      expect(new Set(contents).size).toBe(1)
      const found = Number(/^version (\d+)/.exec(contents[0] ?? '')?.[1])
      expect(contents[0]).toBe(textOf(found))
      expect(found).toBeGreaterThanOrEqual(acknowledged.at(-1) ?? 0)
      expect(found).toBeLessThanOrEqual(attempted)
      // Every acknowledged change is in the history, with all of its files.
      const made = new Map<string, number>()
      for (const { steps } of await workspace.changes.journal.history()) {
        for (const step of steps) {
          const hash = step.do === 'set' && step.after.kind === 'file' ? step.after.hash : ''
          made.set(hash, (made.get(hash) ?? 0) + 1)
        }
      }
      for (const version of acknowledged) {
        expect(
          made.get(sha256(new TextEncoder().encode(textOf(version)))),
          `${name} ${version}`,
        ).toBeGreaterThanOrEqual(3)
      }
      total += acknowledged.length
    }
    close()
    expect(total).toBeGreaterThan(0)
    expect(servers.kills).toBe(kills)
    waits.sort((a, b) => a - b)
    const at = (part: number) => `${Math.round(waits[Math.floor(waits.length * part)] ?? 0)} ms`
    await annotate(
      `${servers.kills} kills in ${Math.round((performance.now() - beganAt) / 1000)} s; ${waits.length} calls, ${total} acknowledged; median ${at(0.5)}, 99 % ${at(0.99)}, longest ${at(0.9999)}; refused: ${JSON.stringify(Object.fromEntries(refusals))}`,
    )
  }, 600_000)
})
