import { Worker } from 'node:worker_threads'
import type { CommandWorker } from '../../bash/host/command-workers.js'
import { type EmulatedShellOptions, emulatedShells } from '../../bash/host/emulated-shell.js'
import { defaultMemoryBytes } from '../../bash/worker/command-limits.js'
import type { Shell } from '../../src/shell/types.js'
import type { Workspace } from '../../src/workspace/workspace.js'

/** In the build, from an entry in `node` and from a chunk in `chunks`. */
const workerName = '../node/emulated-worker.js'

/**
 * A bash for workspaces that no real shell can reach, such as one in memory: `createWorkspace({ fs, shell:
 * emulatedShell() })`. Commands run in a thread, only on the workspace's files; the history records their changes.
 */
export function emulatedShell(options: EmulatedShellOptions = {}): (workspace: Workspace) => Shell {
  const { maxMemoryBytes = defaultMemoryBytes, worker = new URL(workerName, import.meta.url) } = options
  return emulatedShells(
    { start: () => startThread(worker, maxMemoryBytes), name: `${maxMemoryBytes} ${worker}` },
    options,
  )
}

/**
 * The shell counts what a command holds, looks at its heap, and ends it (`limits.ts`). The limit of the heap is only a safety net, since
 * the engine may end the whole process where a thread exceeds it: more than a large array takes that grows while the heap is nearly full.
 */
const heapFactor = 4
const heapMegabytes = 640
/** The engine of `node` counts its own stack, and some of its calls take far more of this one. */
const stackMegabytes = 64

function startThread(file: string | URL, maxMemoryBytes: number): CommandWorker {
  const thread = new Worker(file, {
    // The server's environment is not passed on.
    env: {},
    argv: [],
    execArgv: [],
    workerData: { maxMemoryBytes },
    resourceLimits: {
      maxOldGenerationSizeMb: heapFactor * Math.ceil(maxMemoryBytes / 2 ** 20) + heapMegabytes,
      stackSizeMb: stackMegabytes,
    },
  })
  let onMessage: Parameters<CommandWorker['onMessage']>[0] = () => {}
  let onLost: Parameters<CommandWorker['onLost']>[0] = () => {}
  thread.on('message', (message) => onMessage(message))
  thread.on('error', (error: NodeJS.ErrnoException) => {
    onLost(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out of memory' : error.message)
  })
  thread.on('exit', () => onLost('it ended'))
  return {
    post: (message, transferred = []) => thread.postMessage(message, transferred as ArrayBuffer[]),
    onMessage(listener) {
      onMessage = listener
    },
    onLost(listener) {
      onLost = listener
    },
    hold: (busy) => (busy ? thread.ref() : thread.unref()),
    end: () => thread.terminate(),
  }
}
