/** What the worker of the emulated shell answers to the page. */
import './no-eval.js'
import { ProgramError } from '../../bash/programs/program-error.js'
import { pythonPrograms } from '../../bash/programs/python/index.js'
import type { ToWorker } from '../../bash/worker/messages.js'
import { serveCommands } from '../../bash/worker/serve-commands.js'

const scope = globalThis as unknown as DedicatedWorkerGlobalScope
const commandMissing = 127

/** Runs the commands of the page that started this worker. */
export function start(): void {
  const programs = pythonPrograms(async () => {
    throw new ProgramError('Python runs in Node only, not in a page', commandMissing)
  })
  const handle = serveCommands(
    (message, transferred = []) => scope.postMessage(message, transferred as ArrayBuffer[]),
    {
      programs,
    },
  )
  scope.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => handle(data))
}
