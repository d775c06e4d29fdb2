/** Where a RegExp has other groups than the engines that it stands for. */
import { type Node, some } from '../../src/search/patterns/regex/ast.js'

/** A RegExp forgets a group when the repetition around it turns again; the C library keeps it. */
export function forgetsGroups(root: Node): boolean {
  return some(
    root,
    (node) =>
      node.kind === 'repeat' &&
      node.max > 1 &&
      some(node.body, (part) => (part.kind === 'choice' || part.kind === 'repeat') && hasGroup(part)),
  )
}

export function hasGroup(node: Node): boolean {
  return some(node, ({ kind }) => kind === 'capture')
}
