/** The page: two buttons, the file, and the calls of the agent. */
import { startAgent } from './agent.js'

const element = (id) => document.getElementById(id)
const rows = new Map()
const { agent, read } = startAgent({ onCall: showCall })
let turn

element('run').onclick = async () => {
  element('run').disabled = true
  turn = await agent.send('Correct greeting.txt')
  element('answer').textContent = turn.end.reason === 'done' ? 'It is corrected.' : turn.end.reason
  element('undo').disabled = false
  await showFile()
}
element('undo').onclick = async () => {
  element('undo').disabled = true
  await agent.undoTurn(turn.id)
  await showFile()
}
await showFile()

function showCall({ id, tool, state }) {
  const row = rows.get(id) ?? element('calls').appendChild(document.createElement('li'))
  rows.set(id, row)
  row.textContent = `${tool}: ${state}`
}

async function showFile() {
  element('file').textContent = await read()
}
