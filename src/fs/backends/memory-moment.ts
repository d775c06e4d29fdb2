import { split } from '../path.js'
import type { Moment } from '../types.js'
import { allChildren, childOf } from './memory-children.js'
import { nodeDifferences } from './memory-differences.js'
import { type DirectoryNode, type MemoryNode, statOf } from './memory-nodes.js'

interface MemoryMoment extends Moment {
  nodes: DirectoryNode
}

/** Nodes that never change any more. `family` is what all trees share that are copies of one. */
export function memoryMoment(nodes: DirectoryNode, family: object): Moment {
  const moment: MemoryMoment = {
    family,
    nodes,
    since(earlier) {
      // All moments of one family are made here.
      const { removed, added, changed } = nodeDifferences((earlier as MemoryMoment).nodes, nodes, { times: true })
      return { gone: removed.map(({ path }) => path), there: [...added, ...changed].map(({ path }) => path) }
    },
    entry(path) {
      const node = nodeAt(nodes, path)
      if (node === undefined) return undefined
      const stat = statOf(node)
      if (node.kind === 'file') return { stat, bytes: node.bytes }
      if (node.kind === 'symlink') return { stat, target: node.target }
      return { stat, names: Array.from(allChildren(node.children), ([name]) => name) }
    },
  }
  return moment
}

function nodeAt(root: DirectoryNode, path: string): MemoryNode | undefined {
  let node: MemoryNode | undefined = root
  for (const name of split(path)) node = node?.kind === 'directory' ? childOf(node.children, name) : undefined
  return node
}
