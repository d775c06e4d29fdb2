import type { CallKind } from './approvals.js'
import type { Message, Usage } from './model.js'

/** A conversation as plain data: it can be stored, sent to another thread, and continued with `conversation` of `createAgent`. */
export interface Conversation {
  readonly turns: readonly Turn[]
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
  /** Absent while it goes on. */
  readonly end?: TurnEnd
}

/** `steps` is the limit of `maxSteps`, `length` the limit of one answer. */
export type TurnEnd = {
  readonly atMs: number
} & (
  | { readonly reason: 'done' | 'length' | 'refused' | 'steps' | 'stopped' }
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
   * `asking` waits for an approval. `wrong` is a call that could not be made: of an unknown tool, or with arguments that are no JSON object. `failed`
   * is one that the tool answered with an error.
   */
  readonly state: 'asking' | 'running' | 'done' | 'failed' | 'wrong' | 'denied' | 'stopped'
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
  if (index < 0) throw new Error(`There is no turn ${turnId}`)
  return { turns: turns.slice(0, index) }
}
