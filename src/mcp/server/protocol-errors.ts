/** Failures as the SDK is told of them. */
import { ProtocolError, type Server } from '@modelcontextprotocol/server'
import type { ToolProtocolError } from '../../tools/dialect.js'
import { inDisguise } from './exact-error-codes.js'
import { invalidParams } from './malformed-calls.js'

const unknownMethod = -32601

export function asProtocolError({ code, message }: ToolProtocolError): ProtocolError {
  return new ProtocolError(code, message, inDisguise(code))
}

/** The server itself, naming the method that is not there. Not for stateless HTTP, where the SDK's own answer has the status 404. */
export function refusingUnknownMethods(server: Server): Server {
  server.fallbackRequestHandler = async ({ method }) => {
    throw new ProtocolError(unknownMethod, `Method not found: ${method}`)
  }
  return server
}

/** For lists that are given whole: no cursor was ever given, so none can be right. */
export function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined) throw new ProtocolError(invalidParams, 'Invalid cursor: this list has one page')
}
