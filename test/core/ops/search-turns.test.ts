import { expect, test } from 'vitest'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import type { Searcher } from '../../../src/search/run/records.js'
import { search } from '../../../src/search/run/searcher.js'
import { callTool } from '../../../src/tools/call-tool.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'

/** Searches block until they are released, and are counted. */
function open() {
  const fs = memory({ 'a.txt': 'alpha\n' })
  let running = 0
  let most = 0
  let isLetGo = false
  const waiting: Array<() => void> = []
  const searcher: Searcher = {
    async *search(files, request, context) {
      running += 1
      most = Math.max(most, running)
      if (!isLetGo) await new Promise<void>((resolve) => waiting.push(resolve))
      running -= 1
      return yield* search(fs, files, request, context)
    },
  }
  const letGo = () => {
    isLetGo = true
    for (const resume of waiting.splice(0)) resume()
  }
  const letOneGo = () => waiting.shift()?.()
  return {
    workspace: createWorkspace({ fs, internals: { searcher } }),
    letGo,
    letOneGo,
    counts: () => ({ running, most }),
  }
}

async function grep(workspace: Workspace, session: object, signal?: AbortSignal): Promise<string> {
  const { content } = await callTool(
    workspace,
    polyfs,
    'grep',
    { pattern: 'alpha' },
    { session, ...(signal && { signal }) },
  )
  return content[0]?.text ?? ''
}

test('300 concurrent searches run a few at a time, and all get the same answer', async () => {
  const { workspace, letGo, counts } = open()
  const session = {}
  const answers = Array.from({ length: 300 }, () => grep(workspace, session))
  await expect.poll(() => counts().running).toBe(6)
  letGo()
  const texts = new Set(await Promise.all(answers))
  expect(texts).toEqual(new Set([await grep(workspace, session)]))
  expect(counts().most).toBe(6)
})

test('another client does not wait behind them, and a cancelled search never runs', async () => {
  const { workspace, letGo, letOneGo, counts } = open()
  const [greedy, other] = [{}, {}]
  const many = Array.from({ length: 300 }, () => grep(workspace, greedy))
  const controller = new AbortController()
  const cancelled = grep(workspace, greedy, controller.signal)
  await expect.poll(() => counts().running).toBe(6)
  const two = [grep(workspace, other), grep(workspace, other)]
  await expect.poll(() => counts().running).toBe(8)
  const third = grep(workspace, other)
  letOneGo()
  await expect.poll(() => counts().running).toBe(8)
  controller.abort()
  expect(await cancelled).toContain('cancelled')
  letGo()
  expect(new Set(await Promise.all([...two, third, ...many])).size).toBe(1)
  expect(workspace.internals.searches.waiting).toBe(0)
})
