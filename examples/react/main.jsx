/** The same agent as in ../page, in React: its state is what its events say. */
import { useEffect, useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { startAgent } from '../page/agent.js'

function App() {
  const [calls, setCalls] = useState({})
  const [file, setFile] = useState('')
  const [turn, setTurn] = useState()
  const [isBusy, setBusy] = useState(false)
  // One agent for the life of the component. Calls are replaced by id as they go on.
  const { agent, read } = useMemo(
    () =>
      startAgent({ onCall: ({ id, tool, state }) => setCalls((before) => ({ ...before, [id]: `${tool}: ${state}` })) }),
    [],
  )
  useEffect(() => void read().then(setFile), [read])

  async function doing(work) {
    setBusy(true)
    setTurn(await work())
    setFile(await read())
    setBusy(false)
  }

  return (
    <>
      <h1>greeting.txt</h1>
      <pre id="file">{file}</pre>
      <button
        id="run"
        type="button"
        disabled={isBusy || turn !== undefined}
        onClick={() => doing(() => agent.send('Correct greeting.txt'))}
      >
        Correct it
      </button>
      <button
        id="undo"
        type="button"
        disabled={isBusy || turn === undefined}
        onClick={() =>
          doing(async () => {
            await agent.undoTurn(turn.id)
          })
        }
      >
        Undo
      </button>
      <ul id="calls">
        {Object.entries(calls).map(([id, text]) => (
          <li key={id}>{text}</li>
        ))}
      </ul>
      <p id="answer">{turn?.end.reason === 'done' ? 'It is corrected.' : ''}</p>
    </>
  )
}

createRoot(document.getElementById('root')).render(<App />)
