/** The batches of one search: handed out to workers ahead of the results, taken back in order. */
import type { BatchOutcomes, PackedFiles, WorkerSearch } from './worker-search.js'

export interface OrderedBatches {
  /** Hands a batch out. */
  add(files: readonly PackedFiles[]): void
  /** Resolves when there is room for another batch; undefined when there is room now. */
  room(): Promise<void> | undefined
  /** No more batches will be added. With a fault, `next` throws it after the last batch. */
  close(ending?: { fault?: unknown }): void
  /** The next batch in order, once it has been searched. Undefined after the last, and after an interruption. */
  next(): Promise<SearchedBatch | undefined>
  /** Makes `next` return at once. */
  interrupt(): void
  /** No more batches are taken: whoever waits for room need not. */
  stop(): void
  readonly stopped: boolean
}

export interface SearchedBatch {
  files: readonly PackedFiles[]
  outcomes: BatchOutcomes
}

/**
 * Workers may be ahead of the reader by some batches and some bytes of results: enough to stay busy while one of them has a large file, and
 * no more, so that memory does not grow with the tree. A few batches may be out whatever they bring. Until results are known, much is assumed.
 */
const maxBytesAhead = 1 << 24
const alwaysAhead = 4
const assumedBytes = 1 << 20

export function orderedBatches(workers: WorkerSearch, maxAhead: number): OrderedBatches {
  const pending: { files: readonly PackedFiles[]; outcomes?: BatchOutcomes }[] = []
  let unsettled = 0
  let settled = 0
  let settledBytes = 0
  let bytesAhead = 0
  let closed: { fault?: unknown } | undefined
  let interrupted = false
  let stopped = false
  let wakeReader: (() => void) | undefined
  let wakeWriter: (() => void) | undefined

  function isFull(): boolean {
    if (stopped) return false
    if (pending.length >= maxAhead) return true
    if (pending.length < alwaysAhead) return false
    // Batches that are not back yet will bring about as much as the others did.
    const expected = unsettled * ((assumedBytes + settledBytes) / (1 + settled))
    return bytesAhead + expected > maxBytesAhead
  }

  return {
    get stopped() {
      return stopped
    },
    add(files) {
      const batch: (typeof pending)[number] = { files }
      pending.push(batch)
      unsettled += 1
      void workers.search(files).then((outcomes) => {
        batch.outcomes = outcomes
        unsettled -= 1
        settled += 1
        settledBytes += outcomes.bytes
        bytesAhead += outcomes.bytes
        if (batch === pending[0]) wakeReader?.()
      })
    },
    room() {
      if (!isFull()) return undefined
      return new Promise((resolve) => {
        wakeWriter = resolve
      })
    },
    close(ending = {}) {
      closed = ending
      wakeReader?.()
    },
    async next() {
      while (!interrupted) {
        const { files, outcomes } = pending[0] ?? {}
        if (files !== undefined && outcomes !== undefined) {
          pending.shift()
          bytesAhead -= outcomes.bytes
          if (!isFull()) wakeWriter?.()
          return { files, outcomes }
        }
        if (files === undefined && closed !== undefined) {
          if ('fault' in closed) throw closed.fault
          return undefined
        }
        await new Promise<void>((resolve) => {
          wakeReader = resolve
        })
      }
      return undefined
    },
    interrupt() {
      interrupted = true
      wakeReader?.()
    },
    stop() {
      stopped = true
      wakeWriter?.()
    },
  }
}
