/** `sub`, `gsub` and `gensub`. */
import type { RegexMatch, ShellRegex } from '../../../regex/index.js'

/** Parts of a replacement: text, or the number of a group; 0 is the whole match. */
type Part = string | number

/** `&` is the match; `\&` is the character, and `\\&` a backslash and the match. */
export function parseReplacement(text: string, posix = false): Part[] {
  const parts: Part[] = []
  let plain = ''
  const add = (part: Part) => {
    if (typeof part === 'string') {
      plain += part
      return
    }
    if (plain !== '') parts.push(plain)
    plain = ''
    parts.push(part)
  }
  for (let at = 0; at < text.length; at += 1) {
    if (posix && /^\\[\\&]/.test(text.slice(at, at + 2))) {
      add(text[at + 1] as string)
      at += 1
    } else if (text.startsWith('\\\\\\&', at) || text.startsWith('\\\\\\\\', at)) {
      add(`\\${text[at + 3]}`)
      at += 3
    } else if (text.startsWith('\\\\&', at)) {
      add('\\')
      add(0)
      at += 2
    } else if (text.startsWith('\\&', at)) {
      add('&')
      at += 1
    } else if (text[at] === '&') add(0)
    else add(text[at] as string)
  }
  if (plain !== '') parts.push(plain)
  return parts
}

/** As for `gensub`: `\1` to `\9` are groups, `\0` and `&` the match. */
export function parseGroupReplacement(text: string): Part[] {
  const parts: Part[] = []
  const pieces = text.match(/\\[\s\S]|&|[^\\&]+|\\/gu) ?? []
  for (const piece of pieces) {
    if (piece === '&') parts.push(0)
    else if (/^\\\d$/.test(piece)) parts.push(Number(piece[1]))
    else parts.push(piece.length > 1 && piece.startsWith('\\') ? piece.slice(1) : piece)
  }
  return parts
}

export interface Substitution {
  text: string
  count: number
}

/** Replaces the match number `which`, or all. */
export function substitute(
  text: string,
  regex: ShellRegex,
  parts: readonly Part[],
  which: number | 'all',
  literal?: string,
): Substitution {
  let result = ''
  let copied = 0
  let from = 0
  let count = 0
  let seen = 0
  let lastEnd = -1
  const [only] = parts
  const fixed = parts.length === 0 ? '' : parts.length === 1 && typeof only === 'string' ? only : undefined
  if (literal !== undefined && which === 'all' && fixed !== undefined) return replaceLiteral(text, literal, fixed)
  while (from <= text.length) {
    const match = regex.exec(text, from)
    if (match === undefined) break
    const { start, end } = match
    const isEmpty = start === end
    // Nothing directly after a match is not another one, where that was replaced.
    if (!(isEmpty && start === lastEnd && which === 'all')) {
      seen += 1
      if (which === 'all' || seen === which) {
        result += text.slice(copied, start) + (fixed ?? replacement(text, match, parts))
        copied = end
        count += 1
        if (which !== 'all') break
      }
    }
    lastEnd = end
    from = isEmpty ? end + (isHighSurrogate(text.charCodeAt(end)) ? 2 : 1) : end
  }
  return count === 0 ? { text, count } : { text: result + text.slice(copied), count }
}

function replaceLiteral(text: string, wanted: string, by: string): Substitution {
  let count = 0
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) count += 1
  return count === 0 ? { text, count } : { text: text.replaceAll(wanted, () => by), count }
}

/** What a regular expression without any operator matches. */
export function literalOf(source: string): string | undefined {
  return /^[^\\^$.[\]|()*+?{}]+$/.test(source) ? source : undefined
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function replacement(text: string, { start, end, groups }: RegexMatch, parts: readonly Part[]): string {
  let made = ''
  for (const part of parts) {
    if (typeof part === 'string') made += part
    else if (part === 0) made += text.slice(start, end)
    else {
      const group = groups[part - 1]
      if (group !== undefined) made += text.slice(group[0], group[1])
    }
  }
  return made
}
