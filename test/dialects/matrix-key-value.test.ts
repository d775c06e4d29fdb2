/** Every dialect on a workspace in a key-value store, with its history in the same store. */
import { fileURLToPath } from 'node:url'
import { createStorage } from 'unstorage'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { keyValueJournal } from '../../src/change/journal/key-value-journal.js'
import { keyValue } from '../../src/fs/backends/key-value/file-system.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { nodeHashes } from '../core/fs/key-value-stores.js'
import { inProcess } from './vectors/in-process.js'
import { placesIn } from './vectors/places.js'
import type { Stage, Vector } from './vectors/stage.js'
import { describeVectors } from './vectors/suite.js'
import { optionsOf, rootsOf, workspaceStage } from './vectors/workspace-stage.js'

const shell = emulatedShell({
  worker: fileURLToPath(new URL('../../dist/node/emulated-worker.js', import.meta.url)),
})

describeVectors({ name: 'keyValue', isSampled: true, openStage: storeStage })

async function storeStage(vector: Vector): Promise<Stage> {
  const places = placesIn('/base')
  const fs = keyValue(createStorage(), nodeHashes)
  for (const directory of ['/base', places.ROOT, places.OUTSIDE]) await fs.makeDir(directory)
  const journal = keyValueJournal(fs)
  return workspaceStage(vector, inProcess, {
    places,
    raw: fs,
    openWorkspace: async () =>
      createWorkspace({ fs, journal, roots: rootsOf(vector, places), ...optionsOf(vector), shell }),
    close: async () => {},
  })
}
