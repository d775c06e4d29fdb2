/** Finds the files that differ between two trees. Equal directories are not read. */
import { limits, tooLarge } from '../limits.js'
import { isAtOrBelow } from '../work-tree/work-tree.js'
import type { Objects } from './objects.js'
import { type Blob, modes, type TreeEntry } from './tree.js'

export interface DifferingFiles {
  before: ReadonlyMap<string, Blob>
  after: ReadonlyMap<string, Blob>
}

/** A missing tree has no files. */
export async function compareTrees(
  { readTree }: Pick<Objects, 'readTree'>,
  trees: { before: string | undefined; after: string | undefined },
  { paths, turn }: { paths?: readonly string[]; turn: () => Promise<void> | undefined },
): Promise<DifferingFiles> {
  const before = new Map<string, Blob>()
  const after = new Map<string, Blob>()
  let directories = 0
  const isWanted = (path: string) =>
    paths === undefined || paths.some((each) => isAtOrBelow(each, path) || isAtOrBelow(path, each))

  async function visit(old: string | undefined, current: string | undefined, prefix: string): Promise<void> {
    directories += 1
    if (directories > limits.directories) {
      throw tooLarge('a commit with many directories', limits.directories, 'directories')
    }
    if (prefix.length > limits.pathLength) throw tooLarge('a path in a commit', limits.pathLength, 'characters')
    const oldEntries = byName(old === undefined ? [] : await readTree(old))
    const newEntries = byName(current === undefined ? [] : await readTree(current))
    for (const name of new Set([...oldEntries.keys(), ...newEntries.keys()])) {
      const pause = turn()
      if (pause !== undefined) await pause
      const path = prefix + name
      const [from, to] = [oldEntries.get(name), newEntries.get(name)]
      if ((from?.oid === to?.oid && from?.mode === to?.mode) || !isWanted(path)) continue
      if (from !== undefined && from.mode !== modes.directory) before.set(path, from)
      if (to !== undefined && to.mode !== modes.directory) after.set(path, to)
      const [below, belowCurrent] = [directoryIn(from), directoryIn(to)]
      if (below !== undefined || belowCurrent !== undefined) await visit(below, belowCurrent, `${path}/`)
    }
    if (Math.max(before.size, after.size) > limits.files) throw tooLarge('a comparison', limits.files, 'files')
  }

  if (trees.before !== trees.after) await visit(trees.before, trees.after, '')
  return { before, after }
}

function byName(entries: readonly TreeEntry[]): Map<string, TreeEntry> {
  return new Map(entries.map((entry) => [entry.name, entry]))
}

function directoryIn(entry: TreeEntry | undefined): string | undefined {
  return entry?.mode === modes.directory ? entry.oid : undefined
}
