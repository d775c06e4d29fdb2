import { UsageError } from './usage-error.js'

/** `20000000`, `20M`, `64k`; each unit is 1024 times the one before. */
export function byteSize(flag: string, given = ''): number {
  const [, digits = '', unit = ''] = /^(\d+)([kKmMgG]?)$/.exec(given) ?? []
  const bytes = Number(digits) * 1024 ** ['', 'k', 'm', 'g'].indexOf(unit.toLowerCase())
  if (digits === '' || bytes < 1024)
    throw new UsageError(`--${flag} takes bytes, such as 65536 or 64k, and at least 1k`)
  return bytes
}
