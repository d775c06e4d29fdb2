/** A model that answers in a stream and can call tools, whatever API it is behind. */
import type { Prices, Usage } from './usage.js'

export interface Model {
  /** For transcripts, traces and reports. */
  readonly name: string
  /** What its tokens cost; without them no cost is known. */
  readonly prices?: Prices
  /**
   * The model's next message, as it is written. Throws a `ModelError` if there is none. Ends early when `signal` aborts; what it throws then
   * is ignored.
   */
  stream(request: ModelRequest): AsyncIterable<ModelPart>
}

export interface ModelRequest {
  system?: string
  messages: readonly Message[]
  tools: readonly ModelTool[]
  signal: AbortSignal
}

/** A tool as `tools/list` of MCP describes it. */
export interface ModelTool {
  name: string
  description: string
  inputSchema: object
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean }
}

/** A piece of an answer. Texts are appended; the arguments of a call may come in pieces before the call itself. */
export type ModelPart =
  | { type: 'text'; text: string }
  /** `raw` belongs to the model's API: it gets it back with the next request. */
  | { type: 'reasoning'; text: string; raw?: unknown }
  | { type: 'writing'; id: string; tool: string; text: string }
  | { type: 'call'; id: string; tool: string; args: string; raw?: unknown }
  | { type: 'usage'; usage: Usage }
  /** Why the answer ends. Default: `done`. */
  | { type: 'end'; reason: AnswerEnd }

/** `length` is the limit of one answer, `refused` a filter of the model's host. */
export type AnswerEnd = 'done' | 'length' | 'refused'

/** One message of a conversation: plain data, to be stored and sent again. */
export type Message =
  | { role: 'user'; text: string }
  | { role: 'assistant'; parts: readonly AnswerPart[] }
  | { role: 'tools'; results: readonly CallAnswer[] }

export type AnswerPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string; raw?: unknown }
  /** `args` is the text that the model wrote, which need not be JSON. */
  | { type: 'call'; id: string; tool: string; args: string; raw?: unknown }

export interface CallAnswer {
  id: string
  tool: string
  text: string
  isError: boolean
}

export interface ModelErrorOptions {
  retryable?: boolean
  retryAfterMs?: number
  refusesConversation?: boolean
  cause?: unknown
}

/** The model can't be reached, or refuses. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  /** The same request may succeed later. */
  readonly retryable: boolean
  /** When it may, as the model's host says. */
  readonly retryAfterMs?: number
  /** It answers other conversations: this one has become too long, for example. */
  readonly refusesConversation: boolean

  constructor(message: string, options: ModelErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.retryable = options.retryable ?? false
    this.refusesConversation = options.refusesConversation ?? false
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs
  }
}
