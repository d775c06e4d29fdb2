/** One JSON request to the API of a model. Whether it is repeated is up to those who ask. */

import { isRecord } from '../src/text/is-record.js'
import { joinBytes } from '../src/text/join-bytes.js'
import { parseJson } from '../src/text/parse-json.js'
import { ModelError } from './model.js'
import { type ModelFetch, ModelFetchError, modelFetch } from './model-fetch.js'
import { retryAfterMs } from './retry-after.js'

export interface ConnectionOptions {
  /** Default: the global one. */
  fetch?: ModelFetch
}

export interface JsonRequest<Answer> {
  url: string
  headers: Readonly<Record<string, string>>
  body: unknown
  /** What must not appear in messages. */
  secrets: readonly string[]
  signal: AbortSignal
  /** Undefined for an answer that is not what the protocol says. */
  read(json: unknown): Answer | undefined
}

const maxShown = 300

/** Throws a `ModelError` that says what may be done about it. */
export async function requestJson<Answer>(request: JsonRequest<Answer>, options: ConnectionOptions): Promise<Answer> {
  const { url, read } = request
  const { status, headers, text } = await post(request, modelFetch(options))
  if (status < 200 || status > 299) throw refusal(request, status, text, headers)
  const parsed = jsonIn(text)
  const answer = parsed === undefined ? undefined : read(parsed.json)
  if (answer !== undefined) return answer
  throw new ModelError(`${hostOf(url)} gave an answer that is not in its protocol`, { retryable: true })
}

async function post(request: JsonRequest<unknown>, send: ModelFetch) {
  const { url, headers, body, signal } = request
  try {
    const response = await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      credentials: 'omit',
      body: new TextEncoder().encode(JSON.stringify(body)),
      signal,
    })
    return { status: response.status, headers: headersOf(response), text: await textOf(response.body) }
  } catch (error) {
    signal.throwIfAborted()
    // What is beyond its bounds, or leads elsewhere, will be so again.
    if (error instanceof ModelFetchError) throw new ModelError(`${hostOf(url)}: ${error.message}`)
    throw new ModelError(`${hostOf(url)} can't be reached (${cleaned(reasonOf(error), request)})`, { retryable: true })
  }
}

/** What may pass can be tried again; what is wrong with the set-up can't; anything else is up to the conversation. */
function refusal(
  request: JsonRequest<unknown>,
  status: number,
  text: string,
  headers: ReadonlyMap<string, string>,
): ModelError {
  const said = cleaned(messageIn(text), request)
  const message = `${hostOf(request.url)} answered ${status}${said && `: ${said}`}`
  if (status === 408 || status === 409 || status === 429 || status >= 500) {
    const afterMs = retryAfterMs(headers)
    return new ModelError(message, { retryable: true, ...(afterMs !== undefined && { retryAfterMs: afterMs }) })
  }
  return new ModelError(message, { refusesConversation: refusesConversation(status) })
}

/** Other refusals are about the key, the address or the model. */
export function refusesConversation(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 403, 404, 408, 409, 429].includes(status)
}

/** The message of an error in the formats of OpenAI and Anthropic, or the beginning of the text. */
function messageIn(text: string): string {
  const parsed = parseJson(text)
  const error = 'value' in parsed ? parsed.value : undefined
  const inner = isRecord(error) && isRecord(error.error) ? error.error.message : undefined
  const message = typeof inner === 'string' ? inner : text
  return message.replace(/\s+/g, ' ').trim()
}

/** Servers repeat keys in their complaints. */
function cleaned(text: string, { secrets }: Pick<JsonRequest<unknown>, 'secrets'>): string {
  let clean = text
  for (const secret of secrets) if (secret.length > 3) clean = clean.replaceAll(secret, '(secret)')
  return clean.slice(0, maxShown)
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text.split('\n', 1)[0] as string
}

/** The size of an answer was checked while it came. */
function jsonIn(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}

async function textOf(body: Awaited<ReturnType<ModelFetch>>['body']): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  const pieces: Uint8Array[] = []
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return new TextDecoder().decode(joinBytes(pieces))
    pieces.push(value)
  }
}

function headersOf(response: Awaited<ReturnType<ModelFetch>>): Map<string, string> {
  const headers = new Map<string, string>()
  response.headers.forEach((value, name) => void headers.set(name.toLowerCase(), value))
  return headers
}

/** Paths and queries of an URL may contain keys. */
function hostOf(url: string): string {
  return /^\w+:\/\/(?:[^/@]*@)?([^/?#]*)/.exec(url)?.[1] ?? 'the model'
}
