/**
 * Which blobs may be shown where rules limit reading. A blob has no path of its own, so it is looked up wherever it is stored: in what refs
 * and their logs lead to, and in the index. It is shown if it is there at a path that may be read, and at none that may not.
 */
import { FsError } from '../../errors.js'
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import { join } from '../../fs/path.js'
import { tooLarge } from '../limits.js'
import type { ObjectStore } from './object-store.js'
import { modes, type TreeEntry } from './tree.js'

/** What was found so far. It only grows: a blob that was at a denied path stays hidden, also when nothing leads there any more. */
export interface SeenBlobs {
  commits: Set<string>
  /** Trees with the path they were at. */
  trees: Set<string>
  allowed: Set<string>
  denied: Map<string, { path: string; rule: string }>
}

export interface ReadableBlobs {
  /** Throws `FORBIDDEN` for a blob that may not be shown. */
  require(oid: string): Promise<void>
  /** The same for a blob that is to be stored at a path, where that may be read. */
  requireAt(path: string, oid: string): Promise<void>
  /** Notes a blob that is new, whose content the caller has. */
  add(oid: string): void
  /** Throws if the repository has any. */
  requireAll(): Promise<void>
}

export interface ReadableBlobsOptions {
  fs: ConfinedFileSystem
  seen: SeenBlobs
  /** The directories that paths of the repository are relative to: its working trees. */
  readRoots(): Promise<readonly string[]>
  /** Objects that refs, their logs and operations in progress lead to. */
  readTips(): Promise<Iterable<string>>
  /** What is staged, in every working tree. */
  readStaged(): Promise<Iterable<{ path: string; oid: string; mode: number }>>
  readTree(oid: string): Promise<readonly TreeEntry[]>
  /** The commit that an object leads to, and its tree; undefined for anything else. */
  readCommit(oid: string): Promise<{ oid: string; tree: string; parents: readonly string[] } | undefined>
  /** Waits now and then, and fails when the call is cancelled. */
  turn: () => Promise<void> | undefined
}

/** The blob of an empty file. */
const emptyBlob = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'

const maxTrees = 2_000_000

export function readableBlobs(options: ReadableBlobsOptions): ReadableBlobs {
  const { fs, seen, turn } = options
  let looking: Promise<void> | undefined
  let roots: readonly string[] = []

  /** Looks everywhere, once for each call; what was seen by an earlier one is not read again. */
  function look(): Promise<void> {
    looking ??= lookNow()
    return looking
  }

  async function lookNow(): Promise<void> {
    roots = await options.readRoots()
    for (const { path, oid, mode } of await options.readStaged()) if (mode !== modes.submodule) see(path, oid)
    const pending = [...(await options.readTips())]
    for (let oid = pending.pop(); oid !== undefined; oid = pending.pop()) {
      if (seen.commits.has(oid)) continue
      seen.commits.add(oid)
      const commit = await options.readCommit(oid)
      if (commit === undefined) continue
      seen.commits.add(commit.oid)
      await seeTree(commit.tree, '')
      pending.push(...commit.parents)
    }
  }

  async function seeTree(tree: string, prefix: string): Promise<void> {
    const key = `${tree}${prefix}`
    if (seen.trees.has(key)) return
    if (seen.trees.size >= maxTrees) throw tooLarge('the history that rules are checked in', maxTrees, 'directories')
    seen.trees.add(key)
    for (const { name, mode, oid } of await options.readTree(tree)) {
      const pause = turn()
      if (pause !== undefined) await pause
      if (mode === modes.directory) await seeTree(oid, `${prefix}${name}/`)
      else if (mode !== modes.submodule) see(prefix + name, oid)
    }
  }

  function see(path: string, oid: string): void {
    if (oid === emptyBlob) return
    const denied = deniedAt(path)
    if (denied === undefined) seen.allowed.add(oid)
    else if (!seen.denied.has(oid)) seen.denied.set(oid, denied)
  }

  function deniedAt(path: string): { path: string; rule: string } | undefined {
    for (const root of roots) {
      const full = join(root, path)
      const decided = fs.decide(full, 'read')
      if (decided !== undefined) return { path: full, rule: decided.rule }
    }
    return undefined
  }

  async function require(oid: string): Promise<void> {
    if (oid === emptyBlob) return
    await look()
    const denied = seen.denied.get(oid)
    if (denied !== undefined) throw new FsError('FORBIDDEN', { ...denied, doing: 'read' })
    if (!seen.allowed.has(oid)) throw new FsError('FORBIDDEN', { path: oid, doing: 'read', rule: unknownPath })
  }

  return {
    require,
    add: (oid) => {
      seen.allowed.add(oid)
    },
    async requireAt(path, oid) {
      await look()
      if (deniedAt(path) === undefined) await require(oid)
    },
    async requireAll() {
      await look()
      for (const denied of seen.denied.values()) throw new FsError('FORBIDDEN', { ...denied, doing: 'read' })
    },
  }
}

/** Given as the rule for an object that is in no commit and not staged, so that its path is not known. */
const unknownPath = 'objects of git'

/** A store that shows only blobs that may be read. */
export function withReadable(store: ObjectStore, readable: ReadableBlobs): ObjectStore {
  async function check(oid: string): Promise<void> {
    if ((await store.find(oid))?.type === 'blob') await readable.require(oid)
  }
  return {
    ...store,
    async find(oid) {
      const found = await store.find(oid)
      if (found?.type !== 'blob') return found
      return {
        ...found,
        async size() {
          await readable.require(oid)
          return found.size()
        },
      }
    },
    async read(oid) {
      await check(oid)
      return store.read(oid)
    },
    async pieces(oid) {
      await check(oid)
      return store.pieces(oid)
    },
  }
}
