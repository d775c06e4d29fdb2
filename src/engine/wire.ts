/**
 * Messages as bytes: JSON, followed by the bytes of binary values. Large values are not in the message: they are stored
 * under a name, from which the receiver fetches them by HTTP, so that they do not hold up the messages behind them.
 */

/** A large value: `bytes` of a binary value, or of a text in UTF-8. */
export type LargeValue = Uint8Array<ArrayBuffer>

/** Larger values are stored. */
export const largeBytes = 256 * 1024

/** JSON deeper than this is not a message of ours. */
const maxDepth = 200

/** Where binary values and large texts are in the message: at this index of `parts`. */
type Tag = { $: 'bytes' | 'text'; part: number } | { $: 'undefined' } | { $: 'object'; of: Record<string, unknown> }

interface Head {
  value: unknown
  /** The lengths of values in the message, in order, and the names of stored ones. */
  parts: (number | string)[]
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** `store` is called with every large value, and returns its name; without it all values are in the message. */
export function encodeMessage(value: unknown, store?: (large: LargeValue) => string): Uint8Array<ArrayBuffer> {
  const parts: (number | string)[] = []
  const inline: Uint8Array[] = []

  function add(bytes: Uint8Array): number {
    if (store !== undefined && bytes.length > largeBytes) parts.push(store(new Uint8Array(bytes)))
    else {
      parts.push(bytes.length)
      inline.push(bytes)
    }
    return parts.length - 1
  }

  function plain(given: unknown, depth: number): unknown {
    if (depth > maxDepth) throw new Error('The message is nested too deeply')
    if (given === undefined) return { $: 'undefined' } satisfies Tag
    if (typeof given === 'string' && store !== undefined && given.length > largeBytes && isWellFormed(given)) {
      return { $: 'text', part: add(encoder.encode(given)) } satisfies Tag
    }
    if (typeof given !== 'object' || given === null) return given
    if (given instanceof Uint8Array) return { $: 'bytes', part: add(given) } satisfies Tag
    if (Array.isArray(given)) return given.map((each) => plain(each, depth + 1))
    const entries = Object.entries(given).filter(([, each]) => each !== undefined && typeof each !== 'function')
    const of = Object.fromEntries(entries.map(([key, each]) => [key, plain(each, depth + 1)]))
    return Object.hasOwn(of, '$') ? ({ $: 'object', of } satisfies Tag) : of
  }

  const head = encoder.encode(JSON.stringify({ value: plain(value, 0), parts } satisfies Head))
  const bytes = new Uint8Array(4 + head.length + inline.reduce((sum, { length }) => sum + length, 0))
  new DataView(bytes.buffer).setUint32(0, head.length)
  bytes.set(head, 4)
  let at = 4 + head.length
  for (const part of inline) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** The names of the large values of a message, which have to be fetched before it is decoded. */
export function storedIn(bytes: Uint8Array): string[] {
  return readHead(bytes).head.parts.filter((part) => typeof part === 'string')
}

/** `fetched` has the large values by their names. Throws for bytes that are not message. */
export function decodeMessage(bytes: Uint8Array, fetched: ReadonlyMap<string, Uint8Array> = new Map()): unknown {
  const { head, end } = readHead(bytes)
  let at = end
  const parts = head.parts.map((part) => {
    if (typeof part === 'string') {
      const stored = fetched.get(part)
      if (stored === undefined) throw malformed()
      return stored
    }
    const from = at
    at += part
    return bytes.slice(from, at)
  })
  if (at !== bytes.length) throw malformed()
  return original(head.value, parts, 0)
}

function original(given: unknown, parts: readonly Uint8Array[], depth: number): unknown {
  if (depth > 2 * maxDepth) throw malformed()
  if (typeof given !== 'object' || given === null) return given
  if (Array.isArray(given)) return given.map((each) => original(each, parts, depth + 1))
  if (!Object.hasOwn(given, '$')) return entriesOf(given, parts, depth)
  const tag = given as Tag
  if (tag.$ === 'undefined') return undefined
  if (tag.$ === 'object' && typeof tag.of === 'object' && tag.of !== null) return entriesOf(tag.of, parts, depth)
  const part = tag.$ === 'bytes' || tag.$ === 'text' ? parts[tag.part] : undefined
  if (part === undefined) throw malformed()
  return tag.$ === 'bytes' ? part : decoder.decode(part)
}

/** `Object.fromEntries` defines properties, so a key such as `__proto__` is one like any other. */
function entriesOf(given: object, parts: readonly Uint8Array[], depth: number): object {
  return Object.fromEntries(Object.entries(given).map(([key, each]) => [key, original(each, parts, depth + 1)]))
}

function readHead(bytes: Uint8Array): { head: Head; end: number } {
  if (bytes.length < 4) throw malformed()
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0)
  const end = 4 + length
  if (end > bytes.length) throw malformed()
  const head: unknown = parsed(bytes.subarray(4, end))
  if (typeof head !== 'object' || head === null || !('value' in head && 'parts' in head)) throw malformed()
  const { value, parts } = head
  if (!Array.isArray(parts) || !parts.every(isPart)) throw malformed()
  return { head: { value, parts }, end }
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch (error) {
    throw malformed(error)
  }
}

function isPart(part: unknown): part is number | string {
  return typeof part === 'string' || (typeof part === 'number' && Number.isSafeInteger(part) && part >= 0)
}

/** UTF-8 has no lone surrogates. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

function malformed(cause?: unknown): Error {
  return new Error('Not a message', { cause })
}
