/** Every dialect on every file system: the conformance cases in process, on memory and on a real directory. */
import { expect, test } from 'vitest'
import { type Directory, openDirectories } from '../../node/workspace.js'
import { dialects } from '../../src/dialects/index.js'
import { vectors } from './vectors/cases.js'
import { disk, remove, temporaryDirectory, temporaryPlaces } from './vectors/disk.js'
import { inProcess } from './vectors/in-process.js'
import type { Stage, Vector } from './vectors/stage.js'
import { describeVectors } from './vectors/suite.js'
import { memoryStage, optionsOf, rootsOf, workspaceStage } from './vectors/workspace-stage.js'

test('every dialect has cases, and all cases have a dialect', () => {
  expect([...new Set(vectors.map(({ dialect }) => dialect))].sort()).toEqual(Object.keys(dialects).sort())
})

test('no two cases have the same name', () => {
  expect(new Set(vectors.map(({ id }) => id)).size).toBe(vectors.length)
})

describeVectors({ name: 'memory', hasShell: false, openStage: (vector) => memoryStage(vector, inProcess) })
describeVectors({ name: 'node:fs', hasShell: true, openStage: directoryStage })

async function directoryStage(vector: Vector): Promise<Stage> {
  const places = temporaryPlaces()
  const stateDirectory = temporaryDirectory()
  const open: Array<{ close(): void }> = []
  return workspaceStage(vector, inProcess, {
    places,
    raw: disk,
    async openWorkspace() {
      const [first, ...rest] = rootsOf(vector, places).map(
        ({ path, access }): Directory => ({ directory: path, access }),
      )
      const workspace = await openDirectories([first!, ...rest], { ...optionsOf(vector), stateDirectory, fsync: false })
      open.push(workspace)
      return workspace
    },
    async close() {
      for (const workspace of open) workspace.close()
      remove(places.BASE)
      remove(stateDirectory)
    },
  })
}
