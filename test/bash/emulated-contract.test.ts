import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import type { Shell } from '../../src/shell/types.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { describeShellContract } from '../describe-shell-contract.js'
import { emulatedShellDeviations } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'

const workerFile = built('node/emulated-worker.js')
const shell = emulatedShell({ worker: workerFile })

describeShellContract(
  'the emulated shell over memory',
  () => {
    const workspace = createWorkspace({ fs: memory(), shell })
    return { shell: workspace.shell as Shell, fs: workspace.fs, base: '/base' }
  },
  { deviations: emulatedShellDeviations },
)
