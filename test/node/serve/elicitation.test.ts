/** Tools that ask the client, over a connection and over HTTP, in older protocol revisions and in the newest. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serveHttp } from '../../../node/serve/http.js'
import { FsError } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { serve } from '../../../src/mcp/serve.js'
import { audited, type CallRecord } from '../../../src/tools/audit.js'
import type { Dialect } from '../../../src/tools/dialect.js'
import { text } from '../../../src/tools/make-tool.js'
import { Questions } from '../../../src/tools/questions.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { tool } from '../../conformance/define.js'
import { linked } from './linked-transports.js'

const form = { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] }

const careful: Dialect = {
  name: 'careful',
  asks: true,
  fail: (error) => ({ result: text(error.code) }),
  tools: [
    tool('remove', async ({ asked }) => {
      const answer = asked?.answers.sure
      if (answer !== undefined) return text(`${asked?.state}: ${JSON.stringify(answer)}`)
      throw new Questions(
        { sure: { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: form } } },
        'asked',
      )
    }),
    tool('fail', async () => {
      throw new FsError('NOT_FOUND', { path: '/a' })
    }),
  ],
}

const workspace = () => createWorkspace({ fs: memory() })

const places = {
  'over a connection': async (dialect: Dialect) => {
    const [near, far] = linked()
    const server = serve(far, { workspace: workspace(), dialect })
    onTestFinished(() => server.close())
    return near
  },
  'over HTTP': async (dialect: Dialect) => {
    const server = await serveHttp({ workspace: workspace(), dialect })
    onTestFinished(() => server.close())
    return new StreamableHTTPClientTransport(new URL(server.url))
  },
}

const eras = {
  '2025-11-25': {},
  '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
} as const

describe.each(Object.entries(places))('%s', (_place, connect) => {
  test.each(Object.entries(eras))(
    '%s: the user is asked, and the call continues with the answer',
    async (_era, era) => {
      const records: CallRecord[] = []
      const client = new Client({ name: 'test', version: '1' }, { ...era, capabilities: { elicitation: {} } })
      const seen: unknown[] = []
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        seen.push(params.message)
        return { action: 'accept', content: { sure: true } }
      })
      await client.connect(await connect(audited(careful, (record) => records.push(record))))
      onTestFinished(() => client.close())
      expect(await client.callTool({ name: 'remove', arguments: {} })).toMatchObject({
        content: [{ type: 'text', text: 'asked: {"action":"accept","content":{"sure":true}}' }],
      })
      expect(seen).toEqual(['Sure?'])
      expect(await client.callTool({ name: 'fail', arguments: {} })).toMatchObject({ isError: true })
      expect(records.map(({ tool: name, outcome }) => [name, outcome])).toEqual([
        ['remove', 'asked'],
        ['remove', 'ok'],
        ['fail', 'NOT_FOUND'],
      ])
    },
  )

  test.each(Object.entries(eras))('%s: the tool learns that a client can not be asked', async (_era, era) => {
    const client = new Client({ name: 'test', version: '1' }, era)
    await client.connect(await connect(careful))
    onTestFinished(() => client.close())
    const answer = await client.callTool({ name: 'remove', arguments: {} }).catch((error: Error) => error.message)
    expect(JSON.stringify(answer)).toMatch(/elicitation/)
  })
})

test('the state of one call is rejected in another', async () => {
  const server = await serveHttp({ workspace: workspace(), dialect: { ...careful, tools: [...careful.tools, other] } })
  onTestFinished(() => server.close())
  const call = async (name: string, params: object) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    }
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: {}, ...params, _meta: meta },
    }
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    }
    const reply = await fetch(server.url, { method: 'POST', headers, body: JSON.stringify(body) })
    return reply.json()
  }
  const { requestState } = (await call('remove', {})).result
  const inputResponses = { sure: { action: 'accept', content: { sure: true } } }
  expect((await call('remove', { requestState, inputResponses })).result.content[0].text).toMatch(/^asked: /)
  expect((await call('other', { requestState, inputResponses })).error).toMatchObject({ code: -32602 })
  expect((await call('remove', { requestState: `${requestState}x`, inputResponses })).error).toMatchObject({
    code: -32602,
  })
})

const other = tool('other', async ({ asked }) => text(`${asked?.state}`))
