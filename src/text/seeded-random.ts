/** Random numbers from 0 to 1 that a seed determines. */
export interface SeededRandom {
  (): number
  /** A seed for the numbers that follow. */
  state(): number
}

/** By mulberry32. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed | 0

  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  return Object.assign(next, { state: () => state })
}
