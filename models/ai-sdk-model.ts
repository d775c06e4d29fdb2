/** The models of the AI SDK's providers. Only their interface is used, as described here, so that nothing depends on the SDK. */

import { isRecord } from '../src/text/is-record.js'
import { parseJson } from '../src/text/parse-json.js'
import {
  type AnswerEnd,
  type AnswerPart,
  type Message,
  type Model,
  ModelError,
  type ModelPart,
  type ModelRequest,
} from './model.js'
import { ModelFetchError } from './model-fetch.js'
import { refusesConversation } from './request-json.js'
import { type Prices, usageOf } from './usage.js'

/** A language model of the AI SDK, version 5 or later (specification `v2` or `v3`), as far as it is used. */
export interface AiSdkLanguageModel {
  readonly modelId: string
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's types differ between its versions; what is passed is in `callOptions`, and what comes back is checked.
  doStream(options: any): PromiseLike<{ stream: { getReader(): AiSdkReader } }>
}

/** Reads the parts of a stream. */
export interface AiSdkReader {
  read(): Promise<{ done: boolean; value?: unknown }>
  cancel(reason?: unknown): Promise<void>
}

export interface AiSdkModelOptions {
  /** Of one answer. Default: what the provider takes. */
  maxOutputTokens?: number
  temperature?: number
  /** Options of the provider, by its name: `{ anthropic: { thinking: … } }`. */
  providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  prices?: Prices
  /** Replaced in messages of failures: a key that a host repeats, for example. */
  secrets?: readonly string[]
}

/** A model of the AI SDK for `createAgent`: `aiSdkModel(createAnthropic({ apiKey })('claude-…'))`. */
export function aiSdkModel(model: AiSdkLanguageModel, options: AiSdkModelOptions = {}): Model {
  return {
    name: model.modelId,
    ...(options.prices && { prices: options.prices }),
    async *stream(request) {
      const reader = await start(model, request, options)
      /** The tools of the calls that are being written: the pieces of their arguments have only an id. */
      const tools = new Map<string, string>()
      let hasFinished = false
      try {
        for (;;) {
          const { done, value } = await reader.read().catch((error) => {
            throw failure(error, { ...options, isBegun: true })
          })
          if (done) break
          hasFinished ||= isFinish(value)
          yield* partsOf(value, tools, options)
        }
        if (!hasFinished) throw new ModelError('The answer was cut off', { retryable: true })
      } finally {
        // A stream that has failed can't be cancelled.
        await reader.cancel().catch(() => {})
      }
    },
  }
}

async function start(
  model: AiSdkLanguageModel,
  request: ModelRequest,
  options: AiSdkModelOptions,
): Promise<AiSdkReader> {
  try {
    const { stream } = await model.doStream(callOptions(request, options))
    return stream.getReader()
  } catch (error) {
    throw failure(error, options)
  }
}

function callOptions({ system, messages, tools, signal }: ModelRequest, options: AiSdkModelOptions) {
  const { maxOutputTokens, temperature, providerOptions } = options
  return {
    prompt: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...messages.map(promptMessage)],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({ type: 'function', name, description, inputSchema })),
      toolChoice: { type: 'auto' },
    }),
    abortSignal: signal,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(providerOptions && { providerOptions }),
  }
}

function promptMessage(message: Message): object {
  if (message.role === 'user') return { role: 'user', content: [{ type: 'text', text: message.text }] }
  if (message.role === 'assistant') return { role: 'assistant', content: message.parts.map(answerPart) }
  return {
    role: 'tool',
    content: message.results.map(({ id, tool, text, isError }) => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: tool,
      output: { type: isError ? 'error-text' : 'text', value: text },
    })),
  }
}

function answerPart(part: AnswerPart): object {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const providerOptions = part.raw === undefined ? {} : { providerOptions: part.raw }
  if (part.type === 'reasoning') return { type: 'reasoning', text: part.text, ...providerOptions }
  return {
    type: 'tool-call',
    toolCallId: part.id,
    toolName: part.tool,
    input: sentArguments(part.args),
    ...providerOptions,
  }
}

/** A provider takes objects only; broken arguments are sent back as the text they were. */
function sentArguments(text: string): object {
  if (text.trim() === '') return {}
  const parsed = parseJson(text)
  if ('fault' in parsed) return { invalid: text }
  return isRecord(parsed.value) ? parsed.value : { value: parsed.value }
}

function* partsOf(part: unknown, tools: Map<string, string>, options: AiSdkModelOptions): Generator<ModelPart> {
  if (!isRecord(part)) return
  const raw = isRecord(part.providerMetadata) ? { raw: part.providerMetadata } : {}
  switch (part.type) {
    case 'text-delta':
      return yield { type: 'text', text: string(part.delta) }
    case 'reasoning-delta':
      return yield { type: 'reasoning', text: string(part.delta), ...raw }
    case 'reasoning-end':
      if ('raw' in raw) yield { type: 'reasoning', text: '', ...raw }
      return
    case 'tool-input-start':
      tools.set(string(part.id), string(part.toolName))
      return yield { type: 'writing', id: string(part.id), tool: string(part.toolName), text: '' }
    case 'tool-input-delta':
      return yield {
        type: 'writing',
        id: string(part.id),
        tool: tools.get(string(part.id)) ?? '',
        text: string(part.delta),
      }
    case 'tool-call':
      // Tools that the provider runs itself are its own matter.
      if (part.providerExecuted !== true)
        yield {
          type: 'call',
          id: string(part.toolCallId),
          tool: string(part.toolName),
          args: argumentsText(part.input),
          ...raw,
        }
      return
    case 'finish':
      yield* usageIn(part.usage)
      return yield { type: 'end', reason: endOf(part.finishReason) }
    case 'error':
      throw failure(part.error, { ...options, isBegun: true })
  }
}

/** Of a stream that its host has not ended, providers say nothing, or that it finished without a reason of the host's. */
function isFinish(part: unknown): boolean {
  if (!isRecord(part) || part.type !== 'finish') return false
  const { unified, raw } = isRecord(part.finishReason) ? part.finishReason : {}
  return unified !== 'other' || raw !== undefined
}

function argumentsText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input ?? {})
}

/** `v3` counts in groups, `v2` in plain numbers. */
function* usageIn(given: unknown): Generator<ModelPart> {
  if (!isRecord(given)) return
  const { inputTokens: input, outputTokens: output } = given
  const inputTokens = isRecord(input) ? input.total : input
  const outputTokens = isRecord(output) ? output.total : output
  const cachedTokens = isRecord(input) ? input.cacheRead : given.cachedInputTokens
  if (typeof inputTokens !== 'number' && typeof outputTokens !== 'number') return
  const usage = usageOf(inputTokens ?? 0, cachedTokens, outputTokens ?? 0)
  if (usage !== undefined) yield { type: 'usage', usage }
}

function endOf(given: unknown): AnswerEnd {
  const reason = isRecord(given) ? given.unified : given
  if (reason === 'length') return 'length'
  return reason === 'content-filter' ? 'refused' : 'done'
}

/** The longest message of a failure that is shown. */
const maxMessage = 600

interface FailureOptions extends AiSdkModelOptions {
  /** The host has accepted the request: what fails then is its connection or itself, unless it says otherwise. */
  isBegun?: boolean
}

function failure(error: unknown, { secrets = [], isBegun = false }: FailureOptions): ModelError {
  if (error instanceof ModelError) return error
  // Providers wrap what `fetch` throws.
  const refused = isRecord(error) && error.cause instanceof ModelFetchError ? error.cause : error
  if (refused instanceof ModelFetchError) return new ModelError(refused.message)
  const { message, statusCode, responseHeaders, responseBody } = isRecord(error) ? error : {}
  const status = typeof statusCode === 'number' ? ` (HTTP ${statusCode})` : ''
  const body = typeof responseBody === 'string' && !looksLikeMarkup(responseBody) ? detailsIn(responseBody) : undefined
  const said = typeof message === 'string' ? message : string(error) || 'The model has failed'
  const text = body === undefined || said.includes(body) ? said : `${said}: ${body}`
  const hidden = secrets.reduce((shown, secret) => (secret === '' ? shown : shown.replaceAll(secret, '…')), text)
  const retryAfterMs = retryAfter(responseHeaders)
  return new ModelError(`${hidden.slice(0, maxMessage)}${status}`, {
    retryable: isPassing(error, isBegun),
    refusesConversation: typeof statusCode === 'number' && refusesConversation(statusCode),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })
}

/** Errors of a stream that would come again. */
const lasting = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'request_too_large',
  'billing_error',
]

function isPassing(error: unknown, isBegun: boolean): boolean {
  if (!isRecord(error)) return isBegun
  const { isRetryable, statusCode, responseBody, type } = error
  if (isRetryable === true) return true
  // How a stream is reported that broke off, or whose first event is an error.
  const hasBegun = statusCode === 200 || statusCode === 500
  if (isRetryable === false) return hasBegun && !lasting.includes(typeIn(responseBody))
  return (isBegun && !lasting.includes(string(type))) || isLostConnection(error)
}

function typeIn(body: unknown): string {
  const parsed = parseJson(string(body))
  return 'value' in parsed && isRecord(parsed.value) ? string(parsed.value.type) : ''
}

/** As Node and the browsers say it. */
function isLostConnection({ message }: Readonly<Record<string, unknown>>): boolean {
  return /^(terminated|network error|error in input stream|load failed|fetch failed)$/i.test(string(message))
}

function detailsIn(body: string): string | undefined {
  const parsed = parseJson(body)
  if ('fault' in parsed) return body.trim() === '' ? undefined : body.trim()
  const json = parsed.value
  const error = isRecord(json) ? (json.error ?? json.message ?? json.detail) : undefined
  const text = isRecord(error) ? error.message : error
  return typeof text === 'string' ? text : undefined
}

function looksLikeMarkup(text: string): boolean {
  return /^\s*</.test(text)
}

function retryAfter(headers: unknown): number | undefined {
  const seconds = isRecord(headers) ? Number(headers['retry-after'] ?? Number.NaN) : Number.NaN
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
