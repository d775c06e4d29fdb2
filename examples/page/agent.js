/** An agent and its files in this page: no server, no framework, no key. */
import { createWorkspace, memory, tools } from 'polyfs'
import { createAgent, workspaceHistory } from 'polyfs/agent'
import { scriptedModel } from 'polyfs/models'
import { readText } from 'polyfs/operations'

/** `onCall` gets every call as it goes on. */
export function startAgent({ onCall }) {
  // Files that stay: openOpfs('project') of polyfs/web, or openDirectory(), which lets the user pick a folder.
  const workspace = createWorkspace({ fs: memory({ 'greeting.txt': 'Helo\n' }) })

  // A model that always says the same. Any model of the AI SDK fits here, and so does the browser's own (docs/agent.md).
  const model = scriptedModel([
    { text: 'I look at it.', calls: [{ tool: 'read_file', args: { path: 'greeting.txt' } }] },
    {
      text: 'A letter is missing.',
      calls: [{ tool: 'edit_file', args: { path: 'greeting.txt', old_string: 'Helo', new_string: 'Hello' } }],
    },
    { text: 'It is corrected.' },
  ])

  const agent = createAgent({
    model,
    tools: tools(workspace),
    history: workspaceHistory(workspace),
    system: 'You correct spelling. Change nothing else.',
    onEvent: (event) => event.type === 'call' && onCall(event.call),
  })
  const read = async () => (await workspace.run(readText, { path: 'greeting.txt' })).lines.join('\n')
  return { agent, read }
}
