import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** A suite with one small task, and one that can't be run. */
export const suiteFiles = {
  'suite/greeting/task.toml': 'version = "1.0"\n',
  'suite/greeting/instruction.md': 'Write hello into greeting.txt.\n',
  'suite/greeting/environment/notes.txt': 'some notes\n',
  'suite/greeting/tests/test.sh':
    'mkdir -p /logs/verifier; grep -qx hello /app/greeting.txt && echo 1 >/logs/verifier/reward.txt || echo 0 >/logs/verifier/reward.txt\n',
  'suite/greeting/solution/solve.sh': 'echo hello >greeting.txt\n',
  'suite/container/task.toml': 'version = "1.0"\n',
  'suite/container/instruction.md': 'Needs a container.\n',
  'suite/container/environment/Dockerfile': 'FROM debian\nRUN apt-get update\n',
  'suite/container/tests/test.sh': 'true\n',
}

/** Writes the suite to a directory of the disk, and an agent that takes its time; returns their paths. */
export async function writeSuite(directory: string): Promise<{ suite: string; agent: string }> {
  for (const [name, text] of Object.entries(suiteFiles)) {
    const file = path.join(directory, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  const agent = path.join(directory, 'slow-agent.mjs')
  await writeFile(agent, slowAgent)
  return { suite: path.join(directory, 'suite'), agent }
}

/** What it does depends on the seed alone. An episode costs 1. */
const slowAgent = `export default {
  name: 'slow',
  async run({ episode }) {
    const { seed } = episode.trace.header
    await new Promise((resume) => setTimeout(resume, 300))
    episode.trace.add({ type: 'message', role: 'assistant', text: '', usage: { inputTokens: 1, outputTokens: 1, cost: 1 } })
    await episode.tools.call('bash', { command: 'echo $RANDOM; date; ls' })
    await episode.tools.call('write_file', { path: 'greeting.txt', content: seed % 3 === 0 ? 'no' : 'hello\\n' })
    return { answer: 'seed ' + seed }
  },
}
`
