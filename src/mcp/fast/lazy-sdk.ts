/**
 * What every client begins with, answered before the SDK is there: loading it takes longer than all else that a start does, and many clients
 * never ask for anything but tools. The answers are the SDK's, byte for byte. The first message that is neither a plain greeting, a plain
 * list nor a plain call has the SDK loaded; it is greeted as the client did it, and gets every message from then on.
 */
import type { Transport } from '@modelcontextprotocol/server'
import { describeTool, offeredTools } from '../../tools/dialect.js'
import { isRecord } from '../is-record.js'
import { callsOf } from '../server/calls.js'
import type { Remembered } from '../server/elicitation.js'
import { withExactCodes } from '../server/exact-error-codes.js'
import { refusingMalformedCalls } from '../server/malformed-calls.js'
import type { Served } from '../server/served.js'
import { introductionOf } from '../server/server-info.js'
import { directCalls, isCalledDirectly } from './direct-calls.js'

type Message = Parameters<NonNullable<Transport['onmessage']>>[0]
type Request = Extract<Message, { method: string; id: string | number }>

/** Serves one connection like `serve`. */
export function serveGreeting(transport: Transport, served: Served): { close(): Promise<void> } {
  const session: Remembered = {}
  const direct = directCalls(refusingMalformedCalls(withExactCodes(transport)))
  const wire = direct.transport
  /** What was answered without the SDK and made a difference to it. */
  const greeting: Message[] = []
  const waiting: Message[] = []
  let sdk: Promise<{ close(): Promise<void> }> | undefined
  let receive: Transport['onmessage']

  const behind: Transport = {
    start: async () => {},
    send(message, options) {
      const [hello] = greeting
      const isKnown = hello !== undefined && 'id' in hello && 'id' in message && message.id === hello.id
      if (!isKnown || 'method' in message) return wire.send(message, options)
      // The client has had this answer.
      greeting.length = 0
      return Promise.resolve()
    },
    close: () => wire.close(),
  }

  wire.onmessage = (message, extra) => {
    if (receive !== undefined) receive(message, extra)
    else if (sdk !== undefined || !answered(message)) {
      waiting.push(message)
      sdk ??= load()
    }
  }
  wire.onerror = (error) => (behind.onerror ?? served.onFault)?.(error)
  wire.onclose = () => behind.onclose?.()
  void wire.start().catch(served.onFault)

  /** True for what needs no SDK. */
  function answered(message: Message): boolean {
    if (!('method' in message)) return false
    const [hello] = greeting
    if (message.method === 'notifications/initialized') {
      if (greeting.length !== 1 || hasMore(message.params, [])) return false
      greeting.push(message)
      return true
    }
    if (!('id' in message)) return false
    if (message.method === 'initialize' && hello === undefined && isPlainGreeting(message)) {
      greeting.push(message)
      const { protocolVersion } = message.params as { protocolVersion: string }
      const { capabilities, serverInfo, ...rest } = introductionOf(served.dialect)
      reply(message, { protocolVersion, capabilities, serverInfo, ...rest })
      direct.begin(callsOf(served, session))
      return true
    }
    if (message.method !== 'tools/list' || hello === undefined || hasMore(message.params, [])) return false
    reply(message, { tools: offeredTools(served.dialect, served.workspace).map(describeTool) })
    return true
  }

  function reply({ id }: Request, result: Record<string, unknown>): void {
    // Whoever hung up is not told.
    wire.send({ result, jsonrpc: '2.0', id }).catch(() => {})
  }

  async function load() {
    // No call overtakes what waits.
    direct.end()
    const { serveBehind } = await import('../serve.js')
    const server = serveBehind(direct, behind, served, session)
    receive = behind.onmessage
    for (const message of [...greeting, ...waiting]) receive?.(message)
    return server
  }

  function isPlainGreeting({ params }: Request): boolean {
    const { protocolVersion, capabilities, clientInfo } = (params ?? {}) as Record<string, unknown>
    return (
      isCalledDirectly(served) &&
      !served.dialect.heedsRoots &&
      !hasMore(params, ['protocolVersion', 'capabilities', 'clientInfo']) &&
      revisions.includes(protocolVersion as string) &&
      isOfObjects(capabilities) &&
      isOfStrings(clientInfo)
    )
  }

  return {
    async close() {
      await (sdk === undefined ? wire.close() : (await sdk).close())
    },
  }
}

/** Those that begin with `initialize`. */
const revisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

function hasMore(params: unknown, known: readonly string[]): boolean {
  return Object.keys(params ?? {}).some((key) => !known.includes(key))
}

/** Capabilities that say no more than that they are there. */
function isOfObjects(capabilities: unknown): boolean {
  if (!isRecord(capabilities)) return false
  return Object.entries(capabilities).every(([name, value]) => {
    if (!isRecord(value)) return false
    if (name === 'roots') return Object.entries(value).every(([key, each]) => key === 'listChanged' && each === true)
    return ['sampling', 'elicitation'].includes(name) && Object.keys(value).length === 0
  })
}

function isOfStrings(clientInfo: unknown): boolean {
  if (!isRecord(clientInfo) || !('name' in clientInfo) || !('version' in clientInfo)) return false
  return Object.entries(clientInfo).every(
    ([key, value]) => ['name', 'version', 'title'].includes(key) && typeof value === 'string',
  )
}
