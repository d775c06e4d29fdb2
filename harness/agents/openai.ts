/** Models behind OpenAI's chat completions, which many servers offer. */
import type { ChatMessage, ChatModel, ModelAnswer, ModelCall, Prices } from './model.js'
import { isRecord, parseArguments, usageOf } from './model.js'
import { type ConnectionOptions, requestJson } from './request-json.js'
import { type WireNames, wireNames } from './wire-names.js'

export interface OpenAiModelOptions extends ConnectionOptions {
  /** Such as `https://api.openai.com/v1` or `http://127.0.0.1:8000/v1`. */
  baseUrl: string
  model: string
  apiKey?: string
  /** In addition; their values are treated as secrets. */
  headers?: Readonly<Record<string, string>>
  /** Further members of every request, such as `temperature`. */
  body?: Readonly<Record<string, unknown>>
  prices?: Prices
}

export function openAiModel(options: OpenAiModelOptions): ChatModel {
  const { baseUrl, model, apiKey, headers = {}, body = {}, prices } = options
  return {
    name: model,
    answer: ({ system, messages, tools: given, signal }) => {
      const { tools, original } = wireNames(given)
      return requestJson(
        {
          url: `${baseUrl.replace(/\/+$/, '')}/chat/completions`,
          headers: { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }), ...headers },
          secrets: [...(apiKey === undefined ? [] : [apiKey]), ...Object.values(headers)],
          body: {
            model,
            messages: [
              ...(system === undefined ? [] : [{ role: 'system', content: system }]),
              ...messages.flatMap(sent),
            ],
            ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
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

function sent(message: ChatMessage): unknown[] {
  if (message.role === 'user') return [{ role: 'user', content: message.text }]
  if (message.role === 'assistant') return [message.raw]
  return message.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }))
}

function readAnswer(
  json: unknown,
  prices: Prices | undefined,
  original: WireNames['original'],
): ModelAnswer | undefined {
  if (!isRecord(json) || !Array.isArray(json.choices)) return undefined
  const [choice] = json.choices as unknown[]
  const message = isRecord(choice) ? choice.message : undefined
  if (!isRecord(message)) return undefined
  const calls = readCalls(message.tool_calls ?? [], original)
  if (calls === undefined) return undefined
  const usage = isRecord(json.usage)
    ? usageOf(json.usage.prompt_tokens, json.usage.completion_tokens, prices)
    : undefined
  const text = textIn(message.content ?? message.refusal)
  const raw = {
    role: 'assistant',
    content: message.content ?? null,
    ...(calls.length > 0 && { tool_calls: message.tool_calls }),
  }
  return { text, calls, raw, ...(usage && { usage }) }
}

/** Some servers send parts in place of a text. */
function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const texts = content.map((part: unknown) => (isRecord(part) && typeof part.text === 'string' ? part.text : ''))
  return texts.join('')
}

function readCalls(given: unknown, original: WireNames['original']): ModelCall[] | undefined {
  if (!Array.isArray(given)) return undefined
  const calls = given.map((each: unknown): ModelCall | undefined => {
    if (!isRecord(each) || typeof each.id !== 'string' || !isRecord(each.function)) return undefined
    const { name, arguments: args = '' } = each.function
    if (typeof name !== 'string') return undefined
    // Some servers send an object in place of its text.
    const text = typeof args === 'string' ? args : JSON.stringify(args)
    return { id: each.id, tool: original(name), args: parseArguments(text) }
  })
  return calls.every((call) => call !== undefined) ? calls : undefined
}
