/** The differences between two trees of an episode, with renames. */
import { areEqual, type FoundNode, nodeDifferences } from '../../src/fs/backends/memory-differences.js'
import type { DirectoryNode, FileNode } from '../../src/fs/backends/memory-nodes.js'
import { basename } from '../../src/fs/path.js'
import type { EpisodeChange } from '../types.js'

/** Sorted by path. A file that is gone and another that is new with the same content are one rename. Times do not count. */
export function treeChanges(before: DirectoryNode, after: DirectoryNode): EpisodeChange[] {
  const { removed, added, changed } = nodeDifferences(before, after)
  const renames = findRenames(removed, added)
  const sources = new Set(renames.values())
  const changes: EpisodeChange[] = [
    ...changed.map(({ path, node }) => ({ path, change: 'modified' as const, kind: node.kind })),
    ...removed
      .filter(({ path }) => !sources.has(path))
      .map(({ path, node }) => ({ path, change: 'deleted' as const, kind: node.kind })),
    ...added.map(({ path, node }): EpisodeChange => {
      const from = renames.get(path)
      return from === undefined
        ? { path, change: 'added', kind: node.kind }
        : { path, change: 'renamed', from, kind: node.kind }
    }),
  ]
  return changes.sort((a, b) => (a.path === b.path ? deletedFirst(a, b) : a.path < b.path ? -1 : 1))
}

/** An entry whose kind has changed is deleted before it is added. */
function deletedFirst(a: EpisodeChange, b: EpisodeChange): number {
  return (a.change === 'deleted' ? 0 : 1) - (b.change === 'deleted' ? 0 : 1)
}

/** Where each new file was before. Empty files are all alike, so they are never taken for renamed. */
function findRenames(removed: readonly FoundNode[], added: readonly FoundNode[]): Map<string, string> {
  const bySize = new Map<number, (FoundNode & { node: FileNode })[]>()
  for (const { path, node } of removed) {
    if (node.kind !== 'file' || node.bytes.length === 0) continue
    const same = bySize.get(node.bytes.length) ?? []
    same.push({ path, node })
    bySize.set(node.bytes.length, same)
  }
  const renames = new Map<string, string>()
  for (const { path, node } of added) {
    if (node.kind !== 'file') continue
    const candidates = bySize.get(node.bytes.length) ?? []
    const equal = candidates.filter((old) => areEqual(old.node.bytes, node.bytes))
    const source = equal.find((old) => basename(old.path) === basename(path)) ?? equal[0]
    if (source === undefined) continue
    renames.set(path, source.path)
    candidates.splice(candidates.indexOf(source), 1)
  }
  return renames
}
