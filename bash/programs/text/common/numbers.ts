/** Numbers in options, with the suffixes of GNU programs. */
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'

const powers = 'KMGTPEZY'

/** `10`, `2K`, `3kB`, `1MiB`, `4b`. Undefined when it is not one. */
export function parseSize(text: string): number | undefined {
  const [, digits, suffix = ''] = /^\s*\+?(\d+)([A-Za-z]*)$/.exec(text) ?? []
  const factor = factorOf(suffix)
  if (digits === undefined || factor === undefined) return undefined
  const size = Number(digits) * factor
  return size > mostInteger ? undefined : size
}

function factorOf(suffix: string): number | undefined {
  if (suffix === '') return 1
  if (suffix === 'b') return 512
  const [, letter = '', unit] = /^([A-Za-z])(B|iB|)$/.exec(suffix) ?? []
  const power = powers.indexOf(letter === 'k' || letter === 'm' ? letter.toUpperCase() : letter) + 1
  if (letter === '' || power === 0) return undefined
  return (unit === 'B' ? 1000 : 1024) ** power
}

/** A plain decimal number that is at least `least`. `what` is such as `invalid number of columns`. */
export function requireNumber(text: string, what: string, least = 0, most = Number.MAX_SAFE_INTEGER): number {
  const number = /^\s*[+-]?\d+$/.test(text) ? Number(text) : undefined
  if (number === undefined) throw new ProgramError(`${what}: ${quoted(text)}`)
  if (number < 0 && least >= 0) throw new ProgramError(`${what}: ${quoted(text)}`)
  if (number < least || number > most) throw new ProgramError(`${what}: ${quoted(text)}: ${outOfRange(number)}`)
  return number
}

const mostInteger = 2 ** 64 - 1

function outOfRange(number: number): string {
  return number > mostInteger ? 'Value too large for defined data type' : 'Numerical result out of range'
}
