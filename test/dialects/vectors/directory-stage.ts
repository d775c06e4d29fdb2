import { type Directory, openDirectories } from '../../../node/workspace/directory-workspace.js'
import { disk, remove, temporaryDirectory, temporaryPlaces } from './disk.js'
import type { Stage, Vector } from './stage.js'
import { type Connector, optionsOf, rootsOf, workspaceStage } from './workspace-stage.js'

/** A real directory. */
export async function directoryStage(vector: Vector, connector: Connector): Promise<Stage> {
  const places = temporaryPlaces()
  const stateDirectory = temporaryDirectory()
  const open: Array<{ close(): void }> = []
  return workspaceStage(vector, connector, {
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
