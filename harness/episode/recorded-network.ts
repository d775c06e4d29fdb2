/** The network of an episode: exchanges are recorded, and repeated from a record. */
import type { Network, NetworkOutcome, NetworkRequest } from '../../src/network/types.js'
import type { RecordedExchange, RecordedMessage } from '../types.js'

/** Every exchange goes to `record`, also one that failed. */
export function recordedNetwork(network: Network, record: (exchange: RecordedExchange) => void): Network {
  return {
    ...network,
    async exchange(request, options) {
      const outcome = await network.exchange(request, options)
      const { method, url, headers, body } = request
      record({ request: { method, url, ...messageOf({ headers, ...(body && { body }) }) }, ...ended(outcome) })
      return outcome
    },
  }
}

function ended(outcome: NetworkOutcome): Omit<RecordedExchange, 'request'> {
  if ('failure' in outcome) return { failure: outcome.failure }
  const { status, statusText, httpVersion, ...message } = outcome.answer
  return { answer: { status, statusText, ...(httpVersion !== undefined && { httpVersion }), ...messageOf(message) } }
}

function messageOf({ headers, body }: Pick<NetworkRequest, 'headers' | 'body'>): RecordedMessage {
  if (body === undefined) return { headers }
  try {
    return { headers, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body) }
  } catch {
    return { headers, base64: toBase64(body) }
  }
}

export interface ReplayedNetwork extends Network {
  /** From now on these are repeated, in this order. */
  expect(exchanges: readonly RecordedExchange[]): void
  /** The request that is not the recorded one, if there was one, and how it differs. */
  readonly mismatch: { expected: unknown; asked: unknown } | undefined
  /** From now on requests go to the network that was given, or fail. */
  release(): void
}

/** A network that answers from a record, and reaches nothing. A request that was not recorded fails, and is kept in `mismatch`. */
export function replayedNetwork(allowed: readonly string[], after: Network | undefined): ReplayedNetwork {
  let queue: RecordedExchange[] = []
  let isReleased = false
  let mismatch: ReplayedNetwork['mismatch']
  return {
    allowed,
    limits: after?.limits ?? { exchanges: Infinity, bytes: Infinity },
    get mismatch() {
      return mismatch
    },
    expect(exchanges) {
      queue = [...exchanges]
      mismatch = undefined
    },
    release() {
      isReleased = true
    },
    async exchange(request, options) {
      if (isReleased && after !== undefined) return after.exchange(request, options)
      const { method, url, headers, body } = request
      const asked = { method, url, ...messageOf({ headers, ...(body && { body }) }) }
      const recorded = queue.shift()
      if (recorded === undefined || JSON.stringify(recorded.request) !== JSON.stringify(asked)) {
        mismatch ??= { expected: recorded?.request ?? 'no request', asked }
        return { failure: { code: 'REFUSED', message: 'this request is not in the record that is repeated' } }
      }
      return outcomeOf(recorded)
    },
  }
}

function outcomeOf({ answer, failure }: RecordedExchange): NetworkOutcome {
  if (answer === undefined) return { failure: failure ?? { code: 'BROKEN', message: 'nothing was recorded' } }
  const { text, base64, ...head } = answer
  return { answer: { ...head, body: base64 === undefined ? new TextEncoder().encode(text ?? '') : fromBase64(base64) } }
}

const pieceLength = 0x8000

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += pieceLength) {
    text += String.fromCharCode(...bytes.subarray(at, at + pieceLength))
  }
  return btoa(text)
}

function fromBase64(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}
