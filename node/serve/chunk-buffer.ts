/** What was read of a message, until it is whole. */
export interface GatheredBytes {
  add(part: Buffer): void
  /** All of them, which are forgotten here. */
  take(): Buffer
  forget(): void
}

/** A part has a price of its own; smaller ones are copied together, or a message in parts of one byte would take a hundred times its length. */
const smallBytes = 4096
const blockBytes = 16 * 1024

export function gatheredBytes(): GatheredBytes {
  let parts: Buffer[] = []
  let block: Buffer | undefined
  let inBlock = 0

  function emptyBlock(): void {
    if (block !== undefined && inBlock > 0) parts.push(Buffer.from(block.subarray(0, inBlock)))
    inBlock = 0
  }

  return {
    add(part) {
      if (part.length === 0) return
      if (part.length >= smallBytes) {
        emptyBlock()
        parts.push(part)
        return
      }
      if (inBlock + part.length > blockBytes) emptyBlock()
      block ??= Buffer.allocUnsafeSlow(blockBytes)
      inBlock += part.copy(block, inBlock)
    },
    take() {
      emptyBlock()
      const [only = Buffer.alloc(0)] = parts
      const whole = parts.length > 1 ? Buffer.concat(parts) : only
      parts = []
      return whole
    },
    forget() {
      parts = []
      inBlock = 0
    },
  }
}
