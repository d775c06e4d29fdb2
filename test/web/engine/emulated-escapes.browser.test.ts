import { afterAll, describe, expect, test } from 'vitest'
import { clear } from '../../../contract/fs/tree.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { emulatedShell } from '../../../web/engine/emulated-shell.js'
import { directoryHandle } from '../../../web/fs-access/fs-access.js'
import { escapeCases } from '../../escapes/cases.js'
import { describeEscapes } from '../../escapes/describe-escapes.js'
import { plant } from '../../escapes/stage.js'
import { sample } from '../../scale.js'
import { scratchDirectory } from '../opfs/scratch.js'
import { bootFromStandIn } from '../webcontainer/boot.js'

const shell = emulatedShell()

async function planted(fs: FileSystem): Promise<FileSystem> {
  await plant(fs)
  return fs
}

describeEscapes('OPFS, in a page,', {
  makeFs: async () => planted(directoryHandle(await scratchDirectory())),
  shell,
  cases: sample(escapeCases, { every: 24 }),
})

describeEscapes('a container, from a stand-in of its host,', {
  async makeFs() {
    const { fs } = await bootFromStandIn()
    await clear(fs, '/')
    return planted(fs)
  },
  shell,
  cases: sample(escapeCases, { every: 24 }),
})

describe('the emulated shell on OPFS, in a worker, cannot be escaped', () => {
  const worker = new Worker(new URL('./escapes-worker.ts', import.meta.url), { type: 'module' })
  afterAll(() => worker.terminate())

  // OPFS has no links; that it has none is seen in a page.
  test.each(
    sample(
      escapeCases.filter(({ links }) => !links),
      { every: 24 },
    ),
  )('$name', async ({ name }) => {
    const faults = await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data)
      worker.onerror = ({ message }) => reject(new Error(message))
      worker.postMessage(name)
    })
    expect(faults).toEqual([])
  })
})
