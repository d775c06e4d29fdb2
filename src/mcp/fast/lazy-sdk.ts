/**
 * Answers `initialize`, `tools/list` and `tools/call` without the SDK: loading it takes longer than the rest of the start, and many clients
 * send nothing else. The responses equal the SDK's byte for byte. The first other message loads the SDK, which gets the handshake replayed
 * and all messages from then on.
 */
import type { Transport } from '@modelcontextprotocol/server'
import { isRecord } from '../../text/is-record.js'
import { describeTool, offeredTools } from '../../tools/call-tool.js'
import { callsOf } from '../server/calls.js'
import { asClientInfo } from '../server/client-name.js'
import type { ConnectionState } from '../server/elicitation.js'
import { withExactCodes } from '../server/exact-error-codes.js'
import { rejectMalformedCalls } from '../server/malformed-calls.js'
import type { Served } from '../server/served.js'
import { describeServer } from '../server/server-info.js'
import { allowsDirectCalls, directCalls } from './direct-calls.js'

type Message = Parameters<NonNullable<Transport['onmessage']>>[0]
type Request = Extract<Message, { method: string; id: string | number }>

/** Serves one connection like `serve`. */
export function serveLazily(transport: Transport, served: Served): { close(): Promise<void> } {
  const session: ConnectionState = {}
  const direct = directCalls(rejectMalformedCalls(withExactCodes(transport)))
  const outer = direct.transport
  /** Messages that were answered without the SDK and have to be replayed to it. */
  const handshake: Message[] = []
  /** Messages that arrive while the SDK is being loaded. */
  const pending: Message[] = []
  let sdk: Promise<{ close(): Promise<void> }> | undefined
  let receive: Transport['onmessage']

  const sdkTransport: Transport = {
    start: async () => {},
    send(message, options) {
      const [initialize] = handshake
      const isAnswered =
        initialize !== undefined && 'id' in initialize && 'id' in message && message.id === initialize.id
      if (!isAnswered || 'method' in message) return outer.send(message, options)
      // The client has this response already.
      handshake.length = 0
      return Promise.resolve()
    },
    close: () => outer.close(),
  }

  outer.onmessage = (message, extra) => {
    if (receive !== undefined) receive(message, extra)
    else if (sdk !== undefined || !answer(message)) {
      pending.push(message)
      sdk ??= load()
    }
  }
  outer.onerror = (error) => (sdkTransport.onerror ?? served.onFault)?.(error)
  outer.onclose = () => {
    if (sdkTransport.onclose === undefined) served.onClientGone?.(session)
    else sdkTransport.onclose()
  }
  void outer.start().catch(served.onFault)

  /** Answers a message without the SDK; false if it can't. */
  function answer(message: Message): boolean {
    if (!('method' in message)) return false
    const [initialize] = handshake
    if (message.method === 'notifications/initialized') {
      if (handshake.length !== 1 || hasOtherKeys(message.params, [])) return false
      handshake.push(message)
      return true
    }
    if (!('id' in message)) return false
    if (message.method === 'initialize' && initialize === undefined && isPlainInitialize(message)) {
      handshake.push(message)
      const { protocolVersion } = message.params as { protocolVersion: string }
      const { capabilities, serverInfo, ...rest } = describeServer(served.dialect)
      reply(message, { protocolVersion, capabilities, serverInfo, ...rest })
      const client = asClientInfo((message.params as { clientInfo?: unknown }).clientInfo)
      direct.begin(callsOf(served, session, { client: () => client }))
      if (client) served.onClient?.(client, session)
      served.onInitialized?.()
      return true
    }
    if (message.method !== 'tools/list' || initialize === undefined || hasOtherKeys(message.params, [])) return false
    reply(message, { tools: offeredTools(served.dialect, served.workspace).map(describeTool) })
    return true
  }

  function reply({ id }: Request, result: Record<string, unknown>): void {
    // A client that disconnected gets no response.
    outer.send({ result, jsonrpc: '2.0', id }).catch(() => {})
  }

  async function load() {
    // So that no call overtakes the pending messages.
    direct.end()
    const { serveConnected } = await import('./connected.js')
    const server = serveConnected(direct, sdkTransport, served, session)
    receive = sdkTransport.onmessage
    for (const message of [...handshake, ...pending]) receive?.(message)
    return server
  }

  function isPlainInitialize({ params }: Request): boolean {
    const { protocolVersion, capabilities, clientInfo } = (params ?? {}) as Record<string, unknown>
    return (
      allowsDirectCalls(served) &&
      !served.dialect.followsClientRoots &&
      !hasOtherKeys(params, ['protocolVersion', 'capabilities', 'clientInfo']) &&
      revisions.includes(protocolVersion as string) &&
      arePlainCapabilities(capabilities) &&
      isPlainClientInfo(clientInfo)
    )
  }

  return {
    async close() {
      await (sdk === undefined ? outer.close() : (await sdk).close())
    },
  }
}

/** Protocol revisions that begin with `initialize`. */
const revisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

function hasOtherKeys(params: unknown, known: readonly string[]): boolean {
  return Object.keys(params ?? {}).some((key) => !known.includes(key))
}

/** True for capabilities without options. */
function arePlainCapabilities(capabilities: unknown): boolean {
  if (!isRecord(capabilities)) return false
  return Object.entries(capabilities).every(([name, value]) => {
    if (!isRecord(value)) return false
    if (name === 'roots') return Object.entries(value).every(([key, each]) => key === 'listChanged' && each === true)
    return ['sampling', 'elicitation'].includes(name) && Object.keys(value).length === 0
  })
}

function isPlainClientInfo(clientInfo: unknown): boolean {
  if (!isRecord(clientInfo) || !('name' in clientInfo) || !('version' in clientInfo)) return false
  return Object.entries(clientInfo).every(
    ([key, value]) => ['name', 'version', 'title'].includes(key) && typeof value === 'string',
  )
}
