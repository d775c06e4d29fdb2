import { fileURLToPath } from 'node:url'
import { emulatedShell } from '../../node/emulated-shell.js'
import { memory } from '../../src/fs/memory.js'
import { describeEmulatedShell } from '../emulated-shell.js'

const workerFile = fileURLToPath(new URL('../../dist/node/emulated-worker.js', import.meta.url))

describeEmulatedShell('over memory', {
  makeFs: () => memory(),
  shell: emulatedShell({ workerFile, maxWrittenBytes: 100_000 }),
})
