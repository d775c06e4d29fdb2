/** The worker that runs commands of the emulated shell. */
import './no-eval.js'
import type { ToWorker } from '../../src/shell/emulated/messages.js'
import { serveCommands } from '../../src/shell/emulated/worker/serve-commands.js'

const scope = globalThis as unknown as DedicatedWorkerGlobalScope
const handle = serveCommands((message, transferred = []) => scope.postMessage(message, transferred as ArrayBuffer[]))
scope.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => handle(data))
