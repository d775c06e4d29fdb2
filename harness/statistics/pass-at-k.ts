/** What several trials of one task say about k further ones. */

/**
 * How likely at least one of k trials passes, estimated without bias from `passed` of `trials`: 1 - C(n-c, k) / C(n, k). `undefined` with
 * fewer than k trials.
 */
export function passAtK({ trials, passed }: Trials, k: number): number | undefined {
  if (!fits(trials, k)) return undefined
  return 1 - drawAll(trials - passed, trials, k)
}

/** How likely all of k trials pass (pass^k), estimated without bias: C(c, k) / C(n, k). `undefined` with fewer than k trials. */
export function passAllK({ trials, passed }: Trials, k: number): number | undefined {
  if (!fits(trials, k)) return undefined
  return drawAll(passed, trials, k)
}

export interface Trials {
  trials: number
  passed: number
}

function fits(trials: number, k: number): boolean {
  return Number.isInteger(k) && k >= 1 && k <= trials
}

/** How likely k draws without putting back, from `total` of which `marked` are marked, are all marked. Without factorials, which overflow. */
function drawAll(marked: number, total: number, k: number): number {
  let likely = 1
  for (let drawn = 0; drawn < k; drawn += 1) likely *= Math.max(0, marked - drawn) / (total - drawn)
  return likely
}
