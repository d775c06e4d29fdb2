/** Models behind Anthropic's messages. */
import type { ChatMessage, ChatModel, ModelAnswer, ModelCall, Prices } from './model.js'
import { checkedArguments, isRecord, usageOf } from './model.js'
import { type ConnectionOptions, requestJson } from './request-json.js'
import { type WireNames, wireNames } from './wire-names.js'

export interface AnthropicModelOptions extends ConnectionOptions {
  /** Default: `https://api.anthropic.com`. */
  baseUrl?: string
  model: string
  apiKey?: string
  /** Of one answer. Default: 8192. */
  maxTokens?: number
  /** In addition; their values are treated as secrets. */
  headers?: Readonly<Record<string, string>>
  /** Further members of every request, such as `temperature`. */
  body?: Readonly<Record<string, unknown>>
  prices?: Prices
}

const apiVersion = '2023-06-01'

export function anthropicModel(options: AnthropicModelOptions): ChatModel {
  const {
    baseUrl = 'https://api.anthropic.com',
    model,
    apiKey,
    maxTokens = 8192,
    headers = {},
    body = {},
    prices,
  } = options
  return {
    name: model,
    answer: ({ system, messages, tools: given, signal }) => {
      const { tools, original } = wireNames(given)
      return requestJson(
        {
          url: `${baseUrl.replace(/\/+$/, '')}/v1/messages`,
          headers: {
            'anthropic-version': apiVersion,
            ...(apiKey !== undefined && { 'x-api-key': apiKey }),
            ...headers,
          },
          secrets: [...(apiKey === undefined ? [] : [apiKey]), ...Object.values(headers)],
          body: {
            model,
            max_tokens: maxTokens,
            ...(system !== undefined && { system }),
            messages: messages.map(sent),
            ...(tools.length > 0 && {
              tools: tools.map(({ name, description, parameters }) => ({
                name,
                description,
                input_schema: parameters,
              })),
            }),
            ...body,
          },
          signal,
          read: (json) => readAnswer(json, prices, original),
        },
        options,
      )
    },
  }
}

function sent(message: ChatMessage): unknown {
  if (message.role === 'user') return { role: 'user', content: message.text }
  if (message.role === 'assistant') return { role: 'assistant', content: message.raw }
  return {
    role: 'user',
    content: message.results.map(({ id, text, isError }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: text,
      ...(isError && { is_error: true }),
    })),
  }
}

function readAnswer(
  json: unknown,
  prices: Prices | undefined,
  original: WireNames['original'],
): ModelAnswer | undefined {
  if (!isRecord(json) || !Array.isArray(json.content)) return undefined
  const blocks: unknown[] = json.content
  if (blocks.length === 0 && json.stop_reason !== 'end_turn') return undefined
  const texts: string[] = []
  const calls: ModelCall[] = []
  for (const block of blocks) {
    if (!isRecord(block)) return undefined
    if (block.type === 'text' && typeof block.text === 'string') texts.push(block.text)
    if (block.type !== 'tool_use') continue
    if (typeof block.id !== 'string' || typeof block.name !== 'string') return undefined
    calls.push({ id: block.id, tool: original(block.name), args: checkedArguments(block.input ?? {}) })
  }
  const usage = isRecord(json.usage) ? usageOf(inputTokens(json.usage), json.usage.output_tokens, prices) : undefined
  // An assistant's message must not be empty when it is sent back.
  const raw = blocks.length > 0 ? blocks : [{ type: 'text', text: '(nothing)' }]
  return { text: texts.join('\n'), calls, raw, ...(usage && { usage }) }
}

/** Tokens that came from a cache were read, too. */
function inputTokens(usage: Readonly<Record<string, unknown>>): unknown {
  const parts = [usage.input_tokens, usage.cache_creation_input_tokens ?? 0, usage.cache_read_input_tokens ?? 0]
  return parts.every((part) => typeof part === 'number') ? parts.reduce((sum, part) => sum + part, 0) : undefined
}
