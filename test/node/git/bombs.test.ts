import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FsError } from '../../../src/errors.js'
import { describeRefusal } from '../../../src/git/print/print-refusal.js'
import { gitBranches } from '../../../src/ops/git/branch.js'
import { gitCheckout } from '../../../src/ops/git/checkout.js'
import { gitDiff } from '../../../src/ops/git/diff.js'
import { gitLog } from '../../../src/ops/git/log.js'
import { gitShow } from '../../../src/ops/git/show.js'
import { gitStatus } from '../../../src/ops/git/status.js'
import { longTest } from '../../scale.js'
import {
  deltaHeader,
  looseFile,
  objectName,
  plantCommit,
  plantLoose,
  plantPack,
  plantTree,
  treeEntry,
} from './plant-objects.js'
import { openStage, type Stage } from './real-git.js'

/** Small repositories that claim huge content. Each call refuses, and names the limit. */
let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

async function refusal(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (failure: unknown) => failure,
  )
  if (!(error instanceof FsError) || error.code !== 'GIT_REFUSED') throw error ?? new Error('it was not refused')
  return describeRefusal((error as FsError<'GIT_REFUSED'>).facts)
}

const kilobyte = 1024
const mebibyte = 1024 * kilobyte

/** A tree that contains another tree ten times, and so on. */
function nestedTrees(leaf: string, mode: string, levels: number): string {
  let oid = leaf
  for (let level = 0; level < levels; level += 1) {
    const entryMode = level === 0 ? mode : '40000'
    oid = plantTree(
      stage.directory,
      Array.from({ length: 10 }, (_, i) => treeEntry(entryMode, `e${i}`, oid)),
    )
  }
  return oid
}

describe('a tree', () => {
  longTest('with ten million files', async () => {
    const blob = plantLoose(stage.directory, 'blob', Buffer.from('x\n'))
    plantCommit(stage.directory, nestedTrees(blob, '100644', 7))
    const expected = 'too large: a commit with many files, the limit is 500,000 files'
    expect(await refusal(stage.run(gitStatus, {}))).toBe(expected)
    expect(await refusal(stage.run(gitCheckout, { revision: 'main', force: true }))).toBe(expected)
    expect(await refusal(stage.run(gitShow, {}))).toBe('too large: a comparison, the limit is 500,000 files')
    // Operations that do not read all of it still work.
    expect((await stage.run(gitLog, { paths: ['e0/e1/e2/e3/e4/e5/e6'] })).commits).toHaveLength(1)
  })

  test('with a million directories and no file', async () => {
    plantCommit(stage.directory, nestedTrees(plantTree(stage.directory, []), '40000', 6))
    const expected = 'too large: a commit with many directories, the limit is 200,000 directories'
    expect(await refusal(stage.run(gitStatus, {}))).toBe(expected)
    expect(await refusal(stage.run(gitShow, {}))).toBe(expected)
  })

  longTest('that is deeper than any path', async () => {
    let tree = plantTree(stage.directory, [])
    for (let depth = 0; depth < 3000; depth += 1) tree = plantTree(stage.directory, [treeEntry('40000', 'd', tree)])
    plantCommit(stage.directory, tree)
    const expected = 'too large: a path in a commit, the limit is 4,096 characters'
    expect(await refusal(stage.run(gitStatus, {}))).toBe(expected)
    expect(await refusal(stage.run(gitShow, {}))).toBe(expected)
  })

  test('of many megabytes', async () => {
    const entry = treeEntry('100644', 'x'.repeat(200), '1'.repeat(40))
    const tree = plantLoose(stage.directory, 'tree', Buffer.alloc(64 * mebibyte, entry))
    plantCommit(stage.directory, tree)
    expect(await refusal(stage.run(gitStatus, {}))).toBe(`too large: tree ${tree}, the limit is 16 MiB`)
  })
})

describe('an object', () => {
  test('that inflates to more than its stated size is abandoned there', async () => {
    const content = Buffer.alloc(64 * mebibyte)
    const oid = objectName('tree', Buffer.alloc(100))
    plantLoose(stage.directory, 'tree', content, { claimed: 100, oid })
    plantCommit(stage.directory, oid)
    expect(await refusal(stage.run(gitStatus, {}))).toBe(`missing or broken object: ${oid} in ${looseFile(oid)}`)
  })

  test('whose stated size exceeds what its bytes can inflate to', async () => {
    const oid = objectName('blob', Buffer.from('x'))
    plantLoose(stage.directory, 'blob', Buffer.from('x'), { claimed: 1024 ** 4, oid })
    plantCommit(stage.directory, plantTree(stage.directory, [treeEntry('100644', 'a', oid)]))
    expect(await refusal(stage.run(gitShow, {}))).toBe(`missing or broken object: ${oid} in ${looseFile(oid)}`)
  })

  test('that does not match its id', async () => {
    const oid = objectName('blob', Buffer.from('a\n'))
    plantLoose(stage.directory, 'blob', Buffer.from('b\n'), { oid })
    plantCommit(stage.directory, plantTree(stage.directory, [treeEntry('100644', 'a', oid)]))
    expect(await refusal(stage.run(gitShow, { path: 'a' }))).toBe(
      `missing or broken object: ${oid} in ${looseFile(oid)}`,
    )
  })

  test('a commit with a message of many megabytes', async () => {
    const oid = plantCommit(stage.directory, plantTree(stage.directory, []))
    const large = plantLoose(stage.directory, 'commit', Buffer.alloc(64 * mebibyte, `tree ${oid}\n`))
    fs.writeFileSync(path.join(stage.directory, '.git/refs/heads/main'), `${large}\n`)
    expect(await refusal(stage.run(gitLog, {}))).toBe(`too large: commit ${large}, the limit is 4 MiB`)
  })
})

describe('files to compare', () => {
  longTest('are added up before any is read', async () => {
    const blobs = Array.from({ length: 9 }, (_, i) =>
      plantLoose(stage.directory, 'blob', Buffer.alloc(8 * mebibyte, `${i}\n`)),
    )
    const tree = plantTree(
      stage.directory,
      blobs.map((oid, i) => treeEntry('100644', `f${i}`, oid)),
    )
    const empty = plantTree(stage.directory, [])
    plantCommit(stage.directory, tree, [plantCommit(stage.directory, empty)])
    const expected = 'too large: the files that differ, the limit is 64 MiB'
    expect(await refusal(stage.run(gitShow, {}))).toBe(expected)
    expect(await refusal(stage.run(gitDiff, { from: 'head', to: { revision: 'HEAD~' } }))).toBe(expected)
    expect(await stage.run(gitDiff, { from: { revision: 'HEAD~' }, to: 'head', paths: ['f0'] })).toMatchObject([
      { path: 'f0', added: (8 * mebibyte) / 2, removed: 0 },
    ])
  })

  test('that are too large for text are reported as binary, and not read', async () => {
    const oid = objectName('blob', Buffer.alloc(0))
    // Only its header can be read.
    plantLoose(stage.directory, 'blob', randomBytes(mebibyte), { claimed: 100 * mebibyte, oid: '2'.repeat(40) })
    plantLoose(stage.directory, 'blob', Buffer.alloc(0), { oid })
    const before = plantCommit(stage.directory, plantTree(stage.directory, [treeEntry('100644', 'a', oid)]))
    plantCommit(stage.directory, plantTree(stage.directory, [treeEntry('100644', 'a', '2'.repeat(40))]), [before])
    const { files } = (await stage.run(gitShow, {})) as { files: unknown }
    expect(files).toMatchObject([{ path: 'a', binary: true, sizeBefore: 0, sizeAfter: 100 * mebibyte }])
    expect(await refusal(stage.run(gitShow, { path: 'a' }))).toBe('too large: a at HEAD, the limit is 20000000 bytes')
  })
})

describe('a pack', () => {
  /** A commit with one file, the last entry of the pack. */
  function plantFile(oid: string): void {
    plantCommit(stage.directory, plantTree(stage.directory, [treeEntry('100644', 'a', oid)]))
  }
  const base = Buffer.alloc(64 * kilobyte, 'line\n')
  const baseName = objectName('blob', base)

  test('with a delta that turns a few bytes into terabytes', async () => {
    const copies = Buffer.alloc(64 * kilobyte, Buffer.from([0x80]))
    const delta = Buffer.concat([deltaHeader(base.length, 2 ** 32), copies])
    const oid = '3'.repeat(40)
    plantPack(stage.directory, [
      { oid: baseName, type: 'blob', content: base },
      { oid, type: 'offset-delta', base: 0, content: delta },
    ])
    plantFile(oid)
    const { files } = (await stage.run(gitShow, {})) as { files: unknown }
    expect(files).toMatchObject([{ path: 'a', binary: true, sizeAfter: 2 ** 32 }])
    expect(await refusal(stage.run(gitCheckout, { revision: 'main', force: true }))).toBe(
      `too large: blob ${oid}, the limit is 128 MiB`,
    )
  })

  test('with a delta that produces more than its stated size', async () => {
    const oid = '3'.repeat(40)
    const delta = Buffer.concat([deltaHeader(base.length, 10), Buffer.alloc(kilobyte, Buffer.from([0x80]))])
    plantPack(stage.directory, [
      { oid: baseName, type: 'blob', content: base },
      { oid, type: 'offset-delta', base: 0, content: delta },
    ])
    plantFile(oid)
    expect(await refusal(stage.run(gitShow, { path: 'a' }))).toMatch(
      new RegExp(`^missing or broken object: ${oid} in objects/pack/pack-[0-9a-f]{40}\\.pack$`),
    )
  })

  test('with an endless chain of deltas', async () => {
    const delta = Buffer.concat([deltaHeader(1, 1), Buffer.from([1, 0x78])])
    const names = Array.from({ length: 5000 }, (_, i) => objectName('blob', Buffer.from(`${i}`)))
    plantPack(
      stage.directory,
      names.map((oid, i) =>
        i === 0
          ? { oid, type: 'blob', content: Buffer.from('x') }
          : { oid, type: 'offset-delta', base: i - 1, content: delta },
      ),
    )
    const last = names.at(-1) as string
    plantFile(last)
    expect(await refusal(stage.run(gitShow, { path: 'a' }))).toBe(
      `too large: the chain of differences of ${last}, the limit is 4,095 steps`,
    )
  })

  test('with two deltas based on each other', async () => {
    const delta = Buffer.concat([deltaHeader(1, 1), Buffer.from([1, 0x78])])
    const [one, other] = ['3'.repeat(40), '4'.repeat(40)] as const
    plantPack(stage.directory, [
      { oid: one, type: 'named-delta', baseName: other, content: delta },
      { oid: other, type: 'named-delta', baseName: one, content: delta },
    ])
    plantFile(one)
    expect(await refusal(stage.run(gitShow, { path: 'a' }))).toBe(
      `too large: the chain of differences of ${one}, the limit is 4,095 steps`,
    )
  })
})

describe('a file of the repository', () => {
  const grow = (name: string, size: number) => {
    const file = path.join(stage.directory, '.git', name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.closeSync(fs.openSync(file, 'a'))
    fs.truncateSync(file, size)
  }

  test.each([
    ['packed-refs', 65, /packed-refs, the limit is 64 MiB/],
    ['index', 257, /index, the limit is 256 MiB/],
    ['config', 2, /config, the limit is 1 MiB/],
    ['shallow', 2, /shallow, the limit is 1 MiB/],
  ])('%s of %i MiB', async (name, size, expected) => {
    plantCommit(stage.directory, plantTree(stage.directory, []))
    stage.git('config', 'branch.main.remote', '.')
    stage.git('config', 'branch.main.merge', 'refs/heads/main')
    grow(name, size * mebibyte)
    const calls = [() => stage.run(gitStatus, {}), () => stage.run(gitBranches, {})]
    const refusals = await Promise.all(calls.map((call) => refusal(call()).catch((error) => String(error))))
    expect(refusals.join('\n')).toMatch(expected)
  })

  test('pack indexes that are too large in total', async () => {
    plantCommit(stage.directory, plantTree(stage.directory, []))
    for (const name of ['pack-1', 'pack-2', 'pack-3']) {
      grow(`objects/pack/${name}.idx`, 100 * mebibyte)
      grow(`objects/pack/${name}.pack`, 100)
    }
    expect(await refusal(stage.run(gitStatus, {}))).toMatch(/pack index|missing or broken/)
  })

  test('symbolic refs that point to each other', async () => {
    plantCommit(stage.directory, plantTree(stage.directory, []))
    stage.write('.git/refs/heads/a', 'ref: refs/heads/b\n')
    stage.write('.git/refs/heads/b', 'ref: refs/heads/a\n')
    stage.write('.git/HEAD', 'ref: refs/heads/a\n')
    const expected = 'too large: the chain of symbolic refs at refs/heads/a, the limit is 5 steps'
    expect(await refusal(stage.run(gitStatus, {}))).toBe(expected)
    expect(await refusal(stage.run(gitBranches, {}))).toBe(expected)
  })

  test('a config with one key a hundred thousand times is read quickly', async () => {
    plantCommit(stage.directory, plantTree(stage.directory, []))
    fs.appendFileSync(path.join(stage.directory, '.git/config'), `[a]\n${'k\n'.repeat(400_000)}`)
    expect((await stage.run(gitStatus, {})).branch).toBe('main')
  })
})

test('other calls are answered while a large tree is walked', async () => {
  const blob = plantLoose(stage.directory, 'blob', Buffer.from('x\n'))
  plantCommit(stage.directory, nestedTrees(blob, '100644', 7))
  let longestMs = 0
  let turns = 0
  let before = process.cpuUsage()
  const ticking = setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    longestMs = Math.max(longestMs, (user + system) / 1000)
    before = process.cpuUsage()
    turns += 1
  }, 1)
  await refusal(stage.run(gitStatus, {}))
  clearInterval(ticking)
  expect(turns).toBeGreaterThan(5)
  // Time on the processor of all threads together. One turn takes about 20 ms, collecting garbage of other suites longer; without turns it is half a minute.
  expect(longestMs).toBeLessThan(3000)
})
