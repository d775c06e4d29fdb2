/** Sizes as options give them and as listings show them. */
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'

const letters = 'KMGTPEZY'

/** How `-h`, `--si` and `--block-size` show a size. */
export interface SizeStyle {
  /** Base of the units; absent: multiples of `unit`. */
  base?: 1000 | 1024
  unit: number
  /** Printed after each size, such as `K` for `--block-size=K`. */
  suffix?: string
}

/** Rounds up, as GNU does for disk sizes. */
export function sizeText(bytes: number, { base, unit, suffix = '' }: SizeStyle): string {
  return base === undefined ? `${Math.ceil(bytes / unit)}${suffix}` : humanSize(bytes, base)
}

export function humanSize(bytes: number, base: 1000 | 1024): string {
  if (bytes < base) return String(bytes)
  let power = 0
  let value = bytes
  while (value >= base && power < letters.length) {
    value /= base
    power += 1
  }
  let shown = value < 10 ? Math.ceil(round(value * 10)) / 10 : Math.ceil(round(value))
  if (shown >= base && power < letters.length) {
    shown /= base
    power += 1
  }
  const letter = base === 1000 && power === 1 ? 'k' : letters.charAt(power - 1)
  return `${shown < 10 ? shown.toFixed(1) : shown}${letter}`
}

/** Removes what binary fractions add. */
function round(value: number): number {
  return Math.round(value * 1e9) / 1e9
}

/** `10`, `4K`, `1MB`, `2MiB`. Undefined when it is not a size. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d+)(.*)$/s.exec(text) ?? []
  const factor = unitFactor(unit)
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor
}

export function unitFactor(unit: string): number | undefined {
  if (unit === '') return 1
  const [, letter = '', kind = ''] = /^([KkMGTPEZY])(B|iB)?$/.exec(unit) ?? []
  if (letter === '') return undefined
  return (kind === 'B' ? 1000 : 1024) ** (letters.indexOf(letter.toUpperCase()) + 1)
}

/** The value of `--block-size`. */
export function blockSizeStyle(value: string): SizeStyle {
  if (value === 'human-readable') return { base: 1024, unit: 1 }
  if (value === 'si') return { base: 1000, unit: 1 }
  const alone = unitFactor(value)
  if (value !== '' && alone !== undefined) return { unit: alone, suffix: value.replace('iB', '') }
  const unit = parseSize(value)
  if (unit === undefined || unit === 0) throw new ProgramError(`invalid --block-size argument ${quoted(value)}`)
  return { unit }
}
