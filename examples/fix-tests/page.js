/** The page: two buttons, the two sources, and what each call of the agent printed. */
import { startAgent } from './agent.js'

const element = (id) => document.getElementById(id)
const rows = new Map()
const { agent, read } = await startAgent({ onCall: showCall })
let turn

element('run').onclick = async () => {
  element('run').disabled = true
  turn = await agent.send('Make the tests pass')
  element('answer').textContent = turn.end.reason === 'done' ? 'Both pass.' : turn.end.reason
  element('undo').disabled = false
  await showFiles()
}
element('undo').onclick = async () => {
  element('undo').disabled = true
  await agent.undoTurn(turn.id)
  await showFiles()
}
await showFiles()
element('run').disabled = false

function showCall({ id, tool, state, args, output = '' }) {
  const row = rows.get(id) ?? element('calls').appendChild(document.createElement('li'))
  rows.set(id, row)
  row.textContent = `${tool} ${args?.command ?? args?.path ?? ''}: ${state}`
  row.appendChild(document.createElement('pre')).textContent = output
}

async function showFiles() {
  for (const path of ['price.py', 'total.js']) element(path).textContent = await read(path)
}
