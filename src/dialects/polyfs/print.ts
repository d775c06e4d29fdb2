/** Formats numbers, sizes and times. */

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** `512 B`, `1.5 KB`, `12 MB`. */
export function size(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${value < 10 && unit > 0 ? Number(value.toFixed(1)) : Math.round(value)} ${units[unit]}`
}

const units = ['B', 'KB', 'MB', 'GB', 'TB']

/** To the second, in UTC. */
export function time(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

/** The first of some line numbers. */
export function some(lines: readonly number[]): string {
  return lines.slice(0, 10).join(', ') + (lines.length > 10 ? ', …' : '')
}
