/** Servers that are killed while they write to one database file. */
import fs from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSqliteWorkspace } from '../../../node/workspace/sqlite-workspace.js'
import { scaled } from '../../scale.js'
import { bundleChild, startChild } from './children.js'
import { makeTemporary } from './disk-engine.js'

const fileCount = 12

describe.skipIf(!isBuiltin('node:sqlite'))('with node:sqlite, which Node 20 does not have', () => {
  let temporary: string
  let script: string
  beforeAll(async () => {
    temporary = makeTemporary('polyfs-sqlite-kill-')
    script = await bundleChild(path.join(temporary, 'bundle'))
  })
  afterAll(() => fs.rmSync(temporary, { recursive: true }))

  test('two servers of one file are killed again and again: nothing acknowledged is lost, and no change is applied in part', async ({
    annotate,
  }) => {
    const file = path.join(temporary, 'db')
    const versions: Record<string, number> = { one: 1, two: 1 }
    const rounds = scaled(12)
    for (let round = 0; round < rounds; round += 1) {
      const children = Object.entries(versions).map(([prefix, version]) => ({
        prefix,
        child: startChild(script, 'flip-database', file, fileCount, version, prefix),
      }))
      for (const { child } of children) await child.says(/\n/)
      await new Promise((resolve) => setTimeout(resolve, (round * 37) % 100))
      for (const { child } of children) child.process.kill('SIGKILL')

      for (const { prefix, child } of children) {
        const acknowledged = Number((await child.ended).said.trimEnd().split('\n').at(-1))
        const { workspace, close } = await openSqliteWorkspace(file, {})
        const found = new Set<string>()
        for (let index = 0; index < fileCount; index += 1) {
          found.add(new TextDecoder().decode(await workspace.fs.readFile(`/${prefix}-${index}.txt`)))
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
})
