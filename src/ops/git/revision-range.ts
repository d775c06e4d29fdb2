/** What of `a`, `a..b` and `a...b` a comparison is between. */

type Commit = { revision: string } | { mergeBase: [string, string] }

/**
 * As `git diff` reads its arguments: `a..b` from one to the other, `a...b` from where the two parted; what is left out is `HEAD`. One
 * revision alone has no `to`.
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
