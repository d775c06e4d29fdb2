/** Is a new system prompt better? The same tasks and the same model, several trials with each prompt, and how sure the difference is. */
import { chat, compareRuns, fileChecks, onlyChanged, runEpisode, type Task } from 'polyfs/harness'
import type { Model, ModelPart } from 'polyfs/models'

const prompts = {
  before: 'Do what the user asks.',
  after: 'Do what the user asks. Read a file before you change it, and change nothing else.',
}

const tasks: Task[] = ['ann', 'bob', 'eve'].map((name) => ({
  id: `port-of-${name}`,
  instruction: `Set the port of ${name} to 8080.`,
  files: { [`${name}.ini`]: '; do not remove this line\nport = 80\nhost = localhost\n' },
  score: [
    fileChecks([{ path: `${name}.ini`, text: 'port = 8080\nhost' }]),
    fileChecks([{ path: `${name}.ini`, text: '; do not remove' }]),
    onlyChanged([`${name}.ini`], { gate: true }),
  ],
}))

/** A stand-in that needs no key; `openAiModel` and `anthropicModel` are real ones. Without advice it rewrites files it has not read. */
function careless(trial: number): Model {
  const call = (tool: string, args: object): ModelPart => ({ type: 'call', id: '1', tool, args: JSON.stringify(args) })
  return {
    name: 'careless',
    async *stream({ system = '', messages }) {
      const [asked] = messages
      const path = `${/of (\w+)/.exec(asked?.role === 'user' ? asked.text : '')?.[1]}.ini`
      if (messages.length > 1) return yield { type: 'text', text: 'Done.' }
      const isCareful = system.includes('Read a file') || trial === 1
      if (!isCareful) yield call('write_file', { path, content: 'port = 8080\nhost = localhost\n' })
      else yield call('edit_file', { path, old_string: 'port = 80\n', new_string: 'port = 8080\n' })
    },
  }
}

async function run(system: string) {
  const results = []
  for (const task of tasks) {
    for (const trial of [1, 2, 3, 4]) {
      const agent = chat({ model: careless(trial), system })
      const job = { run: 'prompt', task: task.id, agent: agent.name, trial, seed: trial }
      results.push(await runEpisode({ task, agent, job }))
    }
  }
  return results
}

const [before, after] = [await run(prompts.before), await run(prompts.after)]
const { passRate, tasks: differences } = compareRuns({ before, after }, { seed: 1 })
for (const { task, before: was, after: is } of differences) console.log(`${task}: ${was} -> ${is}`)
const { value = 0, low = 0, high = 0 } = passRate ?? {}
console.log(`the new prompt passes ${value * 100} points more, 95 % sure between ${low * 100} and ${high * 100}`)
console.log(before.find(({ outcome }) => outcome === 'failed')?.reason)
