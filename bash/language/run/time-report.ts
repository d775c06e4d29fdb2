/** What `time` prints. */
import { readText } from '../expand/variable-access.js'
import type { Shell } from './state/shell.js'

/** Only the elapsed time is measured: it stands for the user's time too. */
export function timeReport(shell: Shell, elapsedMs: number, posix: boolean): string {
  if (posix) return `real ${(elapsedMs / 1000).toFixed(2)}\nuser ${(elapsedMs / 1000).toFixed(2)}\nsys 0.00\n`
  const format = readText(shell, 'TIMEFORMAT')
  if (format === undefined) {
    return `\nreal\t${long(elapsedMs)}\nuser\t${long(elapsedMs)}\nsys\t${long(0)}\n`
  }
  if (format === '') return ''
  const text = format.replace(/%(?:(\d)?(l)?([RUSP])|%)/g, (whole, digits?: string, isLong?: string, kind?: string) => {
    if (kind === undefined) return whole === '%%' ? '%' : whole
    if (kind === 'P') return '100.00'
    const value = kind === 'S' ? 0 : elapsedMs
    const places = Math.min(3, Number(digits ?? 3))
    return isLong ? long(value, places) : (value / 1000).toFixed(places)
  })
  return `${text}\n`
}

function long(elapsedMs: number, places = 3): string {
  const minutes = Math.floor(elapsedMs / 60_000)
  return `${minutes}m${((elapsedMs - minutes * 60_000) / 1000).toFixed(places)}s`
}
