/** Finds earlier occurrences of the bytes at a position, by chains of positions with the same hash. */

export interface MatchFinder {
  /** Enters positions up to `end`, which is not entered. */
  enter(end: number): void
  /** The longest match at a position that was not entered yet, at least 3 bytes; its distance is in `distance`. */
  find(position: number, limit: number): number
  distance: number
  /** All positions are less by as much, which is a multiple of the dictionary's size. */
  shift(count: number): void
}

export interface FinderSettings {
  /** A power of two. */
  dictionary: number
  /** How many earlier positions are compared. */
  depth: number
  /** A match of this length is good enough. */
  nice: number
}

const hashBits = 17
const shortest = 3

export function matchFinder(bytes: () => Uint8Array, settings: FinderSettings): MatchFinder {
  const { dictionary, depth, nice } = settings
  const mask = dictionary - 1
  const heads = new Int32Array(1 << hashBits).fill(-1)
  const chain = new Int32Array(dictionary)
  let entered = 0

  function hash(data: Uint8Array, at: number): number {
    const word = (data[at] as number) | ((data[at + 1] as number) << 8) | ((data[at + 2] as number) << 16)
    return Math.imul(word, 0x9e3779b1) >>> (32 - hashBits)
  }

  const finder: MatchFinder = {
    distance: 0,
    enter(end) {
      const data = bytes()
      for (; entered < end; entered += 1) {
        const key = hash(data, entered)
        chain[entered & mask] = heads[key] as number
        heads[key] = entered
      }
    },
    find(position, limit) {
      if (limit < shortest) return 0
      const data = bytes()
      let best = shortest - 1
      let left = depth
      let from = heads[hash(data, position)] as number
      while (from >= 0 && position - from < dictionary && left > 0) {
        left -= 1
        if (data[from + best] === data[position + best]) {
          let length = 0
          while (length < limit && data[from + length] === data[position + length]) length += 1
          if (length > best) {
            best = length
            finder.distance = position - from - 1
            if (length >= nice || length === limit) break
          }
        }
        const earlier = chain[from & mask] as number
        if (earlier >= from) break
        from = earlier
      }
      return best < shortest ? 0 : best
    },
    shift(count) {
      entered -= count
      for (let key = 0; key < heads.length; key += 1) heads[key] = Math.max(-1, (heads[key] as number) - count)
      for (let at = 0; at < chain.length; at += 1) chain[at] = Math.max(-1, (chain[at] as number) - count)
    },
  }
  return finder
}
