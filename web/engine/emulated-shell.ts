import type { CommandWorker } from '../../bash/host/command-workers.js'
import { type EmulatedShellOptions, emulatedShells } from '../../bash/host/emulated-shell.js'
import type { Shell } from '../../src/shell/types.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { nodeEngine } from '../node/hindrance.js'
import { connectRoom } from '../room/link.js'
import type { RoomName } from '../room/messages.js'

/**
 * A bash for workspaces in a page: `createWorkspace({ fs, shell: emulatedShell() })`. Commands run in a worker, only on
 * the workspace's files; the history records their changes.
 */
export function emulatedShell(options: EmulatedShellOptions = {}): (workspace: Workspace) => Shell {
  const { worker, node, python, sqlite = 'sqlite3.wasm' } = options
  const start = () => {
    const started = worker === undefined ? startOwnWorker() : startWorker(worker)
    // The worker can't know what the page's addresses are relative to.
    started.postMessage({ kind: 'places', sqlite: new URL(sqlite, address()).href })
    return commandWorker(started, { node: node?.toString(), python: python?.toString() })
  }
  return emulatedShells(
    { start, nodeEngine: nodeEngine(), name: `${worker ?? ''} ${node ?? ''} ${python ?? ''} ${sqlite}` },
    options,
  )
}

/** Of the page, or of the worker that starts the shell. */
function address(): string {
  return typeof document === 'undefined' ? location.href : document.baseURI
}

/** All of it is literal, so that bundlers find the worker. */
function startOwnWorker(): Worker {
  return new Worker(new URL('./emulated-worker.ts', import.meta.url), { type: 'module', name: 'polyfs-shell' })
}

function startWorker(module: string | URL): Worker {
  return new Worker(module, { type: 'module', name: 'polyfs-shell' })
}

function commandWorker(worker: Worker, addresses: Readonly<Record<RoomName, string | undefined>>): CommandWorker {
  let onMessage: Parameters<CommandWorker['onMessage']>[0] = () => {}
  let onLost: Parameters<CommandWorker['onLost']>[0] = () => {}
  const rooms: Array<() => void> = []
  worker.addEventListener('message', ({ data }) => {
    const name: RoomName | undefined = data.kind === 'room' ? data.name : undefined
    if (name !== undefined) rooms.push(connectRoom(name, data.port, addresses[name]))
    else onMessage(data)
  })
  worker.addEventListener('error', ({ message }) => onLost(message || 'the worker could not be loaded'))
  return {
    post: (message, transferred = []) => worker.postMessage(message, transferred as ArrayBuffer[]),
    onMessage(listener) {
      onMessage = listener
    },
    onLost(listener) {
      onLost = listener
    },
    // A worker does not keep a page open.
    hold: () => {},
    end() {
      worker.terminate()
      for (const leave of rooms) leave()
      return undefined
    },
  }
}
