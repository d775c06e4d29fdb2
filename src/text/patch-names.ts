/** File names as git and GNU diff write them in patches: bare up to a TAB, or in C-style quotes. */

/** The name that `text` starts with; what follows a TAB (a date) is not part of it. Undefined when its quotes are broken. */
export function parseName(text: string): string | undefined {
  if (text.startsWith('"')) return parseQuoted(text)?.name
  const tab = text.indexOf('\t')
  return tab === -1 ? text : text.slice(0, tab)
}

/** Both names of a `diff --git` line without `a/` and `b/`. Empty when they can't be told apart: a rename says them again. */
export function parseHeaderNames(text: string): { from?: string; to?: string } {
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
  const { from, to } = named(text.slice(0, half), text.slice(half + 1))
  return from !== undefined && from === to ? { from, to } : {}
}

function named(from: string, to: string | undefined): { from?: string; to?: string } {
  if (to === undefined) return {}
  return { from: from.replace(/^[ab]\//, ''), to: to.replace(/^[ab]\//, '') }
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
