/** The steps of a turn: the model is asked and its calls are made, until it calls nothing any more. */
import { type Answer, type AskOptions, askModel, UnfinishedError } from '../models/ask-model.js'
import type { AgentOptions } from './agent-options.js'
import { messagesOf, type TurnEnd, type WrittenCall } from './conversation.js'
import { type CallSurroundings, makeCall } from './make-call.js'
import type { AgentTools } from './tools.js'
import type { Turns } from './turns.js'

export type Ending = { reason: Exclude<TurnEnd['reason'], 'failed'> } | { reason: 'failed'; message: string }

export interface StepsOptions extends Omit<AgentOptions, 'conversation'> {
  now(): number
  turns: Turns
  /** Adds what the user has said in the middle to the turn. Whether there was something. */
  takeWaiting(): boolean
}

/** Returns what runs the last turn. `open`: calls of its last answer, to begin with. */
export function stepsWith(
  options: StepsOptions,
): (signal: AbortSignal, open?: readonly WrittenCall[]) => Promise<Ending> {
  const { model, tools, system, approve = () => ({ allow: true }), history, maxSteps = 100, now } = options
  const { stallMs = 120_000, retries = 3, retryDelayMs = 1000, onEvent = () => {} } = options
  const { beforeCall, turns, takeWaiting } = options

  return async (signal, open = []) => {
    const offered = await tools.listTools()
    const surroundings: CallSurroundings = {
      tools,
      offered,
      approve,
      now,
      signal,
      onCall: turns.put,
      ...(history && { history }),
      ...(beforeCall && { beforeCall }),
    }
    if (open.length > 0) {
      await makeCalls(open, 'done', surroundings)
      if (signal.aborted) return { reason: 'stopped' }
      takeWaiting()
    }
    for (let step = 0; step < maxSteps; step += 1) {
      const answer = turns.named(await ask(offered, signal))
      turns.accept(answer)
      const calls = answer.parts.filter((part) => part.type === 'call')
      if (calls.length > 0) await makeCalls(calls, answer.end, surroundings)
      if (signal.aborted) return { reason: 'stopped' }
      const isSteered = takeWaiting()
      if (calls.length === 0 && !isSteered) return { reason: answer.end }
    }
    return { reason: 'steps' }
  }

  function ask(offered: Awaited<ReturnType<AgentTools['listTools']>>, signal: AbortSignal): Promise<Answer> {
    const messages = messagesOf({ turns: turns.all() })
    const request = { messages, tools: offered, signal, ...(system !== undefined && { system }) }
    const asking: AskOptions = {
      stallMs,
      retries,
      retryDelayMs,
      onPart(part) {
        if (part.type === 'text' || part.type === 'reasoning') onEvent({ type: part.type, text: part.text })
        else if (part.type === 'writing') onEvent(part)
      },
      onRetry: (failure, delayMs) => onEvent({ type: 'retry', failure, delayMs }),
    }
    return askModel(model, request, asking).catch((error) => {
      if (!(error instanceof UnfinishedError)) throw error
      // Calls that were not made have no results, and a model's API refuses a conversation with such calls.
      turns.accept({ ...error.answer, parts: error.answer.parts.filter(({ type }) => type !== 'call') })
      throw error.reason
    })
  }

  /** One after another: a later call may rely on what an earlier one did. */
  async function makeCalls(
    calls: readonly WrittenCall[],
    end: Answer['end'],
    surroundings: CallSurroundings,
  ): Promise<void> {
    const results = []
    for (const call of calls) {
      const made = turns.current().calls.find(({ id, endedMs }) => id === call.id && endedMs !== undefined)
      const { id, tool, output = '', state } = made ?? (await makeCall(call, end, surroundings))
      results.push({ id, tool, text: output, isError: state !== 'done' })
    }
    turns.add({ role: 'tools', results })
  }
}
