/** The nodes of one tree in memory. It shares them with other trees until it changes them. */
import { FsError } from '../../errors.js'
import { basename, dirname } from '../path.js'
import type { Room } from './limit-bytes.js'
import { childOf, copyOfChildren, dropChild, noChildren, type OwnChildren, putChild } from './memory-children.js'
import { type DirectoryNode, type MemoryNode, namesOf, nodeFinder, ownerWrites, requireRight } from './memory-nodes.js'

export interface NodeTree {
  /** The entry itself; undefined if only it is missing. Throws if a directory above it is missing too. */
  find(path: string): MemoryNode | undefined
  /** The same, undefined if a directory above it is missing too. */
  findIfThere(path: string): MemoryNode | undefined
  /** The same, which throws if it is missing. */
  existing(path: string): MemoryNode
  /** Returns a directory whose entries may be accessed, as it is at each call. */
  keepFinding(directory: string): () => DirectoryNode
  /** Throws unless entries of a directory may be added and removed. `path` is for errors. */
  requireWritable(directory: string, path: string): void
  /** Puts a node under a path, or removes the one that exists. The parent's times change only with its names. */
  place(path: string, node: MemoryNode | undefined): void
  /** Puts a new node under a path, as a rename does: the parent's times change also if there was another. */
  replace(path: string, node: MemoryNode): void
  /** Gives a directory other metadata. It need not be accessible. */
  amendDirectory(path: string, node: DirectoryNode, facts: Partial<Facts>): void
  /** A node to be placed elsewhere, which may be changed first. */
  toMove(node: MemoryNode): MemoryNode
  /** The nodes as they are now. They never change any more. */
  snapshot(): DirectoryNode
  /** Makes changes that stay only if all of them succeed. */
  together(change: () => void): void
}

type Facts = Pick<OwnedDirectory, 'mode' | 'modifiedMs' | 'changedMs'>

/** A directory that one tree may change in place. */
export interface OwnedDirectory extends DirectoryNode {
  children: OwnChildren<MemoryNode>
  mode: number
  modifiedMs: number
  changedMs: number
}

/** A tree that begins with these nodes, which nobody may change any more. */
export function nodeTree(start: DirectoryNode, { now, room }: { now(): number; room?: Room | undefined }): NodeTree {
  let root = start
  /** What this tree has taken of its room. */
  let charged = 0
  /** The directories that no snapshot has. Made with the first change: most forks are only read. */
  let owned: WeakSet<DirectoryNode> | undefined
  /** Counts changes: a reader of a directory then resolves it again. */
  let changes = 0
  const nodes = nodeFinder()

  function existing(path: string): MemoryNode {
    const node = nodes.findIfThere(root, path)
    if (node === undefined) throw new FsError('NOT_FOUND', { path })
    return node
  }

  /** A directory whose entries may be accessed. */
  function entered(path: string, given: string): DirectoryNode {
    return nodes.directory(root, path, given)
  }

  function keepFinding(path: string): () => DirectoryNode {
    let directory = entered(path, path)
    let seen = changes
    return () => {
      if (seen !== changes) directory = entered(path, path)
      seen = changes
      return directory
    }
  }

  function own(node: DirectoryNode): OwnedDirectory {
    owned ??= new WeakSet()
    if (owned.has(node)) return node as OwnedDirectory
    const copy: OwnedDirectory = { ...node, children: copyOfChildren(node.children), treeLine: undefined }
    owned.add(copy)
    nodes.forget()
    return copy
  }

  /** A directory that may be changed, and with it all above it. */
  function ownedDirectory(path: string): OwnedDirectory {
    changes += 1
    const known = entered(path, path)
    // Then those above it are owned too.
    if (owned?.has(known)) return known as OwnedDirectory
    const top = own(root)
    let directory = top
    for (const name of namesOf(path)) {
      const child = own(childOf(directory.children, name) as DirectoryNode)
      setChild(directory, name, child)
      directory = child
    }
    root = top
    return directory
  }

  function amendDirectory(path: string, node: DirectoryNode, facts: Partial<Facts>): void {
    const parent = path === '/' ? undefined : ownedDirectory(dirname(path))
    const directory = own(node)
    if (parent === undefined) root = directory
    else setChild(parent, basename(path), directory)
    changes += 1
    Object.assign(directory, facts)
    if (facts.mode !== undefined) nodes.forget(path)
  }

  function put(path: string, node: MemoryNode | undefined, { isNew }: { isNew: boolean }): void {
    const parentPath = dirname(path)
    const name = basename(path)
    const above = entered(parentPath, path)
    const before = childOf(above.children, name)
    const changesParent = isNew || before === undefined || node === undefined
    if (changesParent) requireRight(above, ownerWrites, path)
    if (room !== undefined) charge(sizeIn(room, node) - sizeIn(room, before), path)
    const parent = ownedDirectory(parentPath)
    if (changesParent) {
      const at = now()
      parent.modifiedMs = at
      parent.changedMs = at
    }
    if (before?.kind !== node?.kind) parent.entries = undefined
    if (before?.kind === 'directory') nodes.forget(path)
    setChild(parent, name, node)
    // Either it was made for this tree, or copied to be moved.
    if (node?.kind === 'directory') owned?.add(node)
  }

  function charge(bytes: number, path: string): void {
    if (room?.take(bytes) === false) throw new FsError('NO_SPACE', { path })
    charged += bytes
  }

  function snapshot(): DirectoryNode {
    owned = undefined
    return root
  }

  function together(change: () => void): void {
    const before = snapshot()
    const chargedBefore = charged
    try {
      change()
    } catch (error) {
      root = before
      owned = undefined
      changes += 1
      room?.take(chargedBefore - charged)
      charged = chargedBefore
      throw error
    }
  }

  return {
    find: (path) => nodes.find(root, path),
    findIfThere: (path) => nodes.findIfThere(root, path),
    existing,
    keepFinding,
    requireWritable: (directory, path) => requireRight(entered(directory, path), ownerWrites, path),
    place: (path, node) => put(path, node, { isNew: false }),
    replace: (path, node) => put(path, node, { isNew: true }),
    amendDirectory,
    toMove: (node) => (node.kind === 'directory' ? own(node) : { ...node }),
    snapshot,
    together,
  }
}

export function newDirectory(at: number): OwnedDirectory {
  return {
    kind: 'directory',
    children: noChildren(),
    mode: 0o755,
    modifiedMs: at,
    createdMs: at,
    changedMs: at,
    entries: undefined,
    treeLine: undefined,
    treeLines: undefined,
  }
}

function sizeIn({ entryBytes }: Room, node: MemoryNode | undefined): number {
  if (node === undefined) return 0
  if (node.kind === 'file') return node.bytes.length + entryBytes
  return node.kind === 'symlink' ? node.target.length + entryBytes : entryBytes
}

function setChild(parent: OwnedDirectory, name: string, node: MemoryNode | undefined): void {
  if (node === undefined) dropChild(parent.children, name)
  else putChild(parent.children, name, node)
  const lines = parent.treeLines
  if (lines === undefined || lines.changed.includes(name)) return
  const isFew = lines.changed.length < mostChangedLines
  parent.treeLines = isFew ? { text: lines.text, changed: [...lines.changed, name] } : undefined
}

/** With more, all lines are written again. */
const mostChangedLines = 16
