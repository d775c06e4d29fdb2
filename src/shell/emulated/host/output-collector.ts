import type { Bytes } from '../../../fs/types.js'
import { joinBytes } from '../../../text/join-bytes.js'
import type { Output } from '../../types.js'

/** Keeps the first bytes of a stream. */
export interface Collector {
  readonly cut: boolean
  /** The part that is kept. */
  add(bytes: Bytes): Bytes
  /** Keeps a line of our own, whatever came before. */
  note(text: string): void
  output(): Output
}

export function collector(maxBytes: number): Collector {
  const chunks: Bytes[] = []
  let size = 0
  let cut = false
  return {
    get cut() {
      return cut
    },
    add(bytes) {
      const kept = bytes.subarray(0, Math.max(0, maxBytes - size))
      if (kept.length < bytes.length) cut = true
      if (kept.length > 0) chunks.push(kept)
      size += kept.length
      return kept
    },
    note(text) {
      chunks.push(new TextEncoder().encode(text))
    },
    output: () => ({ bytes: joinBytes(chunks), cut }),
  }
}
