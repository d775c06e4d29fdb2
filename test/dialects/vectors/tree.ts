/** The trees of a case: created, read, and compared with the expected ones afterwards. */
import { inBatches } from '../../../src/fs/in-batches.js'
import { dirname, join, split } from '../../../src/fs/path.js'
import type { Bytes, FileSystem } from '../../../src/fs/types.js'
import { matchText, sameText } from './match.js'
import { fill, generate, type Places } from './places.js'
import type { After, FileNode, Tree, VectorCase } from './types.js'

/** A backend without the gate, with whatever methods it has. */
export type RawTree = Pick<
  FileSystem,
  'stat' | 'readDir' | 'readFile' | 'writeFile' | 'makeDir' | 'symlink' | 'readLink' | 'setMode' | 'setModified'
>

/** Everything below the base by its path, without the base itself. */
export type Snapshot = ReadonlyMap<string, Node>

type Node =
  | { kind: 'directory' }
  | { kind: 'symlink'; target: string }
  | { kind: 'file'; size: number; mode?: number; bytes?: Bytes }

/** Fills both sides of the border, which are empty. */
export async function plantCase(raw: RawTree, places: Places, { tree, outside, git }: VectorCase): Promise<void> {
  await plant(raw, places.OUTSIDE, outside ?? {}, places)
  await plant(raw, places.ROOT, { ...(git && gitTree), ...tree }, places)
}

export async function snapshot(raw: RawTree, { BASE }: Places): Promise<Snapshot> {
  const found = new Map<string, Node>()
  await visit(BASE, '')
  return found

  async function visit(directory: string, prefix: string): Promise<void> {
    await inBatches(await raw.readDir(directory), batchSize, async ({ name, kind }) => {
      const path = join(directory, name)
      if (kind === 'directory') {
        found.set(prefix + name, { kind })
        await visit(path, `${prefix}${name}/`)
      } else if (kind === 'symlink') found.set(prefix + name, { kind, target: (await raw.readLink?.(path)) ?? '' })
      else found.set(prefix + name, await fileAt(path))
    })
  }

  async function fileAt(path: string): Promise<Node> {
    const { size = 0, mode } = await raw.stat(path)
    return {
      kind: 'file',
      size,
      ...(mode !== undefined && { mode }),
      ...(size <= comparedBytes && { bytes: await raw.readFile(path) }),
    }
  }
}

/** Differences from the tree before and from `after`, one line each. */
export function differences(
  before: Snapshot,
  now: Snapshot,
  after: NonNullable<VectorCase['after']>,
  places: Places,
): string[] {
  const expected = expectedTree(before, after)
  const extra = [...now.keys()]
    .filter((path) => !expected.has(path))
    .map((path) => `after: ${path} should not be there`)
  const different = [...expected].flatMap(([path, wanted]) => {
    const got = now.get(path)
    if (got === undefined) return isOptional(wanted) ? [] : [`after: ${path} is missing`]
    return 'after' in wanted ? changedAs(wanted.after, got, path, places) : unchanged(wanted, got, path)
  })
  return [...extra, ...different]
}

function isOptional(wanted: object): boolean {
  const { after } = wanted as { after?: After }
  return typeof after === 'object' && after?.optional === true
}

/** Where every call is a message to another process, concurrent calls save most of the time. */
const batchSize = 16

/** Larger files are compared by their size. */
const comparedBytes = 4_000_000

const gitTree: Tree = {
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/config': '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n',
  '.git/objects/': {},
  '.git/refs/heads/': {},
  '.git/info/': {},
}

async function plant(raw: RawTree, base: string, tree: Tree, places: Places): Promise<void> {
  const nodes = Object.entries(tree).map(([key, leaf]) => ({
    path: split(`/${key}`).reduce(join, base),
    isDirectory: key.endsWith('/'),
    node: typeof leaf === 'string' ? { text: leaf } : leaf,
  }))
  await makeDirs(
    raw,
    base,
    nodes.map(({ path, isDirectory }) => (isDirectory ? path : dirname(path))),
  )
  // Where times can't be set, files are at least written in the order of their times.
  const files = nodes.filter(({ isDirectory }) => !isDirectory)
  const times = [...new Set(files.map(({ node }) => timeOf(node)))].sort((a, b) => a - b)
  for (const time of times) {
    await inBatches(
      files.filter(({ node }) => timeOf(node) === time),
      batchSize,
      async ({ path, node }) => {
        if (node.link !== undefined) await raw.symlink?.(fill(node.link, places), path)
        else await raw.writeFile(path, bytesOf(node))
      },
    )
    if (raw.setModified === undefined && times.length > 1) await laterStamp()
  }
  for (const { path, node } of nodes) if (node.mtime !== undefined) await raw.setModified?.(path, node.mtime * 1000)
  for (const { path, node } of nodes) {
    if (node.mode !== undefined) await raw.setMode?.(path, Number.parseInt(node.mode, 8))
  }
}

async function makeDirs(raw: RawTree, base: string, directories: readonly string[]): Promise<void> {
  const made = new Set([base])
  const make = async (directory: string): Promise<void> => {
    if (made.has(directory)) return
    await make(dirname(directory))
    await raw.makeDir(directory)
    made.add(directory)
  }
  for (const directory of directories) await make(directory)
}

/** Files without a time are newer than those with one. */
function timeOf({ mtime = Number.MAX_SAFE_INTEGER }: FileNode): number {
  return mtime
}

/** File systems have a coarser clock than the page. */
function laterStamp(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20))
}

function bytesOf({ text = '', base64, gen, size }: Pick<FileNode, 'text' | 'base64' | 'gen' | 'size'>): Bytes {
  if (size !== undefined) return new Uint8Array(size)
  if (base64 !== undefined) return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  return new TextEncoder().encode(gen === undefined ? text : generate(gen))
}

type Expected = Node | { after: NonNullable<After> }

function expectedTree(before: Snapshot, after: NonNullable<VectorCase['after']>): Map<string, Expected> {
  const expected = new Map<string, Expected>(before)
  const changes = Object.entries(after).map(([key, wanted]) => ({
    path: key.startsWith('{OUTSIDE}/') ? key.replace('{OUTSIDE}', 'outside') : `work/${key}`,
    wanted,
  }))
  for (const { path, wanted } of changes) {
    if (wanted !== null) continue
    for (const known of before.keys()) if (known === path || known.startsWith(`${path}/`)) expected.delete(known)
  }
  for (const { path, wanted } of changes) {
    if (wanted === null) continue
    const parents = path.split('/').slice(0, -1)
    for (const [index] of parents.entries()) {
      const parent = parents.slice(0, index + 1).join('/')
      if (expected.has(parent)) continue
      const made = isOptional({ after: wanted }) ? { after: { dir: true, optional: true } as const } : undefined
      expected.set(parent, made ?? { kind: 'directory' })
    }
    if (!path.endsWith('/')) expected.set(path, { after: wanted })
  }
  return expected
}

function changedAs(wanted: NonNullable<After>, got: Node, path: string, places: Places): string[] {
  const node = typeof wanted === 'string' ? { text: fill(wanted, places) } : wanted
  const { link, mode, regex } = node
  if (node.dir) return got.kind === 'directory' ? [] : [`after: ${path} should be a directory, is a ${got.kind}`]
  if (link !== undefined) return unchanged({ kind: 'symlink', target: fill(link, places) }, got, path)
  if (got.kind !== 'file') return [`after: ${path} should be a file, is a ${got.kind}`]
  const spot = { where: `after: ${path}`, places }
  return [
    ...(mode !== undefined && mode !== got.mode?.toString(8)
      ? [`after: ${path} has mode ${got.mode?.toString(8)}, expected ${mode}`]
      : []),
    ...(regex !== undefined ? matchText({ regex }, textOf(got.bytes), spot) : []),
    ...('text' in node || 'base64' in node || 'gen' in node
      ? sameText(textOf(bytesOf(node)), textOf(got.bytes), spot)
      : []),
  ]
}

function unchanged(before: Node, now: Node, path: string): string[] {
  if (before.kind !== now.kind) return [`after: ${path} is a ${now.kind}, was a ${before.kind}`]
  if (before.kind === 'symlink' && now.kind === 'symlink' && before.target !== now.target) {
    return [`after: ${path} leads to ${now.target}, expected ${before.target}`]
  }
  if (before.kind !== 'file' || now.kind !== 'file') return []
  if (before.mode !== now.mode)
    return [`after: ${path} has mode ${now.mode?.toString(8)}, had ${before.mode?.toString(8)}`]
  const isSame = before.size === now.size && textOf(before.bytes) === textOf(now.bytes)
  return isSame ? [] : [`after: ${path} was changed to ${JSON.stringify(textOf(now.bytes).slice(0, 200))}`]
}

/** Bytes as text that is the same only for the same bytes. */
function textOf(bytes: Bytes = new Uint8Array()): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
  }
}
