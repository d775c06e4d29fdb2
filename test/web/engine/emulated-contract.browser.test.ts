import { shellCases } from '../../../contract/shell/index.js'
import { memory } from '../../../src/fs/backends/memory.js'
import type { FileSystem } from '../../../src/fs/types.js'
import type { Shell } from '../../../src/shell/types.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { emulatedShell } from '../../../web/engine/emulated-shell.js'
import { directoryHandle } from '../../../web/fs-access/fs-access.js'
import { describeShellContract } from '../../describe-shell-contract.js'
import { emulatedShellDeviations } from '../../emulated-shell.js'
import { sample } from '../../scale.js'
import { scratchDirectory } from '../opfs/scratch.js'

const shell = emulatedShell()

function target(fs: FileSystem) {
  const workspace = createWorkspace({ fs, shell })
  return { shell: workspace.shell as Shell, fs: workspace.fs, base: '/base' }
}

describeShellContract('the emulated shell in a page, over memory', () => target(memory()), {
  deviations: emulatedShellDeviations,
  cases: sample(shellCases, { every: 3 }),
})
describeShellContract(
  'the emulated shell in a page, over OPFS',
  async () => target(directoryHandle(await scratchDirectory())),
  { deviations: emulatedShellDeviations, cases: sample(shellCases) },
)
