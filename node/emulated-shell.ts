import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { programs } from '../src/programs/index.js'
import { type EmulatedShellOptions, emulatedShells } from '../src/shell/emulated/shell.js'
import type { CommandWorker } from '../src/shell/emulated/workers.js'
import type { Shell } from '../src/shell/types.js'
import type { Workspace } from '../src/workspace.js'

export interface NodeEmulatedShellOptions extends EmulatedShellOptions {
  /** The module that workers start from; the one beside this unless given. */
  workerFile?: string
  /** What a command may use of memory for itself. 512 MB unless given. */
  maxMemoryMegabytes?: number
}

/** Beside this module once it is built. */
const workerName = './emulated-worker.js'

/**
 * A bash for workspaces that no real shell can reach, such as one in memory: `createWorkspace({ fs, shell: emulatedShell() })`.
 * Commands run in a thread, on the workspace's files alone; what they change is in the history.
 */
export function emulatedShell(options: NodeEmulatedShellOptions = {}): (workspace: Workspace) => Shell {
  const {
    maxMemoryMegabytes = 512,
    workerFile = fileURLToPath(new URL(workerName, import.meta.url)),
    ...rest
  } = options
  return emulatedShells(() => startThread(workerFile, maxMemoryMegabytes), { programs, ...rest })
}

function startThread(file: string, maxMemoryMegabytes: number): CommandWorker {
  const thread = new Worker(file, {
    // Nothing of the server's own environment.
    env: {},
    argv: [],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMegabytes },
  })
  let onMessage: Parameters<CommandWorker['onMessage']>[0] = () => {}
  let onLost: Parameters<CommandWorker['onLost']>[0] = () => {}
  thread.on('message', (message) => onMessage(message))
  thread.on('error', (error: NodeJS.ErrnoException) => {
    const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    onLost(isMemory ? `out of memory, a command may use ${maxMemoryMegabytes} MB` : error.message)
  })
  thread.on('exit', () => onLost('it ended'))
  return {
    post: (message) => thread.postMessage(message),
    onMessage(listener) {
      onMessage = listener
    },
    onLost(listener) {
      onLost = listener
    },
    hold: (busy) => (busy ? thread.ref() : thread.unref()),
    end: () => void thread.terminate(),
  }
}
