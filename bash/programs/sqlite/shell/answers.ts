/**
 * What functions of SQL need that has to be waited for. The engine can't wait: a function that misses an answer fails, the answer is
 * fetched, and the statement runs again with it.
 */
export interface Answers {
  /** The answer to what `key` names; otherwise `fetch` is run once the statement has ended. */
  get<Answer>(key: string, fetch: () => Promise<Answer>): { answer: Answer } | undefined
  readonly isMissing: boolean
  fetchMissing(): Promise<void>
  /** Another statement begins. */
  reset(): void
  /** Numbers the calls of one run of a statement, for keys. */
  next(): number
  restart(): void
}

export function answers(): Answers {
  const known = new Map<string, unknown>()
  const missing = new Map<string, () => Promise<unknown>>()
  let calls = 0
  return {
    get<Answer>(key: string, fetch: () => Promise<Answer>) {
      if (known.has(key)) return { answer: known.get(key) as Answer }
      missing.set(key, fetch)
      return undefined
    },
    get isMissing() {
      return missing.size > 0
    },
    async fetchMissing() {
      for (const [key, fetch] of missing) known.set(key, await fetch())
      missing.clear()
    },
    reset() {
      known.clear()
      missing.clear()
      calls = 0
    },
    next: () => calls++,
    restart() {
      calls = 0
    },
  }
}
