/** Whole trees as frames, and back. */
import { FsError } from '../../../errors.js'
import { decodeTarget, encodeTarget } from '../../link-target.js'
import { basename, dirname, join } from '../../path.js'
import { allChildren, noChildren, type OwnChildren, putChild } from '../memory-children.js'
import type { DirectoryNode, MemoryNode } from '../memory-nodes.js'
import type { Frame, ReadFrame } from './frames.js'

/** Every entry of a tree, parents first; the first is the root. */
export function* entryFrames(tree: number, root: DirectoryNode): Generator<Frame> {
  const waiting: Array<{ path: string; node: MemoryNode }> = [{ path: '/', node: root }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, node } = next
    const { mode, modifiedMs, createdMs, changedMs } = node
    const facts = { tree, path, mode, modifiedMs, createdMs, at: changedMs }
    if (node.kind === 'file') yield { kind: 'file', ...facts, content: node.bytes }
    else if (node.kind === 'symlink') yield { kind: 'link', ...facts, other: encodeTarget(node.target) }
    else {
      yield { kind: 'directory', ...facts }
      for (const [name, child] of allChildren(node.children)) waiting.push({ path: join(path, name), node: child })
    }
  }
}

/** Builds trees from such frames. */
export function treesOf(count: number): { add(frame: ReadFrame): void; roots(): DirectoryNode[] } {
  const directories = Array.from({ length: count }, () => new Map<string, OwnChildren<MemoryNode>>())
  const roots: Array<DirectoryNode | undefined> = []
  return {
    add(frame) {
      const { tree, path } = frame
      const known = directories[tree]
      if (known === undefined) return
      const node = nodeOf(frame)
      if (node.kind === 'directory') known.set(path, node.children as OwnChildren<MemoryNode>)
      if (path === '/' && node.kind === 'directory') roots[tree] = node
      else {
        const siblings = known.get(dirname(path))
        if (siblings !== undefined) putChild(siblings, basename(path), node)
      }
    },
    roots() {
      return directories.map((_, tree) => {
        const root = roots[tree]
        if (root === undefined) throw new FsError('IO', { path: '/', detail: `tree ${tree} is not in the pack` })
        return root
      })
    },
  }
}

function nodeOf({ kind, mode, at, modifiedMs, createdMs, other, content }: ReadFrame): MemoryNode {
  const facts = { mode, modifiedMs, createdMs, changedMs: at }
  if (kind === 'file') return { kind, bytes: content, ...facts, digest: undefined, treeLine: undefined }
  if (kind === 'link') return { kind: 'symlink', target: decodeTarget(other), ...facts }
  return {
    kind: 'directory',
    children: noChildren(),
    ...facts,
    entries: undefined,
    treeLine: undefined,
    treeLines: undefined,
  }
}
