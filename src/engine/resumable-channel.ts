/**
 * A channel that outlives its connections: every message is numbered and held until the other side has it, and sent again over
 * the next connection. So each message arrives exactly once and in order, or the channel is lost as a whole.
 */
import type { Channel } from './remote-calls.js'

export interface Link {
  send(frame: Uint8Array<ArrayBuffer>): void
  close(): void
}

export interface ResumableChannel extends Channel {
  /** The number of the last message that has arrived. */
  readonly received: number
  readonly isConnected: boolean
  /** Continues over a new connection; `theirs` is the number of the last message that the other side has. Fails if that can't be. */
  attach(link: Link, theirs: number): void
  /** Continues when there is a connection again. */
  detach(link: Link): void
  /** Takes a frame that has arrived. Throws for what the other side can't have sent. */
  receive(frame: Uint8Array): Promise<void>
}

export interface ResumableChannelOptions {
  /** Encodes a message. Messages are sent in the order in which they were posted, however long this takes. */
  encode(message: unknown): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>
  decode(bytes: Uint8Array): unknown
  /** Called when more than `maxHeldBytes` are waiting for the other side, or a message can't be encoded or decoded. */
  onLost(reason: Error): void
  maxHeldBytes: number
}

/** The number of a message and of the last one that has arrived. */
const headBytes = 8

/** After this many messages or bytes without a message to answer with, the other side is informed of what has arrived. */
const confirmAfter = { messages: 16, bytes: 1_000_000 }

export function resumableChannel({ encode, decode, onLost, maxHeldBytes }: ResumableChannelOptions): ResumableChannel {
  const listeners = new Set<(event: { readonly data: unknown }) => void>()
  /** Sent, and not yet confirmed by the other side. */
  const held = new Map<number, Uint8Array<ArrayBuffer>>()
  let heldBytes = 0
  let sent = 0
  let received = 0
  let unconfirmed = { messages: 0, bytes: 0 }
  let link: Link | undefined
  let encoding = Promise.resolve()
  let decoding = Promise.resolve()

  function frame(number: number, message: Uint8Array = new Uint8Array()): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(headBytes + message.length)
    const head = new DataView(bytes.buffer)
    head.setUint32(0, number)
    head.setUint32(4, received)
    bytes.set(message, headBytes)
    unconfirmed = { messages: 0, bytes: 0 }
    return bytes
  }

  function hold(message: Uint8Array<ArrayBuffer>): void {
    sent += 1
    held.set(sent, message)
    heldBytes += message.length
    link?.send(frame(sent, message))
    if (heldBytes > maxHeldBytes) onLost(new Error('The other side does not read'))
  }

  /** The other side has all messages up to this one. */
  function release(upTo: number): void {
    for (const [number, message] of held) {
      if (number > upTo) break
      held.delete(number)
      heldBytes -= message.length
    }
  }

  function confirmNowAndThen(bytes: number): void {
    unconfirmed = { messages: unconfirmed.messages + 1, bytes: unconfirmed.bytes + bytes }
    const isDue = unconfirmed.messages >= confirmAfter.messages || unconfirmed.bytes >= confirmAfter.bytes
    if (isDue) link?.send(frame(0))
  }

  return {
    get received() {
      return received
    },
    get isConnected() {
      return link !== undefined
    },
    postMessage(message) {
      encoding = encoding.then(async () => hold(await encode(message))).catch(onLost)
    },
    addEventListener: (_, listener) => void listeners.add(listener),
    removeEventListener: (_, listener) => void listeners.delete(listener),
    attach(next, theirs) {
      const [oldest = sent + 1] = held.keys()
      if (theirs > sent || theirs < oldest - 1) throw new Error('The other side has other messages')
      link?.close()
      link = next
      release(theirs)
      for (const [number, message] of held) next.send(frame(number, message))
    },
    detach(old) {
      if (link === old) link = undefined
    },
    async receive(bytes) {
      if (bytes.length < headBytes) throw new Error('Not a frame')
      const head = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
      const [number, theirs] = [head.getUint32(0), head.getUint32(4)]
      if (theirs > sent) throw new Error('A message was confirmed that was never sent')
      release(theirs)
      // Zero only confirms; a number that was seen was sent again.
      if (number <= received) return
      if (number !== received + 1) throw new Error('A message is missing')
      received = number
      const message = bytes.slice(headBytes)
      confirmNowAndThen(message.length)
      decoding = decoding.then(async () => {
        const data = await decode(message)
        for (const listener of [...listeners]) listener({ data })
      })
      decoding = decoding.catch(onLost)
      await decoding
    },
  }
}
