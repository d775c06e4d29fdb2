/** Run by a test: automatic function calls of Google's SDK with `nativeTools`. Prints what the model was told. */
import { GoogleGenAI } from '@google/genai'
import { createWorkspace, memory, nativeTools } from 'polyfs'
import { emulatedShell } from 'polyfs/bash'
import { startEndpoint } from './endpoint.mjs'

const answer = (parts) => ({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] })
const call = (name, args) => ({ functionCall: { name, args } })
const endpoint = await startEndpoint([
  answer([
    call('read_file', { file_path: 'a.txt' }),
    call('replace', { file_path: 'a.txt', instruction: 'x', old_string: 'one', new_string: 'ONE' }),
    call('replace', { file_path: 'none', instruction: 'x', old_string: 'one', new_string: 'ONE' }),
    call('run_shell_command', { command: 'cat a.txt' }),
  ]),
  answer([{ text: 'done' }]),
])

const shell = emulatedShell()
const workspace = createWorkspace({ fs: memory({ 'a.txt': 'one\n' }), shell })
const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: endpoint.url } })
const tools = [nativeTools('gemini', workspace)]
const { text } = await client.models.generateContent({ model: 'm', contents: 'go', config: { tools } })

const responses = endpoint.requests[1].contents.flatMap(({ parts }) => parts.filter((part) => part.functionResponse))
console.log(
  JSON.stringify({
    tools: endpoint.requests[0].tools[0].functionDeclarations.map(({ name }) => name),
    responses: responses.map(({ functionResponse: { name, response } }) => [name, response]),
    final: text,
  }),
)
endpoint.close()
await workspace.shell.close()
