/** Models and trees for tests of the loop. */
import { type Agent, createAgent } from '../../agent/agent.js'
import type { AgentEvent, AgentOptions } from '../../agent/agent-options.js'
import { workspaceHistory } from '../../agent/tools.js'
import type { Model, ModelPart, ModelRequest } from '../../models/model.js'
import { tools } from '../../src/dialects/tool-definitions.js'
import { memory } from '../../src/fs/backends/memory.js'
import { readText } from '../../src/ops/read-text.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Workspace } from '../../src/workspace/workspace.js'

/** A piece of an answer; an error is thrown there, and `stall` sends nothing more until the request is aborted. */
export type Said = ModelPart | Error | 'stall'

export interface FakeModel extends Model {
  readonly requests: ModelRequest[]
}

/** Each request gets the next answer. */
export function fakeModel(answers: readonly (readonly Said[])[]): FakeModel {
  const requests: ModelRequest[] = []
  return {
    name: 'fake',
    requests,
    async *stream(request) {
      // Kept as it was: the loop may go on with the list.
      requests.push({ ...request, messages: structuredClone(request.messages) as ModelRequest['messages'] })
      for (const said of answers[requests.length - 1] ?? []) {
        if (said instanceof Error) throw said
        // Deaf on purpose: it does not even end when it is aborted.
        if (said === 'stall') await new Promise(() => {})
        else yield said
      }
    },
  }
}

export const text = (words: string): ModelPart => ({ type: 'text', text: words })

let calls = 0
export function call(tool: string, args: object | string, id = `c${(calls += 1)}`): ModelPart {
  return { type: 'call', id, tool, args: typeof args === 'string' ? args : JSON.stringify(args) }
}

export interface Setting {
  agent: Agent
  workspace: Workspace
  model: FakeModel
  events: AgentEvent[]
  read(path: string): Promise<string>
}

/** An agent on a few files in memory, with a clock that stands still. */
export function setting(answers: readonly (readonly Said[])[], options: Partial<AgentOptions> = {}): Setting {
  const workspace = createWorkspace({ fs: memory({ 'a.txt': 'one\n', 'b.txt': 'two\n' }) })
  const model = fakeModel(answers)
  const events: AgentEvent[] = []
  const agent = createAgent({
    model,
    tools: tools(workspace),
    history: workspaceHistory(workspace),
    retryDelayMs: 0,
    now: () => 0,
    ...options,
    onEvent(event) {
      events.push(event)
      options.onEvent?.(event)
    },
  })
  const read = async (path: string) =>
    (await workspace.run(readText, { path })).lines.map((line) => `${line}\n`).join('')
  return { agent, workspace, model, events, read }
}
