/** Moves the index and the working tree to another commit. */
import type { Draft } from '../../change/draft.js'
import { FsError, isFsError } from '../../errors.js'
import { join } from '../../fs/path.js'
import type { Stat } from '../../fs/types.js'
import { comparePaths } from '../objects/object-id.js'
import { type Blob, modes } from '../objects/tree.js'
import { endOperation, refuseLeaving } from '../operation-in-progress.js'
import { branchCommit, checkBranchName, readHead, resolveRevision } from '../refs/refs.js'
import { type Index, type Repository, readIndex } from '../repository.js'
import { isConverted } from '../work-tree/convert.js'
import { hasRecordedStat } from '../work-tree/file-times.js'
import { fileAndDirectoryConflicts, type IndexEntry, indexEntry } from '../work-tree/index-file.js'
import { refuseCheckedOutElsewhere } from '../work-tree/linked-worktrees.js'
import { changedInWorkTree, isAtOrBelow, parentsOf, sameBlob, scanWorkTree } from '../work-tree/work-tree.js'
import { writeFiles } from '../work-tree/write-files.js'
import { writeIndex } from '../work-tree/write-index.js'
import { detachHead, pointHead, writeBranch } from './branch.js'
import { blobsOf, type ChangedPath, compareBlobs, conflictsIn, headFiles } from './status.js'

export interface CheckoutOptions {
  /** A branch, or a revision, which is checked out with a detached `HEAD`. Default: `HEAD`. */
  revision?: string
  /** Create this branch there and check it out. */
  create?: string
  /** Discard uncommitted changes. */
  force?: boolean
}

export interface CheckoutResult {
  branch?: string
  oid?: string
  /** The changes in the working tree. */
  changes: ChangedPath[]
}

/** Uncommitted changes are preserved where the commits do not differ; where they do, it fails. */
export async function gitCheckout(
  repository: Repository,
  draft: Draft,
  options: CheckoutOptions,
): Promise<CheckoutResult> {
  const { revision = 'HEAD', create, force = false } = options
  const head = await readHead(repository)
  await refuseLeaving(repository, { force })
  if (create !== undefined) {
    checkBranchName(create)
    if ((await branchCommit(repository, create)) !== undefined) {
      throw new FsError('GIT_REFUSED', { reason: 'branch-exists', subject: create })
    }
    // Before the first commit only the branch name changes.
    if (head.oid === undefined && (revision === 'HEAD' || revision === head.branch)) {
      await pointHead(repository, create)
      return { branch: create, changes: [] }
    }
  }
  const isBranch = revision !== 'HEAD' && (await isBranchName(repository, revision))
  const target = isBranch
    ? ((await branchCommit(repository, revision)) as string)
    : await resolveRevision(repository, revision)
  if (create === undefined && isBranch && revision !== head.branch) {
    await refuseCheckedOutElsewhere(repository, revision)
  }
  await endOperation(repository, draft)
  const changes = await moveTo(repository, draft, head.oid, target, force)
  const branch = create ?? (isBranch ? revision : revision === 'HEAD' ? head.branch : undefined)
  if (create !== undefined) await writeBranch(repository, create, target)
  if (branch !== undefined) await pointHead(repository, branch)
  else await detachHead(repository, target)
  return { oid: target, changes, ...(branch !== undefined && { branch }) }
}

async function isBranchName(repository: Repository, name: string): Promise<boolean> {
  try {
    checkBranchName(name)
  } catch (error) {
    if (isFsError(error, 'GIT_REFUSED')) return false
    throw error
  }
  return (await branchCommit(repository, name)) !== undefined
}

/** Moves the index and the working tree from one commit to another. */
async function moveTo(
  repository: Repository,
  draft: Draft,
  from: string | undefined,
  target: string,
  force: boolean,
): Promise<ChangedPath[]> {
  return moveFiles(
    repository,
    draft,
    { old: await headFiles(repository, from), next: await headFiles(repository, target) },
    force,
  )
}

/** Moves the index and the working tree from one set of files to another, as between two commits. */
export async function moveFiles(
  repository: Repository,
  draft: Draft,
  { old, next }: { old: ReadonlyMap<string, Blob>; next: ReadonlyMap<string, Blob> },
  force: boolean,
): Promise<ChangedPath[]> {
  const index = await readIndex(repository)
  const conflicted = conflictsIn(index).map(({ path }) => path)
  if (conflicted.length > 0 && !force) throw new FsError('GIT_REFUSED', { reason: 'unmerged', paths: conflicted })
  const staged = blobsOf(index)
  const scan = await scanWorkTree(repository, index, { untracked: force ? 'none' : 'all', ignored: true })
  const changed = await changedInWorkTree(repository, index, scan.present, { evenAssumedValid: true })
  const dirty = new Map(changed.map(({ entry, stat }) => [entry.path, stat]))
  const stale = force ? await staleInWorkTree(repository, index, scan.present) : new Set<string>()

  const differs = (path: string) => force || !sameBlob(old.get(path), next.get(path))
  const isMoved = (path: string) =>
    !sameBlob(staged.get(path), next.get(path)) || (force && (dirty.has(path) || stale.has(path)))
  const forced = force ? [...staged.keys(), ...conflicted] : []
  const inConflict = new Set(conflicted)
  const isTouched = (path: string) => inConflict.has(path) || (differs(path) && isMoved(path))
  const touched = [...new Set([...old.keys(), ...next.keys(), ...forced])].filter(isTouched)
  const written = touched.flatMap((path): Array<[string, Blob]> => {
    const blob = next.get(path)
    return blob === undefined ? [] : [[path, blob]]
  })
  const removed = touched.filter((path) => !next.has(path))
  const entries = new Map(staged)
  for (const path of removed) entries.delete(path)
  for (const [path, { mode, oid }] of written) entries.set(path, indexEntry(path, mode, oid, undefined))

  if (!force) {
    // A deleted file has nothing to lose.
    const lost = touched.filter((path) => dirty.get(path) !== undefined || !sameBlob(staged.get(path), old.get(path)))
    const untracked = [...scan.untracked, ...scan.ignored]
    const inTheWay = await untrackedInTheWay(repository, untracked, touched, next)
    // Files removed from the index must not be deleted, even though the target commit does not have them either.
    const unstagedPaths = new Set([...old.keys()].filter((path) => !next.has(path) && !staged.has(path)))
    const unstagedParents = new Set([...unstagedPaths].flatMap(parentsOf))
    const isUnstaged = (path: string) => [path, ...parentsOf(path)].some((each) => unstagedPaths.has(each))
    const unstaged = scan.untracked.filter((path) => isUnstaged(path) || unstagedParents.has(path))
    const isNew = ({ path }: IndexEntry) => !next.has(path)
    const stagedInTheWay = fileAndDirectoryConflicts([...entries.values()])
      .filter(isNew)
      .map(({ path }) => path)
    const paths = [...new Set([...lost, ...inTheWay, ...unstaged, ...stagedInTheWay])].sort(comparePaths)
    if (paths.length > 0) throw new FsError('GIT_REFUSED', { reason: 'would-overwrite', paths })
  }
  await writeFiles(repository, draft, written, removed)
  if (touched.length > 0 || conflicted.length > 0) await writeIndex(repository, [...entries.values()])
  return compareBlobs(
    new Map(
      touched.flatMap((path): Array<[string, Blob]> => (staged.has(path) ? [[path, staged.get(path) as Blob]] : [])),
    ),
    new Map(written),
  )
}

/**
 * Unchanged files that a checkout could write with other line endings. Like git, a forced checkout writes those whose stat
 * is not the one in the index.
 */
async function staleInWorkTree(
  repository: Repository,
  { entries }: Index,
  present: ReadonlyMap<string, Stat>,
): Promise<ReadonlySet<string>> {
  const stale = new Set<string>()
  for (const entry of entries) {
    const stat = present.get(entry.path)
    if (stat?.kind !== 'file' || entry.mode === modes.link || hasRecordedStat(repository, entry, stat)) continue
    if (await isConverted(repository, entry.path)) stale.add(entry.path)
  }
  return stale
}

/** Untracked files where the target commit has something. */
async function untrackedInTheWay(
  repository: Repository,
  untracked: readonly string[],
  touched: readonly string[],
  next: ReadonlyMap<string, Blob>,
): Promise<string[]> {
  // A submodule's directory is left alone.
  const incoming = new Set(touched.filter((path) => (next.get(path)?.mode ?? modes.submodule) !== modes.submodule))
  const incomingParents = new Set([...incoming].flatMap(parentsOf))
  const found: string[] = []
  for (const given of untracked) {
    const path = given.replace(/\/$/, '')
    if (parentsOf(path).some((parent) => incoming.has(parent))) found.push(path)
    else if (given === path && incomingParents.has(path)) found.push(path)
    else if (incoming.has(path)) found.push(path)
    else if (given !== path && incomingParents.has(path))
      found.push(...(await insideInTheWay(repository, path, incoming)))
  }
  return found
}

/** An ignored directory is reported as one entry; this finds files in it that the target commit also has. */
async function insideInTheWay(
  { fs, root }: Repository,
  directory: string,
  incoming: ReadonlySet<string>,
): Promise<string[]> {
  const found: string[] = []
  for (const path of incoming) {
    if (!isAtOrBelow(directory, path)) continue
    const existing = await fs.stat(join(root, path)).catch(() => undefined)
    if (existing !== undefined) found.push(path)
  }
  return found
}
