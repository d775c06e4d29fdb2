/** Every case of every dialect with the paths of Windows, on a tree in memory: the same answers, with paths as Windows writes them. */
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { windowsRules } from '../../src/fs/path-rules.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { built } from '../node/cli/built.js'
import { windowsUnfit } from '../windows/unfit.js'
import { windowsSession } from '../windows/windows-paths.js'
import { inProcess } from './vectors/in-process.js'
import { placesIn } from './vectors/places.js'
import { describeVectors } from './vectors/suite.js'
import { type Connector, optionsOf, rootsOf, workspaceStage } from './vectors/workspace-stage.js'

const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
const places = placesIn('/C:/base')
const base = { here: places.BASE, there: 'C:\\base' }

const onWindows: Connector = {
  speaks: inProcess.speaks,
  async connect(workspace, dialect) {
    const { close, ...session } = await inProcess.connect(workspace, dialect)
    return { ...windowsSession(session, base), close }
  },
}

describeVectors({
  name: 'memory with the paths of Windows',
  isSampled: true,
  unfit: windowsUnfit,
  async openStage(vector) {
    const fs = memory({ [`${places.ROOT}/`]: '', [`${places.OUTSIDE}/`]: '' })
    return workspaceStage(vector, onWindows, {
      places,
      raw: fs,
      openWorkspace: async () =>
        createWorkspace({ fs, roots: rootsOf(vector, places), ...optionsOf(vector), pathRules: windowsRules, shell }),
      close: async () => {},
    })
  },
})
