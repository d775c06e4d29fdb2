/** Every dialect on a workspace in a database, with its history in the same database. */
import { fileURLToPath } from 'node:url'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { sqliteJournal } from '../../src/change/journal/sqlite-journal.js'
import { sqlite } from '../../src/fs/backends/sqlite/workspaces.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { sqlJs } from '../core/fs/sqlite-database.js'
import { inProcess } from './vectors/in-process.js'
import { placesIn } from './vectors/places.js'
import type { Stage, Vector } from './vectors/stage.js'
import { describeVectors } from './vectors/suite.js'
import { optionsOf, rootsOf, workspaceStage } from './vectors/workspace-stage.js'

const openDatabase = await sqlJs()
const shell = emulatedShell({
  worker: fileURLToPath(new URL('../../dist/node/emulated-worker.js', import.meta.url)),
})

describeVectors({ name: 'sqlite', isSampled: true, openStage: sqliteStage })

async function sqliteStage(vector: Vector): Promise<Stage> {
  const places = placesIn('/base')
  const database = openDatabase()
  const fs = sqlite(database)
  for (const directory of ['/base', places.ROOT, places.OUTSIDE]) await fs.makeDir(directory)
  const journal = sqliteJournal(fs)
  return workspaceStage(vector, inProcess, {
    places,
    raw: fs,
    openWorkspace: async () =>
      createWorkspace({ fs, journal, roots: rootsOf(vector, places), ...optionsOf(vector), shell }),
    close: async () => database.close(),
  })
}
