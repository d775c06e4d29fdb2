/** The order of names with version numbers, as `sort -V` and `ls -v` have it. */

/** Negative when `one` comes first. */
export function compareVersions(one: string, other: string): number {
  const special = rank(one) - rank(other)
  if (special !== 0) return special
  if (rank(one) < ordinary) return 0
  const prefixes = compareParts(withoutSuffix(one), withoutSuffix(other))
  return prefixes !== 0 ? prefixes : compareParts(one, other)
}

const ordinary = 3

/** The empty name comes first, then `.`, `..`, hidden names and all others. */
function rank(name: string): number {
  if (name === '') return 0
  if (name === '.') return 1
  if (name === '..') return 2
  return name.startsWith('.') ? ordinary : ordinary + 1
}

/** Without endings such as `.tar.gz`; at least one character stays. */
function withoutSuffix(name: string): string {
  const [suffix = ''] = /(?:\.[A-Za-z~][A-Za-z0-9~]*)*$/.exec(name.slice(1)) ?? []
  return name.slice(0, name.length - suffix.length)
}

/** Compares in turn what is no number and numbers. */
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
    const end = digitsEnd(one, at)
    const otherEnd = digitsEnd(other, otherAt)
    const difference = compareNumbers(one.slice(at, end), other.slice(otherAt, otherEnd))
    if (difference !== 0) return difference
    at = end
    otherAt = otherEnd
  }
  return 0
}

function compareNumbers(one: string, other: string): number {
  const digits = one.replace(/^0+/, '')
  const otherDigits = other.replace(/^0+/, '')
  if (digits.length !== otherDigits.length) return digits.length - otherDigits.length
  return digits < otherDigits ? -1 : digits > otherDigits ? 1 : 0
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

function digitsEnd(text: string, at: number): number {
  let end = at
  while (end < text.length && isDigit(text, end)) end += 1
  return end
}
