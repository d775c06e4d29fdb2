import { FsError } from '../../errors.js'
import { copiedBytes } from '../../text/copied-bytes.js'
import { dirname } from '../path.js'
import { type FileReader, orWouldBlock } from '../sync.js'
import type { Branch, BranchOptions, ByteRange, Bytes, Entry, FileChange, FileSystem } from '../types.js'
import { capabilitiesInMemory } from './capabilities.js'
import { entryBytesInMemory, type Room, roomWithin } from './limit-bytes.js'
import { childOf } from './memory-children.js'
import { nodeDifferences } from './memory-differences.js'
import { memoryMoment } from './memory-moment.js'
import { memoryMutations } from './memory-mutations.js'
import {
  type DirectoryNode,
  entriesOf,
  operation,
  perform,
  readableDirectory,
  readableFile,
  statOf,
} from './memory-nodes.js'
import { type MemoryTree, seeded } from './memory-seed.js'
import { memoryTransactional } from './memory-transactional.js'
import { nodeTree } from './memory-tree.js'

export type { MemoryTree } from './memory-seed.js'

export interface MemoryOptions {
  /** The time, in milliseconds, for the times of files. Default: that of the machine. */
  now?(): number
  /** @internal What is added beyond it fails with `NO_SPACE`. Unlike `limitBytes` it leaves the tree its atomic changes. */
  room?: Room | undefined
  /** @internal Of the tree that it is a copy of: what both share need not be compared. */
  family?: object
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

/** @internal A tree that begins with these nodes, which nobody may change any more. */
export function fromNodes(start: DirectoryNode, options: MemoryOptions): MemoryFileSystem {
  const { now = Date.now, room, family = {} } = options
  const tree = nodeTree(start, { now, room })
  const { find, findIfThere, existing, snapshot } = tree
  const { watch, changed } = entryWatchers()
  const mutations = memoryMutations(tree, { now, changed })
  const { write, makeDir, symlink, amend } = mutations
  const transactional = memoryTransactional(tree, mutations, { now, changed })

  function list(path: string): Entry[] {
    return entriesOf(readableDirectory(find(path), path))
  }

  function fileReader(path: string): FileReader {
    const directory = tree.keepFinding(path)
    /** A name that leads elsewhere is not a child's. */
    const read = (name: string) => readableFile(childOf(directory().children, name), name).bytes
    return (name) => orWouldBlock(() => read(name))
  }

  function readShared(path: string, range?: ByteRange): Bytes {
    const { bytes } = readableFile(find(path), path)
    const isWhole = range === undefined || (range.start === 0 && range.end >= bytes.length)
    return isWhole ? bytes : bytes.subarray(range.start, range.end)
  }

  const fs: MemoryFileSystem = {
    capabilities: capabilitiesInMemory,

    sync: {
      stat: (path) => perform(path, (at) => statOf(existing(at))),
      find: (path) =>
        perform(path, (at) => {
          const node = findIfThere(at)
          return node && statOf(node)
        }),
      readFile: (path, range) => perform(path, (at) => readShared(at, range)),
      readDir: (path) => perform(path, list),
      fileReader: (directory) => orWouldBlock(() => perform(directory, fileReader)),
    },

    stat: (path) => operation(path, (at) => statOf(existing(at))),
    readFile: (path, range) => operation(path, (at) => copiedBytes(readShared(at, range))),
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
        return watch(at, onChange)
      }),

    snapshot,
    fork: (options = {}) => fromNodes(snapshot(), { now, family, ...options }),
  }

  function branch({ maxBytes }: BranchOptions): Branch {
    const start = snapshot()
    const own = roomWithin(room, { maxBytes, entryBytes: entryBytesInMemory })
    const copy = fromNodes(start, { now, room: own, family })
    return {
      fs: copy,
      start: fromNodes(start, { now }),
      isApart: true,
      async changedPaths() {
        const { removed, added, changed } = nodeDifferences(start, copy.snapshot())
        return new Set([...removed, ...added, ...changed].map(({ path }) => path))
      },
      drop: () => void own.take(-own.usedBytes),
    }
  }

  // Not enumerable, so that a spread copy with methods of its own is not changed past them.
  return Object.defineProperties(fs, {
    transactional: { value: transactional },
    branch: { value: branch },
    moment: { value: () => memoryMoment(snapshot(), family) },
  })
}

function entryWatchers() {
  const watchers = new Set<{ path: string; onChange: (change: FileChange) => void }>()
  return {
    watch(path: string, onChange: (change: FileChange) => void): () => void {
      const watcher = { path, onChange }
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
    /** Reports each path to the watchers of the entry and of its directory. */
    changed(...paths: string[]): void {
      for (const path of paths) {
        for (const watcher of watchers) {
          if (path === watcher.path || dirname(path) === watcher.path) watcher.onChange({ path })
        }
      }
    },
  }
}
