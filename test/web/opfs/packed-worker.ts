/** Opens packed workspaces in a dedicated worker, where segments are appended to: one request, one answer. */
import { type CaseResult, contractCases, runContract } from '../../../contract/fs/index.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { createPack, openPack } from '../../../src/fs/backends/pack/pack.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { opfsSegments } from '../../../web/opfs/opfs-segments.js'
import { type OpfsWorkspace, openOpfs } from '../../../web/opfs/opfs-workspace.js'

export type Order =
  | { do: 'case'; name: string }
  | { do: 'open'; workspace: string }
  | { do: 'write'; path: string; text: string }
  | { do: 'read'; path: string }
  | { do: 'mode' }
  | { do: 'close' }

let workspace: OpfsWorkspace | undefined

self.onmessage = async ({ data }: MessageEvent<Order>) => {
  try {
    self.postMessage({ result: await answer(data) })
  } catch (error) {
    self.postMessage({ failed: String(error) })
  }
}

async function answer(order: Order): Promise<unknown> {
  if (order.do === 'case') return runOne(order.name)
  if (order.do === 'open') {
    workspace = await openOpfs(order.workspace, { inMemory: {}, packed: true })
    return workspace.mode
  }
  if (workspace === undefined) throw new Error('nothing is open')
  if (order.do === 'write') return write(workspace, order)
  if (order.do === 'read') return new TextDecoder().decode(await workspace.fs.readFile(order.path))
  if (order.do === 'close') return workspace.close()
  return workspace.mode
}

async function write({ changes, ready }: OpfsWorkspace, { path, text }: Order & { do: 'write' }): Promise<void> {
  await ready
  await changes.run({ label: 'write', scopes: [{ path }] }, async (draft) => {
    await draft.makeParents(path)
    await draft.write(path, new TextEncoder().encode(text))
  })
}

async function runOne(name: string): Promise<CaseResult | undefined> {
  const top = await navigator.storage.getDirectory()
  const directory = await top.getDirectoryHandle(crypto.randomUUID(), { create: true })
  const segments = await opfsSegments(directory)
  await createPack(segments, [memory({ 'base/': '' }).snapshot()])
  const pack = await openPack(segments, { now: Date.now, trees: 1, minLogBytes: 10_000 })
  if (pack === undefined) throw new Error('there is no pack')
  const cases = contractCases.filter((each) => each.name === name)
  const { results } = await runContract({ fs: pack.trees[0] as FileSystem, base: '/base' }, { cases })
  await pack.close()
  await top.removeEntry(directory.name, { recursive: true })
  return results.find((result) => result.name === name)
}
