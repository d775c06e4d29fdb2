/** An agent that mends what tests find. The tests run in this page: no server, no machine, no key. */
import { createWorkspace, memory, tools } from 'polyfs'
import { createAgent, workspaceHistory } from 'polyfs/agent'
import { emulatedShell } from 'polyfs/bash'
import { scriptedModel } from 'polyfs/models'
import { readText } from 'polyfs/operations'
import { packages, project } from './project.js'

const runTests = [
  { tool: 'bash', args: { command: `PYTHONPATH=${packages} pytest -q test_price.py`, timeout_ms: 300_000 } },
  { tool: 'bash', args: { command: 'node --test total.test.js' } },
]

/** `onCall` gets every call as it goes on. */
export async function startAgent({ onCall }) {
  const files = { ...project, ...(await installedPackages()) }
  const workspace = createWorkspace({ fs: memory(files), shell: emulatedShell() })

  // A model that always says the same. Any model of the AI SDK fits here, and so does the browser's own (docs/agent.md).
  const model = scriptedModel([
    { text: 'I run both suites.', calls: runTests },
    {
      text: 'Percent are hundredths, and articles are counted by multiplying.',
      calls: [
        { tool: 'edit_file', args: { path: 'price.py', old_string: '// 10\n', new_string: '// 100\n' } },
        { tool: 'edit_file', args: { path: 'total.js', old_string: 'price + count', new_string: 'price * count' } },
      ],
    },
    { text: 'Once more.', calls: runTests },
    { text: 'Both pass.' },
  ])

  const agent = createAgent({
    model,
    tools: tools(workspace),
    history: workspaceHistory(workspace),
    system: 'You make failing tests pass without changing them.',
    onEvent: (event) => event.type === 'call' && onCall(event.call),
  })
  const read = async (path) => (await workspace.run(readText, { path })).lines.join('\n')
  return { agent, read }
}

/** What `pip install --target lib pytest` leaves, by path: the site has it as one file. */
async function installedPackages() {
  return (await fetch('packages.json')).json()
}
