/** The names that a CommonJS module exports, as far as its text shows them. */

export interface Exported {
  names: string[]
  /** Modules all of whose names are exported too. */
  from: string[]
}

const name = String.raw`[A-Za-z_$][\w$]*`
const required = String.raw`require\(\s*['"]([^'"\n]+)['"]\s*\)`

export function exportedNames(text: string): Exported {
  const names = new Set<string>()
  const from = new Set<string>()
  const all = (pattern: string) => text.matchAll(new RegExp(pattern, 'g'))
  for (const [, found = ''] of all(String.raw`(?:^|[^\w$.])(?:module\.)?exports\.(${name})\s*=(?!=)`)) names.add(found)
  for (const [, found = ''] of all(String.raw`(?:^|[^\w$.])(?:module\.)?exports\[\s*['"](${name})['"]\s*\]\s*=(?!=)`)) {
    names.add(found)
  }
  for (const [, found = ''] of all(String.raw`defineProperty\(\s*(?:module\.)?exports\s*,\s*['"]([\w$]+)['"]`)) {
    names.add(found)
  }
  for (const [, body = ''] of all(String.raw`module\.exports\s*=\s*\{([^}]*)\}`)) {
    for (const part of body.split(',')) {
      const [, found] = new RegExp(String.raw`^\s*(?:async\s+)?['"]?(${name})['"]?\s*(?:[:(]|$)`).exec(part) ?? []
      if (found !== undefined) names.add(found)
      const [, spread] = new RegExp(String.raw`^\s*\.\.\.${required}`).exec(part) ?? []
      if (spread !== undefined) from.add(spread)
    }
  }
  for (const [, found = ''] of all(String.raw`(?:__exportStar|__export)\(\s*${required}`)) from.add(found)
  const whole = [...all(String.raw`module\.exports\s*=\s*${required}`)].at(-1)?.[1]
  if (whole !== undefined) from.add(whole)
  return { names: [...names], from: [...from] }
}
