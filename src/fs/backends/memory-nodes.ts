/** The nodes of a tree in memory, which trees share until one of them changes. */
import { FsError } from '../../errors.js'
import { basename, dirname, resolve, split } from '../path.js'
import { checkPath, posixRules } from '../path-rules.js'
import type { Bytes, Entry, Stat } from '../types.js'
import { allChildren, childOf, type MemoryChildren } from './memory-children.js'
import { createTrail } from './tree/trail.js'

export interface NodeTimes {
  readonly modifiedMs: number
  readonly createdMs: number
  readonly changedMs: number
}

/** Never changed: a file that is written is a new node. */
export interface FileNode extends NodeTimes {
  readonly kind: 'file'
  readonly bytes: Bytes
  readonly mode: number
  /** @internal Its line in the hash of a tree. Set by `treeHash`, only on nodes of a snapshot, which never change again. */
  treeLine?: TreeLine | undefined
  /** @internal SHA-256 of the bytes, once someone has needed it. */
  digest?: string | undefined
}

export interface LinkNode extends NodeTimes {
  readonly kind: 'symlink'
  readonly target: string
  readonly mode: number
  /** @internal As of a file. */
  treeLine?: TreeLine | undefined
}

/** @internal The text ends with the name, under which another tree may not have the node. */
export interface TreeLine {
  readonly name: string
  readonly digest: string
  readonly text: string
}

/** Changed only by the tree that owns it; other trees copy it first. */
export interface DirectoryNode extends NodeTimes {
  readonly kind: 'directory'
  readonly children: MemoryChildren<MemoryNode>
  readonly mode: number
  /** @internal As of a file, with all entries below. */
  treeLine?: TreeLine | undefined
  /** @internal Cached until a name or kind changes. */
  entries?: Entry[] | undefined
  /** @internal Set by `treeHash` on large directories. */
  treeLines?: TreeLines | undefined
}

/** @internal The lines of all children, as they were before those with these names changed. */
export interface TreeLines {
  readonly text: string
  readonly changed: readonly string[]
}

export type MemoryNode = FileNode | LinkNode | DirectoryNode

/** Finds nodes by their normalised paths. All throw if a directory above is inaccessible, a link, or not a directory. */
export interface NodeFinder {
  /** The entry itself; undefined if only it is missing. Throws if a directory above it is missing too. */
  find(root: DirectoryNode, path: string): MemoryNode | undefined
  /** The same, undefined if a directory above it is missing too. */
  findIfThere(root: DirectoryNode, path: string): MemoryNode | undefined
  /** A directory whose entries may be accessed. `given` is the path for errors. */
  directory(root: DirectoryNode, path: string, given: string): DirectoryNode
  /** To be called when a directory is replaced by another node, or removed, or has another mode; without a path, when any may have been. */
  forget(path?: string): void
}

export function nodeFinder(): NodeFinder {
  const trail = createTrail<DirectoryNode>()

  function directoryIfThere(root: DirectoryNode, path: string, given: string): DirectoryNode | undefined {
    return trail.to(path, entered(root, given), ({ children }, name) => {
      const child = childOf(children, name)
      return child && entered(child, given)
    })
  }

  function findIfThere(root: DirectoryNode, path: string): MemoryNode | undefined {
    if (path === '/') return root
    const parent = directoryIfThere(root, dirname(path), path)
    return parent && childOf(parent.children, basename(path))
  }

  return {
    find(root, path) {
      if (path === '/') return root
      const parent = directoryIfThere(root, dirname(path), path)
      if (parent === undefined) throw new FsError('NOT_FOUND', { path })
      return childOf(parent.children, basename(path))
    },
    findIfThere,
    directory: (root, path, given) => entered(directoryIfThere(root, path, given), given),
    forget: trail.forget,
  }
}

export function namesOf(path: string): string[] {
  return split(posixRules.isPlain?.(path) ? path : resolve('/', path))
}

/** The path normalised. Throws for one that no file system can store. */
export function checkedPath(path: string): string {
  if (path === '/' || posixRules.isPlain?.(path)) return path
  checkPath(path)
  return resolve('/', path)
}

/** Runs one operation at the normalised path. */
export function perform<Result>(path: string, run: (at: string) => Result): Result {
  return run(checkedPath(path))
}

/** The same, whose failures are those of a promise. */
export async function operation<Result>(path: string, run: (at: string) => Result): Promise<Result> {
  return perform(path, run)
}

/** Throws unless the entry is a readable file. */
export function readableFile(node: MemoryNode | undefined, path: string): FileNode {
  if (node === undefined) throw new FsError('NOT_FOUND', { path })
  if (node.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
  if (node.kind === 'symlink') throw new FsError('IS_LINK', { path })
  requireRight(node, ownerReads, path)
  return node
}

/** Throws unless the entry is a directory that may be listed. */
export function readableDirectory(node: MemoryNode | undefined, path: string): DirectoryNode {
  const found = directory(node, path)
  requireRight(found, ownerReads, path)
  return found
}

/** Throws unless the entry is a directory whose entries may be accessed. */
function entered(node: MemoryNode | undefined, path: string): DirectoryNode {
  const found = directory(node, path)
  requireRight(found, ownerEnters, path)
  return found
}

function directory(node: MemoryNode | undefined, path: string): DirectoryNode {
  if (node === undefined) throw new FsError('NOT_FOUND', { path })
  if (node.kind === 'symlink') throw new FsError('IS_LINK', { path })
  if (node.kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path })
  return node
}

const ownerReads = 0o400
export const ownerWrites = 0o200
const ownerEnters = 0o100

/** Who uses the tree owns everything in it, and is not root. */
export function requireRight({ mode }: MemoryNode, right: number, path: string): void {
  if ((mode & right) === 0) throw new FsError('DENIED', { path })
}

/** Sorted by name. Shared with other callers, and not to be changed. */
export function entriesOf(directory: DirectoryNode): Entry[] {
  directory.entries ??= listed(directory)
  return directory.entries
}

function listed({ children }: DirectoryNode): Entry[] {
  const entries: Entry[] = []
  for (const [name, { kind }] of allChildren(children)) entries.push({ name, kind })
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

export function statOf(node: MemoryNode): Stat {
  const { kind, mode, modifiedMs, createdMs, changedMs } = node
  // Reading a file does not change its node, so it was accessed when it was written.
  const common = { kind, modifiedMs, createdMs, accessedMs: modifiedMs, changedMs, mode }
  return node.kind === 'file' ? { ...common, size: node.bytes.length } : common
}
