import { takeTurns } from '../../fs/yield-between-steps.js'
import { lastValue } from '../config.js'
import { comparePaths } from '../objects/object-id.js'
import type { Commit } from '../objects/objects.js'
import type { Blob } from '../objects/tree.js'
import { operationUnderWay, type UnderWay } from '../operation-in-progress.js'
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
  /** The directory that holds `.git`. */
  root: string
  /** Absent when a commit is checked out and no branch. */
  branch?: string
  /** The commit; absent before the first one. */
  head?: string
  upstream?: Upstream
  /** What git is in the middle of. */
  underWay?: UnderWay
  /** Between the last commit and the index. */
  staged: ChangedPath[]
  /** Between the index and the working tree. */
  unstaged: ChangedPath[]
  untracked: string[]
  /** Only when asked for. */
  ignored?: string[]
  /** Directories whose path is too long to be read; absent where there are none. */
  tooDeep?: string[]
  /** Paths both sides of a merge changed, with git's two letters for how. */
  conflicted: Array<{ path: string; code: ConflictCode }>
}

/** Ours, then theirs: `D` deleted, `A` added, `U` changed. */
export type ConflictCode = 'DD' | 'AU' | 'UD' | 'UA' | 'DU' | 'AA' | 'UU'

export interface Upstream {
  /** Such as `origin/main`. */
  name: string
  /** Commits on either side only; absent when the upstream is gone, or too far away to count. */
  ahead?: number
  behind?: number
}

export async function gitStatus(repository: Repository, options: ScanOptions): Promise<GitStatus> {
  const { paths } = options
  const isWanted = (path: string) => paths === undefined || paths.some((each) => isAtOrBelow(each, path))
  const [index, { branch, oid }] = [await readIndex(repository), await readHead(repository)]
  const scan = await scanWorkTree(repository, index, options)
  const unstaged = await changedInWorkTree(repository, index, scan.present, { isWanted })
  const underWay = await operationUnderWay(repository)
  const upstream = branch === undefined ? undefined : await upstreamOf(repository, branch, oid)
  return {
    root: repository.root,
    ...(branch !== undefined && { branch }),
    ...(oid !== undefined && { head: oid }),
    ...(upstream && { upstream }),
    ...(underWay && { underWay }),
    staged: compareBlobs(await headFiles(repository, oid), stagedBlobs(index)).filter(({ path }) => isWanted(path)),
    unstaged: unstaged.map(({ entry, change }) => ({ path: entry.path, change })),
    untracked: scan.untracked,
    ...(scan.tooDeep.length > 0 && { tooDeep: scan.tooDeep }),
    ...(options.ignored && { ignored: scan.ignored }),
    conflicted: conflictsIn(index).filter(({ path }) => isWanted(path)),
  }
}

/** The files of a commit; none before the first. */
export async function headFiles({ objects }: Repository, oid: string | undefined): Promise<ReadonlyMap<string, Blob>> {
  return oid === undefined ? new Map() : objects.flatten((await objects.readCommit(oid)).tree)
}

/** What is staged by path, without what is in conflict. */
export function blobsOf({ entries }: Index): Map<string, IndexEntry> {
  return new Map(entries.filter(({ stage }) => stage === 0).map((entry) => [entry.path, entry]))
}

/** What is staged by path. A path in conflict stands with what its own side has, marked as no blob of either. */
export function stagedBlobs({ entries }: Index): Map<string, Blob | 'conflicted'> {
  return new Map(entries.map((entry) => [entry.path, entry.stage === 0 ? entry : 'conflicted']))
}

/** What it takes to come from one set of files to another; what is in conflict is passed over. */
export function compareBlobs(
  before: ReadonlyMap<string, Blob | 'conflicted'>,
  after: ReadonlyMap<string, Blob | 'conflicted'>,
): ChangedPath[] {
  const changes: ChangedPath[] = []
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(path), after.get(path)]
    if (old === 'conflicted' || now === 'conflicted' || sameBlob(old, now)) continue
    changes.push({ path, change: changeBetween(old, now) })
  }
  return changes.sort((a, b) => comparePaths(a.path, b.path))
}

export function changeBetween(old: Blob | undefined, now: Blob | undefined): Change {
  if (old === undefined) return 'added'
  if (now === undefined) return 'deleted'
  return (old.mode & 0o170000) === (now.mode & 0o170000) ? 'modified' : 'type-changed'
}

export function conflictsIn({ entries }: Index): GitStatus['conflicted'] {
  const stages = new Map<string, number>()
  for (const { path, stage } of entries) if (stage > 0) stages.set(path, (stages.get(path) ?? 0) | (1 << (stage - 1)))
  return [...stages].map(([path, mask]) => ({ path, code: conflictCodes[mask] ?? 'UU' }))
}

/** By which of the stages 1, 2 and 3 are there. */
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

/** Past this many commits nobody counts. */
const maxApart = 5_000

/** How many commits are on one side only. */
export async function countApart(
  repository: Repository,
  ours: string,
  theirs: string,
): Promise<{ ahead: number; behind: number } | undefined> {
  const turn = takeTurns(repository.checkAborted)
  const sides = new Map<string, number>()
  // Newest first, so that what both have is met from both sides before it is passed.
  const queue = dateQueue()
  const reach = async (oid: string, side: number) => {
    const known = sides.get(oid) ?? 0
    if ((known | side) === known) return
    sides.set(oid, known | side)
    queue.push(await repository.objects.readCommit(oid))
  }
  await reach(ours, 1)
  await reach(theirs, 2)
  while (queue.waiting.some(({ oid }) => sides.get(oid) !== 3)) {
    if (sides.size > maxApart) return undefined
    await turn()
    const { oid, parents } = queue.shift() as Commit
    for (const parent of parents) await reach(parent, sides.get(oid) ?? 0)
  }
  const counts = [...sides.values()]
  return { ahead: counts.filter((side) => side === 1).length, behind: counts.filter((side) => side === 2).length }
}
