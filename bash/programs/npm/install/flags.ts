/** Who needs a package: whether only tests, only what is optional, or nobody. */
import { type Edge, inventory, type TreeNode } from './tree.js'

export function markNeeded(root: TreeNode): void {
  const reach = (passes: (edge: Edge) => boolean): Set<TreeNode> => {
    const found = new Set([root])
    for (const node of found) {
      if (node.target !== undefined) found.add(node.target)
      for (const edge of node.edges.values()) {
        const { to } = edge
        if (to !== undefined && passes(edge) && (edge.isValid || edge.isConflicted)) found.add(to)
      }
    }
    return found
  }
  const isOptional = ({ type }: Edge) => type === 'optional' || type === 'peerOptional'
  const all = reach(({ type }) => type !== 'peerOptional')
  const [noDev, noOptional, neither, noPeer] = [
    reach(({ type }) => type !== 'dev'),
    reach((edge) => !isOptional(edge)),
    reach((edge) => edge.type !== 'dev' && !isOptional(edge)),
    reach(({ isPeer }) => !isPeer),
  ]
  for (const node of inventory(root)) {
    node.flags = {
      extraneous: !all.has(node),
      dev: !noDev.has(node),
      optional: !noOptional.has(node),
      devOptional: !neither.has(node),
      peer: !noPeer.has(node),
    }
  }
}
