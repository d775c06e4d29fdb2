/** The thread that runs Python for commands of the emulated shell. */
import { parentPort, workerData } from 'node:worker_threads'
import { SystemFailure } from '../../bash/programs/python/thread/errno.js'
import { servePython } from '../../bash/programs/python/thread/serve-python.js'
import { sleeping } from '../../bash/programs/python/thread/waiting.js'
import type { PythonThreadGiven, ToPython } from '../../bash/programs/python/wire.js'
import { sharedAnswers } from '../../bash/programs/threads/shared-answers.js'

const port = parentPort
if (port !== null) {
  const handle = servePython(workerData as PythonThreadGiven, (message) => port.postMessage(message), {
    waiting: ({ shared }, post) =>
      sleeping(sharedAnswers(shared as SharedArrayBuffer, post, (error) => new SystemFailure(error))),
    alone: sleeping,
    room: (bytes) => new SharedArrayBuffer(bytes),
  })
  port.on('message', (message: ToPython) => handle(message))
}
