/** A dialect owns its error codes. The SDK rewrites one of them, -32002; here it passes the SDK in disguise and is put back. */
import type { Transport } from '@modelcontextprotocol/server'

const codeKey = 'polyfs/code'

/** What an error carries so that its code can be put back. */
export function inDisguise(code: number): Record<string, number> | undefined {
  return code === -32002 ? { [codeKey]: code } : undefined
}

/** The transport itself, sending codes as the dialect gave them. */
export function withExactCodes(transport: Transport): Transport {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => send(restored(message), options)
  return transport
}

type Message = Parameters<Transport['send']>[0]

function restored(message: Message): Message {
  if (!('error' in message)) return message
  const { data, ...error } = message.error
  const isOurs = typeof data === 'object' && data !== null && codeKey in data
  return isOurs
    ? { ...message, error: { ...error, code: Number((data as Record<string, unknown>)[codeKey]) } }
    : message
}
