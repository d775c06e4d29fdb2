/** The benchmarks bundle the sources in a way of their own, which no other test goes. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { load } from '../bench/load.mjs'

test('the benchmarks can load what they measure', async () => {
  const ours = await load()
  try {
    const workspace = ours.createWorkspace({ fs: ours.memory({ 'a.txt': 'one\n' }) })
    expect((await workspace.run(ours.readText, { path: 'a.txt' })).lines).toEqual(['one'])
    expect([ours.file, ours.worker, ours.commandWorker].filter((file) => !existsSync(file))).toEqual([])
  } finally {
    ours.remove()
  }
})
