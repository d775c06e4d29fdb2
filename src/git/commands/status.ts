import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import { lastValue } from '../config.js'
import { comparePaths } from '../objects/object-id.js'
import type { Commit } from '../objects/objects.js'
import type { Blob } from '../objects/tree.js'
import { type OperationInProgress, operationInProgress } from '../operation-in-progress.js'
import { dateQueue } from '../refs/commit-queue.js'
import { readHead, resolveRef } from '../refs/refs.js'
import { type Index, type Repository, readIndex } from '../repository.js'
import type { IndexEntry } from '../work-tree/index-file.js'
import { changedInWorkTree, isAtOrBelow, type ScanOptions, sameBlob, scanWorkTree } from '../work-tree/work-tree.js'

export type Change = 'added' | 'modified' | 'deleted' | 'type-changed'

export interface ChangedPath {
  path: string
  change: Change
}

/** Paths are relative to the repository and in git's order; a directory ends with a slash. */
export interface GitStatus {
  /** The directory that contains `.git`. */
  root: string
  /** Absent when `HEAD` is detached. */
  branch?: string
  /** The current commit; absent before the first one. */
  head?: string
  upstream?: Upstream
  /** A merge or similar operation in progress. */
  inProgress?: OperationInProgress
  /** Changes between the last commit and the index. */
  staged: ChangedPath[]
  /** Changes between the index and the working tree. */
  unstaged: ChangedPath[]
  untracked: string[]
  /** Only if requested. */
  ignored?: string[]
  /** Directories whose path is too long to be read; absent if none. */
  tooDeep?: string[]
  /** Paths changed by both sides of a merge, with git's two-letter code. */
  conflicted: Array<{ path: string; code: ConflictCode }>
}

/** Ours, then theirs: `D` deleted, `A` added, `U` changed. */
export type ConflictCode = 'DD' | 'AU' | 'UD' | 'UA' | 'DU' | 'AA' | 'UU'

export interface Upstream {
  /** For example `origin/main`. */
  name: string
  /** Number of commits on one side only; absent when the upstream is gone or too far apart to count. */
  ahead?: number
  behind?: number
}

export async function gitStatus(repository: Repository, options: ScanOptions): Promise<GitStatus> {
  const { paths } = options
  const isWanted = (path: string) => paths === undefined || paths.some((each) => isAtOrBelow(each, path))
  const [index, { branch, oid }] = [await readIndex(repository), await readHead(repository)]
  const scan = await scanWorkTree(repository, index, options)
  const unstaged = await changedInWorkTree(repository, index, scan.present, { isWanted })
  const inProgress = await operationInProgress(repository)
  const upstream = branch === undefined ? undefined : await upstreamOf(repository, branch, oid)
  return {
    root: repository.root,
    ...(branch !== undefined && { branch }),
    ...(oid !== undefined && { head: oid }),
    ...(upstream && { upstream }),
    ...(inProgress && { inProgress }),
    staged: compareBlobs(await headFiles(repository, oid), stagedBlobs(index)).filter(({ path }) => isWanted(path)),
    unstaged: unstaged.map(({ entry, change }) => ({ path: entry.path, change })),
    untracked: scan.untracked,
    ...(scan.tooDeep.length > 0 && { tooDeep: scan.tooDeep }),
    ...(options.ignored && { ignored: scan.ignored }),
    conflicted: conflictsIn(index).filter(({ path }) => isWanted(path)),
  }
}

/** The files of a commit; none without a commit. */
export async function headFiles({ objects }: Repository, oid: string | undefined): Promise<ReadonlyMap<string, Blob>> {
  return oid === undefined ? new Map() : objects.flatten((await objects.readCommit(oid)).tree)
}

/** Staged entries by path, without conflicts. */
export function blobsOf({ entries }: Index): Map<string, IndexEntry> {
  return new Map(entries.filter(({ stage }) => stage === 0).map((entry) => [entry.path, entry]))
}

/** Staged entries by path; a conflicted path is marked as such. */
export function stagedBlobs({ entries }: Index): Map<string, Blob | 'conflicted'> {
  return new Map(entries.map((entry) => [entry.path, entry.stage === 0 ? entry : 'conflicted']))
}

/** The changes between two sets of files; conflicts are skipped. */
export function compareBlobs(
  before: ReadonlyMap<string, Blob | 'conflicted'>,
  after: ReadonlyMap<string, Blob | 'conflicted'>,
): ChangedPath[] {
  const changes: ChangedPath[] = []
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, current] = [before.get(path), after.get(path)]
    if (old === 'conflicted' || current === 'conflicted' || sameBlob(old, current)) continue
    changes.push({ path, change: changeBetween(old, current) })
  }
  return changes.sort((a, b) => comparePaths(a.path, b.path))
}

export function changeBetween(old: Blob | undefined, current: Blob | undefined): Change {
  if (old === undefined) return 'added'
  if (current === undefined) return 'deleted'
  return (old.mode & 0o170000) === (current.mode & 0o170000) ? 'modified' : 'type-changed'
}

export function conflictsIn({ entries }: Index): GitStatus['conflicted'] {
  const stages = new Map<string, number>()
  for (const { path, stage } of entries) if (stage > 0) stages.set(path, (stages.get(path) ?? 0) | (1 << (stage - 1)))
  return [...stages].map(([path, mask]) => ({ path, code: conflictCodes[mask] ?? 'UU' }))
}

/** Indexed by the bits of the stages 1, 2 and 3 that exist. */
const conflictCodes: readonly (ConflictCode | undefined)[] = [undefined, 'DD', 'AU', 'UD', 'UA', 'DU', 'AA', 'UU']

async function upstreamOf(
  repository: Repository,
  branch: string,
  oid: string | undefined,
): Promise<Upstream | undefined> {
  const remote = lastValue(repository.config, `branch.${branch}.remote`)
  const merge = lastValue(repository.config, `branch.${branch}.merge`)
  if (remote === undefined || merge === undefined || !merge.startsWith('refs/heads/')) return undefined
  const short = merge.slice('refs/heads/'.length)
  const [name, ref] = remote === '.' ? [short, merge] : [`${remote}/${short}`, `refs/remotes/${remote}/${short}`]
  const theirs = await resolveRef(repository, ref)
  if (theirs === undefined || oid === undefined) return { name }
  return { name, ...(await countApart(repository, oid, theirs)) }
}

/** More commits than this are not counted. */
const maxApart = 5_000

/** Counts the commits on one side only. */
export async function countApart(
  repository: Repository,
  ours: string,
  theirs: string,
): Promise<{ ahead: number; behind: number } | undefined> {
  const turn = yieldBetweenSteps(repository.checkAborted)
  const sides = new Map<string, number>()
  // Newest first, so that a common commit is reached from both sides before it is passed.
  const queue = dateQueue()
  const reach = async (oid: string, side: number) => {
    const known = sides.get(oid) ?? 0
    if ((known | side) === known) return
    sides.set(oid, known | side)
    queue.push(await repository.objects.readCommit(oid))
  }
  await reach(ours, 1)
  await reach(theirs, 2)
  while (queue.pending.some(({ oid }) => sides.get(oid) !== 3)) {
    if (sides.size > maxApart) return undefined
    await turn()
    const { oid, parents } = queue.shift() as Commit
    for (const parent of parents) await reach(parent, sides.get(oid) ?? 0)
  }
  const counts = [...sides.values()]
  return { ahead: counts.filter((side) => side === 1).length, behind: counts.filter((side) => side === 2).length }
}
