/** The thread that runs commands of the emulated shell. */
import { getHeapStatistics } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { pythonPrograms } from '../../bash/programs/python/index.js'
import { sqlitePrograms } from '../../bash/programs/sqlite/index.js'
import { defaultMemoryBytes } from '../../bash/worker/command-limits.js'
import type { Send, ToWorker } from '../../bash/worker/messages.js'
import { serveCommands } from '../../bash/worker/serve-commands.js'

const port = parentPort
if (port !== null) {
  const { maxMemoryBytes = defaultMemoryBytes } = (workerData ?? {}) as { maxMemoryBytes?: number }
  const post: Send = (message, transferred = []) => port.postMessage(message, transferred as ArrayBuffer[])
  const handle = serveCommands(post, {
    heapBytes: () => getHeapStatistics().used_heap_size,
    heldBytes() {
      const { total_heap_size, external_memory } = getHeapStatistics()
      return total_heap_size + external_memory
    },
    programs: new Map([
      ...pythonPrograms(async () => (await import('./python-platform.js')).threadsOfNode(), maxMemoryBytes),
      ...sqlitePrograms(async () => (await import('./sqlite-module.js')).sqliteModule()),
    ]),
  })
  port.on('message', (message: ToWorker) => handle(message))
}
