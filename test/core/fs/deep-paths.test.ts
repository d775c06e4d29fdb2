import { expect, test } from 'vitest'
import { tools } from '../../../src/dialects/tool-definitions.js'
import { keyValue } from '../../../src/fs/backends/key-value/file-system.js'
import { limitBytes, roomFor } from '../../../src/fs/backends/limit-bytes.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { mirror } from '../../../src/fs/backends/mirror.js'
import { mount } from '../../../src/fs/backends/mount.js'
import { overlay } from '../../../src/fs/backends/overlay.js'
import { sqlite } from '../../../src/fs/backends/sqlite/workspaces.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { describeDeepPaths, everyCall, slower } from '../../describe-deep-paths.js'
import { sample } from '../../scale.js'
import { mapStore, nodeHashes } from './key-value-stores.js'
import { sqlJs } from './sqlite-database.js'

const openDatabase = await sqlJs()

const backends: Record<string, () => FileSystem | Promise<FileSystem>> = {
  memory: () => memory(),
  'memory where case does not matter': () => {
    const fs = memory()
    return { ...fs, capabilities: { ...fs.capabilities, caseSensitive: false } }
  },
  'an overlay': () => overlay(memory(), limitBytes(memory(), roomFor(1e9))),
  'a mount': () => mount({ '/': memory(), '/other': memory() }),
  'a mirror': () => mirror(memory()),
  'a database': () => sqlite(openDatabase()),
  'a key-value store': () => keyValue(mapStore(), nodeHashes),
}
for (const [name, make] of sample(Object.entries(backends), { every: 2 })) describeDeepPaths(name, make)

test('many missing directories are made below a root that is not at the top', async () => {
  const fs = memory({ '/home/user/project/': '' })
  const workspace = createWorkspace({ fs, roots: [{ path: '/home/user/project', access: 'read-write' }] })
  for (const depth of [1, 2, 3, 5, 9, 40]) {
    const path = `${depth}/${Array(depth).fill('d').join('/')}/f`
    const { isError = false } = await tools(workspace).call('write_file', { path, content: 'x' })
    expect([depth, isError]).toEqual([depth, false])
  }
})

test('each tool asks a file system in proportion to the depth of its paths', async () => {
  const near = await everyCall(counted, 250, asked)
  const far = await everyCall(counted, 1000, asked)
  expect(slower(near, far, (count) => 4 * count + 100)).toEqual([])
})

/** Calls of file systems that `counted` has made. */
let calls = 0

async function asked(run: () => Promise<void>): Promise<number> {
  const before = calls
  await run()
  return calls - before
}

function counted(): FileSystem {
  const fs = memory()
  return { ...counting(fs), ...(fs.sync && { sync: counting(fs.sync) }) }
}

/** The same with every function counted. */
function counting<Part extends object>(part: Part): Part {
  const counts = Object.entries(part).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value]
    return [
      name,
      (...given: unknown[]) => {
        calls += 1
        return value(...given)
      },
    ]
  })
  return Object.fromEntries(counts) as Part
}
