/** Shell patterns for whole names, as `fnmatch` matches them without flags: `*` and `?` match `/` and leading dots too. */

type Token = { kind: 'any' } | { kind: 'star' } | { kind: 'one'; matches(character: string): boolean }

const classes: Readonly<Record<string, RegExp>> = {
  alpha: /[\p{L}]/u,
  digit: /[0-9]/,
  alnum: /[\p{L}\p{N}]/u,
  upper: /\p{Lu}/u,
  lower: /\p{Ll}/u,
  space: /[\t-\r ]/,
  blank: /[\t ]/,
  punct: /[!-/:-@[-`{-~\p{P}\p{S}]/u,
  print: /[^\p{Cc}\p{Cs}]/u,
  graph: /[^\p{Cc}\p{Cs}\s]/u,
  cntrl: /\p{Cc}/u,
  xdigit: /[0-9A-Fa-f]/,
}

export function namePattern(pattern: string, { ignoreCase = false } = {}): (name: string) => boolean {
  const fold = ignoreCase ? (text: string) => text.toLowerCase() : (text: string) => text
  const tokens = tokensOf([...fold(pattern)], ignoreCase)
  return (name) => matchTokens(tokens, [...fold(name)])
}

function tokensOf(characters: readonly string[], ignoreCase: boolean): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] as string
    const set = character === '[' ? bracket(characters, at, ignoreCase) : undefined
    if (character === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' })
    } else if (character === '?') tokens.push({ kind: 'any' })
    else if (set !== undefined) {
      tokens.push({ kind: 'one', matches: set.matches })
      at = set.end
    } else if (character === '\\') {
      at += 1
      const literal = characters[at]
      // A pattern that ends with a backslash matches nothing.
      tokens.push({ kind: 'one', matches: (other) => other === literal })
    } else tokens.push({ kind: 'one', matches: (other) => other === character })
  }
  return tokens
}

/** The set that starts at `[`; undefined when it has no end, and `[` stands for itself. */
function bracket(
  characters: readonly string[],
  start: number,
  ignoreCase: boolean,
): { matches(character: string): boolean; end: number } | undefined {
  let at = start + 1
  const isNegated = characters[at] === '!' || characters[at] === '^'
  if (isNegated) at += 1
  const first = at
  const tests: Array<(character: string) => boolean> = []
  while (at < characters.length) {
    const character = characters[at] as string
    if (character === ']' && at > first) {
      return { matches: (other) => tests.some((test) => test(other)) !== isNegated, end: at }
    }
    const named = character === '[' ? classAt(characters, at, ignoreCase) : undefined
    if (named !== undefined) {
      tests.push(named.test)
      at = named.end + 1
      continue
    }
    const low = character === '\\' && at + 1 < characters.length ? (characters[(at += 1)] as string) : character
    if (characters[at + 1] === '-' && characters[at + 2] !== undefined && characters[at + 2] !== ']') {
      at += 2
      if (characters[at] === '\\' && at + 1 < characters.length) at += 1
      const high = characters[at] as string
      tests.push((other) => codePoint(other) >= codePoint(low) && codePoint(other) <= codePoint(high))
    } else tests.push((other) => other === low)
    at += 1
  }
  return undefined
}

function codePoint(character: string): number {
  return character.codePointAt(0) as number
}

/** `[:alpha:]`, `[=a=]` or `[.a.]`. */
function classAt(
  characters: readonly string[],
  at: number,
  ignoreCase: boolean,
): { test(character: string): boolean; end: number } | undefined {
  const [, mark = '', name = ''] = /^\[([:=.])(.+?)\1\]/su.exec(characters.slice(at, at + 20).join('')) ?? []
  if (mark === '') return undefined
  const end = at + [...name].length + 3
  if (mark !== ':') return { test: (other) => other === name, end }
  const known = classes[ignoreCase && (name === 'upper' || name === 'lower') ? 'alpha' : name]
  return { test: (other) => known?.test(other) ?? false, end }
}

function matchTokens(tokens: readonly Token[], name: readonly string[]): boolean {
  let token = 0
  let at = 0
  let star = -1
  let retry = 0
  while (at < name.length) {
    const current = tokens[token]
    if (current?.kind === 'star') {
      star = token
      retry = at
      token += 1
    } else if (current !== undefined && (current.kind === 'any' || current.matches(name[at] as string))) {
      token += 1
      at += 1
    } else if (star >= 0) {
      retry += 1
      at = retry
      token = star + 1
    } else return false
  }
  while (tokens[token]?.kind === 'star') token += 1
  return token === tokens.length
}
