/** What is taken back together or not at all: a path with all it was moved from and to, and the whole of a `.git` directory. */
import { isWithin } from '../../fs/path.js'
import { type ChangeRecord, pathsOf } from '../journal/record.js'
import { type Move, movesOf } from './later-moves.js'

/** Returns the unit of each path that the changes name. `others` are files' moves by other changes. */
export function unitsOf(records: readonly ChangeRecord[], others: readonly Move[]): (path: string) => string {
  const leaders = new Map<string, string>()

  function leader(path: string): string {
    let at = path
    for (let next = leaders.get(at); next !== undefined; next = leaders.get(at)) at = next
    return at
  }

  function unite(one: string, other: string): void {
    const [a, b] = [leader(one), leader(other)]
    if (a !== b) leaders.set(a, b)
  }

  for (const { from, to, isTree } of others) if (!isTree) unite(from, to)
  const trees = new Set<string>()
  for (const { from, to, isTree } of movesOf(records)) {
    unite(from, to)
    if (isTree) trees.add(from).add(to)
  }
  // Parts of a repository do not make sense without the others.
  for (const { gitDirectories = [] } of records) for (const directory of gitDirectories) trees.add(directory)
  if (trees.size > 0) {
    for (const { steps } of records) {
      for (const path of steps.flatMap(pathsOf)) {
        for (const tree of trees) if (isWithin(tree, path)) unite(path, tree)
      }
    }
  }
  return leader
}
