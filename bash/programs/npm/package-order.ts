/** The order of names of packages, as npm has it: that of English, not of codes. Written down, so that it is the same everywhere. */

const order = '_-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz'

export function comparePackages(one: string, other: string): number {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()]
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
    const difference = weight(a, at) - weight(b, at)
    if (difference !== 0) return difference
  }
  if (a.length !== b.length) return a.length - b.length
  // Where only the case differs, small letters come first.
  return one === other ? 0 : one > other ? -1 : 1
}

function weight(text: string, at: number): number {
  const found = order.indexOf(text[at] as string)
  return found < 0 ? order.length + text.charCodeAt(at) : found
}
