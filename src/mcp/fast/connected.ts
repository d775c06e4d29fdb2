import type { Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ConnectionState } from '../server/elicitation.js'
import { rejectUnknownMethods } from '../server/protocol-errors.js'
import type { Served } from '../server/served.js'
import { createConnection } from '../server/server.js'
import { allowsDirectCalls, type DirectCalls } from './direct-calls.js'

/** Serves a transport that has its checks already, and whose plain calls `direct` answers. */
export function serveConnected(
  direct: Pick<DirectCalls, 'begin'>,
  transport: Transport,
  served: Served,
  session: ConnectionState,
): { close(): Promise<void> } {
  const { onFault } = served
  const connect = ({ era }: { era: 'modern' | 'legacy' }) => {
    const { server, calls } = createConnection(served, session)
    if (era === 'legacy' && allowsDirectCalls(served)) direct.begin(calls)
    return rejectUnknownMethods(server)
  }
  return serveStdio(connect, { transport, ...(onFault && { onerror: onFault }) })
}
