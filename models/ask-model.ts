/** One request to a model: its answer in pieces, tried again where that makes sense. */
import { type AnswerEnd, type AnswerPart, type Model, ModelError, type ModelPart, type ModelRequest } from './model.js'
import type { Usage } from './usage.js'

export interface Answer {
  parts: readonly AnswerPart[]
  end: AnswerEnd
  usage?: Usage
}

export interface AskOptions {
  /** A model that sends nothing for so long has failed. */
  stallMs: number
  /** How often a failed request is repeated. */
  retries: number
  /** Before the first repetition; doubles each time. */
  retryDelayMs: number
  onPart?(part: ModelPart): void
  /** What was written so far is dropped, and the request repeated. */
  onRetry?(failure: ModelError, delayMs: number): void
  /** Waits between attempts. Default: for that long. */
  wait?(ms: number, signal: AbortSignal): Promise<void>
}

/** What was written before the request ended without an answer. */
export class UnfinishedError extends Error {
  override readonly name = 'UnfinishedError'

  constructor(
    readonly answer: Answer,
    readonly reason: unknown,
  ) {
    super('The answer was not finished')
  }
}

const maxDelayMs = 60_000
/** Of one answer, with everything that is written about its calls. */
const maxAnswerCharacters = 64 << 20
const maxAnswerParts = 2_000_000

/** Throws `UnfinishedError` after a failure and when `signal` aborts. */
export async function askModel(model: Model, request: ModelRequest, options: AskOptions): Promise<Answer> {
  const { retries, retryDelayMs, onRetry, wait = pause } = options
  for (let attempt = 0; ; attempt += 1) {
    const answer = collect()
    try {
      await readStream(model, request, { ...options, add: answer.add })
      return answer.made()
    } catch (error) {
      const isOver = request.signal.aborted || attempt >= retries
      if (isOver || !(error instanceof ModelError) || !error.retryable) throw new UnfinishedError(answer.made(), error)
      const delayMs = Math.min(maxDelayMs, error.retryAfterMs ?? retryDelayMs * 2 ** attempt)
      onRetry?.(error, delayMs)
      await wait(delayMs, request.signal).catch((reason) => {
        throw new UnfinishedError(collect().made(), reason)
      })
    }
  }
}

interface ReadOptions extends AskOptions {
  add(part: ModelPart): void
}

/** Returns when the stream has ended, and does not wait for one that stalls or ignores its signal. */
async function readStream(model: Model, request: ModelRequest, { stallMs, add, onPart }: ReadOptions): Promise<void> {
  const controller = new AbortController()
  const pass = () => controller.abort(request.signal.reason)
  request.signal.throwIfAborted()
  request.signal.addEventListener('abort', pass, { once: true })
  const parts = model.stream({ ...request, signal: controller.signal })[Symbol.asyncIterator]()
  const count = partCounter()
  try {
    for (;;) {
      const next = await within(parts.next(), stallMs, request.signal)
      if (next.done === true) return
      count(next.value)
      add(next.value)
      onPart?.(next.value)
    }
  } finally {
    request.signal.removeEventListener('abort', pass)
    controller.abort()
    // A stalled stream may never answer this.
    void Promise.resolve(parts.return?.()).catch(() => {})
  }
}

/** Throws for an answer without end. */
function partCounter(): (part: ModelPart) => void {
  let characters = 0
  let count = 0
  return (part) => {
    count += 1
    if (part.type === 'call') characters += part.args.length
    else if ('text' in part) characters += part.text.length
    if (characters <= maxAnswerCharacters && count <= maxAnswerParts) return
    const most = characters > maxAnswerCharacters ? `${maxAnswerCharacters} characters` : `${maxAnswerParts} parts`
    throw new ModelError(`The model’s answer is longer than ${most}`)
  }
}

function within<Value>(promise: Promise<Value>, stallMs: number, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => settle(() => reject(signal.reason))
    const timer = setTimeout(() => {
      const seconds = Math.round(stallMs / 1000)
      settle(() => reject(new ModelError(`The model sent nothing for ${seconds} s`, { retryable: true })))
    }, stallMs)
    const settle = (then: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      then()
    }
    signal.addEventListener('abort', stop, { once: true })
    promise.then(
      (value) => settle(() => resolve(value)),
      (error) => settle(() => reject(error)),
    )
    if (signal.aborted) stop()
  })
}

/** Adjacent pieces of text become one part. */
function collect() {
  const parts: AnswerPart[] = []
  let end: AnswerEnd = 'done'
  let usage: Usage | undefined

  function add(part: ModelPart): void {
    if (part.type === 'end') end = part.reason
    else if (part.type === 'usage') usage = part.usage
    else if (part.type === 'call') parts.push(part)
    else if (part.type !== 'writing') append(part)
  }

  function append(part: AnswerPart & { type: 'text' | 'reasoning' }): void {
    const last = parts.at(-1)
    const isClosed = last?.type === 'reasoning' && last.raw !== undefined
    if (last?.type !== part.type || isClosed) parts.push({ ...part })
    else parts[parts.length - 1] = { ...last, ...part, text: last.text + part.text }
  }

  const made = (): Answer => ({
    parts: parts.filter((part) => part.type === 'call' || part.text !== '' || 'raw' in part),
    end,
    ...(usage && { usage }),
  })
  return { add, made }
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
