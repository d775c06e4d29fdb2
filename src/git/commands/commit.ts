import type { Draft } from '../../change/draft.js'
import { FsError } from '../../errors.js'
import { lastValue } from '../config.js'
import type { Commit, Person } from '../objects/objects.js'
import { endOperation, refuseAmending } from '../operation-in-progress.js'
import { readHead } from '../refs/refs.js'
import { type Repository, readGitFile, readIndex } from '../repository.js'
import { detachHead, writeBranch } from './branch.js'
import { type ChangedPath, compareBlobs, conflictsIn, headFiles, stagedBlobs } from './status.js'

export interface CommitOptions {
  message: string
  /** Default: `user.name` and `user.email` of the repository's configuration. */
  author?: { name: string; email: string }
  /** Commit even if nothing is staged. */
  allowEmpty?: boolean
  /** Replace the last commit; with an empty message, its message is reused. Without this, an empty message is that of the merge in progress. */
  amend?: boolean
}

export interface CommitResult {
  commit: Commit
  /** Absent when `HEAD` is detached. */
  branch?: string
  /** True for a commit without parents. */
  isRoot: boolean
  changes: ChangedPath[]
}

/** Commits the index, and ends a merge or cherry-pick in progress. */
export async function gitCommit(repository: Repository, draft: Draft, options: CommitOptions): Promise<CommitResult> {
  const { objects } = repository
  const { amend = false, allowEmpty = false } = options
  const [index, head] = [await readIndex(repository), await readHead(repository)]
  const conflicted = conflictsIn(index).map(({ path }) => path)
  if (conflicted.length > 0) throw new FsError('GIT_REFUSED', { reason: 'unmerged', paths: conflicted })
  if (amend) await refuseAmending(repository)
  if (amend && head.oid === undefined) throw new FsError('GIT_REFUSED', { reason: 'no-commits' })

  const previous = head.oid === undefined ? undefined : await objects.readCommit(head.oid)
  const merged = ((await readGitFile(repository, 'MERGE_HEAD')) ?? '').split('\n').filter((oid) => oid !== '')
  const parents = amend ? (previous?.parents ?? []) : [...(head.oid === undefined ? [] : [head.oid]), ...merged]
  const message =
    cleanMessage(options.message) || (amend ? (previous?.message ?? '') : await preparedMessage(repository))
  if (message === '') throw new FsError('GIT_REFUSED', { reason: 'missing-message' })
  const author = person(repository, options.author)

  const tree = await objects.writeTree(index.entries, previous?.tree)
  const isSame = previous === undefined ? index.entries.length === 0 : tree === previous.tree
  if (isSame && !allowEmpty && !amend && merged.length === 0) {
    throw new FsError('GIT_REFUSED', { reason: 'nothing-to-commit' })
  }
  const commit: Omit<Commit, 'oid'> = {
    tree,
    parents,
    author:
      (options.author === undefined && (await originalAuthor(repository, amend ? previous : undefined))) || author,
    committer: author,
    message,
  }
  const oid = await objects.writeCommit(commit)
  await (head.branch === undefined ? detachHead(repository, oid) : writeBranch(repository, head.branch, oid))
  await endOperation(repository, draft)
  const [parent] = parents
  const before = await headFiles(repository, parent)
  return {
    commit: { oid, ...commit },
    ...(head.branch !== undefined && { branch: head.branch }),
    isRoot: parents.length === 0,
    changes: compareBlobs(before, stagedBlobs(index)),
  }
}

/** What a merge or cherry-pick in progress has left as the message of its commit, without comments. */
async function preparedMessage(repository: Repository): Promise<string> {
  const prepared = (await readGitFile(repository, 'MERGE_MSG')) ?? ''
  return cleanMessage(prepared.replaceAll(/^#.*\n?/gm, ''))
}

/** The author of a commit that is amended or cherry-picked. */
async function originalAuthor(repository: Repository, replaced: Commit | undefined): Promise<Person | undefined> {
  if (replaced !== undefined) return replaced.author
  const picked = await readGitFile(repository, 'CHERRY_PICK_HEAD')
  return picked === undefined ? undefined : (await repository.objects.readCommit(picked)).author
}

/** Fails with `missing-author`. */
export function person({ config, now, isReproducible }: Repository, given: CommitOptions['author']): Person {
  const name = cleanName(given?.name ?? lastValue(config, 'user.name') ?? '')
  const email = cleanName(given?.email ?? lastValue(config, 'user.email') ?? '')
  if (name === '' || email === '') throw new FsError('GIT_REFUSED', { reason: 'missing-author' })
  const ms = now()
  const timezoneOffset = isReproducible ? 0 : new Date(ms).getTimezoneOffset()
  return { name, email, timestamp: Math.floor(ms / 1000), timezoneOffset }
}

/** Removes characters that would end the line or the name in it. */
function cleanName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed.
  return name.replaceAll(/[\u0000-\u001f\u007f<>]/g, '').trim()
}

/** Like git: no trailing space, no leading or trailing blank lines, and at most one between paragraphs. */
function cleanMessage(message: string): string {
  const text = message
    .replaceAll('\0', '')
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .replaceAll(/^\n+|\n+$/g, '')
  return text === '' ? '' : `${text}\n`
}
