/** Work that is repeated while nobody asks for it rests so many times as long as it took. */
const restFactor = 50

export interface Pace {
  /** Runs the work, and measures how long it takes. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
  /** It has rested long enough. */
  isDue(): boolean
}

export function pace(now = () => performance.now()): Pace {
  let running = 0
  let dueMs = 0
  return {
    async run(work) {
      const began = now()
      running += 1
      try {
        return await work()
      } finally {
        running -= 1
        dueMs = now() + restFactor * (now() - began)
      }
    },
    isDue: () => running === 0 && now() >= dueMs,
  }
}
