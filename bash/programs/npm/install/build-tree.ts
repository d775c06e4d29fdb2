/** The tree that is wanted: what the project needs, level by level, each as high as it can be. */
import { resolve } from '../../../../src/fs/path.js'
import type { ProgramIo } from '../../../io/program.js'
import { ProgramError } from '../../program-error.js'
import { isObject, type Json, type JsonObject, packageIfAny } from '../package-json.js'
import { comparePackages } from '../package-order.js'
import { PeerConflict, type Placement, place } from './place.js'
import type { Registry } from './registry.js'
import { isPackageName, parseSpec } from './spec.js'
import {
  attach,
  canReplace,
  depthOf,
  detach,
  type Edge,
  edgeOf,
  edgesTo,
  isTop,
  locationOf,
  meets,
  type TreeNode,
  topOf,
  treeNode,
} from './tree.js'

export interface BuildGiven {
  io: ProgramIo
  registry: Registry
  root: TreeNode
  /** The directory of the project. */
  top: string
  /** Names that the user has asked for. */
  explicit: ReadonlySet<string>
  ignoresPeers: boolean
  prefersDeduped: boolean
  strategy: string
  force: boolean
}

const maxPackages = 20_000

export async function buildTree(given: BuildGiven): Promise<{ isChanged: boolean }> {
  const { io, registry, root, explicit, ignoresPeers } = given
  const seen = new Set<TreeNode>()
  const queue = new Set<TreeNode>([root, ...workspaceNodes(root)])
  const virtualRoots = new Map<TreeNode, TreeNode>()
  const failures = new Set<TreeNode>()
  let isChanged = false
  let count = 0

  const isExplicit = (edge: Edge) => isTop(edge.from) && explicit.has(edge.name)

  function problemEdges(node: TreeNode): Edge[] {
    const bundled =
      isTop(node) || !Array.isArray(node.manifest.bundleDependencies) ? [] : node.manifest.bundleDependencies
    return [...node.edges.values()].filter((edge) => {
      const { to } = edge
      if (bundled.includes(edge.name) || edge.isConflicted || (to !== undefined && failures.has(to))) return false
      if (to === undefined) return edge.type !== 'peerOptional' || isExplicit(edge)
      return !edge.isValid || (isExplicit(edge) && edge.type !== 'workspace')
    })
  }

  /** Where peers of what a node needs are put together before they are placed. */
  function virtualRoot(source: TreeNode): TreeNode {
    const known = virtualRoots.get(source)
    if (known !== undefined) return known
    const made = treeNode({ name: source.name, manifest: source.manifest, ignoresPeers, source })
    // The edges of a workspace that is needed are met already.
    for (const edge of source.edges.values())
      if (edge.type === 'workspace') made.edges.set(edge.name, edgeOf(made, edge))
    virtualRoots.set(source, made)
    return made
  }

  async function nodeFromSpec(edge: Edge): Promise<TreeNode> {
    count += 1
    io.step()
    if (count > maxPackages)
      throw new ProgramError(`more than ${maxPackages} packages are not installed by this shell`, 2)
    const { name } = edge
    if (!isPackageName(name)) throw new ProgramError(`"${name}" is no name of a package`, 1)
    const spec = parseSpec(name, edge.spec)
    if (spec.kind === 'unsupported') throw new ProgramError(`${spec.what} are not installed by this shell`, 2)
    if (spec.kind === 'tarball')
      throw new ProgramError(`addresses as packages (${edge.spec}) are not installed by this shell`, 2)
    if (spec.kind === 'directory') return linkTo(edge, spec.path)
    const workspace = root.children.get(name)
    if (workspace?.target !== undefined && meets(workspace, edge)) return workspace
    try {
      const manifest = await registry.manifest(spec)
      const dist = isObject(manifest.dist) ? manifest.dist : {}
      return treeNode({
        name,
        manifest: normalized(manifest),
        ignoresPeers,
        ...(typeof dist.tarball === 'string' && { resolved: dist.tarball }),
        ...(typeof dist.integrity === 'string'
          ? { integrity: dist.integrity }
          : typeof dist.shasum === 'string' && { integrity: `sha1-${btoa(fromHex(dist.shasum))}` }),
      })
    } catch (failure) {
      if (!(failure instanceof Error) || failure instanceof ProgramError || !('lines' in failure)) throw failure
      return treeNode({ name, manifest: {}, ignoresPeers, failure })
    }
  }

  async function linkTo(edge: Edge, path: string): Promise<TreeNode> {
    const { top } = given
    const at = resolve(resolve(top, (edge.from.source ?? edge.from).directory ?? ''), path)
    if (at !== top && !at.startsWith(`${top === '/' ? '' : top}/`)) {
      throw new ProgramError(`${edge.spec} lies outside of the project, which is not supported by this shell`, 2)
    }
    const found = await packageIfAny(io, at)
    const directory = at.slice(top.length).replace(/^\//, '')
    const target = treeNode({
      name: edge.name,
      manifest: found?.content ?? {},
      ignoresPeers,
      fsParent: root,
      directory,
    })
    return treeNode({ name: edge.name, manifest: target.manifest, ignoresPeers, target })
  }

  async function nodeFromEdge(
    edge: Edge,
    { parent, second, required }: { parent: TreeNode; second?: Edge; required: Set<TreeNode> },
  ): Promise<TreeNode> {
    const first = await nodeFromSpec(edge)
    const other = second !== undefined && !second.isValid ? await nodeFromSpec(second) : undefined
    const node = other !== undefined && meets(other, edge) ? other : first
    if (node.parent !== undefined && topOf(node) === root) return node
    attach(node, parent)
    const isRequired = (each: Edge) => required.has(each.from) && each.type !== 'peerOptional'
    if (isRequired(edge) || (second !== undefined && isRequired(second))) required.add(node)
    await loadPeers(node, required)
    return node
  }

  async function loadPeers(node: TreeNode, required: Set<TreeNode>): Promise<void> {
    const peers = [...node.edges.values()]
      .filter((edge) => edge.isPeer && !(edge.isValid && edge.to !== undefined))
      .sort((one, other) => comparePackages(one.name, other.name))
    for (const edge of peers) {
      const { parent } = node
      if (parent === undefined) return
      if (edge.isValid && edge.to !== undefined) continue
      const parentEdge = parent.edges.get(edge.name)
      const isMine = parent.source !== undefined && isTop(parent.source)
      const isTolerated = given.force || !isMine
      const current = edge.to
      if (current === undefined) {
        if (edge.type === 'peerOptional') continue
        if (parentEdge === undefined) {
          await nodeFromEdge(edge, { parent, required })
          continue
        }
        const dep = await nodeFromEdge(parentEdge, { parent, second: edge, required })
        if (edge.isValid) continue
        if (!isTolerated && required.has(dep)) throw new PeerConflict(edge, dep)
        edge.isConflicted = true
        continue
      }
      const alone = virtualRootOf(edge.from)
      const dep = await nodeFromEdge(edge, { parent: alone, required })
      if (canReplace(dep, current)) await nodeFromEdge(edge, { parent, required })
      else if (!isTolerated && required.has(edge.from)) throw new PeerConflict(edge, current)
    }
  }

  /** One that is used once. */
  const virtualRootOf = (source: TreeNode) =>
    treeNode({ name: source.name, manifest: source.manifest, ignoresPeers, source })

  function taken(placement: Placement): void {
    const { placed, edge, unsettled } = placement
    if (placed !== undefined) {
      isChanged = true
      if (placed.failure !== undefined) failures.add(placed)
      for (const other of edgesTo(placed)) {
        if (other === edge || other.isConflicted || other.isValid) continue
        seen.delete(other.from)
        queue.add(other.from)
      }
      queue.add(placed)
      for (const node of unsettled) {
        seen.delete(node)
        queue.add(node)
      }
      if (placed.target !== undefined) {
        placed.target.fsParent = root
        queue.add(placed.target)
      }
    }
    for (const child of placement.children) taken(child)
  }

  for (let node = next(queue); node !== undefined; node = next(queue)) {
    queue.delete(node)
    const isGone = topOf(node) !== root
    if (seen.has(node) || isGone) continue
    seen.add(node)
    const tasks: { edge: Edge; dep: TreeNode }[] = []
    for (const edge of problemEdges(node)) {
      const shared = virtualRoot(node)
      const known = shared.edges.get(edge.name)
      const there = known?.isValid ? known.to : undefined
      const dep = there !== undefined && meets(there, edge) ? there : undefined
      const parent = edge.isPeer ? shared : virtualRootOf(node)
      tasks.push({ edge, dep: dep ?? (await nodeFromEdge(edge, { parent, required: new Set([edge.from]) })) })
    }
    tasks.sort((one, other) => comparePackages(one.edge.name, other.edge.name))
    for (const { edge, dep } of tasks) taken(place({ edge, node: dep }, { ...given, isExplicit: isExplicit(edge) }))
  }
  for (const failed of failures) if (failed.parent !== undefined && !isOptionalOnly(failed)) throw failed.failure
  for (const failed of failures) detach(failed)
  return { isChanged }
}

function workspaceNodes(root: TreeNode): TreeNode[] {
  return [...root.children.values()].flatMap(({ target }) => (target?.fsParent === root ? [target] : []))
}

/** Nobody misses it. */
export function isOptionalOnly(node: TreeNode, seen = new Set<TreeNode>()): boolean {
  if (seen.has(node)) return true
  seen.add(node)
  if (isTop(node)) return false
  return edgesTo(node).every(
    ({ type, from }) => type === 'optional' || type === 'peerOptional' || (!isTop(from) && isOptionalOnly(from, seen)),
  )
}

/** The highest first, then in the order of places. */
function next(queue: ReadonlySet<TreeNode>): TreeNode | undefined {
  let best: TreeNode | undefined
  for (const node of queue) {
    if (best === undefined || compared(node, best) < 0) best = node
  }
  return best
}

function compared(one: TreeNode, other: TreeNode): number {
  return depthOf(one) - depthOf(other) || comparePackages(locationOf(one), locationOf(other))
}

/** As npm reads what a registry has: without what is private to it. */
export function normalized(manifest: JsonObject): JsonObject {
  const { bin, name, bundledDependencies, dependencies, optionalDependencies } = manifest
  // What is optional is often listed twice.
  const needed =
    isObject(dependencies) && isObject(optionalDependencies)
      ? Object.fromEntries(Object.entries(dependencies).filter(([each]) => !(each in optionalDependencies)))
      : dependencies
  const bins: JsonObject | undefined = isObject(bin)
    ? Object.fromEntries(Object.entries(bin).map(([key, path]) => [key, plainPath(path)]))
    : typeof bin === 'string' && typeof name === 'string'
      ? { [name.replace(/^@[^/]*\//, '')]: plainPath(bin) }
      : undefined
  return {
    ...manifest,
    ...(needed !== undefined && { dependencies: needed }),
    ...(bins && { bin: bins }),
    ...(bundledDependencies !== undefined && { bundleDependencies: bundledDependencies }),
  }
}

/** Within the package, however it is written. */
function plainPath(path: Json): Json {
  return typeof path === 'string' ? resolve('/', path).slice(1) : path
}

function fromHex(text: string): string {
  return text.replace(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16)))
}
