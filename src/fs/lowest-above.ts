import { isPromise } from './sync.js'

/**
 * Of a path and the directories above it, the lowest for which `holds` is true; `/` if that is none. What holds for one has to hold for all
 * above it. So few are asked, of a thousand some twenty: the lowest, others ever further up, and then halves of what is between.
 */
export async function lowestWhere(path: string, holds: (at: string) => boolean | Promise<boolean>): Promise<string> {
  const ends = endsOf(path)
  const at = (depth: number) => (depth === 0 ? '/' : path.slice(0, ends[depth - 1]))
  /** It holds at the first of these depths, and not at the other. */
  let [yes, no] = [0, ends.length + 1]
  while (yes === 0 && no > 1) {
    const depth = Math.max(1, no - Math.max(1, ends.length + 1 - no))
    const held = holds(at(depth))
    if (isPromise(held) ? await held : held) yes = depth
    else no = depth
  }
  while (no - yes > 1) {
    const depth = (yes + no) >> 1
    const held = holds(at(depth))
    if (isPromise(held) ? await held : held) yes = depth
    else no = depth
  }
  return at(yes)
}

/** Where each component of a path ends. */
function endsOf(path: string): number[] {
  const ends: number[] = []
  if (path === '/') return ends
  for (let end = path.indexOf('/', 1); end !== -1; end = path.indexOf('/', end + 1)) ends.push(end)
  ends.push(path.length)
  return ends
}
