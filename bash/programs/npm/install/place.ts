/** Where a package goes in the tree: as high as it can without being found by someone who needs another version. The rules are those of npm. */
import { comparePackages } from '../package-order.js'
import { compareVersions, parseVersion } from '../version-numbers.js'
import {
  ancestry,
  attach,
  canReplace,
  detach,
  type Edge,
  edgesTo,
  gatherDependencies,
  inventory,
  isDescendant,
  isProject,
  isTop,
  locationOf,
  lookUp,
  matches,
  meets,
  resolveParent,
  type TreeNode,
  topOf,
  treeNode,
  versionOf,
} from './tree.js'

export interface PlaceOptions {
  isExplicit: boolean
  prefersDeduped: boolean
  ignoresPeers: boolean
  strategy: string
  force: boolean
}

export interface Placement {
  edge: Edge
  placed: TreeNode | undefined
  children: Placement[]
  /** Those to look at again. */
  unsettled: TreeNode[]
}

/** Peers that can't agree. */
export class PeerConflict extends Error {
  constructor(
    readonly edge: Edge,
    readonly node: TreeNode,
  ) {
    super('could not resolve')
  }
}

type Verdict = 'ok' | 'keep' | 'replace' | 'conflict'

interface Check {
  target: TreeNode
  edge: Edge
  node: TreeNode
  parent: Check | undefined
  self: Verdict
  all: Verdict
}

interface Given {
  edge: Edge
  node: TreeNode
  parent?: { check: Check; start: TreeNode; topEdge: Edge }
}

/** Nothing is placed where what is there will do. */
export function place(given: Given, options: PlaceOptions): Placement {
  const { edge, node, parent } = given
  const result: Placement = { edge, placed: undefined, children: [], unsettled: [] }
  if (edge.to !== undefined && edge.isValid && !options.isExplicit) return result
  const start = deepestTarget(parent?.start ?? edge.from, edge.name)
  let chosen: Check | undefined
  let ofItself: Check | undefined
  for (const target of ancestry(start)) {
    const targetEdge = target.edges.get(edge.name)
    if (!isTop(target) && targetEdge?.isPeer) continue
    const check = checkPlace({ target, edge, node, parent: parent?.check, peerPath: [] }, options)
    if (check.self !== 'conflict') ofItself = check
    if (check.all === 'conflict') break
    chosen = check
    if (node.failure !== undefined || options.strategy === 'nested') break
    const above = options.strategy === 'shallow' ? resolveParent(target) : undefined
    if (above !== undefined && isProject(above)) break
  }
  if (chosen === undefined) {
    const topEdge = parent?.topEdge ?? edge
    if (!options.force && isTop(topEdge.from)) throw new PeerConflict(edge, node)
    if (ofItself === undefined) {
      edge.isConflicted = true
      return result
    }
    chosen = ofItself
  }
  const { target } = chosen
  const verdict = chosen.all === 'conflict' ? chosen.self : chosen.all
  if (verdict === 'keep') {
    if (edge.isPeer && !edge.isValid) edge.isConflicted = true
    pruneDedupable(target, options)
    return result
  }
  const virtualRoot = node.parent
  const placed = treeNode({
    name: node.name,
    manifest: node.manifest,
    ignoresPeers: options.ignoresPeers,
    ...(node.resolved !== undefined && { resolved: node.resolved }),
    ...(node.integrity !== undefined && { integrity: node.integrity }),
    ...(node.target !== undefined && { target: node.target }),
    ...(node.failure !== undefined && { failure: node.failure }),
  })
  result.placed = placed
  const old = target.children.get(node.name)
  if (old === undefined) attach(placed, target)
  else replaceOld(placed, { old, target, result })
  if (edge.isPeer && !meets(placed, edge)) edge.isConflicted = true
  const reached = edge.to
  if (reached !== undefined && edge.isValid && reached !== placed) pruneDedupable(reached, options, false)
  for (const other of inventory(topOf(target))) {
    if (other.name !== node.name || isTop(other) || !isDescendant(other, target)) continue
    pruneDedupable(other, options, false)
    if (isAttached(other)) for (const kid of [...other.children.values()]) pruneDedupable(kid, options, false)
  }
  for (const peerEdge of placed.edges.values()) {
    if (
      !peerEdge.isPeer ||
      peerEdge.isConflicted ||
      (peerEdge.isValid && peerEdge.to !== undefined) ||
      peerEdge.isValid
    )
      continue
    const peer = virtualRoot?.children.get(peerEdge.name)
    if (peer === undefined || !meets(peer, peerEdge)) continue
    const inner = { check: chosen, start, topEdge: parent?.topEdge ?? edge }
    result.children.push(place({ edge: peerEdge, node: peer, parent: inner }, options))
  }
  return result
}

const isAttached = (node: TreeNode) => node.parent?.children.get(node.name) === node

/** A peer can't be inside of who needs it. */
function deepestTarget(start: TreeNode, name: string): TreeNode {
  for (const target of ancestry(start)) {
    if (resolveParent(target) === undefined || !target.edges.get(name)?.isPeer) return target
  }
  return start
}

interface CheckGiven {
  target: TreeNode
  edge: Edge
  node: TreeNode
  parent: Check | undefined
  peerPath: readonly TreeNode[]
}

function checkPlace(given: CheckGiven, options: PlaceOptions): Check {
  const { target, edge, node, parent } = given
  const check: Check = { target, edge, node, parent, self: 'conflict', all: 'conflict' }
  const current = target.children.get(edge.name)
  const targetEdge = target.edges.get(edge.name)
  const isOverride = !meets(node, edge)

  const withPeers = (verdict: Verdict): Verdict => {
    check.self = verdict
    const path = [...given.peerPath, node]
    for (const peerEdge of node.edges.values()) {
      const peer = peerEdge.to
      if (!peerEdge.isPeer || peer === undefined || path.includes(peer)) continue
      const at = deepestTarget(target, peer.name)
      const inner = checkPlace(
        { target: at, edge: peerEdge, node: peer, parent: check, peerPath: path },
        { ...options, prefersDeduped: true, isExplicit: false },
      )
      if (inner.all === 'conflict') return 'conflict'
    }
    return verdict
  }
  const settled = (verdict: Verdict): Check => {
    check.all = verdict
    if (check.self === 'conflict') check.self = verdict
    return check
  }

  if (node.failure !== undefined) return settled(current === undefined ? 'ok' : 'replace')
  if (targetEdge?.isPeer && !isTop(target)) return settled('conflict')
  if (current === undefined) {
    if (targetEdge !== undefined && targetEdge !== edge && !meets(node, targetEdge)) return settled('conflict')
    const topEdge = topCheck(check).edge
    const found = target === topEdge.from ? undefined : lookUp(target, edge.name)
    const isNeeded = (each: Edge) => isDescendant(each.from, target) && each.isValid && !meets(node, each)
    if (found !== undefined && edgesTo(found).some(isNeeded)) return settled('conflict')
    return settled(withPeers('ok'))
  }

  const prefersDeduped = options.prefersDeduped || edge.isPeer
  if (matches(node, current) && (meets(current, edge) || isOverride))
    return settled(options.isExplicit ? 'replace' : 'keep')
  const order = compared(node, current)
  const isNewer = order !== undefined && order >= 0
  if (isNewer && canReplace(node, current)) {
    const verdict = withPeers('replace')
    if (verdict !== 'conflict') return settled(verdict)
  }
  if (meets(current, edge) && (!options.isExplicit || prefersDeduped)) return settled('keep')
  if (prefersDeduped && !isNewer && canReplace(node, current)) {
    const verdict = withPeers('replace')
    if (verdict !== 'conflict') return settled(verdict)
  }
  if (target !== deepestOf(check)) return settled('conflict')
  if (!edge.isPeer && target === edge.from) return settled(withPeers('replace'))
  // Peers that others brought here stay: who needs another one does not get it.
  return settled('conflict')
}

function topCheck(check: Check): Check {
  return check.parent === undefined ? check : topCheck(check.parent)
}

function deepestOf({ parent, edge }: Check): TreeNode {
  return deepestTarget(parent === undefined ? edge.from : deepestOf(parent), edge.name)
}

function compared(one: TreeNode, other: TreeNode): number | undefined {
  const [a, b] = [parseVersion(versionOf(one)), parseVersion(versionOf(other))]
  return a === undefined || b === undefined ? undefined : compareVersions(a, b)
}

function replaceOld(placed: TreeNode, { old, target }: { old: TreeNode; target: TreeNode; result: Placement }): void {
  const oldDeps: TreeNode[] = []
  for (const [name, edge] of old.edges) {
    const { to } = edge
    if (placed.edges.has(name) || to === undefined) continue
    oldDeps.push(...gatherDependencies([to], (each) => each.to !== to))
  }
  const kids = [...old.children.values()]
  attach(placed, target)
  for (const kid of kids) attach(kid, placed)
  const invalid = new Set(
    [...placed.edges.values()].flatMap(({ to, isValid }) => (to !== undefined && !isValid ? [to] : [])),
  )
  for (const dep of oldDeps) {
    for (const one of gatherDependencies([dep], (each) => each.to !== dep && each.isValid)) invalid.add(one)
  }
  const unneeded = gatherDependencies(invalid, (each) => each.from !== placed && each.to !== placed && each.isValid)
  for (const node of unneeded) detach(node)
}

function pruneDedupable(node: TreeNode, options: PlaceOptions, descends = true): void {
  if (canDedupe(node, options)) {
    for (const one of gatherDependencies([node], (edge) => edge.to !== node && edge.isValid)) detach(one)
    return
  }
  if (!descends) return
  const inOrder = (nodes: Iterable<TreeNode>) =>
    [...nodes].sort((one, other) => comparePackages(locationOf(one), locationOf(other)))
  for (const child of inOrder(node.children.values())) pruneDedupable(child, options)
}

function canDedupe(node: TreeNode, { prefersDeduped, isExplicit }: PlaceOptions): boolean {
  const above = resolveParent(node)
  const higher = above && resolveParent(above)
  if (above === undefined || higher === undefined) return false
  if (edgesTo(node).length === 0) return true
  const other = lookUp(higher, node.name)
  if (other === undefined) return false
  if (matches(other, node)) return true
  if (!canReplace(other, node)) return false
  const order = compared(other, node)
  if (prefersDeduped || order === 0) return true
  return isExplicit || (order !== undefined && order > 0)
}
