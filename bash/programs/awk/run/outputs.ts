/** Outputs of a program that are not its own standard output. */
import { encodeText } from '../../../io/byte-text.js'
import { BrokenPipe, type ByteWriter } from '../../../io/streams.js'

export interface TextOutput {
  write(text: string): Promise<void> | undefined | void
  flush(): Promise<void>
}

export interface OpenOutput {
  output: TextOutput
  abandon(): void
  /** The status that `close` returns. */
  close(): Promise<number>
}

const bufferCharacters = 128 * 1024

export function bufferedTo(writer: ByteWriter, ended: () => Promise<number> = async () => 0): OpenOutput {
  let texts: string[] = []
  let size = 0
  const flush = async () => {
    if (texts.length === 0) return
    const bytes = encodeText(texts.join(''))
    texts = []
    size = 0
    await writer.write(bytes)
  }
  return {
    output: {
      write(data) {
        texts.push(data)
        size += data.length
        return size > bufferCharacters ? flush() : undefined
      },
      flush,
    },
    abandon() {
      writer.close().catch(() => {})
    },
    async close() {
      try {
        await flush()
      } catch (error) {
        // A command that reads no further, such as `head`, is not a failure at the end.
        if (!(error instanceof BrokenPipe)) throw error
      }
      await writer.close()
      return ended()
    },
  }
}

export interface Settled {
  status?: number
  error?: unknown
}

/** A failure is kept for the one who closes the stream. */
export function settled(run: Promise<number>): Promise<Settled> {
  return run.then(
    (status) => ({ status }),
    (error: unknown) => ({ error }),
  )
}

export function statusOf({ status, error }: Settled): number {
  if (status === undefined) throw error
  return status
}
