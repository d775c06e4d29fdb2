/** Makes `node_modules` what the tree says: what is there already stays. */
import { isFsError } from '../../../../src/errors.js'
import { dirname, relative, resolve } from '../../../../src/fs/path.js'
import { decodeText, encodeText } from '../../../io/byte-text.js'
import { exists } from '../../../io/exists.js'
import type { ProgramIo } from '../../../io/program.js'
import { makeDirs } from '../../network/curl/curl.js'
import { failure } from '../npm-failure.js'
import { binsOf, isObject, type JsonObject, packageIfAny, textIfAny } from '../package-json.js'
import { entryOf, printLock } from './lock-file.js'
import type { Registry } from './registry.js'
import { inventory, locationOf, type TreeNode, versionOf } from './tree.js'
import { checkIntegrity, unpack } from './unpack.js'

export interface WriteGiven {
  io: ProgramIo
  registry: Registry
  root: TreeNode
  top: string
  folder: string
  /** Those that are installed: without what is left out. */
  wanted: ReadonlySet<TreeNode>
  /** Everything is removed first. */
  isClean: boolean
  hasBins: boolean
  /** There is a lock file, too. */
  isSaved: boolean
}

export interface Written {
  added: TreeNode[]
  removed: number
  changed: TreeNode[]
}

const atOnce = 8

export async function writeTree(given: WriteGiven): Promise<Written> {
  const { io, root, top, folder, wanted, isClean, hasBins } = given
  const modules = resolve(top, 'node_modules')
  const before = isClean ? {} : await installedBefore(io, modules)
  const isThere = await exists(io.fs, modules)
  if (isClean) await removeAll(io, modules)
  const nodes = inventory(root).filter((node) => node.parent !== undefined && wanted.has(node))
  const places = new Map(nodes.map((node) => [locationOf(node), node]))
  const removed = isClean ? 0 : await removeOthers(io, top, '', places)
  const added: TreeNode[] = []
  const changed: TreeNode[] = []
  const toFetch: TreeNode[] = []
  for (const node of nodes) {
    const place = locationOf(node)
    const at = resolve(top, place)
    const state = await stateOf(io, { node, root, at, before: before[place] })
    if (state === 'same') continue
    if (state === 'none') added.push(node)
    else changed.push(node)
    if (state === 'other') await removeAll(io, at, { keepsModules: node.target === undefined })
    if (node.target !== undefined) await link(io, at, resolve(top, node.target.directory ?? ''))
    else toFetch.push(node)
  }
  await inParallel(toFetch, async (node) => {
    const of = `${node.name}@${versionOf(node)}`
    if (node.resolved === undefined) throw failure(`${of} has no address to fetch it from`, 'EMISSINGARCHIVE')
    const archive = await given.registry.archive(node.resolved)
    if (node.integrity !== undefined) checkIntegrity(archive, node.integrity, of)
    const directory = resolve(top, locationOf(node))
    await makeDirs(io, directory)
    await unpack(io, { archive, directory, of })
    io.account(-archive.length)
    await withScripts(io, node, directory)
  })
  if (removed > 0) for (const place of ['', ...places.keys()]) await removeDeadBins(io, resolve(top, place))
  if (hasBins) for (const node of nodes) await linkBins(io, node, top)
  if (nodes.length > 0 || isThere) {
    await makeDirs(io, modules)
    const installed = new Set([...nodes, ...nodes.flatMap(({ target }) => target ?? [])])
    const hidden = printLock({ root, folder, version: 3, places: installed, isNameless: !given.isSaved })
    await io.fs.writeFile(resolve(modules, '.package-lock.json'), encodeText(hidden))
  }
  return { added, removed, changed }
}

async function installedBefore(io: ProgramIo, modules: string): Promise<JsonObject> {
  try {
    const parsed = JSON.parse((await textIfAny(io, resolve(modules, '.package-lock.json'))) ?? '{}') as JsonObject
    return isObject(parsed) && isObject(parsed.packages) ? parsed.packages : {}
  } catch {
    return {}
  }
}

interface StateGiven {
  node: TreeNode
  root: TreeNode
  at: string
  before: unknown
}

async function stateOf(io: ProgramIo, { node, root, at, before }: StateGiven): Promise<'same' | 'other' | 'none'> {
  let isLink: boolean
  try {
    isLink = (await io.fs.lstat(at)).kind === 'symlink'
  } catch (error) {
    if (isFsError(error)) return 'none'
    throw error
  }
  if (node.target !== undefined) {
    const leads = isLink ? await io.fs.realPath(at).catch(() => '') : ''
    return leads.endsWith(`/${node.target.directory}`) ? 'same' : 'other'
  }
  const found = isLink ? undefined : await packageIfAny(io, at)
  if (found === undefined) return isLink ? 'other' : 'none'
  const { version, resolved, integrity } = entryOf(node, root)
  const known = isObject(before as JsonObject) ? (before as JsonObject) : undefined
  if (known === undefined) return found.content.version === version ? 'same' : 'other'
  return known.version === version && known.resolved === resolved && known.integrity === integrity ? 'same' : 'other'
}

/** Removes packages that the tree does not have. Returns how many there were. */
async function removeOthers(
  io: ProgramIo,
  top: string,
  above: string,
  places: ReadonlyMap<string, TreeNode>,
): Promise<number> {
  let count = 0
  const modules = `${above === '' ? '' : `${above}/`}node_modules`
  for (const name of await packagesIn(io, resolve(top, modules))) {
    const place = `${modules}/${name}`
    const node = places.get(place)
    if (node === undefined) {
      count += 1 + (await countPackages(io, resolve(top, `${place}/node_modules`)))
      await removeAll(io, resolve(top, place))
    } else if (node.target === undefined) count += await removeOthers(io, top, place, places)
  }
  return count
}

async function countPackages(io: ProgramIo, modules: string): Promise<number> {
  let count = 0
  for (const name of await packagesIn(io, modules))
    count += 1 + (await countPackages(io, resolve(modules, `${name}/node_modules`)))
  return count
}

async function packagesIn(io: ProgramIo, modules: string): Promise<string[]> {
  const list = async (directory: string) => {
    try {
      const isLink = (await io.fs.lstat(directory)).kind === 'symlink'
      return isLink ? [] : await io.fs.readDir(directory)
    } catch (error) {
      if (isFsError(error)) return []
      throw error
    }
  }
  const names: string[] = []
  for (const { name } of await list(modules)) {
    if (name.startsWith('.')) continue
    if (!name.startsWith('@')) names.push(name)
    else for (const inner of await list(resolve(modules, name))) names.push(`${name}/${inner.name}`)
  }
  return names
}

/** A link is removed, not what it leads to. */
async function removeAll(io: ProgramIo, path: string, { keepsModules = false } = {}): Promise<void> {
  let kind: string
  try {
    kind = (await io.fs.lstat(path)).kind
  } catch (error) {
    if (isFsError(error)) return
    throw error
  }
  if (kind === 'directory') {
    let isKept = false
    for (const { name } of await io.fs.readDir(path)) {
      io.step()
      if (keepsModules && name === 'node_modules') isKept = true
      else await removeAll(io, `${path}/${name}`)
    }
    if (isKept) return
  }
  await io.fs.remove(path)
}

async function link(io: ProgramIo, at: string, target: string): Promise<void> {
  await makeDirs(io, dirname(at))
  await io.fs.symlink(relativePath(dirname(at), target), at)
}

function relativePath(from: string, to: string): string {
  const ups: string[] = []
  let base = from
  while (to !== base && !to.startsWith(base === '/' ? '/' : `${base}/`)) {
    ups.push('..')
    base = dirname(base)
  }
  return [...ups, ...(to === base ? [] : [relative(base, to)])].join('/')
}

async function linkBins(io: ProgramIo, node: TreeNode, top: string): Promise<void> {
  const owner = node.parent
  if (owner === undefined) return
  const at = resolve(top, locationOf(node))
  const modules = resolve(resolve(top, locationOf(owner)), 'node_modules')
  const content = { ...node.manifest, name: node.manifest.name ?? node.name }
  for (const [name, path] of binsOf({ directory: at, path: at, content, text: '' })) {
    const target = resolve(at, path)
    const isInside = target.startsWith(`${at}/`) && /^[^/\\]+$/.test(name) && name !== '.' && name !== '..'
    if (!isInside) continue
    try {
      await executable(io, target)
    } catch (error) {
      if (isFsError(error)) continue
      throw error
    }
    const place = resolve(modules, `.bin/${name}`)
    await makeDirs(io, dirname(place))
    await io.fs.remove(place).catch(() => {})
    await io.fs.symlink(relativePath(dirname(place), target), place)
  }
}

/** Of packages that were removed. */
async function removeDeadBins(io: ProgramIo, directory: string): Promise<void> {
  const bins = resolve(directory, 'node_modules/.bin')
  if (!(await exists(io.fs, bins))) return
  for (const { name, kind } of await io.fs.readDir(bins)) {
    const path = resolve(bins, name)
    if (kind === 'symlink' && !(await exists(io.fs, path))) await io.fs.remove(path)
  }
}

/** As npm does: also without the ends of lines of Windows in the first. */
async function executable(io: ProgramIo, path: string): Promise<void> {
  const { mode = 0o644 } = await io.fs.stat(path)
  if ((mode & 0o111) !== 0o111) await io.fs.setMode(path, mode | 0o111)
  const text = decodeText(await io.fs.readFile(path, { start: 0, end: 2048 }))
  if (!/^#![^\n]*\r\n/.test(text)) return
  const whole = decodeText(await io.fs.readFile(path))
  await io.fs.writeFile(path, encodeText(whole.replace(/^(#![^\n]*)\r\n/, '$1\n')))
}

/** Whether a package has scripts is known only from itself; they are not run. */
async function withScripts(io: ProgramIo, node: TreeNode, directory: string): Promise<void> {
  const found = await packageIfAny(io, directory)
  if (found === undefined) throw failure(`The archive of ${node.name} has no package.json.`, 'ENOPACKAGEJSON')
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  let next = 0
  const one = async () => {
    while (next < items.length) {
      const item = items[next] as Item
      next += 1
      await work(item)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, one))
}
