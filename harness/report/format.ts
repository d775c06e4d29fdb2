import type { Estimate } from '../statistics/interval.js'

export function percent(rate: number): string {
  return `${(rate * 100).toFixed(1)} %`
}

/** `62.5 % (48.1 to 75.0)`. */
export function percentWithInterval({ value, low, high }: Estimate): string {
  return `${percent(value)} (${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)})`
}

/** A difference of rates, in points of a percent: `+12.5 (-1.0 to +26.0)`. */
export function pointsWithInterval({ value, low, high }: Estimate): string {
  return `${points(value)} (${points(low)} to ${points(high)})`
}

export function points(difference: number): string {
  const rounded = (difference * 100).toFixed(1)
  if (rounded === '-0.0') return '0.0'
  return difference > 0 && rounded !== '0.0' ? `+${rounded}` : rounded
}

/** `1 task`, `3 tasks`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** What is said of episodes whose commands ran programs of the machine. */
export function realTier(episodes: number): string {
  return `real: commands of ${counted(episodes, 'episode')} ran programs of the machine`
}
