import type { Transport } from '../../../src/mcp/serve.js'

/** Two ends of one connection, in process. */
export function linked(): [Transport, Transport] {
  const ends = [0, 1].map((): Transport => ({ start: async () => {}, send: async () => {}, close: async () => {} }))
  const [one, other] = ends as [Transport, Transport]
  const join = (from: Transport, to: Transport) => {
    from.send = async (message) => {
      const copy = JSON.parse(JSON.stringify(message))
      queueMicrotask(() => to.onmessage?.(copy))
    }
    from.close = async () => {
      const { onclose } = from
      delete from.onclose
      onclose?.()
      to.onclose?.()
    }
  }
  join(one, other)
  join(other, one)
  return [one, other]
}
