/** Merges a commit into the current branch, and picks single commits. */
import type { Draft } from '../../change/draft.js'
import { FsError } from '../../errors.js'
import { join } from '../../fs/path.js'
import { abandon } from '../merge/abandon.js'
import { applyMerge } from '../merge/apply-merge.js'
import { type MergeInput, type MergeResult, mergeTrees, treeOfFiles } from '../merge/merge-trees.js'
import type { Commit, Person } from '../objects/objects.js'
import { operationInProgress } from '../operation-in-progress.js'
import { mergeBases } from '../refs/merge-base.js'
import { branchCommit, type Head, readHead, resolveRef, resolveRevision } from '../refs/refs.js'
import type { Repository } from '../repository.js'
import { readIndex } from '../repository.js'
import { detachHead, writeBranch } from './branch.js'
import { moveFiles } from './checkout.js'
import { type CommitOptions, person } from './commit.js'
import { type ChangedPath, compareBlobs, headFiles, stagedBlobs } from './status.js'

export interface MergedCommit {
  /** `conflicts`: the files have marks; `commit` ends the merge once they are resolved and added. */
  outcome: 'up-to-date' | 'fast-forward' | 'committed' | 'conflicts'
  /** The commit of `HEAD` afterwards. */
  commit: Commit
  branch?: string
  /** Of the working tree. */
  changes: ChangedPath[]
  /** Paths with conflicts. */
  conflicts: string[]
}

export interface MergeOptions extends Pick<CommitOptions, 'author'> {
  revision: string
  /** Default: in git's words. */
  message?: string
}

/** As `git merge`: fast-forward where that is possible, else a commit with two parents. */
export async function gitMerge(repository: Repository, draft: Draft, options: MergeOptions): Promise<MergedCommit> {
  const { revision } = options
  const { head, ours } = await start(repository)
  const theirs = await resolveRevision(repository, revision)
  const bases = await mergeBases(repository, ours.oid, theirs)
  const [base] = bases
  if (base === undefined) {
    throw new FsError('GIT_REFUSED', { reason: 'no-merge-base', subject: `${revision}...HEAD` })
  }
  if (base === theirs) return { outcome: 'up-to-date', ...at(head, ours), changes: [], conflicts: [] }
  const other = await repository.objects.readCommit(theirs)
  if (base === ours.oid) {
    const files = { old: await headFiles(repository, ours.oid), next: await headFiles(repository, theirs) }
    const changes = await moveFiles(repository, draft, files, false)
    await pointAt(repository, head, theirs)
    return { outcome: 'fast-forward', ...at(head, other), changes, conflicts: [] }
  }
  if (bases.length > 1) throw unsupported('a merge with several common ancestors')
  const committer = person(repository, options.author)
  const trees = { base: (await repository.objects.readCommit(base)).tree, ours: ours.tree, theirs: other.tree }
  const labels = { ours: 'HEAD', base: base.slice(0, 7), theirs: revision }
  const { merged, changes } = await mergeInto(repository, draft, { ...trees, labels })
  const message = options.message ?? (await subjectOf(repository, revision, head.branch))
  if (merged.conflicts.length > 0) {
    await writeGitFile(repository, 'MERGE_HEAD', `${theirs}\n`)
    await writeGitFile(repository, 'MERGE_MODE', '')
    return {
      outcome: 'conflicts',
      ...at(head, ours),
      changes,
      conflicts: await leaveMessage(repository, message, merged),
    }
  }
  const parents = [ours.oid, theirs]
  const commit = await write(repository, merged, { parents, author: committer, committer, message })
  await pointAt(repository, head, commit.oid)
  return { outcome: 'committed', ...at(head, commit), changes, conflicts: [] }
}

/** As `git cherry-pick` of one commit: what it changed, with its author and message. */
export async function gitCherryPick(
  repository: Repository,
  draft: Draft,
  { revision, ...options }: Omit<MergeOptions, 'message'>,
): Promise<MergedCommit> {
  const { head, ours } = await start(repository)
  const picked = await repository.objects.readCommit(await resolveRevision(repository, revision))
  const [parent, ...others] = picked.parents
  if (others.length > 0) throw unsupported('picking a merge')
  const committer = person(repository, options.author)
  const name = `${picked.oid.slice(0, 7)} (${picked.message.split('\n', 1)[0]})`
  const base = parent === undefined ? undefined : (await repository.objects.readCommit(parent)).tree
  const labels = { ours: 'HEAD', base: `parent of ${name}`, theirs: name }
  const { merged, changes } = await mergeInto(repository, draft, { base, ours: ours.tree, theirs: picked.tree, labels })
  if (merged.conflicts.length > 0) {
    await writeGitFile(repository, 'CHERRY_PICK_HEAD', `${picked.oid}\n`)
    const conflicts = await leaveMessage(repository, picked.message, merged)
    return { outcome: 'conflicts', ...at(head, ours), changes, conflicts }
  }
  const { author, message } = picked
  const commit = await write(repository, merged, { parents: [ours.oid], author, committer, message })
  if (commit.tree === ours.tree) throw new FsError('GIT_REFUSED', { reason: 'nothing-to-commit' })
  await pointAt(repository, head, commit.oid)
  return { outcome: 'committed', ...at(head, commit), changes, conflicts: [] }
}

/** Ends a merge or cherry-pick in progress, and puts back the files that it has changed. */
export async function gitAbortMerge(repository: Repository, draft: Draft): Promise<'merge' | 'cherry-pick'> {
  const running = await operationInProgress(repository)
  if (running !== 'merge' && running !== 'cherry-pick') {
    throw new FsError('GIT_REFUSED', { reason: 'nothing-to-abort' })
  }
  await abandon(repository, draft)
  return running
}

/** `HEAD`, where nothing is staged and nothing under way. */
async function start(repository: Repository): Promise<{ head: Head; ours: Commit }> {
  const subject = await operationInProgress(repository)
  if (subject !== undefined && subject !== 'bisect') throw new FsError('GIT_REFUSED', { reason: 'under-way', subject })
  const head = await readHead(repository)
  if (head.oid === undefined) throw new FsError('GIT_REFUSED', { reason: 'no-commits' })
  const staged = compareBlobs(await headFiles(repository, head.oid), stagedBlobs(await readIndex(repository)))
  if (staged.length > 0) {
    throw new FsError('GIT_REFUSED', { reason: 'would-overwrite', paths: staged.map(({ path }) => path) })
  }
  return { head, ours: await repository.objects.readCommit(head.oid) }
}

function at({ branch }: Head, commit: Commit): Pick<MergedCommit, 'commit' | 'branch'> {
  return { commit, ...(branch !== undefined && { branch }) }
}

async function pointAt(repository: Repository, { branch }: Head, oid: string): Promise<void> {
  await (branch === undefined ? detachHead(repository, oid) : writeBranch(repository, branch, oid))
}

async function mergeInto(
  repository: Repository,
  draft: Draft,
  input: MergeInput,
): Promise<{ merged: MergeResult; changes: ChangedPath[] }> {
  const merged = await mergeTrees(repository, input)
  return { merged, changes: await applyMerge(repository, draft, input.ours, merged) }
}

async function write(
  repository: Repository,
  { files }: MergeResult,
  facts: { parents: string[]; author: Person; committer: Person; message: string },
): Promise<Commit> {
  const commit = { tree: await treeOfFiles(repository, files), ...facts }
  return { oid: await repository.objects.writeCommit(commit), ...commit }
}

/** Leaves the message for the commit that ends the merge. Returns the paths in conflict. */
async function leaveMessage(repository: Repository, message: string, { conflicts }: MergeResult): Promise<string[]> {
  const paths = conflicts.map(({ path }) => path)
  const list = paths.map((path) => `#\t${path}\n`).join('')
  await writeGitFile(repository, 'MERGE_MSG', `${message.trimEnd()}\n\n# Conflicts:\n${list}`)
  return paths
}

async function writeGitFile(repository: Repository, name: string, text: string): Promise<void> {
  await repository.staged.write(join(repository.gitDirectory, name), new TextEncoder().encode(text))
}

/** The message of a merge, as git words it. */
async function subjectOf(repository: Repository, revision: string, branch: string | undefined): Promise<string> {
  const what = await kindOf(repository, revision)
  const isMain = branch === 'main' || branch === 'master'
  return `Merge ${what} '${revision}'${isMain ? '' : ` into ${branch ?? 'HEAD'}`}\n`
}

async function kindOf(repository: Repository, revision: string): Promise<string> {
  if ((await branchCommit(repository, revision).catch(() => undefined)) !== undefined) return 'branch'
  if ((await resolveRef(repository, `refs/tags/${revision}`).catch(() => undefined)) !== undefined) return 'tag'
  const remote = await resolveRef(repository, `refs/remotes/${revision}`).catch(() => undefined)
  return remote === undefined ? 'commit' : 'remote-tracking branch'
}

function unsupported(subject: string): FsError {
  return new FsError('GIT_REFUSED', { reason: 'unsupported-merge', subject })
}
