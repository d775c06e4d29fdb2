/** Models behind OpenAI's chat completions, which many servers offer. An answer comes as a whole. */
import { isRecord } from '../src/text/is-record.js'
import type { AnswerEnd, AnswerPart, Message, Model, ModelPart } from './model.js'
import { type ConnectionOptions, requestJson } from './request-json.js'
import { type Prices, usageOf } from './usage.js'
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

const ends: Readonly<Record<string, AnswerEnd>> = { length: 'length', content_filter: 'refused' }

export function openAiModel(options: OpenAiModelOptions): Model {
  const { baseUrl, model, apiKey, headers = {}, body = {}, prices } = options
  return {
    name: model,
    ...(prices && { prices }),
    async *stream({ system, messages, tools: given, signal }) {
      const { tools, original, wire } = wireNames(given)
      yield* await requestJson(
        {
          url: `${baseUrl.replace(/\/+$/, '')}/chat/completions`,
          headers: { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }), ...headers },
          secrets: [...(apiKey === undefined ? [] : [apiKey]), ...Object.values(headers)],
          body: {
            model,
            messages: [
              ...(system === undefined ? [] : [{ role: 'system', content: system }]),
              ...messages.flatMap((message) => sent(message, wire)),
            ],
            ...(tools.length > 0 && {
              tools: tools.map(({ name, description, inputSchema }) => ({
                type: 'function',
                function: { name, description, parameters: inputSchema },
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

function sent(message: Message, wire: WireNames['wire']): unknown[] {
  if (message.role === 'user') return [{ role: 'user', content: message.text }]
  if (message.role === 'tools') {
    return message.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }))
  }
  const calls = message.parts.flatMap((part) => (part.type === 'call' ? [sentCall(part, wire)] : []))
  const texts = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const content = texts.length > 0 || calls.length === 0 ? texts.join('') : null
  return [{ role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }]
}

/** As the server wrote it, where it did. */
function sentCall({ id, tool, args, raw }: AnswerPart & { type: 'call' }, wire: WireNames['wire']): unknown {
  if (isRecord(raw) && isRecord(raw.function)) return { ...raw, id }
  return { id, type: 'function', function: { name: wire(tool), arguments: args } }
}

function readAnswer(json: unknown, original: WireNames['original']): ModelPart[] | undefined {
  if (!isRecord(json) || !Array.isArray(json.choices)) return undefined
  const [choice] = json.choices as unknown[]
  const { message, finish_reason: reason } = isRecord(choice) ? choice : {}
  if (!isRecord(message)) return undefined
  const calls = readCalls(message.tool_calls ?? [], original)
  if (calls === undefined) return undefined
  const text = textIn(message.content ?? message.refusal)
  const usage = isRecord(json.usage) ? readUsage(json.usage) : undefined
  const end = Object.hasOwn(ends, String(reason)) ? ends[String(reason)] : undefined
  return [
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...calls,
    ...(usage ? [{ type: 'usage', usage } as const] : []),
    { type: 'end', reason: end ?? 'done' },
  ]
}

/** Some servers send parts in place of a text. */
function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const texts = content.map((part: unknown) => (isRecord(part) && typeof part.text === 'string' ? part.text : ''))
  return texts.join('')
}

function readCalls(given: unknown, original: WireNames['original']): ModelPart[] | undefined {
  if (!Array.isArray(given)) return undefined
  const calls = given.map((each: unknown): ModelPart | undefined => {
    if (!isRecord(each) || typeof each.id !== 'string' || !isRecord(each.function)) return undefined
    const { name, arguments: args = '' } = each.function
    if (typeof name !== 'string') return undefined
    // Some servers send an object in place of its text.
    const text = typeof args === 'string' ? args : JSON.stringify(args)
    return { type: 'call', id: each.id, tool: original(name), args: text, raw: each }
  })
  return calls.every((call) => call !== undefined) ? calls : undefined
}

function readUsage({
  prompt_tokens: input,
  completion_tokens: output,
  prompt_tokens_details: details,
}: Readonly<Record<string, unknown>>) {
  return usageOf(input, isRecord(details) ? details.cached_tokens : undefined, output)
}
