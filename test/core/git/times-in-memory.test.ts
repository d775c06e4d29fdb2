import { beforeEach, expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { printShortStatus } from '../../../src/git/print/print-results.js'
import { gitAdd } from '../../../src/ops/git/add.js'
import { gitInit } from '../../../src/ops/git/init.js'
import { gitStatus } from '../../../src/ops/git/status.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'

const noon = Date.UTC(2026, 0, 1, 12)
let clock: number
let reads: string[]
let tree: FileSystem
let workspace: Workspace

beforeEach(async () => {
  clock = noon + 1
  reads = []
  tree = memory({}, { now: () => clock })
  workspace = createWorkspace({ fs: noting(tree), now: () => clock })
  await gitInit.run(gitInit.input.parse({}), workspace, {})
})

test('a file that was staged a millisecond after its last change is not read again', async () => {
  await write('one')
  clock += 1
  await add()
  reads = []
  expect(await status()).toBe('A  a\n')
  expect(reads).not.toContain('/a')
})

test('a change in the millisecond in which a file was staged is noticed', async () => {
  await write('one')
  await add()
  await write('two')
  expect(await status()).toBe('AM a\n')
  clock += 5000
  expect(await status()).toBe('AM a\n')
})

test('a change a millisecond after a file was staged is noticed', async () => {
  await write('one')
  clock += 1
  await add()
  await write('two')
  expect(await status()).toBe('AM a\n')
})

function write(text: string): Promise<void> {
  return tree.writeFile('/a', new TextEncoder().encode(text))
}

async function add(): Promise<void> {
  await gitAdd.run(gitAdd.input.parse({ all: true }), workspace, {})
}

async function status(): Promise<string> {
  return printShortStatus(await gitStatus.run(gitStatus.input.parse({}), workspace, {}))
}

/** Notes which files are read. */
function noting(fs: FileSystem): FileSystem {
  const note = <Arguments extends [string, ...unknown[]], Result>(read: (...args: Arguments) => Result) => {
    return (...args: Arguments) => {
      reads.push(args[0])
      return read(...args)
    }
  }
  return {
    ...fs,
    readFile: note(fs.readFile),
    ...(fs.sync && { sync: { ...fs.sync, readFile: note(fs.sync.readFile) } }),
  }
}
