/**
 * Talks to a model's endpoint, the only origin that this worker may connect to. The AI SDK's providers are loaded here, with the first
 * request.
 */

import { type AiSdkLanguageModel, aiSdkModel } from '../../models/ai-sdk-model.js'
import { ModelError } from '../../models/model.js'
import { modelFetch } from '../../models/model-fetch.js'
import type { BeginRequest, EndpointSettings, FromWorker, ToWorker } from './model-messages.js'

/** Of one answer: this API wants a limit, and its provider's own is too low for whole files. */
const anthropicMaxTokens = 16_000

const requests = new Map<number, AbortController>()
const post = (message: FromWorker) => self.postMessage(message)

self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if ('abort' in data) requests.get(data.abort)?.abort()
  else void answer(data)
})

async function answer({ begin: id, settings, ...request }: BeginRequest): Promise<void> {
  const controller = new AbortController()
  requests.set(id, controller)
  const secrets = settings.key === '' ? [] : [settings.key]
  const limit = settings.kind === 'anthropic' ? { maxOutputTokens: anthropicMaxTokens } : {}
  try {
    const model = aiSdkModel(await languageModel(settings), { secrets, ...limit })
    for await (const part of model.stream({ ...request, signal: controller.signal })) post({ id, part })
    post({ id, end: true })
  } catch (error) {
    const { retryAfterMs, retryable } = error instanceof ModelError ? error : { retryable: false }
    const message = error instanceof Error ? error.message : String(error)
    post({ id, failure: { message, retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) } })
  } finally {
    requests.delete(id)
  }
}

async function languageModel({ kind, baseUrl: baseURL, model, key }: EndpointSettings): Promise<AiSdkLanguageModel> {
  const common = { baseURL, fetch: modelFetch({ fetch: plainFetch }) }
  if (kind === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic({
      ...common,
      apiKey: key,
      headers: { 'anthropic-dangerous-direct-browser-access': 'true' },
    })(model)
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  return createOpenAICompatible({
    ...common,
    name: 'endpoint',
    includeUsage: true,
    ...(key !== '' && { apiKey: key }),
  })(model)
}

/** Without a header that endpoints do not allow pages to send, and without cookies. */
const plainFetch: typeof fetch = (input, options = {}) => {
  const headers = new Headers(options.headers)
  headers.delete('user-agent')
  return fetch(input, { ...options, headers, credentials: 'omit', referrerPolicy: 'no-referrer' })
}
