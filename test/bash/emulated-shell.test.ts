import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { describeEmulatedShell } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'

const workerFile = built('node/emulated-worker.js')

describeEmulatedShell('over memory', {
  makeFs: () => memory(),
  shell: emulatedShell({ worker: workerFile, maxWrittenBytes: 100_000 }),
})
