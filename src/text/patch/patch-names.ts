/** File names in patches of git and GNU diff: unquoted up to a TAB, or in C-style quotes. */

/** The name at the start of `text`, without the date after a TAB. Undefined if its quotes are invalid. */
export function parseName(text: string): string | undefined {
  if (text.startsWith('"')) return parseQuoted(text)?.name
  const tab = text.indexOf('\t')
  return tab === -1 ? text : text.slice(0, tab)
}

/** Both names of a `diff --git` line; `from` and `to` are without git's prefixes. */
export interface HeaderNames {
  from?: string
  to?: string
  /** As written, with prefixes. */
  written?: { from: string; to: string }
}

/** Empty if the names can't be separated: for a rename they are in other lines too. */
export function parseHeaderNames(text: string): HeaderNames {
  if (text.startsWith('"')) {
    const first = parseQuoted(text)
    if (!first) return {}
    return named(first.name, parseName(text.slice(first.length + 1)))
  }
  if (text.endsWith('"')) {
    const quote = text.indexOf(' "')
    return quote === -1 ? {} : named(text.slice(0, quote), parseName(text.slice(quote + 1)))
  }
  // Unquoted names may have spaces: they can be separated only if both are equal, each half of the line.
  const half = (text.length - 1) / 2
  if (!Number.isInteger(half) || text[half] !== ' ') return {}
  const names = named(text.slice(0, half), text.slice(half + 1))
  return names.from !== undefined && names.from === names.to ? names : {}
}

/** Removes git's prefix `a/` or `b/`. */
export function withoutPrefix(name: string): string {
  return name.replace(/^[ab]\//, '')
}

/** Removes the first directory; undefined if there is none. */
export function withoutFirst(name: string): string | undefined {
  const slash = name.indexOf('/')
  return slash === -1 ? undefined : name.slice(slash + 1)
}

function named(from: string, to: string | undefined): HeaderNames {
  if (to === undefined) return {}
  return { ...bothWithoutPrefix(from, to), written: { from, to } }
}

/**
 * The two names of a git block. If neither has the prefix `a/` or `b/`, they have other prefixes that git was configured to write (`i/` and
 * `w/`, `c/` and `i/`), or none.
 */
export function bothWithoutPrefix(from: string, to: string): { from: string; to: string } {
  const usual = { from: withoutPrefix(from), to: withoutPrefix(to) }
  const isOther = usual.from === from && usual.to === to && from !== to
  const name = isOther ? withoutFirst(from) : undefined
  return name !== undefined && name === withoutFirst(to) ? { from: name, to: name } : usual
}

/** A name in quotes at the start of `text`, and the length of both. */
export function parseQuoted(text: string): { name: string; length: number } | undefined {
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(text)
  if (!quoted) return undefined
  const bytes: number[] = []
  for (const [part, octal, letter] of (quoted[1] as string).matchAll(/\\([0-3][0-7]{2})|\\(.)|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else if (letter === undefined) bytes.push(...new TextEncoder().encode(part))
    else if (letter === '"' || letter === '\\') bytes.push(letter.charCodeAt(0))
    else if ('abtnvfr'.includes(letter)) bytes.push(0x07 + 'abtnvfr'.indexOf(letter))
    else return undefined
  }
  try {
    const name = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes))
    return { name, length: quoted[0].length }
  } catch {
    // A name that is not UTF-8 can't be reached here.
    return undefined
  }
}
