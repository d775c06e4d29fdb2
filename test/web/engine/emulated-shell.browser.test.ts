import { memory } from '../../../src/fs/backends/memory.js'
import { emulatedShell } from '../../../web/engine/emulated-shell.js'
import { directoryHandle } from '../../../web/fs-access/fs-access.js'
import { describeEmulatedShell } from '../../emulated-shell.js'
import { isFull } from '../../scale.js'
import { scratchDirectory } from '../opfs/scratch.js'

const shell = emulatedShell({ maxWrittenBytes: 100_000 })

// In Node it runs over memory in every size.
if (isFull) describeEmulatedShell('in a page, over memory', { makeFs: () => memory(), shell })
describeEmulatedShell('in a page, over OPFS', {
  makeFs: async () => directoryHandle(await scratchDirectory()),
  shell,
})
