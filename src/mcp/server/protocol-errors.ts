/** Failures as errors of the SDK. */
import { ProtocolError, type Server } from '@modelcontextprotocol/server'
import type { ToolProtocolError } from '../../tools/call-tool.js'
import { originalCode } from './exact-error-codes.js'
import { invalidParams } from './malformed-calls.js'

const unknownMethod = -32601

export function asProtocolError({ code, message }: ToolProtocolError): ProtocolError {
  return new ProtocolError(code, message, originalCode(code))
}

/** Makes the server name the unknown method. Not for the newest revision over HTTP, where the SDK's own response has the status 404. */
export function rejectUnknownMethods(server: Server): Server {
  server.fallbackRequestHandler = async ({ method }) => {
    throw new ProtocolError(unknownMethod, `Method not found: ${method}`)
  }
  return server
}

/** For lists of one page, for which no cursor exists. */
export function rejectCursor(cursor: string | undefined): void {
  if (cursor !== undefined) throw new ProtocolError(invalidParams, 'Invalid cursor: this list has one page')
}
