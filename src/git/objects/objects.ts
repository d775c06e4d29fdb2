/** Reads and writes commits, trees and blobs, with a cache. */
import { FsError } from '../../errors.js'
import { join } from '../../fs/path.js'
import { gather } from '../../fs/pieces.js'
import type { Bytes, FileSystem, Pieces } from '../../fs/types.js'
import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import { damaged } from '../damaged.js'
import { limits, tooLarge } from '../limits.js'
import type { StagedFiles } from '../staged-files.js'
import type { IndexEntry } from '../work-tree/index-file.js'
import { type Commit, parseCommit, parseTag, serializeCommit } from './commit-object.js'
import { compressor } from './deflate.js'
import { type NewObject, objectInMemory, objectOfFile } from './new-object.js'
import { objectId } from './object-id.js'
import { type ObjectStore, openObjectStore, type PackCache } from './object-store.js'
import { looseObject, writePack } from './pack-writer.js'
import { type ReadableBlobs, withReadable } from './readable-blobs.js'
import { type Blob, findInTree, modes, parseTree, serializeTree, type TreeEntry } from './tree.js'

export type { Commit } from './commit-object.js'
export type { Person } from './person.js'

export interface Objects {
  readonly store: ObjectStore
  /** Fails for a blob that is too large to hold in memory. */
  readBlob(oid: string): Promise<Bytes>
  blobSize(oid: string): Promise<number>
  /** At a shallow boundary, without parents, which were not fetched. */
  readCommit(oid: string): Promise<Commit>
  /** The commit that a commit or tag id leads to. */
  peel(oid: string): Promise<string>
  /** All files of a tree, by path. */
  flatten(tree: string): Promise<ReadonlyMap<string, Blob>>
  /** The entry at a path of a tree. */
  find(tree: string, path: string): Promise<TreeEntry | undefined>
  readTree(oid: string): Promise<readonly TreeEntry[]>
  /** The content of a file, in chunks where it is large; `pieces` can be called again. */
  streamBlob(oid: string): Promise<{ size: number; pieces: Pieces }>
  /** Adds a blob, written by `flush`. With a `file` of the same content, it may be read again instead of held. */
  writeBlob(bytes: Bytes, oid: string, file?: string): void
  /** Adds a blob whose file is too large to hold and is read by `flush`. */
  writeFile(oid: string, size: number, file: string): void
  /** Where rules limit reading: fails if an entry gives a path that may be read to content that may not. */
  requireReadable(entries: Iterable<{ path: string; mode: number; oid: string }>): Promise<void>
  /** Where rules limit reading: fails if the repository has content that may not be read. */
  requireAllReadable(): Promise<void>
  /** Adds the trees of the index; subtrees that are already in `known` are not written again. */
  writeTree(entries: readonly IndexEntry[], known?: string): Promise<string>
  writeCommit(commit: Omit<Commit, 'oid'>): Promise<string>
  /** Adds an annotated tag, or an object of another type, from its bytes. */
  writeObject(type: NewObject['type'], bytes: Bytes): Promise<string>
  /** Writes new objects: as loose files when they are few, else as one pack. */
  flush(check?: () => void): Promise<void>
}

/** Shared between calls. An object never changes under its id. */
export interface ObjectCache {
  trees: Map<string, readonly TreeEntry[]>
  commits: Map<string, Commit>
  packs: PackCache
  /** The size of the cache: entries of trees, and characters of messages. */
  held: { entries: number; characters: number }
}

const maxCommits = 20_000
const maxHeldEntries = 300_000
const maxHeldCharacters = 16 * 1024 * 1024

/** Maximum length of a chain of tags; git has no limit. */
const maxTags = 50

/** More new objects than this are written as a pack. */
const maxLoose = 16

/** Larger blobs are written as loose files, in chunks. */
const maxPackedBytes = 4 * 1024 * 1024

/** New content beyond this is read again when it is written. */
const maxHeldBytes = 32 * 1024 * 1024

/** A larger pack would need 64-bit offsets in its index. */
const maxGroupBytes = 1024 * 1024 * 1024

export interface ObjectsOptions {
  fs: FileSystem
  /** The directory `objects`. */
  directory: string
  cache: ObjectCache
  isPartial: boolean
  /** What is written has the same bytes on every platform. */
  isReproducible: boolean
  /** Commits whose parents were not fetched. */
  readShallow: () => Promise<ReadonlySet<string>>
  checkAborted: () => void
  /** Where rules limit reading. */
  readable?: ReadableBlobs
}

export function openObjects(staged: StagedFiles, options: ObjectsOptions): Objects {
  const { fs, directory, cache, checkAborted, readable } = options
  const compress = compressor(options.isReproducible)
  const whole = openObjectStore(staged, { directory, cache: cache.packs, isPartial: options.isPartial })
  const store = readable === undefined ? whole : withReadable(whole, readable)
  const turn = yieldBetweenSteps(checkAborted)
  const fresh = new Map<string, NewObject>()
  let heldBytes = 0
  let shallow: Promise<ReadonlySet<string>> | undefined

  async function read(oid: string, type: 'blob' | 'tree' | 'commit'): Promise<Bytes> {
    const own = fresh.get(oid)
    const found = own ?? (await store.read(oid))
    if (found.type !== type) throw damaged(oid)
    return 'bytes' in found ? found.bytes : gather(found.pieces)
  }

  function add(object: NewObject): void {
    fresh.set(object.oid, object)
    if (object.type === 'blob') readable?.add(object.oid)
  }

  /** No name that may be read is given to content that may not. */
  async function requireReadable(entries: Iterable<{ path: string; mode: number; oid: string }>): Promise<void> {
    if (readable === undefined) return
    for (const { path, mode, oid } of entries) {
      if (mode !== modes.submodule && mode !== modes.directory) await readable.requireAt(path, oid)
    }
  }

  async function readTree(oid: string): Promise<readonly TreeEntry[]> {
    const known = cache.trees.get(oid)
    if (known !== undefined) return known
    const entries = await parseTree(await read(oid, 'tree'), oid, turn)
    cache.held.entries += entries.length + 1
    if (cache.held.entries > maxHeldEntries) {
      cache.trees.clear()
      cache.held.entries = entries.length + 1
    }
    cache.trees.set(oid, entries)
    return entries
  }

  async function readCommit(oid: string): Promise<Commit> {
    shallow ??= options.readShallow()
    const isCut = (await shallow).has(oid)
    const commit = await readWholeCommit(oid)
    return isCut ? { ...commit, parents: [] } : commit
  }

  async function readWholeCommit(oid: string): Promise<Commit> {
    const known = cache.commits.get(oid)
    if (known !== undefined) return known
    const commit = parseCommit(await read(oid, 'commit'), oid)
    cache.held.characters += commit.message.length
    if (cache.commits.size >= maxCommits || cache.held.characters > maxHeldCharacters) {
      cache.commits.clear()
      cache.held.characters = commit.message.length
    }
    cache.commits.set(oid, commit)
    return commit
  }

  async function flatten(top: string): Promise<ReadonlyMap<string, Blob>> {
    const files = new Map<string, Blob>()
    let directories = 0
    const collect = async (tree: string, prefix: string) => {
      directories += 1
      if (directories > limits.directories)
        throw tooLarge('a commit with many directories', limits.directories, 'directories')
      if (prefix.length > limits.pathLength) throw tooLarge('a path in a commit', limits.pathLength, 'characters')
      for (const entry of await readTree(tree)) {
        const pause = turn()
        if (pause !== undefined) await pause
        if (entry.mode === modes.directory) await collect(entry.oid, `${prefix}${entry.name}/`)
        else files.set(prefix + entry.name, entry)
      }
      if (files.size > limits.files) throw tooLarge('a commit with many files', limits.files, 'files')
    }
    await collect(top, '')
    return files
  }

  async function treesBelow(tree: string, into: Set<string>): Promise<void> {
    into.add(tree)
    if (into.size > limits.directories)
      throw tooLarge('a commit with many directories', limits.directories, 'directories')
    for (const { mode, oid } of await readTree(tree)) {
      if (mode === modes.directory && !into.has(oid)) await treesBelow(oid, into)
    }
  }

  return {
    store,
    readBlob: (oid) => read(oid, 'blob'),
    readCommit,
    readTree,
    flatten,

    async blobSize(oid) {
      const own = fresh.get(oid)
      if (own !== undefined) return own.size
      const found = await store.find(oid)
      return found === undefined ? (await store.read(oid)).bytes.length : found.size()
    },

    async peel(given) {
      let oid = given
      for (let tags = 0; tags < maxTags; tags += 1) {
        if (cache.commits.has(oid) || fresh.has(oid)) return oid
        const { type, bytes } = await store.read(oid)
        if (type === 'commit') return oid
        if (type !== 'tag') throw new FsError('GIT_REFUSED', { reason: 'unknown-revision', subject: given })
        oid = parseTag(bytes, oid)
      }
      throw tooLarge(`the chain of tags at ${given}`, maxTags, 'tags')
    },

    async find(tree, path) {
      let entry: TreeEntry = { name: '', mode: modes.directory, oid: tree }
      for (const name of path === '' ? [] : path.split('/')) {
        if (entry.mode !== modes.directory) return undefined
        const known = cache.trees.get(entry.oid)
        const next = known
          ? known.find((each) => each.name === name)
          : findInTree(await read(entry.oid, 'tree'), entry.oid, name)
        if (next === undefined) return undefined
        entry = next
      }
      return entry
    },

    async streamBlob(oid) {
      const own = fresh.get(oid)
      if (own?.type === 'blob') return own
      const { size } = await store.pieces(oid)
      return {
        size,
        async *pieces() {
          const found = await store.pieces(oid)
          if (found.type !== 'blob') throw damaged(oid)
          yield* found.pieces
        },
      }
    },

    writeBlob(bytes, oid, file) {
      const isHeld = file === undefined || heldBytes + bytes.length <= maxHeldBytes
      if (!isHeld) return add(objectOfFile(oid, bytes.length, fs, file))
      if (!fresh.has(oid)) heldBytes += bytes.length
      add(objectInMemory(oid, 'blob', bytes))
    },

    writeFile(oid, size, file) {
      add(objectOfFile(oid, size, fs, file))
    },

    requireReadable,
    async requireAllReadable() {
      await readable?.requireAll()
    },

    async writeTree(entries, known) {
      await requireReadable(entries)
      const existing = new Set<string>()
      if (known !== undefined) await treesBelow(known, existing)
      // In index order the entries of a directory are adjacent, and in the order of its tree.
      const build = async (start: number, end: number, depth: number): Promise<string> => {
        const children: TreeEntry[] = []
        for (let at = start; at < end; ) {
          const { path, mode, oid } = entries[at] as IndexEntry
          const slash = path.indexOf('/', depth)
          if (slash === -1) {
            children.push({ name: path.slice(depth), mode, oid })
            at += 1
            continue
          }
          const prefix = path.slice(0, slash + 1)
          let next = at + 1
          while (next < end && entries[next]?.path.startsWith(prefix)) next += 1
          children.push({
            name: path.slice(depth, slash),
            mode: modes.directory,
            oid: await build(at, next, slash + 1),
          })
          at = next
        }
        const bytes = serializeTree(children)
        const oid = await objectId('tree', bytes)
        if (!existing.has(oid)) add(objectInMemory(oid, 'tree', bytes))
        return oid
      }
      return build(0, entries.length, 0)
    },

    async writeCommit(commit) {
      const bytes = serializeCommit(commit)
      const oid = await objectId('commit', bytes)
      add(objectInMemory(oid, 'commit', bytes))
      return oid
    },

    async writeObject(type, bytes) {
      const oid = await objectId(type, bytes)
      // Whatever its place is, which is not known here: only a tree that is there already may have what is hidden.
      if (type === 'tree' && readable !== undefined && !(await store.has(oid))) {
        for (const { mode, oid: blob } of await parseTree(bytes, oid, turn)) {
          if (mode !== modes.submodule && mode !== modes.directory) await readable.require(blob)
        }
      }
      add(objectInMemory(oid, type, bytes))
      return oid
    },

    async flush(check) {
      const small: NewObject[] = []
      const loose: NewObject[] = []
      for (const object of fresh.values()) {
        if (await store.has(object.oid)) continue
        if (object.size > maxPackedBytes) loose.push(object)
        else small.push(object)
      }
      fresh.clear()
      if (small.length <= maxLoose) loose.push(...small.splice(0))
      for (const group of inGroups(small)) {
        const { name, pack, index } = await writePack(group, { compress, check })
        await staged.write(join(directory, `pack/${name}.pack`), pack)
        await staged.write(join(directory, `pack/${name}.idx`), index)
      }
      for (const object of loose) {
        const { oid, size } = object
        const content = looseObject(object, compress)
        const path = join(directory, `${oid.slice(0, 2)}/${oid.slice(2)}`)
        await staged.write(path, size > maxPackedBytes ? content : await gather(content.pieces))
      }
    },
  }
}

function inGroups(objects: readonly NewObject[]): NewObject[][] {
  const groups: NewObject[][] = []
  let bytes = Infinity
  for (const object of objects) {
    if (bytes + object.size > maxGroupBytes) {
      groups.push([])
      bytes = 0
    }
    bytes += object.size
    groups.at(-1)?.push(object)
  }
  return groups
}
