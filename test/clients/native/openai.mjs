/** Run by a test: OpenAI's Agents SDK, and its Responses API, with `nativeTools`. Prints what the model was told. */
import { Agent, applyPatchTool, OpenAIProvider, Runner, shellTool } from '@openai/agents'
import { createWorkspace, memory, nativeTools } from 'polyfs'
import { emulatedShell } from 'polyfs/bash'
import { startEndpoint } from './endpoint.mjs'

const response = (output) => ({
  id: 'resp',
  object: 'response',
  created_at: 0,
  status: 'completed',
  model: 'm',
  output,
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
})
const patch = (id, operation) => ({ type: 'apply_patch_call', id, call_id: id, status: 'completed', operation })
const calls = [
  patch('1', { type: 'update_file', path: 'a.txt', diff: '@@\n-one\n+ONE\n' }),
  patch('2', { type: 'update_file', path: 'a.txt', diff: '@@\n-none\n' }),
  { type: 'shell_call', id: '3', call_id: '3', status: 'completed', action: { commands: ['cat a.txt', 'exit 3'] } },
]
const done = {
  type: 'message',
  id: 'm1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'done', annotations: [] }],
}
const endpoint = await startEndpoint([response(calls), response([done])])

const shell = emulatedShell()
const workspace = createWorkspace({ fs: memory({ 'a.txt': 'one\n' }), shell })
const native = nativeTools('openai', workspace)
const tools = [applyPatchTool({ editor: native.editor }), shellTool({ shell: native.shell })]
const modelProvider = new OpenAIProvider({ apiKey: 'none', baseURL: endpoint.url, useResponses: true })
const runner = new Runner({ modelProvider, tracingDisabled: true })
const result = await runner.run(new Agent({ name: 'a', model: 'm', tools }), 'go')

const copy = createWorkspace({ fs: memory({ 'a.txt': 'one\n' }), shell })
const other = nativeTools('openai', copy)
const handled = []
for (const item of [...calls, done]) handled.push((await other.handle(item)) ?? null)
console.log(
  JSON.stringify({
    tools: endpoint.requests[0].tools.map(({ type }) => type),
    sent: endpoint.requests[1].input.filter(({ type }) => String(type).endsWith('_output')),
    handled,
    named: other.tools,
    final: result.finalOutput,
  }),
)
endpoint.close()
await workspace.shell.close()
await copy.shell.close()
