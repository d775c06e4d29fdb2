/** An agent that is a model and the tools of the episode, and nothing else. */
import { type Answer, askModel, UnfinishedError } from '../../models/ask-model.js'
import { type CallAnswer, type Message, type Model, ModelError, type ModelRequest } from '../../models/model.js'
import { parseArguments } from '../../models/parse-arguments.js'
import { costOf } from '../../models/usage.js'
import { textOf } from '../../src/dialects/tool-definitions.js'
import { InfraError } from '../infra-error.js'
import type { Episode, EpisodeAgent } from '../types.js'
import { recordedCall } from './recorded-call.js'

export interface ChatOptions {
  model: Model
  /** Instructions before the task. */
  system?: string
  /** How many answers of the model are asked for at most. Default: 100. */
  maxSteps?: number
  /** How often a request is repeated that failed for a passing reason. Default: 5. */
  retries?: number
  /** A safety net for an answer that never comes, over all repetitions. Default: 10 minutes. */
  timeoutMs?: number
  /** Waits between attempts. Default: for that long. */
  wait?(ms: number, signal: AbortSignal): Promise<void>
}

const retryDelayMs = 1000
/** The longest that timers know: the time of all repetitions is limited instead. */
const neverMs = 2 ** 31 - 1

type Call = Extract<Answer['parts'][number], { type: 'call' }>

/** Asks the model until it calls no tool any more. Its messages and their usage are recorded, and count against the budget. */
export function chat({ model, system, maxSteps = 100, ...asking }: ChatOptions): EpisodeAgent {
  return {
    name: `chat:${model.name}`,
    async run({ episode, instruction, signal }) {
      const { trace } = episode
      const tools = episode.tools.definitions.map(({ name, description, parameters }) => {
        return { name, description, inputSchema: parameters }
      })
      const messages: Message[] = [{ role: 'user', text: instruction }]
      if (system !== undefined) trace.add({ type: 'message', role: 'system', text: system })
      trace.add({ type: 'message', role: 'user', text: instruction })
      let answer = ''
      for (let step = 0; step < maxSteps && episode.exhausted === undefined; step += 1) {
        signal.throwIfAborted()
        const request = { messages, tools, signal, ...(system !== undefined && { system }) }
        const said = await ask(model, request, asking)
        const text = said.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
        note(episode, model, text, said)
        if (text !== '') answer = text
        const calls = said.parts.filter((part) => part.type === 'call')
        if (calls.length === 0) return { answer }
        messages.push({ role: 'assistant', parts: said.parts })
        messages.push({ role: 'tools', results: await resultsOf(episode, calls, signal) })
      }
      return { answer }
    },
  }
}

/** A model that refuses the conversation is the failure of the agent; one that is out of reach leaves no result. */
async function ask(
  model: Model,
  request: ModelRequest,
  { retries = 5, timeoutMs = 600_000, wait }: Pick<ChatOptions, 'retries' | 'timeoutMs' | 'wait'>,
): Promise<Answer> {
  const limit = new AbortController()
  const stop = () => limit.abort(request.signal.reason)
  request.signal.addEventListener('abort', stop, { once: true })
  if (request.signal.aborted) stop()
  let attempts = 1
  let before = ''
  const timer = setTimeout(() => {
    limit.abort(new InfraError(`${model.name} did not answer within ${timeoutMs} ms${before}`))
  }, timeoutMs)
  try {
    return await askModel(
      model,
      { ...request, signal: limit.signal },
      {
        stallMs: neverMs,
        retries,
        retryDelayMs,
        onRetry({ message }) {
          attempts += 1
          before = `; before, ${message}`
        },
        ...(wait && { wait }),
      },
    )
  } catch (error) {
    const reason = error instanceof UnfinishedError ? error.reason : error
    if (!(reason instanceof ModelError) || reason.refusesConversation) throw reason
    throw new InfraError(reason.retryable ? `${reason.message}, ${attempts} times` : reason.message)
  } finally {
    clearTimeout(timer)
    request.signal.removeEventListener('abort', stop)
  }
}

function note({ trace }: Episode, { name, prices }: Model, text: string, { usage }: Answer): void {
  const spent = usage && { ...usage, ...(prices && { cost: costOf(usage, prices) }) }
  trace.add({ type: 'message', role: 'assistant', text, model: name, ...(spent && { usage: spent }) })
}

/** One after another: the order of parallel calls must not depend on how long each takes. */
async function resultsOf(episode: Episode, calls: readonly Call[], signal: AbortSignal): Promise<CallAnswer[]> {
  const results: CallAnswer[] = []
  for (const call of calls) {
    signal.throwIfAborted()
    results.push({ id: call.id, tool: call.tool, ...(await resultOf(episode, call, signal)) })
  }
  return results
}

/** A call that is wrong is an error that the model can correct; for an unknown tool that is the dialect's answer. */
async function resultOf(
  episode: Episode,
  { tool, args }: Call,
  signal: AbortSignal,
): Promise<Pick<CallAnswer, 'text' | 'isError'>> {
  const parsed = parseArguments(args)
  if ('fault' in parsed) {
    const text = `${tool}: ${parsed.fault}. Correct the call and try again.`
    // There is no call to record; the trace has what the model got instead.
    episode.trace.add({ type: 'message', role: 'user', text })
    return { text, isError: true }
  }
  const result = await recordedCall(episode, tool, parsed.args, signal)
  return { text: textOf(result), isError: result.isError === true }
}
