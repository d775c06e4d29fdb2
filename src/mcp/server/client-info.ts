import { CLIENT_INFO_META_KEY, type ServerContext } from '@modelcontextprotocol/server'
import type { ClientInfo } from '../../workspace/workspace.js'
import { asClientInfo } from './client-name.js'

/** Who calls: in the newest revision every request says it, in older ones the handshake did. */
export function callerOf({ mcpReq }: ServerContext): { client?: ClientInfo } {
  const envelope = mcpReq.envelope as { [CLIENT_INFO_META_KEY]?: unknown } | undefined
  const client = asClientInfo(envelope?.[CLIENT_INFO_META_KEY])
  return client === undefined ? {} : { client }
}
