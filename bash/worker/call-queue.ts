/** Sends what one command asks for to the host: reads for files that are asked for at once go in one message. */
import type { FileCall, FileMethod, FromWorker, Send } from './messages.js'

export interface CallQueue {
  ask(call: FileCall): void
  send: Send
  /** Sends the last message. What is left of the command can send no more, so that it can't reach the files of the next one. */
  end(last: FromWorker): void
}

const reads: ReadonlySet<FileMethod> = new Set([
  'stat',
  'readFile',
  'readDir',
  'realPath',
  'readLink',
  'readStart',
  'readStarts',
])

export function callQueue(post: Send): CallQueue {
  let waiting: FileCall[] = []
  let isOver = false

  function flush(): void {
    if (waiting.length === 0) return
    const calls = waiting
    waiting = []
    post({ kind: 'calls', calls })
  }

  /** Messages keep their order. */
  function send(message: FromWorker, transferred?: ArrayBufferLike[]): void {
    if (isOver) return
    flush()
    post(message, transferred)
  }

  return {
    ask(call) {
      if (isOver) return
      waiting.push(call)
      // What is written is handed over even if the command then computes without an end.
      if (!reads.has(call.method)) flush()
      else if (waiting.length === 1) void Promise.resolve().then(flush)
    },
    send,
    end(last) {
      send(last)
      isOver = true
    },
  }
}
