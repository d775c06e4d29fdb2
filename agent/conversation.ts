import type { AnswerPart, Message } from '../models/model.js'
import type { Usage } from '../models/usage.js'
import { AgentError } from './agent-error.js'
import type { CallKind } from './approvals.js'

/** A conversation as plain data: it can be stored, sent to another thread, and continued with `conversation` of `createAgent`. */
export interface Conversation {
  readonly turns: readonly Turn[]
  /** Changes of calls that were undone, by their ids. */
  readonly undone?: readonly string[]
}

/** What one prompt led to. */
export interface Turn {
  readonly id: string
  readonly prompt: string
  /** The point in the history of the files right before it, where there is a history. */
  readonly point?: string
  readonly startedMs: number
  /** The prompt, answers, results of calls, and what the user said meanwhile. */
  readonly messages: readonly Message[]
  readonly calls: readonly Call[]
  /** Of all requests together; absent where the model reports none. */
  readonly usage?: Usage
  /** Absent while it goes on, and where the program ended meanwhile: `continueTurn` goes on with it. */
  readonly end?: TurnEnd
}

/** `steps` is the limit of `maxSteps`, `length` the limit of one answer; `interrupted` is a turn whose program ended, and that was not continued. */
export type TurnEnd = {
  readonly atMs: number
} & (
  | { readonly reason: 'done' | 'length' | 'refused' | 'steps' | 'stopped' | 'interrupted' }
  | { readonly reason: 'failed'; readonly message: string }
)

export interface Call {
  /** Unique in the conversation. */
  readonly id: string
  readonly tool: string
  readonly kind: CallKind
  /** As the model wrote them. */
  readonly argsText: string
  /** Absent where the text is not a JSON object. */
  readonly args?: Readonly<Record<string, unknown>>
  /**
   * `asking` waits for an approval. `wrong` is a call that could not be made: of an unknown tool, or with arguments that are not a JSON object. `failed`
   * is one that the tool answered with an error. `interrupted` is one that was being made when the program ended: nobody knows whether it was.
   */
  readonly state: 'asking' | 'running' | 'done' | 'failed' | 'wrong' | 'denied' | 'stopped' | 'interrupted'
  /** What the model gets. */
  readonly output?: string
  /** The changes that it made, by their ids in the history, oldest first. */
  readonly changes: readonly string[]
  readonly startedMs: number
  readonly endedMs?: number
}

export function messagesOf({ turns }: Conversation): Message[] {
  return turns.flatMap(({ messages }) => messages)
}

/** The conversation as it was before a turn. */
export function conversationBefore({ turns }: Conversation, turnId: string): Conversation {
  const index = turns.findIndex(({ id }) => id === turnId)
  if (index < 0) throw new AgentError('UNKNOWN_TURN', `There is no turn ${turnId}`)
  return { turns: turns.slice(0, index) }
}

/** A stored conversation as it is after its program has ended: a call that was running then is `interrupted`, and will not be made again. */
export function afterInterruption({ turns, ...others }: Conversation): Conversation {
  const last = turns.at(-1)
  if (last === undefined || last.end !== undefined) return { turns, ...others }
  const calls = last.calls.map((call): Call => {
    if (call.state !== 'running') return call
    return { ...call, state: 'interrupted', output: unknownOutcome, endedMs: call.startedMs }
  })
  return { turns: [...turns.slice(0, -1), { ...last, calls }], ...others }
}

const unknownOutcome =
  'The program ended while this ran, and its result is lost. It may have been done, wholly or in part: look before you repeat it.'

/** The calls of a turn's last message, where they have no results yet. */
export function openCalls({ messages }: Turn): readonly WrittenCall[] {
  const last = messages.at(-1)
  return last?.role === 'assistant' ? last.parts.filter((part) => part.type === 'call') : []
}

/** A call as the model wrote it. */
export type WrittenCall = AnswerPart & { type: 'call' }
