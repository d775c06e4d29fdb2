/** An agent that is a model and the tools of the episode, and nothing else. */
import { textOf } from '../../src/dialects/tool-definitions.js'
import type { Agent, Episode } from '../types.js'
import type { ChatMessage, ChatModel, ModelAnswer, ModelCall, ModelCallResult } from './model.js'
import { recordedCall } from './recorded-call.js'

export interface ChatOptions {
  model: ChatModel
  /** Instructions before the task. */
  system?: string
  /** How many answers of the model are asked for at most. Default: 100. */
  maxTurns?: number
}

/** Asks the model until it calls no tool any more. Its messages and their usage are recorded, and count against the budget. */
export function chat({ model, system, maxTurns = 100 }: ChatOptions): Agent {
  return {
    name: `chat:${model.name}`,
    async run({ episode, instruction, signal }) {
      const { trace, tools } = episode
      const messages: ChatMessage[] = [{ role: 'user', text: instruction }]
      if (system !== undefined) trace.add({ type: 'message', role: 'system', text: system })
      trace.add({ type: 'message', role: 'user', text: instruction })
      let answer = ''
      for (let turn = 0; turn < maxTurns && episode.exhausted === undefined; turn += 1) {
        signal.throwIfAborted()
        const request = { messages, tools: tools.definitions, signal, ...(system !== undefined && { system }) }
        const said = await model.answer(request)
        note(episode, model, said)
        if (said.text !== '') answer = said.text
        if (said.calls.length === 0) return { answer }
        messages.push({ role: 'assistant', text: said.text, calls: said.calls, raw: said.raw })
        messages.push({ role: 'tools', results: await resultsOf(episode, said.calls, signal) })
      }
      return { answer }
    },
  }
}

function note({ trace }: Episode, { name }: ChatModel, { text, usage }: ModelAnswer): void {
  trace.add({ type: 'message', role: 'assistant', text, model: name, ...(usage && { usage }) })
}

/** One after another: the order of parallel calls must not depend on how long each takes. */
async function resultsOf(
  episode: Episode,
  calls: readonly ModelCall[],
  signal: AbortSignal,
): Promise<ModelCallResult[]> {
  const results: ModelCallResult[] = []
  for (const call of calls) {
    signal.throwIfAborted()
    results.push({ id: call.id, ...(await resultOf(episode, call, signal)) })
  }
  return results
}

/** A call that is wrong is an error that the model can correct; for an unknown tool that is the dialect's answer. */
async function resultOf(
  episode: Episode,
  { tool, args }: ModelCall,
  signal: AbortSignal,
): Promise<Omit<ModelCallResult, 'id'>> {
  if ('fault' in args) {
    const text = `${tool}: ${args.fault}. Correct the call and try again.`
    // There is no call to record; the trace has what the model got instead.
    episode.trace.add({ type: 'message', role: 'user', text })
    return { text, isError: true }
  }
  const result = await recordedCall(episode, tool, args.value, signal)
  return { text: textOf(result), isError: result.isError === true }
}
