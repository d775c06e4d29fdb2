/** The sides of a comparison that is written `a`, `a..b` or `a...b`. */

type Commit = { revision: string } | { mergeBase: [string, string] }

/**
 * Reads arguments as `git diff` does: `a..b` compares the two, `a...b` compares `b` with their merge base; a missing side is `HEAD`. A
 * single revision has no `to`.
 */
export function sidesOfRange(given: readonly string[]): { from?: Commit; to?: Commit } {
  const [first, second] = given
  if (first === undefined) return {}
  if (second !== undefined) return { from: { revision: first }, to: { revision: second } }
  const [, before, dots, after] = /^(.*?)(\.{2,3})(.*)$/s.exec(first) ?? []
  if (dots === undefined) return { from: { revision: first } }
  const [one, other] = [before || 'HEAD', after || 'HEAD']
  return { from: dots === '..' ? { revision: one } : { mergeBase: [one, other] }, to: { revision: other } }
}
