/** File names as git and GNU diff write them in patches: bare up to a TAB, or in C-style quotes. */

/** The name that `text` starts with; what follows a TAB (a date) is not part of it. Undefined when its quotes are broken. */
export function parseName(text: string): string | undefined {
  if (text.startsWith('"')) return parseQuoted(text)?.name
  const tab = text.indexOf('\t')
  return tab === -1 ? text : text.slice(0, tab)
}

/** Both names of a `diff --git` line; `from` and `to` are without what git puts before them. */
export interface HeaderNames {
  from?: string
  to?: string
  /** As they stand there. */
  written?: { from: string; to: string }
}

/** Empty when the names can't be told apart: a rename says them again. */
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
  // Bare names may have spaces; only a name that stands there twice can be told, and then it is half of the line.
  const half = (text.length - 1) / 2
  if (!Number.isInteger(half) || text[half] !== ' ') return {}
  const names = named(text.slice(0, half), text.slice(half + 1))
  return names.from !== undefined && names.from === names.to ? names : {}
}

/** Without one leading `a/` or `b/`, which git puts before the names. */
export function withoutPrefix(name: string): string {
  return name.replace(/^[ab]\//, '')
}

/** Without the first directory, whatever it is called; undefined where there is none. */
export function withoutFirst(name: string): string | undefined {
  const slash = name.indexOf('/')
  return slash === -1 ? undefined : name.slice(slash + 1)
}

function named(from: string, to: string | undefined): HeaderNames {
  if (to === undefined) return {}
  return { ...bothWithoutPrefix(from, to), written: { from, to } }
}

/**
 * The two names of a block of git's. Where neither has `a/` or `b/`, they are one name below two others, which git was told to put there
 * (`i/` and `w/`, `c/` and `i/`), or nothing was.
 */
export function bothWithoutPrefix(from: string, to: string): { from: string; to: string } {
  const usual = { from: withoutPrefix(from), to: withoutPrefix(to) }
  const isOther = usual.from === from && usual.to === to && from !== to
  const name = isOther ? withoutFirst(from) : undefined
  return name !== undefined && name === withoutFirst(to) ? { from: name, to: name } : usual
}

function parseQuoted(text: string): { name: string; length: number } | undefined {
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
    // Bytes that are not UTF-8 name no file that can be reached here.
    return undefined
  }
}
