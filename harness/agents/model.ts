/** A model that can call tools, whatever API it is behind. */
import type { ToolDefinition } from '../../src/dialects/tool-definitions.js'
import { parseJson } from '../../src/text/parse-json.js'
import type { Usage } from '../types.js'

export interface ChatModel {
  /** For traces and reports. */
  readonly name: string
  /**
   * The model's next message. Throws an `InfraError` when the model can't be reached or does not answer in its protocol, and a
   * `ModelError` when it refuses the conversation.
   */
  answer(request: ModelRequest): Promise<ModelAnswer>
}

export interface ModelRequest {
  system?: string
  messages: readonly ChatMessage[]
  tools: readonly ToolDefinition[]
  signal: AbortSignal
}

export type ChatMessage =
  | { role: 'user'; text: string }
  /** `raw` is what the API sent, to be sent back unchanged. */
  | { role: 'assistant'; text: string; calls: readonly ModelCall[]; raw: unknown }
  | { role: 'tools'; results: readonly ModelCallResult[] }

export interface ModelCall {
  id: string
  tool: string
  /** What the model wrote; `fault` says why it is no object. */
  args: { value: unknown } | { fault: string }
}

export interface ModelCallResult {
  id: string
  text: string
  isError: boolean
}

export interface ModelAnswer {
  text: string
  calls: readonly ModelCall[]
  raw: unknown
  usage?: Usage
}

/** What a million tokens cost, in a currency of the user's choice. */
export interface Prices {
  input: number
  output: number
}

/** The model refuses the conversation, for example because it has become too long. That is the agent's failure. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
}

export function usageOf(inputTokens: unknown, outputTokens: unknown, prices: Prices | undefined): Usage | undefined {
  if (!isCount(inputTokens) || !isCount(outputTokens)) return undefined
  const cost = prices && (inputTokens * prices.input + outputTokens * prices.output) / 1e6
  return { inputTokens, outputTokens, ...(cost !== undefined && { cost }) }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** Arguments as models write them: JSON, and nothing at all where a tool needs none. */
export function parseArguments(json: string): ModelCall['args'] {
  if (json.trim() === '') return { value: {} }
  const parsed = parseJson(json)
  return 'fault' in parsed ? { fault: `the arguments are ${parsed.fault}` } : checkedArguments(parsed.value)
}

export function checkedArguments(value: unknown): ModelCall['args'] {
  if (isRecord(value)) return { value }
  return { fault: 'the arguments have to be a JSON object' }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
