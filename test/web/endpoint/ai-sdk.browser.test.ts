/** The AI SDK's MCP client in a page, with the files that the page serves. test/clients has the same client on the command. */
import { createMCPClient, type MCPTransport } from '@ai-sdk/mcp'
import { expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { serveFiles } from '../../../web/index.js'

const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('lists and calls the tools: text, a picture, an error, a long result, an aborted call', async () => {
  const long = 'a line of a long file\n'.repeat(3000)
  const png = Uint8Array.from(atob(picture), (character) => character.charCodeAt(0))
  const fs = memory({ 'a.txt': 'hello\n', 'long.txt': long, 'dot.png': png })
  const files = await serveFiles({ fs, dialect: 'polyfs' })
  const client = await createMCPClient({ transport: files.connect() as MCPTransport })
  const tools = await client.tools()
  expect(Object.keys(tools).slice(0, 4)).toEqual(['read_file', 'list_dir', 'glob', 'grep'])

  const read = async (path: string, abortSignal?: AbortSignal) =>
    tools.read_file?.execute({ path }, { toolCallId: '1', messages: [], ...(abortSignal && { abortSignal }) })
  expect(await read('a.txt')).toMatchObject({ content: [{ type: 'text', text: '1\thello' }, { type: 'text' }] })
  expect(await read('dot.png')).toMatchObject({
    content: expect.arrayContaining([{ type: 'image', data: picture, mimeType: 'image/png' }]),
  })
  expect(await read('missing.txt')).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: expect.stringContaining('not_found: missing.txt does not exist') }],
  })
  const { content } = (await read('long.txt')) as { content: { text: string }[] }
  expect(content[0]?.text).toMatch(/^ *1\ta line of a long file\n(.*\n){1000}/)
  await expect(read('a.txt', AbortSignal.abort())).rejects.toThrow()
  expect(await read('a.txt')).toMatchObject({ content: [{ text: '1\thello' }, {}] })

  await client.close()
  await files.close()
})
