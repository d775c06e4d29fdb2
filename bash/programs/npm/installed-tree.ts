/** The packages that lie in node_modules, and what needs which. */
import { isFsError } from '../../../src/errors.js'
import { join, relative } from '../../../src/fs/path.js'
import type { ProgramIo } from '../../io/program.js'
import { idOf, isObject, type JsonObject, type Package, packageIfAny } from './package-json.js'
import { ancestors, workspacesOf } from './project.js'
import { satisfies } from './version-numbers.js'

export type EdgeKind = 'prod' | 'dev' | 'optional' | 'peer' | 'peerOptional' | 'workspace'

/** One package at one place. */
export interface Installed {
  name: string
  directory: string
  package: Package
  /** Where it really is, for a link. */
  linksTo?: string
  /** What it needs. */
  edges: Edge[]
  /** What lies in its own node_modules. */
  children: Installed[]
  isRoot: boolean
  isExtraneous: boolean
}

export interface Edge {
  from: Installed
  name: string
  wanted: string
  kind: EdgeKind
  to?: Installed
  isInvalid: boolean
}

export async function installedTree(io: ProgramIo, directory: string): Promise<Installed> {
  const found = (await packageIfAny(io, directory)) ?? empty(directory)
  const root = await load(io, { name: String(found.content.name ?? ''), directory, found, isRoot: true })
  const all = new Map<string, Installed>()
  const collect = (each: Installed) => {
    all.set(each.directory, each)
    each.children.forEach(collect)
  }
  collect(root)
  const workspaces = await workspacesOf(io, found)
  for (const each of all.values()) {
    for (const edge of each.edges) connect(edge, all, ancestors(each.linksTo ?? each.directory).concat(each.directory))
  }
  for (const [name, at] of workspaces) {
    const edge: Edge = { from: root, name, wanted: `file:${at}`, kind: 'workspace', isInvalid: false }
    connect(edge, all, [directory])
    edge.isInvalid = false
    root.edges = [...root.edges.filter((other) => other.name !== name), edge]
  }
  markNeeded(root)
  return root
}

const empty = (directory: string): Package => ({
  directory,
  path: join(directory, 'package.json'),
  content: {},
  text: '',
})

interface Loaded {
  name: string
  directory: string
  found: Package
  isRoot?: boolean
  linksTo?: string
}

async function load(io: ProgramIo, { name, directory, found, isRoot = false, linksTo }: Loaded): Promise<Installed> {
  io.step()
  const children: Installed[] = []
  const top = join(linksTo ?? directory, 'node_modules')
  for (const child of linksTo === undefined ? await packageNames(io, top) : []) {
    const at = join(top, child)
    const target = await linkTarget(io, at)
    const inside = await packageIfAny(io, at)
    if (inside === undefined) continue
    children.push(await load(io, { name: child, directory: at, found: inside, ...(target && { linksTo: target }) }))
  }
  const about = { name, directory, package: found, children, isRoot, isExtraneous: !isRoot }
  const made: Installed = { ...about, edges: [], ...(linksTo && { linksTo }) }
  made.edges = edgesOf(made)
  return made
}

async function packageNames(io: ProgramIo, top: string): Promise<string[]> {
  const names: string[] = []
  for (const { name, kind } of await list(io, top)) {
    if (name.startsWith('.') || kind === 'file') continue
    if (!name.startsWith('@')) names.push(name)
    else for (const inner of await list(io, join(top, name))) names.push(`${name}/${inner.name}`)
  }
  return names
}

async function list(io: ProgramIo, directory: string) {
  try {
    return await io.fs.readDir(directory)
  } catch (error) {
    if (isFsError(error)) return []
    throw error
  }
}

async function linkTarget(io: ProgramIo, path: string): Promise<string | undefined> {
  if ((await io.fs.lstat(path)).kind !== 'symlink') return undefined
  try {
    return await io.fs.realPath(path)
  } catch (error) {
    if (isFsError(error)) return undefined
    throw error
  }
}

/** Later kinds hide earlier ones of the same name. */
function edgesOf(from: Installed): Edge[] {
  const { isRoot } = from
  const { content } = from.package
  const edges = new Map<string, Edge>()
  const add = (names: unknown, kind: (name: string) => EdgeKind) => {
    if (!isObject(names as JsonObject)) return
    for (const [name, wanted] of Object.entries(names as JsonObject)) {
      if (typeof wanted === 'string') edges.set(name, { from, name, wanted, kind: kind(name), isInvalid: false })
    }
  }
  const meta = content.peerDependenciesMeta
  const isOptionalPeer = (name: string) => {
    const about = isObject(meta) ? meta[name] : undefined
    return isObject(about) && about.optional === true
  }
  add(content.peerDependencies, (name) => (isOptionalPeer(name) ? 'peerOptional' : 'peer'))
  add(content.dependencies, () => 'prod')
  add(content.optionalDependencies, () => 'optional')
  if (isRoot) add(content.devDependencies, () => 'dev')
  return [...edges.values()]
}

/** Finds a package where Node would: in the nearest node_modules. */
function connect(edge: Edge, all: ReadonlyMap<string, Installed>, from: readonly string[]): void {
  const found = [...from]
    .sort((one, other) => other.length - one.length)
    .map((at) => all.get(join(at, `node_modules/${edge.name}`)))
  const to = found.find((each) => each !== undefined)
  if (to === undefined) return
  edge.to = to
  const version = to.package.content.version
  edge.isInvalid = typeof version === 'string' && isRange(edge.wanted) && satisfies(version, edge.wanted) === false
}

/** Tags, addresses and files are not compared. */
const isRange = (wanted: string) => !/[:/]/.test(wanted)

function markNeeded(root: Installed): void {
  const queue = [root]
  root.isExtraneous = false
  for (let each = queue.shift(); each !== undefined; each = queue.shift()) {
    for (const { to } of each.edges) {
      if (to === undefined || !to.isExtraneous) continue
      to.isExtraneous = false
      queue.push(to)
    }
  }
}

/** As npm names it: with the place for a link. */
export function packageId({ name, package: found }: Installed): string {
  const own = idOf(found)
  const version = typeof found.content.version === 'string' ? found.content.version : ''
  if (own === undefined) return `${name}@${version}`
  return found.content.name === name || name === '' ? own : `${name}@npm:${own}`
}

export function relativeTarget(root: Installed, { linksTo = '' }: Installed): string {
  return linksTo.startsWith(`${root.directory}/`) ? `./${relative(root.directory, linksTo)}` : linksTo
}
