/** Answers as text and bytes, to lie in shared memory. */
import type { Bytes } from '../../../../src/fs/types.js'
import { copiedBytes } from '../../../../src/text/copied-bytes.js'
import { concat } from '../../../io/streams.js'
import { WithBytes } from '../../threads/shared-memory.js'
import type { Value } from '../engine/machine.js'

/** Where bytes were: the begin and the end of them. */
interface Place {
  $bytes: [from: number, to: number]
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** A text by itself is bytes: files are large, and JSON is slow. */
export function packed(value: Value): WithBytes<unknown> {
  if (typeof value === 'string' && value.isWellFormed()) return new WithBytes('text', encoder.encode(value))
  const parts: Bytes[] = []
  let length = 0
  const replaced = (each: Value): unknown => {
    if (each instanceof Uint8Array) {
      const from = length
      length += each.length
      parts.push(each as Bytes)
      return { $bytes: [from, length] } satisfies Place
    }
    if (Array.isArray(each)) return each.map(replaced)
    if (typeof each !== 'object' || each === null) return each
    return Object.fromEntries(Object.entries(each).map(([key, inside]) => [key, replaced(inside)]))
  }
  const plain = replaced(value) ?? null
  return new WithBytes([plain], parts.length === 0 ? new Uint8Array() : concat(parts))
}

export function unpacked(value: unknown, bytes: Bytes): Value {
  if (value === 'text') return decoder.decode(bytes)
  const restored = (each: unknown): Value => {
    if (Array.isArray(each)) return each.map(restored)
    if (typeof each !== 'object' || each === null) return each as Value
    const place = (each as Partial<Place>).$bytes
    if (place !== undefined) return copiedBytes(bytes.subarray(...place))
    return Object.fromEntries(Object.entries(each).map(([key, inside]) => [key, restored(inside)]))
  }
  return restored((value as unknown[])[0])
}
