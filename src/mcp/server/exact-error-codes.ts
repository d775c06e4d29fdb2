/** Preserves a dialect's error codes: the SDK rewrites -32002, so the code travels in `data` and is restored when it is sent. */
import type { Transport } from '@modelcontextprotocol/server'

const codeKey = 'polyfs/code'

/** The `data` from which `withExactCodes` restores the code; undefined for codes that the SDK does not rewrite. */
export function originalCode(code: number): Record<string, number> | undefined {
  return code === -32002 ? { [codeKey]: code } : undefined
}

/** Makes the transport send codes as the dialect gave them. */
export function withExactCodes(transport: Transport): Transport {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => send(restoreCode(message), options)
  return transport
}

type Message = Parameters<Transport['send']>[0]

function restoreCode(message: Message): Message {
  if (!('error' in message)) return message
  const { data, ...error } = message.error
  const isOurs = typeof data === 'object' && data !== null && codeKey in data
  return isOurs
    ? { ...message, error: { ...error, code: Number((data as Record<string, unknown>)[codeKey]) } }
    : message
}
