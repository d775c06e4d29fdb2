/**
 * The lines of the keys and headers of a valid TOML document, by their paths as JSON. Keys of inline tables are not among them. The
 * parser does not report positions.
 */
export function tomlKeyLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  /** How many tables an array of tables has so far. */
  const counts = new Map<string, number>()
  let table: (string | number)[] = []
  let at = 0
  let line = 1

  function note(path: readonly (string | number)[]): void {
    for (let length = 1; length <= path.length; length += 1) {
      const key = JSON.stringify(path.slice(0, length))
      if (!lines.has(key)) lines.set(key, line)
    }
  }

  /** The table that a header names: a step into an array of tables means its last one. */
  function resolved(names: readonly string[]): (string | number)[] {
    const path: (string | number)[] = []
    for (const name of names) {
      path.push(name)
      const count = counts.get(JSON.stringify(path))
      if (count !== undefined) path.push(count - 1)
    }
    return path
  }

  function header(): void {
    const isArray = text[at + 1] === '['
    at += isArray ? 2 : 1
    const names = keyNames()
    if (isArray) {
      const place = JSON.stringify([...resolved(names.slice(0, -1)), ...names.slice(-1)])
      counts.set(place, (counts.get(place) ?? 0) + 1)
    }
    table = resolved(names)
    note(table)
    skipLine()
  }

  /** The parts of a dotted key; stops behind it. */
  function keyNames(): string[] {
    const names: string[] = []
    for (;;) {
      skipBlanks()
      const quote = text[at]
      const start = at
      if (quote === '"' || quote === "'") {
        skipString()
        names.push(unquoted(text.slice(start, at)))
      } else {
        while (at < text.length && /[\w-]/.test(text[at] as string)) at += 1
        names.push(text.slice(start, at))
      }
      skipBlanks()
      if (text[at] !== '.') return names
      at += 1
    }
  }

  function skipBlanks(): void {
    while (text[at] === ' ' || text[at] === '\t') at += 1
  }

  function skipLine(): void {
    while (at < text.length && text[at] !== '\n') at += 1
  }

  function skipString(): void {
    const quote = text[at] as string
    const isLong = text.startsWith(quote.repeat(3), at)
    const end = isLong ? quote.repeat(3) : quote
    at += end.length
    while (at < text.length && !text.startsWith(end, at)) {
      if (text[at] === '\n') line += 1
      at += quote === '"' && text[at] === '\\' && text[at + 1] !== '\n' ? 2 : 1
    }
    at += end.length
    // A long string may end in up to two quotes of its own.
    while (isLong && text[at] === quote) at += 1
  }

  /** A value, over as many lines as it takes. */
  function skipValue(): void {
    let depth = 0
    for (; at < text.length; ) {
      const character = text[at] as string
      if (character === '"' || character === "'") {
        skipString()
        continue
      }
      if (character === '#') {
        skipLine()
        continue
      }
      if (character === '\n') {
        if (depth === 0) return
        line += 1
      }
      if (character === '[' || character === '{') depth += 1
      if (character === ']' || character === '}') depth -= 1
      at += 1
    }
  }

  while (at < text.length) {
    const character = text[at] as string
    if (character === '\n') {
      line += 1
      at += 1
    } else if (character === ' ' || character === '\t' || character === '\r') at += 1
    else if (character === '#') skipLine()
    else if (character === '[') header()
    else {
      note([...table, ...keyNames()])
      at += 1
      skipValue()
    }
  }
  return lines
}

function unquoted(key: string): string {
  if (key.startsWith("'")) return key.slice(1, -1)
  try {
    return JSON.parse(key)
  } catch {
    // An escape that JSON does not have, such as `\e`.
    return key.slice(1, -1)
  }
}
