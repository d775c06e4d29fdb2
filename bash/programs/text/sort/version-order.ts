/** The order of names with version numbers, as `sort -V` and `ls -v` have it. */

/** A name with what takes part in the first comparison. */
export interface VersionKey {
  name: string
  rank: number
  /** Without endings such as `.tar.gz`. */
  prefix: string
}

export function versionKey(name: string): VersionKey {
  return { name, rank: rank(name), prefix: withoutSuffix(name) }
}

/** Negative when `one` comes first. */
export function compareVersionKeys(one: VersionKey, other: VersionKey): number {
  if (one.rank !== other.rank) return one.rank - other.rank
  if (one.rank < ordinary) return 0
  return compareParts(one.prefix, other.prefix) || compareParts(one.name, other.name)
}

const ordinary = 3

/** The empty name comes first, then `.`, `..`, hidden names and all others. */
function rank(name: string): number {
  if (name === '') return 0
  if (name === '.') return 1
  if (name === '..') return 2
  return name.startsWith('.') ? ordinary : ordinary + 1
}

function withoutSuffix(name: string): string {
  let end = name.length
  for (;;) {
    let start = end
    while (start > 0 && isSuffixCharacter(name.charCodeAt(start - 1))) start -= 1
    const isSuffix = start < end && name.charAt(start - 1) === '.' && !isDigit(name, start)
    if (!isSuffix) return name.slice(0, end)
    end = start - 1
  }
}

function isSuffixCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 0x7e
}

/** Compares in turn what is not a number and numbers. */
function compareParts(one: string, other: string): number {
  let at = 0
  let otherAt = 0
  while (at < one.length || otherAt < other.length) {
    while ((at < one.length && !isDigit(one, at)) || (otherAt < other.length && !isDigit(other, otherAt))) {
      const difference = weight(one, at) - weight(other, otherAt)
      if (difference !== 0) return difference
      at += 1
      otherAt += 1
    }
    at = zerosEnd(one, at)
    otherAt = zerosEnd(other, otherAt)
    let first = 0
    while (isDigit(one, at) && isDigit(other, otherAt)) {
      if (first === 0) first = one.charCodeAt(at) - other.charCodeAt(otherAt)
      at += 1
      otherAt += 1
    }
    // The longer number is the larger one.
    if (isDigit(one, at)) return 1
    if (isDigit(other, otherAt)) return -1
    if (first !== 0) return first
  }
  return 0
}

/** Letters come before other characters, the end before both, and `~` before the end. */
function weight(text: string, at: number): number {
  if (at >= text.length) return -1
  const code = text.charCodeAt(at)
  if (isDigit(text, at)) return 0
  if ((code >= 65 && code <= 90) || (code >= 97 && code <= 122)) return code
  return code === 0x7e ? -2 : code + 256
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}

function zerosEnd(text: string, at: number): number {
  let end = at
  while (text.charCodeAt(end) === 48) end += 1
  return end
}
