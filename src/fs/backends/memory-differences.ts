/** The differences between two trees in memory that share most of their nodes. */
import { join } from '../path.js'
import type { Bytes } from '../types.js'
import { allChildren, childOf, type MemoryChildren } from './memory-children.js'
import type { DirectoryNode, FileNode, MemoryNode } from './memory-nodes.js'

export interface FoundNode {
  path: string
  node: MemoryNode
}

/** With all entries of directories that are gone or new. */
export interface NodeDifferences {
  removed: FoundNode[]
  added: FoundNode[]
  /** As they are now. Times count only if asked for. */
  changed: FoundNode[]
}

/** Shared directories are skipped. An entry of another kind than before is removed and added. */
export function nodeDifferences(
  before: DirectoryNode,
  after: DirectoryNode,
  { times = false }: { times?: boolean } = {},
): NodeDifferences {
  const removed: FoundNode[] = []
  const added: FoundNode[] = []
  const changed: FoundNode[] = []

  function all(path: string, node: MemoryNode, into: FoundNode[]): void {
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
    if (isChanged(old, now) || (times && old.modifiedMs !== now.modifiedMs)) changed.push({ path, node: now })
    if (old.kind === 'directory' && now.kind === 'directory') compareEntries(path, old, now)
  }

  /** Of two directories with the same names in the same places. */
  function compareNodes(path: string, { places, nodes }: MemoryChildren<MemoryNode>, now: MemoryChildren<MemoryNode>) {
    let left = 0
    for (let at = 0; at < nodes.length; at += 1) if (nodes[at] !== now.nodes[at]) left += 1
    if (left === 0) return
    for (const [name, at] of places) {
      const [child, other] = [nodes[at], now.nodes[at]]
      if (child === undefined || other === undefined || child === other) continue
      compare(join(path, name), child, other)
      left -= 1
      if (left === 0) return
    }
  }

  function compareEntries(path: string, old: DirectoryNode, now: DirectoryNode): void {
    if (old.children.places === now.children.places) {
      compareNodes(path, old.children, now.children)
      return
    }
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
  return { removed, added, changed }
}

function isChanged(old: MemoryNode, now: MemoryNode): boolean {
  if (old.mode !== now.mode) return true
  if (old.kind === 'symlink') return old.target !== (now as typeof old).target
  return old.kind === 'file' && !areEqual(old.bytes, (now as FileNode).bytes)
}

export function areEqual(a: Bytes, b: Bytes): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false
  return true
}
