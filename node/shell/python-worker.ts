/** The thread that runs Python for commands of the emulated shell. */
import { parentPort, workerData } from 'node:worker_threads'
import { servePython } from '../../bash/programs/python/thread/serve-python.js'
import type { PythonThreadGiven, ToPython } from '../../bash/programs/python/wire.js'

const port = parentPort
if (port !== null) {
  const handle = servePython(workerData as PythonThreadGiven, (message) => port.postMessage(message))
  port.on('message', (message: ToPython) => handle(message))
}
