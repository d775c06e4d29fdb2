/** What the worker of the emulated shell answers to the page. */
import './no-eval.js'
import { pythonPrograms } from '../../bash/programs/python/index.js'
import { defaultMemoryBytes } from '../../bash/worker/command-limits.js'
import type { ToWorker } from '../../bash/worker/messages.js'
import { serveCommands } from '../../bash/worker/serve-commands.js'

const scope = globalThis as unknown as DedicatedWorkerGlobalScope

/** Runs the commands of the page that started this worker. */
export function start(): void {
  const handle = serveCommands(
    (message, transferred = []) => scope.postMessage(message, transferred as ArrayBuffer[]),
    {
      programs: pythonPrograms(pythonOfPage, defaultMemoryBytes),
    },
  )
  scope.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => handle(data))
}

/** The other end of the port is for the page. */
async function pythonOfPage() {
  const { threadsOfPage } = await import('../python/threads-of-page.js')
  const { port1, port2 } = new MessageChannel()
  scope.postMessage({ kind: 'python', port: port2 }, [port2])
  return threadsOfPage(port1)
}
