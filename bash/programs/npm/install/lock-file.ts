/** `package-lock.json`, versions 2 and 3, to a tree and back. */
import { join } from '../../../../src/fs/path.js'
import type { ProgramIo } from '../../../io/program.js'
import { ProgramError } from '../../program-error.js'
import { failure } from '../npm-failure.js'
import { isObject, type Json, type JsonObject, packageIfAny, textIfAny } from '../package-json.js'
import { comparePackages } from '../package-order.js'
import { isPackageName } from './spec.js'
import { attach, edgeOf, inventory, locationOf, packageNameOf, type TreeNode, treeNode } from './tree.js'

export interface LockFile {
  name: string
  version: number
  packages: JsonObject
  /** As it is laid out. */
  text: string
}

export async function readLock(io: ProgramIo, directory: string): Promise<LockFile | undefined> {
  for (const name of ['npm-shrinkwrap.json', 'package-lock.json']) {
    const text = await textIfAny(io, join(directory, name))
    if (text === undefined) continue
    let parsed: Json
    try {
      parsed = JSON.parse(text) as Json
    } catch {
      throw failure(`Invalid ${name}: it is not JSON`, 'EJSONPARSE')
    }
    const { lockfileVersion, packages } = isObject(parsed) ? parsed : {}
    if (lockfileVersion !== 2 && lockfileVersion !== 3) {
      throw new ProgramError(
        `${name} has the version ${String(lockfileVersion)}: versions 2 and 3 are read by this shell`,
        2,
      )
    }
    return { name, version: lockfileVersion, packages: isObject(packages) ? packages : {}, text }
  }
  return undefined
}

const placePattern =
  /^((?:(?!node_modules\/)[^/]+\/)*)((?:node_modules\/(?:@[^/]+\/)?[^/]+\/)*)node_modules\/((?:@[^/]+\/)?[^/]+)$/

/** Puts what a lock file says into a tree that has nothing but the project and its workspaces. Throws for places outside of it. */
export async function loadLock(
  io: ProgramIo,
  root: TreeNode,
  { lock, top, ignoresPeers }: { lock: LockFile; top: string; ignoresPeers: boolean },
): Promise<void> {
  const places = Object.keys(lock.packages).filter((place) => place !== '')
  const byPlace = new Map<string, TreeNode>([['', root]])
  for (const { target } of root.children.values()) if (target !== undefined) byPlace.set(target.directory ?? '', target)
  const bad = (place: string) => failure(`Invalid ${lock.name}: ${place} is no place for a package`, 'EINVALIDLOCK')
  for (const place of places.sort((one, other) => one.split('/').length - other.split('/').length)) {
    io.step()
    const entry = lock.packages[place]
    if (!isObject(entry) || place.split('/').some((part) => part === '..' || part === '.' || part === ''))
      throw bad(place)
    if (!place.includes('node_modules/')) {
      if (byPlace.has(place)) continue
      const found = await packageIfAny(io, join(top, place))
      if (found !== undefined) {
        byPlace.set(
          place,
          treeNode({
            name: packageName(place),
            manifest: found.content,
            ignoresPeers,
            fsParent: root,
            directory: place,
          }),
        )
      }
    }
  }
  for (const place of places) {
    const entry = lock.packages[place] as JsonObject
    if (!place.includes('node_modules/')) continue
    const [, before = '', between = '', name = ''] = placePattern.exec(place) ?? []
    const parent = byPlace.get(`${before}${between}`.replace(/\/$/, ''))
    if (!isPackageName(name)) throw bad(place)
    // Of a workspace that is gone.
    if (parent === undefined) continue
    if (entry.link === true) {
      const target = byPlace.get(String(entry.resolved ?? ''))
      if (target === undefined || root.children.get(name)?.target === target) continue
      attach(treeNode({ name, manifest: target.manifest, ignoresPeers, target }), parent)
      continue
    }
    const { resolved, integrity, ...manifest } = entry
    const node = treeNode({
      name,
      manifest: { name, ...manifest },
      ignoresPeers,
      ...(typeof resolved === 'string' && { resolved }),
      ...(typeof integrity === 'string' && { integrity }),
    })
    byPlace.set(place, node)
    attach(node, parent)
  }
}

const packageName = (place: string) => place.split('/').at(-1) ?? place

const manifestKeys =
  'version dependencies peerDependencies peerDependenciesMeta optionalDependencies bundleDependencies acceptDependencies funding engines os cpu libc license hasInstallScript bin deprecated workspaces'.split(
    ' ',
  )

/** What a lock file says of one package. */
export function entryOf(node: TreeNode, root: TreeNode): JsonObject {
  if (node.target !== undefined) return { resolved: node.target.directory ?? '', link: true }
  const entry: JsonObject = {}
  for (const key of manifestKeys) {
    const value = node.manifest[key]
    if (key === 'license' && isObject(value) && typeof value.type === 'string') entry[key] = value.type
    else if (value && (typeof value !== 'object' || Object.keys(value).length > 0)) entry[key] = value
  }
  const scripts = isObject(node.manifest.scripts) ? node.manifest.scripts : {}
  if (['preinstall', 'install', 'postinstall'].some((name) => name in scripts)) entry.hasInstallScript = true
  const name = node.manifest.name
  const folder = node.parent === undefined ? (node.directory ?? '').split('/').at(-1) : node.name
  if (typeof name === 'string' && (node === root || name !== (node.parent === undefined ? folder : node.name)))
    entry.name = name
  if (node.parent === undefined && isObject(node.manifest.devDependencies)) {
    entry.devDependencies = node.manifest.devDependencies
  }
  if (node.integrity !== undefined) entry.integrity = node.integrity
  if (node.resolved !== undefined) entry.resolved = node.resolved
  const { extraneous, peer, dev, optional, devOptional } = node.flags
  if (node === root) return entry
  if (extraneous) return { ...entry, extraneous: true }
  return {
    ...entry,
    ...(peer && { peer }),
    ...(dev && { dev }),
    ...(optional && { optional }),
    ...(devOptional && !dev && !optional && { devOptional }),
  }
}

export interface PrintGiven {
  root: TreeNode
  /** The name of the directory, for a project without a name. */
  folder: string
  version: number
  /** Only what is installed, as in `node_modules/.package-lock.json`. */
  places?: ReadonlySet<TreeNode>
  before?: string
  /** Without the name of the project, as npm does where it saves nothing. */
  isNameless?: boolean
}

export function printLock({ root, folder, version, places, before = '', isNameless = false }: PrintGiven): string {
  const { name, version: own } = root.manifest
  const packages: JsonObject = {}
  const all = inventory(root).map((node) => [locationOf(node), node] as const)
  for (const [place, node] of all.sort(([one], [other]) => comparePackages(one, other))) {
    if (places === undefined ? true : place !== '' && places.has(node)) packages[place] = entryOf(node, root)
  }
  const [, newline = '\n', indent = '  '] = /^\{(\r?\n)([ \t]*)/.exec(before) ?? []
  const data: JsonObject = {
    ...(!isNameless && { name: typeof name === 'string' ? name : folder }),
    ...(!isNameless && typeof own === 'string' && { version: own }),
    lockfileVersion: version,
    requires: true,
    packages,
    ...(version === 2 && places === undefined && { dependencies: legacyDependencies(root) }),
  }
  return `${JSON.stringify(nicelyOrdered(data), null, indent)}\n`.replaceAll('\n', newline)
}

const preferred = [
  'name',
  'version',
  'lockfileVersion',
  'resolved',
  'integrity',
  'requires',
  'packages',
  'dependencies',
]

/** Known names first, plain values before objects, the rest by the alphabet. */
function nicelyOrdered(value: Json): Json {
  if (!isObject(value)) return value
  const rank = (key: string) => (preferred.includes(key) ? preferred.indexOf(key) : preferred.length)
  const entries = Object.entries(value).sort(
    ([one, a], [other, b]) =>
      Number(isObject(a)) - Number(isObject(b)) || rank(one) - rank(other) || comparePackages(one, other),
  )
  return Object.fromEntries(entries.map(([key, each]) => [key, nicelyOrdered(each)]))
}

/** What npm 6 reads. */
function legacyDependencies(node: TreeNode): JsonObject {
  const dependencies: JsonObject = {}
  for (const child of [...node.children.values()].sort((one, other) => comparePackages(one.name, other.name))) {
    const { dev, optional, devOptional, peer } = child.flags
    if (child.target !== undefined) {
      const requires = requiresOf(child.target)
      dependencies[child.name] = {
        version: `file:${child.target.directory ?? ''}`,
        ...(Object.keys(requires).length > 0 && { requires }),
        ...(child.target.children.size > 0 && { dependencies: legacyDependencies(child.target) }),
      }
      continue
    }
    const requires = requiresOf(child)
    const isAlias = packageNameOf(child) !== child.name
    dependencies[child.name] = {
      version: isAlias
        ? `npm:${packageNameOf(child)}@${String(child.manifest.version)}`
        : String(child.manifest.version),
      ...(child.resolved !== undefined && { resolved: child.resolved }),
      ...(child.integrity !== undefined && { integrity: child.integrity }),
      ...(dev && { dev }),
      ...(optional && { optional }),
      ...(devOptional && !dev && !optional && { devOptional }),
      ...(peer && { peer }),
      ...(Object.keys(requires).length > 0 && { requires }),
      ...(child.children.size > 0 && { dependencies: legacyDependencies(child) }),
    }
  }
  return dependencies
}

function requiresOf(node: TreeNode): JsonObject {
  const edges = [...node.edges.values()].filter(({ isPeer, type }) => !isPeer && type !== 'workspace')
  return Object.fromEntries(
    edges.sort((one, other) => comparePackages(one.name, other.name)).map(({ name, spec }) => [name, spec]),
  )
}

/** The edge by which a project has a workspace. */
export function addWorkspace(root: TreeNode, target: TreeNode, name: string, ignoresPeers: boolean): void {
  attach(treeNode({ name, manifest: target.manifest, ignoresPeers, target }), root)
  root.edges.set(name, edgeOf(root, { name, spec: target.directory ?? '', type: 'workspace' }))
}
