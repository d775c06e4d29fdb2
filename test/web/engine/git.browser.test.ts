import { expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { printLog, printShortStatus } from '../../../src/git/print/print-results.js'
import { gitAdd } from '../../../src/ops/git/add.js'
import { gitCheckout } from '../../../src/ops/git/checkout.js'
import { gitCommit } from '../../../src/ops/git/commit.js'
import { gitInit } from '../../../src/ops/git/init.js'
import { gitLog } from '../../../src/ops/git/log.js'
import { gitStatus } from '../../../src/ops/git/status.js'
import type { Operation } from '../../../src/ops/operation.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { openOpfs } from '../../../web/opfs/opfs-workspace.js'

const encode = (text: string) => new TextEncoder().encode(text)
const author = { name: 'Ada', email: 'ada@example.org' }

test.each([
  ['memory', async () => createWorkspace({ fs: memory() })],
  ['OPFS', () => openOpfs(`git-${crypto.randomUUID()}`)],
] as const)('a repository lives in %s, and the page gets no Buffer', async (_name, open: () => Promise<Workspace>) => {
  const workspace = await open()
  const run = <Given, Input, Result>(operation: Operation<Given, Input, Result>, input: Given) =>
    operation.run(operation.input.parse(input), workspace, {})
  const write = (path: string, text: string) =>
    workspace.changes.run({ label: 'write', scopes: [{ path }] }, async (draft) => {
      await draft.makeParents(path)
      await draft.write(path, encode(text))
    })
  await run(gitInit, {})
  await write('/d/a.txt', 'one\n')
  expect(printShortStatus(await run(gitStatus, {}))).toBe('?? d/\n')
  await run(gitAdd, { all: true })
  await run(gitCommit, { message: 'first', author })
  await write('/d/a.txt', 'two\n')
  expect(printShortStatus(await run(gitStatus, {}))).toBe(' M d/a.txt\n')
  await run(gitCommit, { message: 'second', all: true, author })
  await run(gitCheckout, { revision: 'HEAD~1' })
  expect(new TextDecoder().decode(await workspace.fs.readFile('/d/a.txt'))).toBe('one\n')
  await workspace.history.undo()
  expect(new TextDecoder().decode(await workspace.fs.readFile('/d/a.txt'))).toBe('two\n')
  expect(printShortStatus(await run(gitStatus, {}), { branch: true })).toBe('## main\n')
  const { commits } = await run(gitLog, {})
  expect(printLog(commits, { oneline: true })).toMatch(/^[0-9a-f]{7} second\n[0-9a-f]{7} first\n$/)
  expect('Buffer' in globalThis).toBe(false)
})
