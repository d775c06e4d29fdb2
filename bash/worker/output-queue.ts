/** Sends a command's output to the host: small pieces together, in their order. */

import type { OutputChunk } from '../../src/shell/types.js'
import { copiedBytes } from '../../src/text/copied-bytes.js'
import { type ByteWriter, concat } from '../io/streams.js'
import type { FromWorker } from './messages.js'

export interface OutputQueue {
  writer(stream: OutputChunk['stream']): ByteWriter
  /** Sends what is collected. What is written later is lost. */
  end(): void
}

/** What is collected before it is sent; less is sent as soon as the script waits for something. */
const pieceBytes = 32 << 10
/** Unacknowledged output beyond this makes a command wait. */
const maxUnacknowledgedBytes = 8 << 20

export function outputQueue(
  send: (message: FromWorker, transferred?: ArrayBufferLike[]) => void,
  acknowledge: () => Promise<void>,
): OutputQueue {
  let stream: OutputChunk['stream'] = 'stdout'
  let pieces: Uint8Array[] = []
  let size = 0
  let isScheduled = false
  let unacknowledgedBytes = 0
  let isOver = false

  function flush(): void {
    if (size === 0) return
    // A copy, so that its buffer can be transferred.
    const bytes = pieces.length === 1 ? copiedBytes(concat(pieces)) : concat(pieces)
    pieces = []
    size = 0
    unacknowledgedBytes += bytes.length
    send({ kind: 'output', chunk: { stream, bytes } }, [bytes.buffer])
  }

  function flushSoon(): void {
    if (isScheduled) return
    isScheduled = true
    void Promise.resolve().then(() => {
      isScheduled = false
      flush()
    })
  }

  return {
    end() {
      flush()
      isOver = true
    },
    writer: (own) => ({
      write(bytes) {
        if (bytes.length === 0 || isOver) return undefined
        if (own !== stream) flush()
        stream = own
        pieces.push(bytes)
        size += bytes.length
        if (size < pieceBytes) flushSoon()
        else flush()
        if (unacknowledgedBytes < maxUnacknowledgedBytes) return undefined
        unacknowledgedBytes = 0
        return acknowledge()
      },
      close: async () => {},
    }),
  }
}
