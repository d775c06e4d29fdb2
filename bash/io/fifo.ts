/** One pipe that is opened by name, any number of times: as `fifo(7)` says. */
import type { Bytes } from '../../src/fs/types.js'
import { BrokenPipe, type ByteReader, type ByteWriter } from './streams.js'

export interface Fifo {
  /** Waits until it is open for writing. */
  openRead(): Promise<ByteReader>
  /** Waits until it is open for reading. */
  openWrite(): Promise<ByteWriter>
  /** Waits for nobody. */
  openBoth(): { reader: ByteReader; writer: ByteWriter }
  /** What waits for the other side to be opened, or for what it does. */
  isWaitedFor(): boolean
  /** Everything that waits fails. */
  fail(error: unknown): void
}

/** A writer waits when this many bytes have not been read. */
const mostBytes = 64 * 1024

export function fifo(): Fifo {
  let chunks: Bytes[] = []
  let size = 0
  let failure: { error: unknown } | undefined
  const open = { readers: 0, writers: 0 }
  /** How often it was opened so far. */
  const opened = { readers: 0, writers: 0 }
  let waiting: Array<() => void> = []

  function changed(): void {
    const all = waiting
    waiting = []
    for (const wake of all) wake()
  }

  async function until(isReady: () => boolean): Promise<void> {
    while (!isReady()) {
      if (failure !== undefined) throw failure.error
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
  }

  function opens(side: 'readers' | 'writers'): () => void {
    open[side] += 1
    opened[side] += 1
    changed()
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      open[side] -= 1
      if (open.readers + open.writers === 0) {
        chunks = []
        size = 0
      }
      changed()
    }
  }

  /** Whoever comes and goes meanwhile counts too. */
  async function meeting(side: 'readers' | 'writers', close: () => void): Promise<void> {
    const before = opened[side]
    try {
      await until(() => open[side] > 0 || opened[side] > before)
    } catch (error) {
      close()
      throw error
    }
  }

  /** At its end it counts as closed until it is read again: not every program closes what it has read. */
  function readerThat(opened: () => void): ByteReader {
    let close = opened
    let isAtEnd = false
    return {
      async read() {
        if (isAtEnd) close = opens('readers')
        isAtEnd = false
        await until(() => chunks.length > 0 || open.writers === 0)
        const chunk = chunks.shift()
        if (chunk === undefined) {
          isAtEnd = true
          close()
          return undefined
        }
        size -= chunk.length
        changed()
        return chunk
      },
      unread(bytes) {
        if (bytes.length === 0) return
        chunks.unshift(bytes)
        size += bytes.length
      },
      close: () => close(),
    }
  }

  function writerThat(close: () => void): ByteWriter {
    return {
      write(bytes) {
        if (open.readers === 0) return Promise.reject(new BrokenPipe())
        if (bytes.length === 0) return undefined
        chunks.push(bytes)
        size += bytes.length
        changed()
        if (size < mostBytes) return undefined
        return until(() => size < mostBytes || open.readers === 0)
      },
      close: async () => close(),
    }
  }

  return {
    async openRead() {
      const close = opens('readers')
      await meeting('writers', close)
      return readerThat(close)
    },
    async openWrite() {
      const close = opens('writers')
      await meeting('readers', close)
      return writerThat(close)
    },
    openBoth: () => ({ reader: readerThat(opens('readers')), writer: writerThat(opens('writers')) }),
    isWaitedFor: () => waiting.length > 0,
    fail(error) {
      failure = { error }
      changed()
    },
  }
}
