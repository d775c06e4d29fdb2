/** Run by a test: the tool runner of Anthropic's SDK with `nativeTools`. Prints what the model was told. */
import Anthropic from '@anthropic-ai/sdk'
import { createWorkspace, memory, nativeTools } from 'polyfs'
import { emulatedShell } from 'polyfs/bash'
import { startEndpoint } from './endpoint.mjs'

const use = (id, name, input) => ({ type: 'tool_use', id, name, input })
const message = (content, stop_reason) => ({
  id: 'msg',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
})
const editor = 'str_replace_based_edit_tool'
const endpoint = await startEndpoint([
  message(
    [
      use('1', editor, { command: 'view', path: '/a.txt' }),
      use('2', editor, { command: 'str_replace', path: '/a.txt', old_str: 'one', new_str: 'ONE' }),
      use('3', editor, { command: 'str_replace', path: '/a.txt', old_str: 'none', new_str: '' }),
    ],
    'tool_use',
  ),
  message(
    [
      use('4', 'bash', { command: 'cat a.txt' }),
      use('5', 'memory', { command: 'create', path: '/memories/n.md', file_text: 'noted' }),
    ],
    'tool_use',
  ),
  message([{ type: 'text', text: 'done' }], 'end_turn'),
])

const shell = emulatedShell()
const workspace = createWorkspace({ fs: memory({ 'a.txt': 'one\n' }), shell })
const client = new Anthropic({ apiKey: 'none', baseURL: endpoint.url, maxRetries: 0 })
const tools = nativeTools('anthropic', workspace)
const messages = [{ role: 'user', content: 'go' }]
const final = await client.beta.messages.toolRunner({ model: 'm', max_tokens: 100, messages, tools })

const results = endpoint.requests.slice(1).flatMap(({ messages }) => messages.at(-1).content)
console.log(
  JSON.stringify({
    tools: endpoint.requests[0].tools,
    results: results.map(({ content, is_error }) => [content, is_error === true]),
    final: final.content[0].text,
    changes: (await workspace.history.list()).length,
  }),
)
endpoint.close()
await workspace.shell.close()
