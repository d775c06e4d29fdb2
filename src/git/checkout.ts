/** Moving the working tree to another commit, and putting single files back. */
import type { Draft } from '../change/draft.js'
import { FsError, isFsError } from '../errors.js'
import { dirname, join } from '../fs/path.js'
import { pointHead, writeBranch } from './branch.js'
import { type IndexEntry, indexEntry } from './index-file.js'
import { comparePaths } from './object-id.js'
import { branchCommit, checkBranchName, readHead, resolveRevision } from './refs.js'
import { type Index, type Repository, readIndex, writeIndex } from './repository.js'
import { type ChangedPath, compareBlobs, conflictsIn, headFiles, stagedBlobs } from './status.js'
import { type Blob, modes } from './tree.js'
import { changedInWorkTree, contentId, isAtOrBelow, parentsOf, sameBlob, scanWorkTree } from './work-tree.js'

export interface CheckoutOptions {
  /** A branch, or a revision, which is then checked out without a branch. `HEAD` unless given. */
  revision?: string
  /** Make this branch there and check it out. */
  create?: string
  /** Give up changes that are in no commit. */
  force?: boolean
}

export interface CheckedOut {
  branch?: string
  oid?: string
  /** What changed in the working tree. */
  changes: ChangedPath[]
}

/** Changes that are in no commit come along where the commits do not differ; where they do, nothing is done. */
export async function gitCheckout(repository: Repository, draft: Draft, options: CheckoutOptions): Promise<CheckedOut> {
  const { revision = 'HEAD', create, force = false } = options
  const head = await readHead(repository)
  if (create !== undefined) {
    checkBranchName(create)
    if ((await branchCommit(repository, create)) !== undefined) {
      throw new FsError('GIT_REFUSED', { reason: 'branch-exists', subject: create })
    }
    // Before the first commit only the name changes.
    if (head.oid === undefined && (revision === 'HEAD' || revision === head.branch)) {
      await pointHead(repository, create)
      return { branch: create, changes: [] }
    }
  }
  const isBranch = revision !== 'HEAD' && (await isBranchName(repository, revision))
  const target = isBranch
    ? ((await branchCommit(repository, revision)) as string)
    : await resolveRevision(repository, revision)
  const changes = await moveTo(repository, draft, head.oid, target, force)
  const branch = create ?? (isBranch ? revision : revision === 'HEAD' ? head.branch : undefined)
  if (create !== undefined) await writeBranch(repository, create, target)
  if (branch !== undefined) await pointHead(repository, branch)
  else await detachHead(repository, target)
  return { oid: target, changes, ...(branch !== undefined && { branch }) }
}

export interface RestoreOptions {
  /** Relative to the repository; `''` is all of it. */
  paths: readonly string[]
  /** Where from: the index unless given, and `HEAD` when only the index is put back. */
  revision?: string
  /** What is put back; the working tree unless given. With a revision git does both. */
  workTree?: boolean
  staged?: boolean
}

/** Puts files back. What they held is given up; the change can be taken back like any other. */
export async function gitRestore(
  repository: Repository,
  draft: Draft,
  options: RestoreOptions,
): Promise<ChangedPath[]> {
  const { paths, revision, staged = false, workTree = !staged } = options
  const isWanted = (path: string) => paths.some((each) => isAtOrBelow(each, path))
  const index = await readIndex(repository)
  const fromIndex = revision === undefined && !staged
  const head = (await readHead(repository)).oid
  const commit = revision === undefined ? head : await resolveRevision(repository, revision)
  const source = fromIndex ? blobsOf(index) : await headFiles(repository, commit)
  const wanted = new Map([...source].filter(([path]) => isWanted(path)))
  refuseUnmatched(paths, [...wanted.keys(), ...index.entries.map(({ path }) => path)])

  const entries = new Map(index.entries.filter(({ stage }) => stage === 0).map((entry) => [entry.path, entry]))
  const before = stagedBlobs(index)
  const changes: ChangedPath[] = []
  if (workTree) {
    const scan = await scanWorkTree(repository, index, { paths, untracked: 'none' })
    const changed = new Set(
      (await changedInWorkTree(repository, index, scan.present, isWanted)).map(({ entry }) => entry.path),
    )
    // A path in conflict is put back whatever it looks like.
    const gone = [...before].filter(([path, blob]) => isWanted(path) && !wanted.has(path) && blob !== 'conflicted')
    const differs = [...wanted].filter(([path, blob]) => {
      const old = before.get(path)
      return old === undefined || old === 'conflicted' || changed.has(path) || !sameBlob(old, blob)
    })
    await writeFiles(repository, draft, differs, fromIndex ? [] : gone.map(([path]) => path))
    changes.push(...differs.map(([path]) => ({ path, change: 'modified' as const })))
    if (!fromIndex) changes.push(...gone.map(([path]) => ({ path, change: 'deleted' as const })))
  }
  if (staged || !fromIndex) {
    const next = [...wanted].map(([path, blob]) => {
      const known = entries.get(path)
      return known !== undefined && sameBlob(known, blob) ? known : indexEntry(path, blob.mode, blob.oid, undefined)
    })
    const kept = index.entries.filter(({ path }) => !isWanted(path))
    if (!workTree)
      changes.push(...compareBlobs(before, new Map([...kept, ...next].map((entry) => [entry.path, entry]))))
    await writeIndex(repository, [...kept, ...next])
  }
  return changes.sort((a, b) => comparePaths(a.path, b.path))
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

async function detachHead({ git, staged, gitDirectory }: Repository, oid: string): Promise<void> {
  await git.writeRef({ fs: staged.client, gitdir: gitDirectory, ref: 'HEAD', value: oid, force: true })
}

/** Puts index and working tree from one commit to another. */
async function moveTo(
  repository: Repository,
  draft: Draft,
  from: string | undefined,
  target: string,
  force: boolean,
): Promise<ChangedPath[]> {
  const index = await readIndex(repository)
  const conflicted = conflictsIn(index).map(({ path }) => path)
  if (conflicted.length > 0 && !force) throw new FsError('GIT_REFUSED', { reason: 'unmerged', paths: conflicted })
  const [old, next] = [await headFiles(repository, from), await headFiles(repository, target)]
  const staged = blobsOf(index)
  const scan = await scanWorkTree(repository, index, { untracked: force ? 'none' : 'all', ignored: true })
  const changed = await changedInWorkTree(repository, index, scan.present)
  const dirty = new Set(changed.map(({ entry }) => entry.path))

  const differs = (path: string) => force || !sameBlob(old.get(path), next.get(path))
  const isMoved = (path: string) => !sameBlob(staged.get(path), next.get(path)) || (force && dirty.has(path))
  const touched = [...new Set([...old.keys(), ...next.keys(), ...(force ? staged.keys() : [])])].filter(
    (path) => differs(path) && isMoved(path),
  )
  if (!force) {
    const lost = touched.filter((path) => dirty.has(path) || !sameBlob(staged.get(path), old.get(path)))
    const inTheWay = await untrackedInTheWay(repository, [...scan.untracked, ...scan.ignored], touched, next)
    const paths = [...new Set([...lost, ...inTheWay])].sort(comparePaths)
    if (paths.length > 0) throw new FsError('GIT_REFUSED', { reason: 'would-overwrite', paths })
  }
  const written = touched.flatMap((path): Array<[string, Blob]> => {
    const blob = next.get(path)
    return blob === undefined ? [] : [[path, blob]]
  })
  const removed = touched.filter((path) => !next.has(path))
  await writeFiles(repository, draft, written, removed)

  const entries = new Map(index.entries.filter(({ stage }) => stage === 0).map((entry) => [entry.path, entry]))
  for (const path of removed) entries.delete(path)
  for (const [path, { mode, oid }] of written) entries.set(path, indexEntry(path, mode, oid, undefined))
  if (touched.length > 0 || conflicted.length > 0) await writeIndex(repository, [...entries.values()])
  return compareBlobs(
    new Map(
      touched.flatMap((path): Array<[string, Blob]> => (staged.has(path) ? [[path, staged.get(path) as Blob]] : [])),
    ),
    new Map(written),
  )
}

/** Files that nobody tracks where the other commit has something; those that hold the same are in nobody's way. */
async function untrackedInTheWay(
  repository: Repository,
  untracked: readonly string[],
  touched: readonly string[],
  next: ReadonlyMap<string, Blob>,
): Promise<string[]> {
  // A submodule is a directory that is left alone.
  const coming = new Set(touched.filter((path) => (next.get(path)?.mode ?? modes.submodule) !== modes.submodule))
  const comingParents = new Set([...coming].flatMap(parentsOf))
  const found: string[] = []
  for (const given of untracked) {
    const path = given.replace(/\/$/, '')
    if (parentsOf(path).some((parent) => coming.has(parent))) found.push(path)
    else if (given === path && comingParents.has(path)) found.push(path)
    else if (coming.has(path) && (given !== path || !(await holds(repository, path, next.get(path))))) found.push(path)
    else if (given !== path && comingParents.has(path)) found.push(...(await insideInTheWay(repository, path, coming)))
  }
  return found
}

/** An ignored directory is told as one; what the other commit has in it must not be there. */
async function insideInTheWay(
  { fs, root }: Repository,
  directory: string,
  coming: ReadonlySet<string>,
): Promise<string[]> {
  const found: string[] = []
  for (const path of coming) {
    if (!isAtOrBelow(directory, path)) continue
    const there = await fs.stat(join(root, path)).catch(() => undefined)
    if (there !== undefined) found.push(path)
  }
  return found
}

async function holds(repository: Repository, path: string, blob: Blob | undefined): Promise<boolean> {
  const stat = await repository.fs.stat(join(repository.root, path))
  return stat.kind === 'file' && blob?.mode !== modes.link && (await contentId(repository, path, stat)) === blob?.oid
}

/** Drafts files as blobs say, takes others away, and with them the directories that are left empty. */
export async function writeFiles(
  repository: Repository,
  draft: Draft,
  written: ReadonlyArray<[string, Blob]>,
  removed: readonly string[],
): Promise<void> {
  const { root, fs } = repository
  refuseCaseCollisions(repository, written)
  for (const path of removed) await removeFile(repository, draft, path)
  for (const [i, [path, { mode, oid }]] of written.entries()) {
    repository.checkAborted()
    if (i % 64 === 0) repository.progress(i, written.length)
    const full = join(root, path)
    for (const parent of parentsOf(path)) await clearFor(draft, join(root, parent), 'directory')
    if (mode === modes.submodule) {
      await draft.makeParents(join(full, 'x'))
      continue
    }
    const bytes = await repository.objects.readBlob(oid)
    const isLink = mode === modes.link && fs.capabilities.symlinks
    await clearFor(draft, full, isLink ? 'absent' : 'file')
    await draft.makeParents(full)
    if (isLink) await draft.link(full, new TextDecoder().decode(bytes))
    else await draft.write(full, bytes, await modeFor(repository, draft, full, mode))
  }
  repository.progress(written.length, written.length)
}

/** Makes room for an entry of another kind. A directory must be empty by then, else the change fails as a whole. */
async function clearFor(draft: Draft, path: string, wanted: 'file' | 'directory' | 'absent'): Promise<void> {
  const { kind } = (await draft.look(path)).image
  if (kind !== 'absent' && kind !== wanted) await draft.remove(path)
}

async function modeFor({ fs }: Repository, draft: Draft, path: string, mode: number): Promise<{ mode?: number }> {
  if (!fs.capabilities.modeBits) return {}
  const { image } = await draft.look(path)
  const bits = image.kind === 'file' ? image.mode : undefined
  if (mode === modes.executable) return { mode: (bits ?? 0o644) | 0o111 }
  return bits === undefined ? {} : { mode: bits & ~0o111 }
}

async function removeFile({ root, fs }: Repository, draft: Draft, path: string): Promise<void> {
  const full = join(root, path)
  const { kind } = (await draft.look(full)).image
  if (kind === 'file' || kind === 'symlink') await draft.remove(full)
  for (let at = dirname(full); at !== root && !fs.isRoot(at); at = dirname(at)) {
    if ((await draft.look(at)).image.kind !== 'directory') return
    for (const { name } of await fs.readDir(at)) {
      if ((await draft.look(join(at, name))).image.kind !== 'absent') return
    }
    await draft.remove(at)
  }
}

/** Where case does not count, two names of one tree could be one file. */
function refuseCaseCollisions({ fs }: Repository, written: ReadonlyArray<[string, Blob]>): void {
  if (fs.capabilities.caseSensitive) return
  const seen = new Set<string>()
  for (const [path] of written) {
    const folded = path.normalize('NFC').toLowerCase()
    if (seen.has(folded)) throw new FsError('GIT_REFUSED', { reason: 'unsafe-tree', subject: path })
    seen.add(folded)
  }
}

function blobsOf({ entries }: Index): Map<string, IndexEntry> {
  return new Map(entries.filter(({ stage }) => stage === 0).map((entry) => [entry.path, entry]))
}

function refuseUnmatched(paths: readonly string[], known: readonly string[]): void {
  const unmatched = paths.filter((path) => path !== '' && !known.some((each) => isAtOrBelow(path, each)))
  if (unmatched.length > 0) throw new FsError('GIT_REFUSED', { reason: 'unmatched-path', paths: unmatched })
}
