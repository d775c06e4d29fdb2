/** Collects the chunks of a message until it is complete. */
export interface ChunkBuffer {
  add(chunk: Buffer): void
  /** Returns all bytes and clears the buffer. */
  take(): Buffer
  clear(): void
}

/** Smaller chunks are copied into blocks: each buffer has an overhead, so single bytes would take a hundred times their size. */
const smallBytes = 4096
const blockBytes = 16 * 1024

export function chunkBuffer(): ChunkBuffer {
  let chunks: Buffer[] = []
  let block: Buffer | undefined
  let inBlock = 0

  function flushBlock(): void {
    if (block !== undefined && inBlock > 0) chunks.push(Buffer.from(block.subarray(0, inBlock)))
    inBlock = 0
  }

  return {
    add(chunk) {
      if (chunk.length === 0) return
      if (chunk.length >= smallBytes) {
        flushBlock()
        chunks.push(chunk)
        return
      }
      if (inBlock + chunk.length > blockBytes) flushBlock()
      block ??= Buffer.allocUnsafeSlow(blockBytes)
      inBlock += chunk.copy(block, inBlock)
    },
    take() {
      flushBlock()
      const [only = Buffer.alloc(0)] = chunks
      const whole = chunks.length > 1 ? Buffer.concat(chunks) : only
      chunks = []
      return whole
    },
    clear() {
      chunks = []
      inBlock = 0
    },
  }
}
