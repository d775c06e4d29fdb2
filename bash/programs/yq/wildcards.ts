/** Patterns with `*` and `?`, in bounded time. */
export function isLike(value: string, pattern: string): boolean {
  if (!/[*?]/.test(pattern)) return value === pattern
  let at = 0
  let from = 0
  let star = -1
  let resume = 0
  while (at < value.length) {
    if (pattern[from] === '*') {
      star = from
      resume = at
      from += 1
    } else if (from < pattern.length && (pattern[from] === '?' || pattern[from] === value[at])) {
      at += 1
      from += 1
    } else if (star >= 0) {
      from = star + 1
      resume += 1
      at = resume
    } else return false
  }
  while (pattern[from] === '*') from += 1
  return from === pattern.length
}
