/** A tree of packages that is to be installed: who lies where, who needs whom, and whom each finds. */
import { resolve } from '../../../../src/fs/path.js'
import { isObject, type JsonObject } from '../package-json.js'
import { satisfies } from '../version-numbers.js'
import { parseSpec } from './spec.js'

export type EdgeType = 'prod' | 'dev' | 'optional' | 'peer' | 'peerOptional' | 'workspace'

export interface Edge {
  readonly from: TreeNode
  readonly name: string
  readonly spec: string
  readonly type: EdgeType
  readonly isPeer: boolean
  /** It was decided that it stays unmet: peers that can't agree. */
  isConflicted: boolean
  readonly to: TreeNode | undefined
  readonly isValid: boolean
}

export interface TreeNode {
  /** Of its directory in `node_modules`. */
  readonly name: string
  manifest: JsonObject
  parent: TreeNode | undefined
  /** The project, for the directory of a workspace. */
  fsParent?: TreeNode
  readonly children: Map<string, TreeNode>
  readonly edges: Map<string, Edge>
  /** Where a link leads. */
  target?: TreeNode
  /** The directory of the project, or of a workspace relative to it. */
  directory?: string
  resolved?: string
  integrity?: string
  /** What it stands for while peers are looked for. */
  source?: TreeNode
  /** Why it could not be had. */
  failure?: Error
  flags: { dev: boolean; optional: boolean; devOptional: boolean; peer: boolean; extraneous: boolean }
}

export interface NodeGiven
  extends Partial<
    Pick<TreeNode, 'fsParent' | 'target' | 'directory' | 'resolved' | 'integrity' | 'source' | 'failure'>
  > {
  name: string
  manifest: JsonObject
  /** Peers are nobody's business, as before npm 7. */
  ignoresPeers: boolean
}

export function treeNode({ name, manifest, ignoresPeers, ...more }: NodeGiven): TreeNode {
  const node: TreeNode = {
    name,
    manifest,
    parent: undefined,
    children: new Map(),
    edges: new Map(),
    flags: { dev: true, optional: true, devOptional: true, peer: true, extraneous: true },
    ...more,
  }
  if (more.target === undefined) loadEdges(node, ignoresPeers)
  return node
}

/** Later kinds replace earlier ones. */
export function loadEdges(node: TreeNode, ignoresPeers: boolean): void {
  const { manifest, source = node } = node
  node.edges.clear()
  const add = (names: unknown, type: (name: string) => EdgeType) => {
    if (!isObject(names as JsonObject)) return
    for (const [name, spec] of Object.entries(names as JsonObject)) {
      if (typeof spec === 'string') node.edges.set(name, edgeOf(node, { name, spec, type: type(name) }))
    }
  }
  const meta = isObject(manifest.peerDependenciesMeta) ? manifest.peerDependenciesMeta : {}
  const isOptionalPeer = (name: string) => isObject(meta[name]) && (meta[name] as JsonObject).optional === true
  if (!ignoresPeers) add(manifest.peerDependencies, (name) => (isOptionalPeer(name) ? 'peerOptional' : 'peer'))
  add(manifest.dependencies, () => 'prod')
  add(manifest.optionalDependencies, () => 'optional')
  if (source.directory !== undefined) add(manifest.devDependencies, () => 'dev')
}

export function edgeOf(from: TreeNode, { name, spec, type }: Pick<Edge, 'name' | 'spec' | 'type'>): Edge {
  return {
    from,
    name,
    spec,
    type,
    isPeer: type === 'peer' || type === 'peerOptional',
    isConflicted: false,
    get to() {
      return lookUp(from, name)
    },
    get isValid() {
      const to = lookUp(from, name)
      // A peer inside of who needs it is none.
      if (to === undefined) return type === 'optional' || type === 'peerOptional'
      if (this.isPeer && to.parent === from && !isTop(from)) return false
      return meets(to, this)
    },
  }
}

export const resolveParent = ({ parent, fsParent }: TreeNode) => parent ?? fsParent

export function lookUp(node: TreeNode, name: string): TreeNode | undefined {
  for (let at: TreeNode | undefined = node; at !== undefined; at = resolveParent(at)) {
    const found = at.children.get(name)
    if (found !== undefined) return found
  }
  return undefined
}

export function* ancestry(node: TreeNode): Generator<TreeNode> {
  for (let at: TreeNode | undefined = node; at !== undefined; at = resolveParent(at)) yield at
}

export const isTop = ({ parent }: TreeNode) => parent === undefined
export const isProject = (node: TreeNode) => isTop(node) && node.fsParent === undefined && node.source === undefined
export const isDescendant = (node: TreeNode, of: TreeNode) => [...ancestry(node)].includes(of)

export function topOf(node: TreeNode): TreeNode {
  let at = node
  for (let up = resolveParent(at); up !== undefined; up = resolveParent(at)) at = up
  return at
}

export const versionOf = ({ manifest }: TreeNode) => String(manifest.version ?? '')
export const packageNameOf = (node: TreeNode) => String(node.manifest.name ?? node.name)

/** Whether it is what an edge asks for. */
export function meets(
  node: TreeNode,
  { name, spec, type, from }: Pick<Edge, 'name' | 'spec' | 'type' | 'from'>,
): boolean {
  if (node.name !== name || node.failure !== undefined) return false
  if (type === 'workspace') return node.target?.directory === spec
  const wanted = parseSpec(name, spec)
  if (wanted.kind === 'directory') {
    const base = (from.source ?? from).directory ?? ''
    return node.target?.directory === resolve(`/${base}`, wanted.path).slice(1)
  }
  if (wanted.kind === 'range') {
    if (wanted.packageName !== packageNameOf(node)) return false
    if (wanted.range === '*' || wanted.range === '') return true
    return satisfies(versionOf(node), wanted.range) === true
  }
  if (wanted.kind === 'tag') return wanted.packageName === packageNameOf(node)
  return wanted.kind === 'tarball' && node.resolved === wanted.resolved
}

/** Whether two are the same package in the same version. */
export function matches(one: TreeNode, other: TreeNode): boolean {
  if (one === other) return true
  if (one.name !== other.name) return false
  if (one.target !== undefined || other.target !== undefined) return one.target === other.target
  if (one.integrity !== undefined && other.integrity !== undefined) return one.integrity === other.integrity
  if (one.resolved !== undefined && other.resolved !== undefined) return one.resolved === other.resolved
  return packageNameOf(one) === packageNameOf(other) && versionOf(one) !== '' && versionOf(one) === versionOf(other)
}

/** All nodes below, in the order of their places; the node itself is the first. */
export function inventory(top: TreeNode): TreeNode[] {
  const all = new Set<TreeNode>()
  const visit = (node: TreeNode) => {
    all.add(node)
    for (const child of node.children.values()) {
      visit(child)
      if (child.target !== undefined && child.target.fsParent !== undefined && !all.has(child.target))
        visit(child.target)
    }
  }
  visit(top)
  return [...all]
}

/** The edges that lead to a node. */
export function edgesTo(node: TreeNode): Edge[] {
  return edgesByTarget(topOf(node)).get(node) ?? []
}

/** Counts changes of all trees, so that what was looked up is looked up again after one. */
let epoch = 0
const known = new WeakMap<TreeNode, { epoch: number; edges: Map<TreeNode, Edge[]> }>()

function edgesByTarget(top: TreeNode): Map<TreeNode, Edge[]> {
  const before = known.get(top)
  if (before?.epoch === epoch) return before.edges
  const edges = new Map<TreeNode, Edge[]>()
  for (const node of inventory(top)) {
    for (const edge of node.edges.values()) {
      const { to } = edge
      if (to === undefined) continue
      const list = edges.get(to)
      if (list === undefined) edges.set(to, [edge])
      else list.push(edge)
    }
  }
  known.set(top, { epoch, edges })
  return edges
}

export function attach(node: TreeNode, parent: TreeNode): void {
  detach(node)
  const before = parent.children.get(node.name)
  if (before !== undefined) before.parent = undefined
  parent.children.set(node.name, node)
  node.parent = parent
  epoch += 1
}

export function detach(node: TreeNode): void {
  if (node.parent?.children.get(node.name) === node) node.parent.children.delete(node.name)
  node.parent = undefined
  epoch += 1
}

/** Whether whoever needs `current` would be content with the other one in its place. */
export function canReplace(node: TreeNode, current: TreeNode): boolean {
  if (node.name !== current.name) return false
  return edgesTo(current).every((edge) => meets(node, edge))
}

/** A set of nodes with what only they need. */
export function gatherDependencies(start: Iterable<TreeNode>, follows: (edge: Edge) => boolean): Set<TreeNode> {
  const found = new Set(start)
  for (const node of found) {
    for (const edge of node.edges.values()) if (edge.to !== undefined && follows(edge)) found.add(edge.to)
  }
  for (let isChanged = true; isChanged && found.size > 0; ) {
    isChanged = false
    for (const node of found) {
      if (!edgesTo(node).some((edge) => !found.has(edge.from) && follows(edge))) continue
      found.delete(node)
      isChanged = true
    }
  }
  return found
}

/** Where it lies, relative to the project: `node_modules/a/node_modules/b`, `packages/x`, or nothing for the project itself. */
export function locationOf(node: TreeNode): string {
  if (node.parent === undefined) return node.fsParent === undefined ? '' : (node.directory ?? '')
  const above = locationOf(node.parent)
  return `${above === '' ? '' : `${above}/`}node_modules/${node.name}`
}

export function depthOf(node: TreeNode): number {
  return node.parent === undefined ? 0 : depthOf(node.parent) + 1
}
