/** Servers that are killed while they write to one key-value store, and parallel edits of several processes in it. */
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStoreWorkspaces } from '../../../node/workspace/store-workspace.js'
import { isFull, scaled } from '../../scale.js'
import { type RedisServer, redisIsMissing, startRedis, whyNoRedis } from '../eval/redis-server.js'
import { bundleChild, startChild } from './children.js'
import { appendLine, makeTemporary } from './disk-engine.js'

const fileCount = 6
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const temporary = makeTemporary('polyfs-store-kill-')
let script: string
beforeAll(async () => {
  script = await bundleChild(path.join(temporary, 'bundle'))
  // The packages of the store are looked up from the script.
  fs.symlinkSync(path.resolve('node_modules'), path.join(temporary, 'node_modules'))
})
afterAll(() => fs.rmSync(temporary, { recursive: true }))

describe.skipIf(redisIsMissing)(`redis (skipped where ${whyNoRedis})`, () => {
  let redis: RedisServer
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.remove())

  describeKills((name) => `${redis.url}?base=${name}`)
})

describe('a directory', () => {
  describeKills((name) => path.join(temporary, name))
})

function describeKills(address: (name: string) => string): void {
  test('two servers are killed again and again: nothing acknowledged is lost, and no change is applied in part', async ({
    annotate,
  }) => {
    const store = address('kills')
    const versions: Record<string, number> = { one: 1, two: 1 }
    const rounds = scaled(20)
    for (let round = 0; round < rounds; round += 1) {
      const children = Object.entries(versions).map(([prefix, version]) => ({
        prefix,
        child: startChild(script, 'flip-store', store, fileCount, version, prefix),
      }))
      for (const { child } of children) await child.says(/\n/)
      // Anywhere in a change.
      await new Promise((resolve) => setTimeout(resolve, (round * 37) % 100))
      for (const { child } of children) child.process.kill('SIGKILL')

      for (const { prefix, child } of children) {
        const acknowledged = Number((await child.ended).said.trimEnd().split('\n').at(-1))
        const { workspace, close } = await openStoreWorkspaces(store, {})
        await workspace.changes.recover()
        const found = new Set<string>()
        for (let index = 0; index < fileCount; index += 1) {
          found.add(decode(await workspace.fs.readFile(`/${prefix}-${index}.txt`)))
        }
        expect(found.size).toBe(1)
        expect([acknowledged, acknowledged + 1].map((one) => `${one}\n`.repeat(one % 50))).toContain([...found][0])
        expect(await workspace.changes.journal.pending()).toEqual([])
        const names = (await workspace.fs.readDir('/')).map(({ name }) => name)
        expect(names.length).toBe(2 * fileCount)
        close()
        versions[prefix] = acknowledged + 2
      }
    }
    await annotate(`${2 * rounds} kills, ${Object.values(versions).join(' and ')} versions`)
  })

  test('parallel edits of one file by several processes all land, and the history has each', async () => {
    const store = address('edits')
    const [processes, each] = isFull ? [4, 16] : [2, 8]
    const first = await openStoreWorkspaces(store, {})
    await first.workspace.changes.run({ label: 'make', scopes: [{ path: '/lines.txt' }] }, (draft) =>
      draft.write('/lines.txt', new Uint8Array()),
    )
    const names = Array.from({ length: processes }, (_, index) => `process-${index}`)
    const children = names.map((name) => startChild(script, 'append-in-store', store, name, each))
    // This process takes part.
    await Promise.all(Array.from({ length: each }, (_, index) => appendLine(first.workspace, `here-${index}`)))
    const ends = await Promise.all(children.map(({ ended }) => ended))
    expect(ends.map(({ code, complained }) => [code, complained])).toEqual(names.map(() => [0, '']))
    const lines = decode(await first.workspace.fs.readFile('/lines.txt'))
      .trimEnd()
      .split('\n')
    const expected = ['here', ...names].flatMap((name) =>
      Array.from({ length: each }, (_, index) => `${name}-${index}`),
    )
    expect([...lines].sort()).toEqual(expected.sort())
    expect(await first.workspace.history.list()).toHaveLength(expected.length + 1)
    for (let count = 0; count < each; count += 1) await first.workspace.history.undo()
    const left = decode(await first.workspace.fs.readFile('/lines.txt'))
      .trimEnd()
      .split('\n')
    expect(left).toEqual(lines.slice(0, -each))
    first.close()
  })
}
