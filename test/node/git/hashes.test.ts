import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { gitCheckout } from '../../../src/ops/git/checkout.js'
import { gitLog } from '../../../src/ops/git/log.js'
import { gitRestore } from '../../../src/ops/git/restore.js'
import { gitShow } from '../../../src/ops/git/show.js'
import { gitStatus } from '../../../src/ops/git/status.js'
import {
  deltaHeader,
  looseFile,
  objectName,
  type PackEntry,
  plantCommit,
  plantLoose,
  plantPack,
  plantTree,
  treeEntry,
} from './plant-objects.js'
import { openStage, type Stage } from './real-git.js'

/** Objects that are valid, and not what their name says: nothing of them is shown. */
let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

const packFile = /^objects\/pack\/pack-[0-9a-f]{40}\.pack$/

/** The file that the error names beside the object. */
async function fileNamed(call: Promise<unknown>, oid: string): Promise<string> {
  const error = (await call.then(
    () => undefined,
    (reason) => reason,
  )) as { facts?: { reason?: string; subject?: string } } | undefined
  expect(error?.facts).toMatchObject({ reason: 'damaged-repository', subject: expect.stringContaining(`${oid} in `) })
  return error?.facts?.subject?.slice(`${oid} in `.length) ?? ''
}

const person = 'Ada <ada@example.org> 1700000000 +0100'
const commitOf = (tree: string, message: string) =>
  Buffer.from(`tree ${tree}\nauthor ${person}\ncommitter ${person}\n\n${message}\n`)

function pointMain(oid: string): void {
  fs.writeFileSync(path.join(stage.directory, '.git/refs/heads/main'), `${oid}\n`)
}

const places = {
  loose: (type: 'commit' | 'tree' | 'blob', content: Buffer, oid: string) =>
    void plantLoose(stage.directory, type, content, { oid }),
  packed: (type: 'commit' | 'tree' | 'blob', content: Buffer, oid: string) =>
    plantPack(stage.directory, [{ oid, type, content }]),
  /** As a difference to an object that is right. */
  delta: (type: 'commit' | 'tree' | 'blob', content: Buffer, oid: string) => {
    const base = Buffer.from(content.subarray(0, 20))
    const delta = Buffer.concat([deltaHeader(base.length, content.length), insertion(content)])
    const entries: PackEntry[] = [
      { oid: objectName(type, base), type, content: base },
      { oid, type: 'offset-delta', base: 0, content: delta },
    ]
    plantPack(stage.directory, entries)
  },
}

/** The instructions of a delta that has all of the content in itself. */
function insertion(content: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < content.length; at += 127) {
    const piece = content.subarray(at, at + 127)
    parts.push(Buffer.from([piece.length]), piece)
  }
  return Buffer.concat(parts)
}

for (const [place, plant] of Object.entries(places)) {
  const isExpected = (file: string, oid: string) => (place === 'loose' ? file === looseFile(oid) : packFile.test(file))

  test(`a commit, ${place}`, async () => {
    const tree = plantTree(stage.directory, [])
    const oid = objectName('commit', commitOf(tree, 'right'))
    plant('commit', commitOf(tree, 'wrong'), oid)
    pointMain(oid)
    expect(isExpected(await fileNamed(stage.run(gitLog, {}), oid), oid)).toBe(true)
  })

  test(`a tree, ${place}`, async () => {
    const blob = plantLoose(stage.directory, 'blob', Buffer.from('content\n'))
    const oid = objectName('tree', treeEntry('100644', 'right', blob))
    plant('tree', treeEntry('100644', 'wrong', blob), oid)
    plantCommit(stage.directory, oid)
    for (const call of [() => stage.run(gitStatus, {}), () => stage.run(gitShow, { path: 'right' })]) {
      expect(isExpected(await fileNamed(call(), oid), oid)).toBe(true)
    }
  })

  test.each([30, 100_000, 3_000_000])(`a file of %i bytes, ${place}`, async (size) => {
    const right = Buffer.from('right\n'.repeat(size / 6))
    const oid = objectName('blob', right)
    plant('blob', Buffer.from('wrong\n'.repeat(size / 6)), oid)
    plantCommit(stage.directory, plantTree(stage.directory, [treeEntry('100644', 'a', oid)]))
    expect(isExpected(await fileNamed(stage.run(gitShow, { path: 'a' }), oid), oid)).toBe(true)
    expect(isExpected(await fileNamed(stage.run(gitCheckout, { revision: 'main', force: true }), oid), oid)).toBe(true)
    expect(fs.readdirSync(stage.directory)).toEqual(['.git'])
    stage.write('a', 'before\n')
    const restored = stage.run(gitRestore, { paths: ['a'], revision: 'main' })
    expect(isExpected(await fileNamed(restored, oid), oid)).toBe(true)
    expect(fs.readFileSync(path.join(stage.directory, 'a'), 'utf8')).toBe('before\n')
  })
}
