/** One JSON request to the API of a model, repeated where that may help. */
import { type ModelFetch, ModelFetchError, modelFetch } from '../../src/model-fetch.js'
import { joinBytes } from '../../src/text/join-bytes.js'
import { parseJson } from '../../src/text/parse-json.js'
import { InfraError, reasonOf } from '../infra-error.js'
import { isRecord, ModelError } from './model.js'
import { retryAfterMs } from './retry-after.js'

export interface ConnectionOptions {
  /** Default: the global one. */
  fetch?: ModelFetch
  /** How often a request is repeated after 429, 5xx, a lost connection or an answer that is no JSON. Default: 5. */
  maxRetries?: number
  /** A safety net for an answer that never comes, over all repetitions. Default: 10 minutes. */
  timeoutMs?: number
  /** Waits between attempts. Default: for that long. */
  wait?(ms: number, signal: AbortSignal): Promise<void>
}

export interface JsonRequest<Answer> {
  url: string
  headers: Readonly<Record<string, string>>
  body: unknown
  /** What must not appear in messages. */
  secrets: readonly string[]
  signal: AbortSignal
  /** Undefined for an answer that is not what the protocol says; then it is asked for again. */
  read(json: unknown): Answer | undefined
}

type Attempt<Answer> = { answer: Answer } | { fault: string; afterMs?: number }

const firstWaitMs = 1000
const longestWaitMs = 60_000
const maxShown = 300

export async function requestJson<Answer>(request: JsonRequest<Answer>, options: ConnectionOptions): Promise<Answer> {
  const { maxRetries = 5, wait = waitFor, timeoutMs = 600_000 } = options
  const send = modelFetch(options)
  const limit = new AbortController()
  const stop = () => limit.abort(request.signal.reason)
  request.signal.addEventListener('abort', stop, { once: true })
  if (request.signal.aborted) stop()
  let fault = ''
  const timer = setTimeout(() => {
    const before = fault === '' ? '' : `; before, it ${fault}`
    limit.abort(new InfraError(`${hostOf(request.url)} did not answer within ${timeoutMs} ms${before}`))
  }, timeoutMs)
  try {
    for (let attempt = 0; ; attempt += 1) {
      limit.signal.throwIfAborted()
      const result = await attemptOnce(request, send, limit.signal)
      if ('answer' in result) return result.answer
      fault = result.fault
      if (attempt >= maxRetries) throw new InfraError(`${hostOf(request.url)} ${fault}, ${attempt + 1} times`)
      await wait(result.afterMs ?? Math.min(longestWaitMs, firstWaitMs * 2 ** attempt), limit.signal)
    }
  } finally {
    clearTimeout(timer)
    request.signal.removeEventListener('abort', stop)
  }
}

async function attemptOnce<Answer>(
  request: JsonRequest<Answer>,
  send: ModelFetch,
  signal: AbortSignal,
): Promise<Attempt<Answer>> {
  const { url, headers, body, read } = request
  try {
    const response = await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      credentials: 'omit',
      body: new TextEncoder().encode(JSON.stringify(body)),
      signal,
    })
    const text = await textOf(response.body)
    const { status } = response
    if (status < 200 || status > 299) return refused(request, status, text, headersOf(response))
    const answer = jsonIn(text)
    const value = answer === undefined ? undefined : read(answer.json)
    return value === undefined ? { fault: 'gave an answer that is not in its protocol' } : { answer: value }
  } catch (error) {
    if (error instanceof InfraError || error instanceof ModelError) throw error
    signal.throwIfAborted()
    // What is beyond its bounds, or leads elsewhere, will be so again.
    if (error instanceof ModelFetchError) throw new InfraError(`${hostOf(url)}: ${error.message}`)
    return { fault: `can't be reached (${cleaned(reasonOf(error), request)})` }
  }
}

/** What may pass is tried again; what is wrong with the set-up has no result; anything else is up to the conversation. */
function refused(
  request: JsonRequest<unknown>,
  status: number,
  text: string,
  headers: ReadonlyMap<string, string>,
): { fault: string; afterMs?: number } {
  const said = cleaned(messageIn(text), request)
  const fault = `answered ${status}${said && `: ${said}`}`
  if (status === 408 || status === 409 || status === 429 || status >= 500) {
    const afterMs = retryAfterMs(headers)
    return { fault, ...(afterMs !== undefined && { afterMs: Math.min(afterMs, longestWaitMs) }) }
  }
  if (status === 401 || status === 403 || status === 404 || status < 400) {
    throw new InfraError(`${hostOf(request.url)} ${fault}`)
  }
  throw new ModelError(`${hostOf(request.url)} ${fault}`)
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

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    function stop(): void {
      clearTimeout(timer)
      reject(signal.reason)
    }
    signal.addEventListener('abort', stop, { once: true })
  })
}
