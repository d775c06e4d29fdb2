/** Sends calls for files to the host: reads that are asked for at once go in one message. */
import type { FileCall, FileMethod, FromWorker, Send } from '../messages.js'

const reads: ReadonlySet<FileMethod> = new Set(['stat', 'readFile', 'readDir', 'realPath', 'readLink', 'readStart'])

export function callQueue(post: Send): { ask(call: FileCall): void; send: Send } {
  let waiting: FileCall[] = []

  function flush(): void {
    if (waiting.length === 0) return
    const calls = waiting
    waiting = []
    post({ kind: 'calls', calls })
  }

  return {
    ask(call) {
      waiting.push(call)
      // What is written is handed over even if the command then computes without an end.
      if (!reads.has(call.method)) flush()
      else if (waiting.length === 1) void Promise.resolve().then(flush)
    },
    /** Messages keep their order. */
    send(message: FromWorker, transferred) {
      flush()
      post(message, transferred)
    },
  }
}
