/** A model that answers in a stream and can call tools, whatever API it is behind. */

export interface Model {
  /** For transcripts. */
  readonly name: string
  /**
   * The model's next message, as it is written. Throws a `ModelFailure` where it can't be had. Ends early when `signal` aborts; what it throws then
   * is ignored.
   */
  stream(request: ModelRequest): AsyncIterable<ModelPart>
}

export interface ModelRequest {
  system?: string
  messages: readonly Message[]
  tools: readonly AgentTool[]
  signal: AbortSignal
}

/** A tool as `tools/list` of MCP describes it. */
export interface AgentTool {
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

export interface Usage {
  inputTokens: number
  /** How many of them came from a cache. */
  cachedTokens?: number
  outputTokens: number
}

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

/** The model can't be reached, or refuses. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'
  /** The same request may succeed later. */
  readonly retryable: boolean
  /** When it may, as the model's host says. */
  readonly retryAfterMs?: number

  constructor(message: string, options: { retryable?: boolean; retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.retryable = options.retryable ?? false
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs
  }
}

/** What a million tokens cost, in a currency of the user's choice. `cached` defaults to `input`. */
export interface TokenPrices {
  input: number
  cached?: number
  output: number
}

export function costOf({ inputTokens, cachedTokens = 0, outputTokens }: Usage, prices: TokenPrices): number {
  const { input, cached = input, output } = prices
  return ((inputTokens - cachedTokens) * input + cachedTokens * cached + outputTokens * output) / 1_000_000
}

export function addUsage(one: Usage, other: Usage): Usage {
  const cachedTokens = (one.cachedTokens ?? 0) + (other.cachedTokens ?? 0)
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    ...(cachedTokens > 0 && { cachedTokens }),
    outputTokens: one.outputTokens + other.outputTokens,
  }
}
