/** The differences between two trees that share most of their nodes. */
import { allChildren, childOf } from '../../src/fs/backends/memory-children.js'
import type { DirectoryNode, FileNode, MemoryNode } from '../../src/fs/backends/memory-nodes.js'
import { basename, join } from '../../src/fs/path.js'
import type { Bytes } from '../../src/fs/types.js'
import type { EpisodeChange } from '../types.js'

interface Found {
  path: string
  node: MemoryNode
}

/** Sorted by path. A file that is gone and another that is new with the same content are one rename. Times do not count. */
export function treeChanges(before: DirectoryNode, after: DirectoryNode): EpisodeChange[] {
  const removed: Found[] = []
  const added: Found[] = []
  const changed: Found[] = []

  function all(path: string, node: MemoryNode, into: Found[]): void {
    into.push({ path, node })
    if (node.kind !== 'directory') return
    for (const [name, child] of allChildren(node.children)) all(join(path, name), child, into)
  }

  function compare(path: string, old: MemoryNode, now: MemoryNode): void {
    if (old === now) return
    if (old.kind !== now.kind) {
      all(path, old, removed)
      all(path, now, added)
      return
    }
    if (isChanged(old, now)) changed.push({ path, node: now })
    if (old.kind === 'directory' && now.kind === 'directory') compareEntries(path, old, now)
  }

  function compareEntries(path: string, old: DirectoryNode, now: DirectoryNode): void {
    for (const [name, child] of allChildren(old.children)) {
      const other = childOf(now.children, name)
      // Most are shared, so their paths are not even made.
      if (other === child) continue
      if (other === undefined) all(join(path, name), child, removed)
      else compare(join(path, name), child, other)
    }
    for (const [name, child] of allChildren(now.children)) {
      if (!old.children.places.has(name)) all(join(path, name), child, added)
    }
  }

  compare('/', before, after)
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

function isChanged(old: MemoryNode, now: MemoryNode): boolean {
  if (old.mode !== now.mode) return true
  if (old.kind === 'symlink') return old.target !== (now as typeof old).target
  return old.kind === 'file' && !areEqual(old.bytes, (now as FileNode).bytes)
}

/** Where each new file was before. Empty files are all alike, so they are never taken for renamed. */
function findRenames(removed: readonly Found[], added: readonly Found[]): Map<string, string> {
  const bySize = new Map<number, (Found & { node: FileNode })[]>()
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

function areEqual(a: Bytes, b: Bytes): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false
  return true
}
