/** Reads what other tools call a regular expression, where it can only mean one thing. */

export interface ReadPattern {
  pattern: string
  ignoreCase?: true
  /** What was read as what. */
  assumed: string[]
}

/** Flags at the beginning, as in PCRE, Python and Rust. Lines are searched one by one, so that `m` and `s` change nothing. */
const leadingFlags = /^\(\?([imsu]+)\)/

/** The classes of POSIX within brackets, as grep has them. */
const classes: Readonly<Record<string, string>> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: 'A-Za-z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  xdigit: '0-9A-Fa-f',
  word: '\\w',
  space: '\\s',
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`{-~',
  cntrl: '\\x00-\\x1f\\x7f',
  print: '\\x20-\\x7e',
  graph: '\\x21-\\x7e',
}

export function readPattern(given: string, { multiline }: { multiline: boolean }): ReadPattern {
  const assumed: string[] = []
  const [prefix = '', flags = ''] = (multiline ? undefined : leadingFlags.exec(given)) ?? []
  const ignoreCase = flags.includes('i')
  if (ignoreCase) assumed.push(`${prefix} as ignore_case`)
  const pattern = given
    .slice(prefix.length)
    .replace(/\\[\s\S]|\[:(\w+):\]/g, (text, name: string | undefined, at: number) => {
      const own = name === undefined || !isInBrackets(given.slice(prefix.length), at) ? undefined : classes[name]
      if (own === undefined) return text
      assumed.push(`${text} as ${own}`)
      return own
    })
  return { pattern, ...(ignoreCase && { ignoreCase }), assumed: [...new Set(assumed)] }
}

/** Whether the place is between `[` and its `]`. */
function isInBrackets(pattern: string, end: number): boolean {
  let isOpen = false
  for (let at = 0; at < end; at += 1) {
    const character = pattern[at]
    if (character === '\\') at += 1
    else if (character === '[' && isOpen && pattern[at + 1] === ':') at = Math.max(at, pattern.indexOf(':]', at) + 1)
    else if (character === '[') isOpen = true
    else if (character === ']') isOpen = false
  }
  return isOpen
}

/** What the pattern may have been meant for, if it found nothing: in grep, `\|` is an alternative, and `\<` and `\>` are edges of words. */
export function otherDialectHint(pattern: string): string | undefined {
  if (/(?<!\\)(?:\\\\)*\\\|/.test(pattern)) return '[\\| is the character | here; alternatives are written a|b]'
  if (/(?<!\\)(?:\\\\)*\\[<>]/.test(pattern)) return '[edges of words are written \\b here]'
  return undefined
}
