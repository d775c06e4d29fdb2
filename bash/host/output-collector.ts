import type { Bytes } from '../../src/fs/types.js'
import type { Output } from '../../src/shell/types.js'
import { joinBytes } from '../../src/text/join-bytes.js'

/** Collects the first bytes of a stream. */
export interface Collector {
  readonly cut: boolean
  /** Returns the part that was collected. */
  add(bytes: Bytes): Bytes
  /** Adds a message of our own, regardless of the limit. Returns its bytes. */
  note(text: string): Bytes
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
      const fits = bytes.subarray(0, Math.max(0, maxBytes - size))
      if (fits.length < bytes.length) cut = true
      if (fits.length > 0) chunks.push(fits)
      size += fits.length
      return fits
    },
    note(text) {
      const bytes = new TextEncoder().encode(text)
      chunks.push(bytes)
      return bytes
    },
    output: () => ({ bytes: joinBytes(chunks), cut }),
  }
}
