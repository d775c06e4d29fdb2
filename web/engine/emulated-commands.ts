/** What the worker of the emulated shell answers to the page. */
import './no-eval.js'
import type { ToWorker } from '../../bash/worker/messages.js'
import { serveCommands } from '../../bash/worker/serve-commands.js'

const scope = globalThis as unknown as DedicatedWorkerGlobalScope

/** Runs the commands of the page that started this worker. */
export function start(): void {
  const handle = serveCommands((message, transferred = []) => scope.postMessage(message, transferred as ArrayBuffer[]))
  scope.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => handle(data))
}
