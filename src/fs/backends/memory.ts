import { FsError } from '../../errors.js'
import { basename, dirname, isWithin } from '../path.js'
import { gather } from '../pieces.js'
import { sha256, sha256Soon } from '../sha256.js'
import { type FileReader, orWouldBlock } from '../sync.js'
import { processMemory } from '../transactional.js'
import type { AtomicAction, StageOptions, StatAndBytes, TransactionalFileSystem } from '../transactional-types.js'
import type { ByteRange, Bytes, Entry, FileChange, FileSystem, LinkOptions, WriteOptions } from '../types.js'
import { capabilitiesInMemory } from './capabilities.js'
import type { Room } from './limit-bytes.js'
import { childOf, copyOfChildren, dropChild, noChildren, type OwnChildren, putChild } from './memory-children.js'
import {
  checkedPath,
  type DirectoryNode,
  entriesOf,
  type MemoryNode,
  namesOf,
  nodeFinder,
  ownerWrites,
  readableDirectory,
  readableFile,
  requireRight,
  statOf,
} from './memory-nodes.js'

/** Files by path; a key that ends in `/` is an empty directory. Parents are made as needed. */
export type MemoryTree = Readonly<Record<string, string | Bytes>>

export interface MemoryOptions {
  /** The time, in milliseconds, for the times of files. Default: that of the machine. */
  now?(): number
  /** @internal What is added beyond it fails with `NO_SPACE`. Unlike `limitBytes` it leaves the tree its atomic changes. */
  room?: Room | undefined
}

/** A tree in memory that can be copied in no time. */
export interface MemoryFileSystem extends FileSystem {
  /** A tree of its own with the same content. Takes the same short time for any size, as both share what neither changes. */
  fork(options?: MemoryOptions): MemoryFileSystem
  /** The content as it is now. Never changes, and shares its nodes with other snapshots of the tree and its forks. */
  snapshot(): DirectoryNode
}

/** A tree in memory. Every operation is finished when it returns, so nothing ever sees it half done. */
export function memory(tree: MemoryTree = {}, options: MemoryOptions = {}): MemoryFileSystem {
  const { now = Date.now, room } = options
  return fromNodes(seeded(tree, now()), { now, room })
}

/** A directory that this tree may change in place. */
interface OwnedDirectory extends DirectoryNode {
  children: OwnChildren<MemoryNode>
  mode: number
  modifiedMs: number
  changedMs: number
}

/** @internal A tree that begins with these nodes, which nobody may change any more. */
export function fromNodes(start: DirectoryNode, { now = Date.now, room }: MemoryOptions): MemoryFileSystem {
  let root = start
  /** What this tree has taken of its room. */
  let charged = 0
  /** The directories that no snapshot has. Made with the first change: most forks are only read. */
  let owned: WeakSet<DirectoryNode> | undefined
  const watchers = new Set<{ path: string; onChange: (change: FileChange) => void }>()
  /** Counts changes: a reader of a directory then resolves it again. */
  let changes = 0
  const nodes = nodeFinder()

  function findNode(path: string): MemoryNode | undefined {
    return nodes.find(root, path)
  }

  /** A directory whose entries may be accessed. */
  function entered(path: string, given: string): DirectoryNode {
    return nodes.directory(root, path, given)
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

  /** The directory itself need not be accessible. */
  function ownedDirectoryAt(path: string, node: DirectoryNode): OwnedDirectory {
    const parent = path === '/' ? undefined : ownedDirectory(dirname(path))
    const directory = own(node)
    if (parent === undefined) root = directory
    else setChild(parent, basename(path), directory)
    changes += 1
    return directory
  }

  /** Puts a node under a path, or removes what is there. The parent's times change only with its names. */
  function place(path: string, node: MemoryNode | undefined): void {
    const parentPath = dirname(path)
    const name = basename(path)
    const before = childOf(entered(parentPath, path).children, name)
    const keepsNames = before !== undefined && node !== undefined
    if (room !== undefined) {
      if (!keepsNames) requireWritable(parentPath, path)
      charge(sizeIn(room, node) - sizeIn(room, before), path)
    }
    const parent = keepsNames ? ownedDirectory(parentPath) : writableDirectory(parentPath, path)
    if (before?.kind !== node?.kind) parent.entries = undefined
    if (before?.kind === 'directory') nodes.forget(path)
    setChild(parent, name, node)
  }

  function charge(bytes: number, path: string): void {
    if (room?.take(bytes) === false) throw new FsError('NO_SPACE', { path })
    charged += bytes
  }

  function writableDirectory(parentPath: string, path: string): OwnedDirectory {
    requireWritable(parentPath, path)
    const parent = ownedDirectory(parentPath)
    const at = now()
    parent.modifiedMs = at
    parent.changedMs = at
    return parent
  }

  function requireWritable(parentPath: string, path: string): void {
    requireRight(entered(parentPath, path), ownerWrites, path)
  }

  function list(path: string): Entry[] {
    return entriesOf(readableDirectory(findNode(path), path))
  }

  function fileReader(path: string): FileReader {
    let directory = entered(path, path)
    let seen = changes

    /** A name that leads elsewhere is no child's. */
    function read(name: string): Bytes {
      if (seen !== changes) directory = entered(path, path)
      seen = changes
      return readableFile(childOf(directory.children, name), name).bytes
    }

    return (name) => orWouldBlock(() => read(name))
  }

  function readShared(path: string, range?: ByteRange): Bytes {
    const { bytes } = readableFile(findNode(path), path)
    return range === undefined ? bytes : bytes.subarray(range.start, range.end)
  }

  function changed(...paths: string[]): void {
    for (const path of paths) {
      for (const watcher of watchers) {
        if (path === watcher.path || dirname(path) === watcher.path) watcher.onChange({ path })
      }
    }
  }

  function existing(path: string): MemoryNode {
    const node = nodes.findIfThere(root, path)
    if (node === undefined) throw new FsError('NOT_FOUND', { path })
    return node
  }

  function vacant(path: string): void {
    if (path === '/' || findNode(path) !== undefined) throw new FsError('EXISTS', { path })
  }

  /** Gives an entry other metadata. */
  function amend(path: string, facts: { mode?: number; modifiedMs?: number }): void {
    const node = existing(path)
    if (node.kind === 'symlink') throw new FsError('IS_LINK', { path })
    const next = { ...facts, changedMs: now() }
    if (node.kind === 'directory') {
      Object.assign(ownedDirectoryAt(path, node), next)
      if (facts.mode !== undefined) nodes.forget(path)
    } else place(path, { ...node, ...next, treeLine: undefined })
    changed(path)
  }

  function write(path: string, data: Bytes, options: WriteOptions & { digest?: string | undefined }): void {
    const { exclusive = false, mode = 0o644, digest } = options
    const before = path === '/' ? root : findNode(path)
    if (before?.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    if (before !== undefined && exclusive) throw new FsError('EXISTS', { path })
    if (before?.kind === 'symlink') throw new FsError('IS_LINK', { path })
    if (before !== undefined) requireRight(before, ownerWrites, path)
    const at = now()
    place(path, {
      kind: 'file',
      bytes: data.slice(),
      mode: before?.mode ?? mode & 0o7777,
      modifiedMs: at,
      createdMs: before?.createdMs ?? at,
      changedMs: at,
      digest,
      treeLine: undefined,
    })
    changed(path)
  }

  function statAndRead(path: string, maxBytes: number): StatAndBytes {
    const node = existing(path)
    const stat = statOf(node)
    if (node.kind !== 'file' || node.bytes.length > maxBytes) return { stat }
    const { bytes } = readableFile(node, path)
    node.digest ??= sha256Soon(bytes)
    return node.digest === undefined ? { stat, bytes } : { stat, bytes, hash: node.digest }
  }

  function stage(path: string, bytes: Bytes, { replaces, mode, hash }: StageOptions): void {
    const replaced = mode === undefined && replaces !== undefined ? perform(replaces, existing) : undefined
    const given = mode ?? replaced?.mode
    write(path, bytes, { digest: hash, ...(given !== undefined && { mode: given }) })
  }

  /** As a file that is staged and renamed into place: it is a new one, and the times of its directory change. */
  function put({ path, bytes, hash, expects, mode, modifiedMs }: AtomicAction & { do: 'write' }): void {
    const before = findNode(path)
    if (before?.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    if (before?.kind === 'symlink') throw new FsError('IS_LINK', { path })
    expectContent(path, expects)
    const at = now()
    if (room !== undefined) {
      requireWritable(dirname(path), path)
      charge(bytes.length + room.entryBytes - sizeIn(room, before), path)
    }
    const parent = writableDirectory(dirname(path), path)
    if (before === undefined) parent.entries = undefined
    setChild(parent, basename(path), {
      kind: 'file',
      bytes: bytes.slice(),
      mode: (mode ?? before?.mode ?? 0o644) & 0o7777,
      modifiedMs: modifiedMs ?? at,
      createdMs: at,
      changedMs: at,
      digest: hash,
      treeLine: undefined,
    })
    changed(path)
  }

  function expectContent(path: string, hash: string | undefined): void {
    if (hash === undefined) return
    const node = findNode(path)
    if (node?.kind !== 'file') throw new FsError('CONFLICT', { path })
    node.digest ??= sha256(node.bytes)
    if (node.digest !== hash) throw new FsError('CONFLICT', { path })
  }

  function act(action: AtomicAction): void {
    const { path } = action
    if (action.do === 'write') put(action)
    else if (action.do === 'rename') rename(path, action.to)
    else if (action.do === 'setMode') amend(path, { mode: action.mode & 0o7777 })
    else if (action.do === 'remove') {
      expectContent(path, action.expects)
      remove(path)
    } else if (action.do === 'makeDir') {
      makeDir(path)
      if (action.mode !== undefined) amend(path, { mode: action.mode & 0o7777 })
    } else symlink(action.target, path, action)
  }

  const transactional: TransactionalFileSystem = {
    atomic: {
      unit: processMemory,
      onlyTogether: true,
      apply(actions, { before, after } = {}) {
        const old = snapshot()
        const chargedBefore = charged
        try {
          before?.()
          for (const action of actions) perform(action.path, (path) => act({ ...action, path }))
          after?.()
        } catch (error) {
          root = old
          owned = undefined
          changes += 1
          room?.take(chargedBefore - charged)
          charged = chargedBefore
          throw error
        }
      },
    },
    statAndRead: (path, maxBytes) => operation(path, (at) => statAndRead(at, maxBytes)),
    async stageFile(path, content, options) {
      const bytes = content instanceof Uint8Array ? content : await gather(content)
      perform(path, (at) => stage(at, bytes, options))
    },
    rename: (from, to) => operation(from, (at) => perform(to, (target) => rename(at, target))),
    remove: (path) => operation(path, remove),
    sync: {
      statAndRead: (path, maxBytes) => perform(path, (at) => statAndRead(at, maxBytes)),
      stageFile: (path, bytes, options) => void perform(path, (at) => stage(at, bytes, options)),
      rename: (from, to) => void perform(from, (at) => perform(to, (target) => rename(at, target))),
    },
  }

  function makeDir(path: string): void {
    vacant(path)
    const made = directoryNode(now())
    place(path, made)
    owned?.add(made)
    changed(path)
  }

  function symlink(target: string, path: string, options?: LinkOptions): void {
    // No link leads out of this tree, so a verbatim target comes from another tree and would lead somewhere else here.
    if (options?.verbatim) throw new FsError('OUTSIDE', { path })
    vacant(path)
    const at = now()
    place(path, { kind: 'symlink', target, mode: 0o777, modifiedMs: at, createdMs: at, changedMs: at })
    changed(path)
  }

  function remove(path: string): void {
    if (path === '/') throw new FsError('IS_ROOT', { path })
    const node = existing(path)
    if (node.kind === 'directory' && node.children.places.size > 0) throw new FsError('NOT_EMPTY', { path })
    place(path, undefined)
    changed(path)
  }

  function rename(from: string, to: string): void {
    if (from === '/' || to === '/') throw new FsError('IS_ROOT', { path: '/' })
    const source = existing(from)
    if (from === to) return
    const isDirectory = source.kind === 'directory'
    if (isDirectory && isWithin(from, to)) throw new FsError('INTO_ITSELF', { path: from, to })
    const replaced = findNode(to)
    if (replaced?.kind === 'directory') {
      if (!isDirectory) throw new FsError('IS_A_DIRECTORY', { path: to })
      if (replaced.children.places.size > 0) throw new FsError('NOT_EMPTY', { path: to })
    } else if (replaced !== undefined && isDirectory) throw new FsError('NOT_A_DIRECTORY', { path: to })
    requireWritable(dirname(from), from)
    requireWritable(dirname(to), to)
    const moved = source.kind === 'directory' ? own(source) : { ...source }
    place(from, undefined)
    if (replaced !== undefined) place(to, undefined)
    place(to, Object.assign(moved, { changedMs: now() }))
    changed(from, to)
  }

  /** Runs one operation, whose failures are those of a promise. */
  async function operation<Result>(path: string, run: (at: string) => Result): Promise<Result> {
    return perform(path, run)
  }

  function snapshot(): DirectoryNode {
    owned = undefined
    return root
  }

  const fs: MemoryFileSystem = {
    capabilities: capabilitiesInMemory,

    sync: {
      stat: (path) => perform(path, (at) => statOf(existing(at))),
      find: (path) =>
        perform(path, (at) => {
          const node = nodes.findIfThere(root, at)
          return node && statOf(node)
        }),
      readFile: (path, range) => perform(path, (at) => readShared(at, range)),
      readDir: (path) => perform(path, list),
      fileReader: (directory) => orWouldBlock(() => perform(directory, fileReader)),
    },

    stat: (path) => operation(path, (at) => statOf(existing(at))),
    readFile: (path, range) => operation(path, (at) => readShared(at, range).slice()),
    writeFile: (path, data, options = {}) => operation(path, (at) => write(at, data, options)),
    readDir: (path) => operation(path, (at) => [...list(at)]),

    makeDir: (path) => operation(path, makeDir),

    remove: transactional.remove,
    rename: transactional.rename,

    symlink: (target, path, options) => operation(path, (at) => symlink(target, at, options)),

    readLink: (path) =>
      operation(path, (at) => {
        const node = existing(at)
        if (node.kind !== 'symlink') throw new FsError('NOT_A_LINK', { path: at })
        return node.target
      }),

    setMode: (path, mode) => operation(path, (at) => amend(at, { mode: mode & 0o7777 })),
    setModified: (path, modifiedMs) => operation(path, (at) => amend(at, { modifiedMs })),

    watch: (path, onChange) =>
      operation(path, (at) => {
        if (existing(at).kind === 'symlink') throw new FsError('IS_LINK', { path: at })
        const watcher = { path: at, onChange }
        watchers.add(watcher)
        return () => void watchers.delete(watcher)
      }),

    snapshot,
    fork: (options = {}) => fromNodes(snapshot(), { now, ...options }),
  }
  // Not enumerable, so that a spread copy with methods of its own is not changed past them.
  return Object.defineProperty(fs, 'transactional', { value: transactional })
}

function sizeIn({ entryBytes }: Room, node: MemoryNode | undefined): number {
  if (node === undefined) return 0
  if (node.kind === 'file') return node.bytes.length + entryBytes
  return node.kind === 'symlink' ? node.target.length + entryBytes : entryBytes
}

function perform<Result>(path: string, run: (at: string) => Result): Result {
  return run(checkedPath(path))
}

function seeded(tree: MemoryTree, at: number): DirectoryNode {
  const root = directoryNode(at)
  const directories = new Map<string, OwnedDirectory>([['/', root]])

  function directoryAt(path: string): OwnedDirectory {
    const known = directories.get(path)
    if (known !== undefined) return known
    const parent = directoryAt(dirname(path))
    const name = basename(path)
    if (parent.children.places.has(name)) throw new FsError('NOT_A_DIRECTORY', { path })
    const made = directoryNode(at)
    putChild(parent.children, name, made)
    directories.set(path, made)
    return made
  }

  for (const [key, content] of Object.entries(tree)) {
    const path = checkedPath(key)
    if (key.endsWith('/') || path === '/') {
      directoryAt(path)
      continue
    }
    if (directories.has(path)) throw new FsError('IS_A_DIRECTORY', { path })
    const bytes = typeof content === 'string' ? encoder.encode(content) : content.slice()
    putChild(directoryAt(dirname(path)).children, basename(path), {
      kind: 'file',
      bytes,
      mode: 0o644,
      modifiedMs: at,
      createdMs: at,
      changedMs: at,
      digest: undefined,
      treeLine: undefined,
    })
  }
  return root
}

function directoryNode(at: number): OwnedDirectory {
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

const encoder = new TextEncoder()
