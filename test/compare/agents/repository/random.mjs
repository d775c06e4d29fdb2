/** A generator of numbers that gives the same sequence for the same seed on every machine. */
export function seeded(seed) {
  let state = seed
  const below = (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  return { below, pick: (list) => list[below(list.length)] }
}
