import { fileURLToPath } from 'node:url'
import { emulatedShell } from '../../node/emulated-shell.js'
import { memory } from '../../src/fs/memory.js'
import type { Shell } from '../../src/shell/types.js'
import { createWorkspace } from '../../src/workspace.js'
import { describeShellContract } from '../describe-shell-contract.js'
import { emulatedShellDeviations } from '../emulated-shell.js'

const workerFile = fileURLToPath(new URL('../../dist/node/emulated-worker.js', import.meta.url))
const shell = emulatedShell({ workerFile })

describeShellContract(
  'the emulated shell over memory',
  () => {
    const workspace = createWorkspace({ fs: memory(), shell })
    return { shell: workspace.shell as Shell, fs: workspace.fs, base: '/base' }
  },
  { deviations: emulatedShellDeviations },
)
