/** The thread that runs commands of the emulated shell. */
import { parentPort } from 'node:worker_threads'
import type { ToWorker } from '../../src/shell/emulated/messages.js'
import { serveCommands } from '../../src/shell/emulated/worker/serve-commands.js'

const port = parentPort
if (port !== null) {
  const handle = serveCommands((message, transferred = []) => port.postMessage(message, transferred as ArrayBuffer[]))
  port.on('message', (message: ToWorker) => handle(message))
}
