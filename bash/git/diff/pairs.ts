/** What differs between two states of the files: commits, the index and the working tree. */
import type { Bytes, Stat } from '../../../src/fs/types.js'
import { yieldBetweenSteps } from '../../../src/fs/yield-between-steps.js'
import { conflictsIn } from '../../../src/git/commands/status.js'
import { compareTrees } from '../../../src/git/objects/compare-trees.js'
import { comparePaths, objectId } from '../../../src/git/objects/object-id.js'
import { shownBlob } from '../../../src/git/objects/shown-blob.js'
import { type Blob, modes } from '../../../src/git/objects/tree.js'
import { type Index, type Repository, readIndex } from '../../../src/git/repository.js'
import { changedInWorkTree, modeOf, readContent, scanWorkTree } from '../../../src/git/work-tree/work-tree.js'
import type { Pathspecs } from '../pathspec.js'

export type Status = 'A' | 'M' | 'D' | 'T' | 'R' | 'C' | 'U'

/** One side of a file. */
export interface FileSide extends Blob {
  read(): Promise<Bytes>
  /** A file of the working tree: lists of ids do not show its. */
  isInWorkTree?: boolean
}

export interface FilePair {
  /** The path after the change. */
  path: string
  /** The path before the change. */
  oldPath: string
  before?: FileSide
  after?: FileSide
  status: Status
  /** The similarity of a rename, of 60000. */
  score?: number
}

export { maxScore } from '../../../src/text/diff/renames.js'

export interface Files {
  get(path: string): FileSide | undefined
  paths: readonly string[]
}

export function blobSide({ objects }: Repository, { mode, oid }: Blob): FileSide {
  if (mode === modes.submodule) {
    return { mode, oid, read: async () => new TextEncoder().encode(`Subproject commit ${oid}\n`) }
  }
  return { mode, oid, read: () => shownBlob(objects, oid) }
}

export function pairOf(path: string, before: FileSide | undefined, after: FileSide | undefined): FilePair {
  const isSameType = before && after && (before.mode & 0o170000) === (after.mode & 0o170000)
  const status = before === undefined ? 'A' : after === undefined ? 'D' : isSameType ? 'M' : 'T'
  return { path, oldPath: path, status, ...(before && { before }), ...(after && { after }) }
}

/** The differences of two sets of files, in git's order. */
export function comparePairs(before: ReadonlyMap<string, FileSide>, after: ReadonlyMap<string, FileSide>): FilePair[] {
  const pairs: FilePair[] = []
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(path), after.get(path)]
    if (old?.oid === now?.oid && old?.mode === now?.mode) continue
    pairs.push(pairOf(path, old, now))
  }
  return pairs.sort((a, b) => comparePaths(a.path, b.path))
}

/** Between two trees; a missing one has no files. */
export async function treePairs(
  repository: Repository,
  before: string | undefined,
  after: string | undefined,
  specs?: Pathspecs,
): Promise<FilePair[]> {
  const turn = yieldBetweenSteps(repository.checkAborted)
  const bases = specs?.bases
  const found = await compareTrees(repository.objects, { before, after }, { turn, ...(bases && { paths: bases }) })
  const sides = (blobs: ReadonlyMap<string, Blob>) =>
    new Map(
      [...blobs]
        .filter(([path]) => specs === undefined || specs.matches(path))
        .map(([path, blob]) => [path, blobSide(repository, blob)] as const),
    )
  return comparePairs(sides(found.before), sides(found.after))
}

export async function treeFiles(
  repository: Repository,
  tree: string | undefined,
  specs?: Pathspecs,
): Promise<Map<string, FileSide>> {
  const files = tree === undefined ? new Map<string, Blob>() : await repository.objects.flatten(tree)
  const found = new Map<string, FileSide>()
  for (const [path, blob] of files)
    if (specs === undefined || specs.matches(path)) found.set(path, blobSide(repository, blob))
  return found
}

export function indexFiles(repository: Repository, { entries }: Index, specs?: Pathspecs): Map<string, FileSide> {
  const found = new Map<string, FileSide>()
  for (const entry of entries) {
    if (entry.stage === 0 && (specs === undefined || specs.matches(entry.path)))
      found.set(entry.path, blobSide(repository, entry))
  }
  return found
}

/** Tracked files as they are in the working tree. */
export async function workTreeFiles(
  repository: Repository,
  index: Index,
  specs?: Pathspecs,
): Promise<Map<string, FileSide>> {
  const files = new Map<string, FileSide>()
  for (const entry of index.entries) if (entry.stage === 0) files.set(entry.path, blobSide(repository, entry))
  const bases = specs?.bases
  const { present } = await scanWorkTree(repository, index, { untracked: 'none', ...(bases && { paths: bases }) })
  const isWanted = (path: string) => specs === undefined || specs.matches(path)
  for (const { entry, stat, change } of await changedInWorkTree(repository, index, present, { isWanted })) {
    if (change === 'deleted' || stat === undefined) files.delete(entry.path)
    else files.set(entry.path, await workTreeSide(repository, entry.path, stat, entry.mode))
  }
  // A conflicted file is compared as it is.
  for (const { path } of conflictsIn(index)) {
    const stat = present.get(path)
    if (stat !== undefined && isWanted(path)) files.set(path, await workTreeSide(repository, path, stat))
  }
  for (const path of files.keys()) if (!isWanted(path)) files.delete(path)
  return files
}

/** A file of the working tree, read when it is needed. */
export async function workTreeSide(
  repository: Repository,
  path: string,
  stat: Stat,
  known?: number,
): Promise<FileSide> {
  const bytes = (await readContent(repository, path, stat)) ?? new Uint8Array()
  return {
    mode: modeOf(repository, stat, known),
    oid: await objectId('blob', bytes),
    read: async () => bytes,
    isInWorkTree: true,
  }
}

/** Between the index and the working tree. Conflicted paths come as `U`, and with what changed since our side. */
export async function workTreePairs(repository: Repository, specs?: Pathspecs): Promise<FilePair[]> {
  const index = await readIndex(repository)
  const before = indexFiles(repository, index, specs)
  const after = await workTreeFiles(repository, index, specs)
  const conflicted = conflictsIn(index)
    .map(({ path }) => path)
    .filter((path) => specs === undefined || specs.matches(path))
  const resolved = new Map(conflicted.map((path) => [path, after.get(path)]))
  for (const path of conflicted) after.delete(path)
  const pairs = comparePairs(before, after).filter(
    // As git, a file that was only touched is not shown.
    ({ before: old, after: now }) => !(old && now && old.oid === now.oid && old.mode === now.mode),
  )
  for (const path of conflicted) {
    const ours = index.entries.find((entry) => entry.path === path && entry.stage === 2)
    pairs.push({ path, oldPath: path, status: 'U' })
    if (ours !== undefined) pairs.push(pairOf(path, blobSide(repository, ours), resolved.get(path)))
  }
  return pairs.sort((a, b) => comparePaths(a.path, b.path))
}

/** Between a tree and the index. */
export async function indexPairs(
  repository: Repository,
  tree: string | undefined,
  specs?: Pathspecs,
): Promise<FilePair[]> {
  const index = await readIndex(repository)
  const before = await treeFiles(repository, tree, specs)
  const conflicted = conflictsIn(index)
    .map(({ path }) => path)
    .filter((path) => specs === undefined || specs.matches(path))
  for (const path of conflicted) before.delete(path)
  const pairs = comparePairs(before, indexFiles(repository, index, specs))
  for (const path of conflicted) pairs.push({ path, oldPath: path, status: 'U' })
  return pairs.sort((a, b) => comparePaths(a.path, b.path))
}

/** Between a tree and the working tree, where a conflicted file is as it is. */
export async function treeToWorkTreePairs(
  repository: Repository,
  tree: string | undefined,
  specs?: Pathspecs,
): Promise<FilePair[]> {
  const index = await readIndex(repository)
  return comparePairs(await treeFiles(repository, tree, specs), await workTreeFiles(repository, index, specs))
}

/** The same differences in the other direction. */
export function reversed(pairs: readonly FilePair[]): FilePair[] {
  return pairs.map(({ path, oldPath, before, after, status, ...rest }) => ({
    ...rest,
    path: oldPath,
    oldPath: path,
    status: status === 'A' ? 'D' : status === 'D' ? 'A' : status,
    ...(after && { before: after }),
    ...(before && { after: before }),
  }))
}
