/** Models behind Anthropic's messages. An answer comes as a whole. */

import { isRecord } from '../src/text/is-record.js'
import { parseJson } from '../src/text/parse-json.js'
import type { AnswerEnd, AnswerPart, Message, Model, ModelPart } from './model.js'
import { type ConnectionOptions, requestJson } from './request-json.js'
import { type Prices, usageOf } from './usage.js'
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
const ends: Readonly<Record<string, AnswerEnd>> = { max_tokens: 'length', refusal: 'refused' }

export function anthropicModel(options: AnthropicModelOptions): Model {
  const { baseUrl = 'https://api.anthropic.com', model, apiKey, maxTokens = 8192, prices } = options
  const { headers = {}, body = {} } = options
  return {
    name: model,
    ...(prices && { prices }),
    async *stream({ system, messages, tools: given, signal }) {
      const { tools, original, wire } = wireNames(given)
      yield* await requestJson(
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
            messages: messages.map((message) => sent(message, wire)),
            ...(tools.length > 0 && {
              tools: tools.map(({ name, description, inputSchema }) => ({
                name,
                description,
                input_schema: inputSchema,
              })),
            }),
            ...body,
          },
          signal,
          read: (json) => readAnswer(json, original),
        },
        options,
      )
    },
  }
}

function sent(message: Message, wire: WireNames['wire']): unknown {
  if (message.role === 'user') return { role: 'user', content: message.text }
  if (message.role === 'assistant') return { role: 'assistant', content: sentParts(message.parts, wire) }
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

/** The API takes blocks back as it sent them, and no message without a block. */
function sentParts(parts: readonly AnswerPart[], wire: WireNames['wire']): unknown[] {
  const blocks = parts.flatMap((part): unknown[] => {
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    const block = isRecord(part.raw) && typeof part.raw.type === 'string' ? part.raw : undefined
    // Reasoning of another model is not signed by this one.
    if (part.type === 'reasoning') return block === undefined ? [] : [block]
    if (block?.type === 'tool_use') return [{ ...block, id: part.id }]
    const parsed = parseJson(part.args)
    const input = 'value' in parsed && isRecord(parsed.value) ? parsed.value : {}
    return [{ type: 'tool_use', id: part.id, name: wire(part.tool), input }]
  })
  return blocks.length > 0 ? blocks : [{ type: 'text', text: '(nothing)' }]
}

function readAnswer(json: unknown, original: WireNames['original']): ModelPart[] | undefined {
  if (!isRecord(json) || !Array.isArray(json.content)) return undefined
  const blocks: unknown[] = json.content
  if (blocks.length === 0 && json.stop_reason !== 'end_turn') return undefined
  const parts: ModelPart[] = []
  for (const block of blocks) {
    if (!isRecord(block)) return undefined
    const part = readBlock(block, original)
    if (part === undefined) return undefined
    // Texts are appended to each other.
    if (part.type === 'text' && parts.at(-1)?.type === 'text') part.text = `\n${part.text}`
    parts.push(part)
  }
  const usage = isRecord(json.usage) ? readUsage(json.usage) : undefined
  if (usage) parts.push({ type: 'usage', usage })
  const reason = Object.hasOwn(ends, String(json.stop_reason)) ? ends[String(json.stop_reason)] : undefined
  return [...parts, { type: 'end', reason: reason ?? 'done' }]
}

/** What is neither text nor a call, such as signed thoughts, is sent back unread. */
function readBlock(block: Readonly<Record<string, unknown>>, original: WireNames['original']): ModelPart | undefined {
  const { type, id, name, input, text, thinking } = block
  if (type === 'text' && typeof text === 'string') return { type: 'text', text }
  if (type !== 'tool_use') return { type: 'reasoning', text: typeof thinking === 'string' ? thinking : '', raw: block }
  if (typeof id !== 'string' || typeof name !== 'string') return undefined
  return { type: 'call', id, tool: original(name), args: JSON.stringify(input ?? {}), raw: block }
}

/** The API counts what came from a cache, and what went into it, beside the other tokens. */
function readUsage(usage: Readonly<Record<string, unknown>>) {
  const { cache_read_input_tokens: cached, output_tokens: output } = usage
  const parts = [usage.input_tokens, usage.cache_creation_input_tokens ?? 0, cached ?? 0]
  const isWhole = parts.every((part) => typeof part === 'number')
  return isWhole
    ? usageOf(
        parts.reduce((sum, part) => sum + part, 0),
        cached,
        output,
      )
    : undefined
}
