import fs from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryDirectory } from '../cli/run-cli.js'

/** Ends each flush by hand. */
async function withHeldFlushes() {
  vi.resetModules()
  const ends: Array<(error: Error | null) => void> = []
  const spy = vi.spyOn(fs, 'fsync').mockImplementation((_descriptor, done) => void ends.push(done))
  onTestFinished(() => {
    spy.mockRestore()
    vi.resetModules()
  })
  const { flushDirectory } = await import('../../../node/disk/flush-directory.js')
  const directory = await temporaryDirectory()
  const flush = () => flushDirectory(fs.openSync(directory, 'r'))
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return { ends, flush, turn }
}

test('a flush that is under way is not enough for what came later, and one after it serves all', async () => {
  const { ends, flush, turn } = await withHeldFlushes()
  const [first, second, third] = [flush(), flush(), flush()]
  expect(ends).toHaveLength(1)
  let isDone = false
  void second.then(() => {
    isDone = true
  })
  ends[0]?.(null)
  await first
  await turn()
  expect(isDone).toBe(false)
  expect(ends).toHaveLength(2)
  // Begun by now: what comes now needs another.
  const fourth = flush()
  ends[1]?.(null)
  await Promise.all([second, third])
  await turn()
  expect(ends).toHaveLength(3)
  ends[2]?.(null)
  await fourth
})

test('a change that makes many directories with their modes flushes them together', async () => {
  vi.resetModules()
  const spy = vi.spyOn(fs, 'fsync')
  onTestFinished(() => {
    spy.mockRestore()
    vi.resetModules()
  })
  const { nodeFs } = await import('../../../node/disk/node-fs.js')
  const { createWorkspace } = await import('../../../src/workspace/create-workspace.js')
  const root = await temporaryDirectory()
  const { changes } = createWorkspace({ fs: nodeFs(root) })
  const names = Array.from({ length: 50 }, (_, at) => `d${at}`)
  await changes.run({ label: 'make', scopes: [{ path: '/', tree: true }] }, async (draft) => {
    for (const name of names) await draft.makeDirectory(`/${name}`, { mode: 0o700 })
  })
  expect(fs.readdirSync(root).sort()).toEqual([...names].sort())
  expect(fs.statSync(`${root}/d7`).mode & 0o777).toBe(0o700)
  expect(spy.mock.calls.length).toBeLessThan(5)
})

test('a flush that fails is reported to those who waited for it, and the next is tried', async () => {
  const { ends, flush, turn } = await withHeldFlushes()
  const [first, second] = [flush(), flush()]
  ends[0]?.(Object.assign(new Error('EIO'), { code: 'EIO' }))
  await expect(first).rejects.toThrow('EIO')
  await turn()
  ends[1]?.(null)
  await second
  const third = flush()
  ends[2]?.(null)
  await third
})
