/** Whole trees: built from their written form, read back, compared. */
import { isFsError } from '../../src/errors.js'
import { inBatches } from '../../src/fs/in-batches.js'
import { dirname, join } from '../../src/fs/path.js'
import type { Bytes, FileSystem } from '../../src/fs/types.js'
import { describeBytes, describeContent, isContent, isOneOf, toBytes } from './content.js'
import type { Content, OneOf, Tree, TreeNode } from './types.js'

/** Where a tree is, and what `/` stands for in its links. */
export interface Ground {
  base: string
  root: string
}

/** Makes the base and everything in the tree. */
export async function plant(fs: FileSystem, { base, root }: Ground, tree: Tree): Promise<void> {
  await makeDirs(fs, base)
  const nodes = [...expand(tree, root)]
  for (const [path, { kind }] of nodes) if (kind === 'directory') await fs.makeDir(join(base, path))
  await inBatches(nodes, batchSize, ([path, node]) => plantNode(fs, join(base, path), node))
  // Last, so that a directory without the right to write can still be filled; deepest first for the same reason.
  for (const [path, node] of nodes.reverse()) {
    if (node.kind !== 'link' && node.mode !== undefined) await fs.setMode?.(join(base, path), node.mode)
  }
}

/** Removes a directory and everything in it, if it exists. */
export async function clear(fs: FileSystem, directory: string): Promise<void> {
  try {
    await inBatches(await fs.readDir(directory), batchSize, async ({ name, kind }) => {
      const path = join(directory, name)
      await (kind === 'directory' ? clear(fs, path) : fs.remove(path))
    })
    if (directory !== '/') await fs.remove(directory)
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND')) throw error
  }
}

/** The differences between the tree and what is below the base, one line each. */
export async function differences(fs: FileSystem, { base, root }: Ground, tree: Tree): Promise<string[]> {
  const expected = expand(tree, root)
  const actual = new Set(await listAll(fs, base))
  const extra = [...actual].filter((path) => !expected.has(path))
  const different = await inBatches([...expected], batchSize, async ([path, node]) => {
    const lines = actual.has(path) ? await nodeDifferences(fs, join(base, path), node) : ['is missing']
    return lines.map((line) => `${JSON.stringify(path)} ${line}`)
  })
  return [...extra.map((path) => `${JSON.stringify(path)} exists and should not`), ...different.flat()]
}

/** Concurrent calls save most of the time on backends where each call is a message to another process. */
const batchSize = 16

type Node =
  | { kind: 'file'; content: Content | OneOf; mode?: number }
  | { kind: 'link'; target: string }
  | { kind: 'directory'; mode?: number }

/** Every node by its path, parents before their children. */
function expand(tree: Tree, root: string): Map<string, Node> {
  const nodes = new Map<string, Node>()
  for (const [key, value] of Object.entries(tree)) {
    const path = key.endsWith('/') ? key.slice(0, -1) : key
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      const parent = path.slice(0, slash)
      if (!nodes.has(parent)) nodes.set(parent, { kind: 'directory' })
    }
    nodes.set(path, key.endsWith('/') ? { kind: 'directory', ...modeOf(value) } : toNode(value, root))
  }
  return nodes
}

function toNode(value: TreeNode, root: string): Node {
  if (typeof value === 'string' || 'bytes' in value || 'repeat' in value || isOneOf(value)) {
    return { kind: 'file', content: value }
  }
  if ('link' in value) return { kind: 'link', target: linkText(root, value.link) }
  if ('file' in value) return { kind: 'file', content: value.file, mode: value.mode }
  throw new TypeError('The path of a directory must end in "/"')
}

/** The text of a link: an absolute one counts from the root, as paths do. */
export function linkText(root: string, target: string): string {
  return target.startsWith('/') ? join(root, target.slice(1)) : target
}

function modeOf(value: TreeNode): { mode?: number } {
  return typeof value === 'object' && 'mode' in value && value.mode !== undefined ? { mode: value.mode } : {}
}

async function makeDirs(fs: FileSystem, path: string): Promise<void> {
  if (path === '/') return
  try {
    await fs.stat(path)
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND')) throw error
    await makeDirs(fs, dirname(path))
    await fs.makeDir(path)
  }
}

async function plantNode(fs: FileSystem, path: string, node: Node): Promise<void> {
  if (node.kind === 'directory') return
  if (node.kind === 'link') return await fs.symlink?.(node.target, path)
  if (isOneOf(node.content)) throw new TypeError('A tree before has one content per file')
  await fs.writeFile(path, toBytes(node.content))
}

async function listAll(fs: FileSystem, base: string, below = ''): Promise<string[]> {
  const paths: string[] = []
  for (const { name, kind } of await fs.readDir(join(base, below))) {
    const path = below === '' ? name : `${below}/${name}`
    paths.push(path)
    if (kind === 'directory') paths.push(...(await listAll(fs, base, path)))
  }
  return paths
}

async function nodeDifferences(fs: FileSystem, path: string, node: Node): Promise<string[]> {
  const stat = await fs.stat(path)
  const kind = node.kind === 'link' ? 'symlink' : node.kind
  if (stat.kind !== kind) return [`should be a ${kind} and is a ${stat.kind}`]
  if (node.kind === 'link') {
    const target = await fs.readLink?.(path)
    return target === node.target
      ? []
      : [`should lead to ${JSON.stringify(node.target)} and leads to ${JSON.stringify(target)}`]
  }
  const lines: string[] = []
  if (node.mode !== undefined && stat.mode !== node.mode) {
    lines.push(`should have mode ${octal(node.mode)} and has ${octal(stat.mode)}`)
  }
  if (node.kind === 'file') {
    const bytes: Bytes = await fs.readFile(path)
    if (!isContent(bytes, node.content)) {
      lines.push(`should hold ${describeContent(node.content)} and holds ${describeBytes(bytes)}`)
    }
  }
  return lines
}

export function octal(mode: number | undefined): string {
  return mode === undefined ? 'none' : `0o${mode.toString(8)}`
}
