/** Commits, trees and files of a repository by their names, through isomorphic-git; what was read once is kept. */
import { FsError, isFsError } from '../errors.js'
import { inBatches } from '../fs/in-batches.js'
import { join } from '../fs/path.js'
import type { Bytes } from '../fs/types.js'
import type { IndexEntry } from './index-file.js'
import type { IsomorphicGit } from './isomorphic.js'
import { objectId } from './object-id.js'
import { type PackedObject, writePack } from './pack.js'
import type { StagedFiles } from './staged-files.js'
import { type Blob, modes, parseTree, serializeTree, type TreeEntry } from './tree.js'

export interface Person {
  name: string
  email: string
  /** Seconds since 1970. */
  timestamp: number
  /** Minutes west of Greenwich, as `Date` counts. */
  timezoneOffset: number
}

export interface Commit {
  oid: string
  tree: string
  parents: readonly string[]
  author: Person
  committer: Person
  message: string
}

export interface Objects {
  readBlob(oid: string): Promise<Bytes>
  readCommit(oid: string): Promise<Commit>
  /** The commit that a commit or tag leads to. */
  peel(oid: string): Promise<string>
  /** All files below a tree, by path. */
  flatten(tree: string): Promise<ReadonlyMap<string, Blob>>
  /** What stands at a path of a tree. */
  find(tree: string, path: string): Promise<TreeEntry | undefined>
  readTree(oid: string): Promise<readonly TreeEntry[]>
  /** Kept until `flush`, under the name its content has. */
  writeBlob(bytes: Bytes, oid: string): void
  /** The tree of what is staged; those that are in `known` already are not written again. */
  writeTree(entries: readonly IndexEntry[], known?: string): Promise<string>
  writeCommit(commit: Omit<Commit, 'oid'>): Promise<string>
  /** Writes the files and trees that are new: as they are when they are few, else as one pack. */
  flush(check?: () => void): Promise<void>
}

/** Kept from call to call. Objects never change under their name. */
export interface ObjectCache {
  trees: Map<string, readonly TreeEntry[]>
  commits: Map<string, Commit>
  /** isomorphic-git's own, for packs. */
  packs: object
}

const maxKept = 20_000

const treesAtOnce = 16

/** More new objects than this go into a pack. */
const maxLoose = 16

export function openObjects(
  git: IsomorphicGit,
  { client, write }: StagedFiles,
  gitDirectory: string,
  cache: ObjectCache,
): Objects {
  const common = { fs: client, gitdir: gitDirectory, cache: cache.packs }

  const fresh = new Map<string, PackedObject>()

  async function read(oid: string, type: 'blob' | 'tree'): Promise<Bytes> {
    const own = fresh.get(oid)
    if (own?.type === type) return own.bytes
    const found = await git.readObject({ ...common, oid, format: 'content' }).catch((error) => {
      throw asRefusal(error, oid)
    })
    if (found.type !== type) throw new FsError('GIT_REFUSED', { reason: 'damaged-repository', subject: oid })
    return found.object as Bytes
  }

  async function readTree(oid: string): Promise<readonly TreeEntry[]> {
    return cache.trees.get(oid) ?? keep(cache.trees, oid, parseTree(await read(oid, 'tree'), oid))
  }

  async function readCommit(oid: string): Promise<Commit> {
    const known = cache.commits.get(oid)
    if (known !== undefined) return known
    const { commit } = await git.readCommit({ ...common, oid }).catch((error) => {
      throw asRefusal(error, oid)
    })
    const { tree, parent: parents, author, committer, message } = commit
    return keep(cache.commits, oid, {
      oid,
      tree,
      parents,
      author: person(author),
      committer: person(committer),
      message,
    })
  }

  async function collect(tree: string, prefix: string, into: Map<string, Blob>): Promise<void> {
    const entries = await readTree(tree)
    const below = entries.filter(({ mode, oid }) => mode === modes.directory && !cache.trees.has(oid))
    // Unpacked by other threads, several take no longer than one.
    await inBatches(below, treesAtOnce, ({ oid }) => readTree(oid))
    for (const { name, mode, oid } of entries) {
      if (mode === modes.directory) await collect(oid, `${prefix}${name}/`, into)
      else into.set(prefix + name, { mode, oid })
    }
  }

  async function treesBelow(tree: string, into: Set<string>): Promise<void> {
    into.add(tree)
    for (const { mode, oid } of await readTree(tree)) {
      if (mode === modes.directory && !into.has(oid)) await treesBelow(oid, into)
    }
  }

  return {
    readBlob: (oid) => read(oid, 'blob'),
    readCommit,
    readTree,

    async peel(oid) {
      const { oid: found } = await git.readCommit({ ...common, oid }).catch((error) => {
        throw asRefusal(error, oid)
      })
      return found
    },

    async flatten(tree) {
      const files = new Map<string, Blob>()
      await collect(tree, '', files)
      return files
    },

    async find(tree, path) {
      let entry: TreeEntry = { name: '', mode: modes.directory, oid: tree }
      for (const name of path === '' ? [] : path.split('/')) {
        if (entry.mode !== modes.directory) return undefined
        const next = (await readTree(entry.oid)).find((each) => each.name === name)
        if (next === undefined) return undefined
        entry = next
      }
      return entry
    },

    writeBlob(bytes, oid) {
      fresh.set(oid, { oid, type: 'blob', bytes })
    },

    async writeTree(entries, known) {
      const there = new Set<string>()
      if (known !== undefined) await treesBelow(known, there)
      // In the order of the index the entries of a directory stand together, and in the order a tree has them.
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
        if (!there.has(oid)) fresh.set(oid, { oid, type: 'tree', bytes })
        return oid
      }
      return build(0, entries.length, 0)
    },

    async writeCommit({ tree, parents, author, committer, message }) {
      const commit = { tree, parent: [...parents], author, committer, message }
      return git.writeCommit({ fs: client, gitdir: gitDirectory, commit })
    },

    async flush(check) {
      const objects = [...fresh.values()]
      fresh.clear()
      if (objects.length > maxLoose) {
        const { name, pack, index } = await writePack(objects, check)
        await write(join(gitDirectory, `objects/pack/${name}.pack`), pack)
        await write(join(gitDirectory, `objects/pack/${name}.idx`), index)
        return
      }
      for (const { type, bytes } of objects) {
        await git.writeObject({ fs: client, gitdir: gitDirectory, type, object: bytes, format: 'content' })
      }
    },
  }
}

function keep<Value>(cache: Map<string, Value>, oid: string, value: Value): Value {
  if (cache.size >= maxKept) cache.clear()
  cache.set(oid, value)
  return value
}

function person({ name, email, timestamp, timezoneOffset }: Person): Person {
  return { name, email, timestamp, timezoneOffset }
}

/** What isomorphic-git reports about an object. */
export function asRefusal(error: unknown, subject: string): unknown {
  if (isFsError(error)) return error
  return new FsError('GIT_REFUSED', { reason: 'damaged-repository', subject }, { cause: error })
}
