/** What kind of text a line of SQL ends in, so that the shell knows whether a statement goes on. */

export interface Scan {
  /** The character that ends a quotation or comment which goes on, or nothing. */
  readonly waits: string
  readonly hasText: boolean
  readonly hasSemicolon: boolean
}

export const startOfScan: Scan = { waits: '', hasText: false, hasSemicolon: false }

export const isPlain = (scan: Scan) => scan.waits === ''
/** Nothing but space and comments. */
export const isBlank = (scan: Scan) => scan.waits === '' && !scan.hasText
export const isEnded = (scan: Scan) => scan.waits === '' && scan.hasSemicolon
export const atLineStart = (line: string) => line.startsWith('.') || line.startsWith('#')

export function scanLine(line: string, before: Scan): Scan {
  let { waits, hasText, hasSemicolon } = before
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] as string
    if (waits !== '') {
      if (character !== waits) continue
      if (waits === '*') {
        if (line[at + 1] !== '/') continue
        at += 1
      } else if (waits !== ']' && line[at + 1] === waits) {
        at += 1
        continue
      }
      waits = ''
      continue
    }
    if (/[ \t\n\v\f\r]/.test(character)) continue
    if (character === '-' && line[at + 1] === '-') {
      const end = line.indexOf('\n', at)
      if (end < 0) break
      at = end
      continue
    }
    if (character === ';') {
      hasSemicolon = true
      continue
    }
    if (character === '/' && line[at + 1] === '*') {
      waits = '*'
      at += 1
      continue
    }
    hasText = true
    hasSemicolon = false
    if (character === '[') waits = ']'
    else if (character === '`' || character === "'" || character === '"') waits = character
  }
  if (waits === startOfScan.waits && !hasText && !hasSemicolon) return startOfScan
  return { waits, hasText, hasSemicolon }
}
