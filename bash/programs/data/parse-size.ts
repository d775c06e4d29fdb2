/** Sizes with the suffixes of coreutils: `2K`, `3MB`, `1b`, `0x10`. */
import { ProgramError } from '../program-error.js'

const powers = 'KMGTPEZY'

export function parseSize(text: string, long: string, short: string): number {
  const size = readSize(text)
  if (size !== undefined) return size
  const suffix = /^(0[xX][0-9a-fA-F]+|\d+)(.+)$/.exec(text)
  const option = long === '' ? short : long
  if (suffix !== null) throw new ProgramError(`invalid suffix in ${option} argument '${text}'`)
  throw new ProgramError(`invalid ${option} argument '${text}'`)
}

export function readSize(text: string): number | undefined {
  const [, digits, suffix = ''] = /^(0[xX][0-9a-fA-F]+|\d+)(b|[KMGTPEZYkm](?:i?B)?)?$/.exec(text) ?? []
  if (digits === undefined) return undefined
  const octal = /^0\d/.test(digits)
  const value = octal ? Number.parseInt(digits, 8) : Number(digits)
  if (suffix === '') return value
  if (suffix === 'b') return value * 512
  const power = powers.indexOf((suffix[0] as string).toUpperCase()) + 1
  return value * (suffix.length === 2 ? 1000 : 1024) ** power
}
