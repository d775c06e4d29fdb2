/** One request to a model's API, repeated while there is hope. */

const attempts = 5
const longestPauseMs = 60_000

/** Why there is no answer. `isFinal`: no other request will be answered either, as with a wrong key. */
export class NoAnswer extends Error {
  constructor(message, { isFinal = false } = {}) {
    super(message)
    this.isFinal = isFinal
  }
}

/**
 * Posts JSON and returns the JSON of the answer. Repeats after 408, 429, 5xx, a broken connection and a stall, with growing pauses or
 * those that the API asks for.
 *
 * @param {{ url: string, headers: Record<string, string>, body: unknown, timeoutMs: number, pauseMs?: number }} request
 */
export async function post({ url, headers, body, timeoutMs, pauseMs = 1000 }) {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryOnce({ url, headers, body, timeoutMs })
    if (outcome.answer !== undefined) return outcome.answer
    if (!outcome.isPassing) throw new NoAnswer(outcome.reason, { isFinal: outcome.isFinal })
    if (attempt === attempts) throw new NoAnswer(`${outcome.reason} (${attempts} attempts)`)
    await pause(Math.min(longestPauseMs, outcome.askedPauseMs ?? pauseMs * 2 ** (attempt - 1)))
  }
}

async function tryOnce({ url, headers, body, timeoutMs }) {
  let response
  let text
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
      // A redirect would hand the key to another host.
      redirect: 'error',
    })
    text = await response.text()
  } catch (error) {
    const isStall = error.name === 'TimeoutError'
    return { isPassing: true, reason: isStall ? `no answer within ${timeoutMs / 1000} s` : causeOf(error) }
  }
  if (response.ok) return parsed(text)
  const { status } = response
  return {
    reason: `status ${status}: ${text.slice(0, 300)}`,
    isPassing: status === 408 || status === 429 || status >= 500,
    isFinal: [401, 403, 404].includes(status),
    askedPauseMs: askedPause(response.headers.get('retry-after')),
  }
}

function parsed(text) {
  try {
    return { answer: JSON.parse(text) }
  } catch {
    return { isPassing: false, reason: `the answer is not JSON: ${text.slice(0, 300)}` }
  }
}

function causeOf(error) {
  return `no connection: ${error.cause?.message || error.cause?.code || error.message}`
}

/** `Retry-After` in seconds; as a date it is left to our own pauses. */
function askedPause(header) {
  const seconds = header === null ? Number.NaN : Number(header)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
