/** Every dialect over HTTP, in process: the conformance cases against the one handler that every host uses. */
import { fileURLToPath } from 'node:url'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { type HttpHandlerOptions, httpHandler } from '../../../src/mcp/serve.js'
import type { Answer } from '../../dialects/vectors/match-answer.js'
import { describeVectors } from '../../dialects/vectors/suite.js'
import { type Connector, memoryStage } from '../../dialects/vectors/workspace-stage.js'

const shell = emulatedShell({
  worker: fileURLToPath(new URL('../../../dist/node/emulated-worker.js', import.meta.url)),
})

const sessions = { maxSessions: 1, idleMs: 60_000, newId: () => 'session' }

const withSessions = overHttp('2025-06-18', { sessions })
const withoutSessions = overHttp('2025-06-18', {})
const newest = overHttp('2026-07-28', {})

describeVectors({
  name: 'HTTP with sessions',
  isSampled: true,
  openStage: (vector) => memoryStage(vector, withSessions, shell),
})
describeVectors({
  name: 'HTTP without sessions',
  isSampled: true,
  openStage: (vector) => memoryStage(vector, withoutSessions, shell),
})
describeVectors({
  name: 'HTTP in the newest revision',
  isSampled: true,
  openStage: (vector) => memoryStage(vector, newest, shell),
  unfit: { 'replay/protocol: invalid JSON is -32700': 'it sends ping too, which the newest revision has removed' },
})

function overHttp(revision: string, options: HttpHandlerOptions): Connector {
  const isNewest = revision === '2026-07-28'
  const clientInfo = { name: 'vectors', version: '1' }
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  }

  return {
    speaks: 'lines',
    async connect(workspace, dialect) {
      const handler = httpHandler({ workspace, dialect, onFault: console.error }, options)
      const session: Record<string, string> = isNewest ? { 'mcp-protocol-version': revision } : {}
      let id = 0

      async function post(body: string, headers: Record<string, string> = {}): Promise<Answer> {
        const done = new AbortController()
        const request = new Request('http://localhost/mcp', {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...session,
            ...headers,
          },
          body,
          signal: done.signal,
        })
        const response = await handler.fetch(request)
        const sessionId = response.headers.get('mcp-session-id')
        if (sessionId !== null) session['mcp-session-id'] = sessionId
        const text = await response.text()
        done.abort()
        const event = text.split('\n').find((line) => line.startsWith('data: {'))
        const { error, result } = JSON.parse(event?.slice('data: '.length) ?? (text || '{}'))
        return error === undefined ? { result } : { error }
      }

      function request(method: string, params: object = {}): Promise<Answer> {
        id += 1
        const { name = '' } = params as { name?: string }
        const sent = isNewest ? { ...params, _meta: envelope } : params
        return post(JSON.stringify({ jsonrpc: '2.0', id, method, params: sent }), {
          'mcp-method': method,
          'mcp-name': name,
        })
      }

      if (!isNewest) await request('initialize', { protocolVersion: revision, capabilities: {}, clientInfo })
      return {
        request: (method, params) => request(method, params as object | undefined),
        sendLine: (line) => post(line),
        close: () => handler.close(),
      }
    },
  }
}
