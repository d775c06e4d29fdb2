/** One match of a regular expression. `groups[0]` is the whole match; a group that did not participate is undefined. */
export interface RegexMatch {
  start: number
  end: number
  groups: readonly (string | undefined)[]
  named?: Readonly<Record<string, string | undefined>>
}

/** Finds all matches in a text, in order. Protection against slow patterns is its own matter. */
export interface RegexSearch {
  (text: string): Iterable<RegexMatch>
  /** Texts of which each match contains one. Given only if each match lies in one line, and depends on that line alone. */
  readonly inLines?: readonly string[] | undefined
}

/** Searches with the platform's engine, without protection against slow patterns; `pattern` needs the `g` flag. */
export function regexSearch(pattern: RegExp): RegexSearch {
  return function* search(text) {
    for (const match of text.matchAll(pattern)) {
      const [whole] = match
      const span = { start: match.index, end: match.index + whole.length, groups: [...match] }
      yield match.groups ? { ...span, named: match.groups } : span
    }
  }
}

/**
 * What a replacement may refer to.
 * - `ecmascript`: as `String.prototype.replace`: `$1`, `$&`, `$$`, `$<name>`, `` $` ``, `$'`.
 * - `sed`: `\0` to `\9`, `$0` to `$9`, `$&`, `$$`, and the escapes `\n`, `\t`, `\r`, `\\`; a group that the pattern does not have is an error.
 */
export type ReplacementTokens = 'ecmascript' | 'sed'

/** A group that the replacement refers to and the pattern does not have. */
export interface MissingGroup {
  reference: number
  count: number
}

/** The first group reference of `replacement` that a pattern with `count` groups does not have. */
export function missingGroup(replacement: string, tokens: ReplacementTokens, count: number): MissingGroup | undefined {
  if (tokens === 'ecmascript') return undefined
  for (const [token] of replacement.matchAll(sedTokens)) {
    const reference = Number(token[1])
    if (/\d$/.test(token) && reference > count) return { reference, count }
  }
  return undefined
}

/** The replacement for one match in `text`. */
export function expand(replacement: string, match: RegexMatch, text: string, tokens: ReplacementTokens): string {
  return tokens === 'sed' ? expandSed(replacement, match) : expandEcmascript(replacement, match, text)
}

const sedTokens = /\\[\s\S]|\$[\d&$]/g

function expandSed(replacement: string, { groups }: RegexMatch): string {
  return replacement.replace(sedTokens, (token) => {
    const name = token[1]!
    if (/\d/.test(name)) return groups[Number(name)] ?? ''
    if (token === '$&') return groups[0] ?? ''
    if (token === '$$') return '$'
    return escapes[token] ?? token
  })
}

const escapes: Readonly<Record<string, string>> = { '\\n': '\n', '\\t': '\t', '\\r': '\r', '\\\\': '\\' }

function expandEcmascript(replacement: string, { start, end, groups, named }: RegexMatch, text: string): string {
  return replacement.replace(/\$(?:[$&`']|\d\d?|<([^>]*)>)/g, (token, name?: string) => {
    if (token === '$$') return '$'
    if (token === '$&') return groups[0] ?? ''
    if (token === '$`') return text.slice(0, start)
    if (token === "$'") return text.slice(end)
    if (name !== undefined) return named ? (named[name] ?? '') : token
    const two = Number(token.slice(1))
    if (two >= 1 && two < groups.length) return groups[two] ?? ''
    const one = Number(token[1])
    if (token.length === 3 && one >= 1 && one < groups.length) return (groups[one] ?? '') + token[2]
    return token
  })
}
