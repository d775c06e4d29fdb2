/** Walking the history, and looking at one point of it. */
import { FsError } from '../errors.js'
import type { Bytes } from '../fs/types.js'
import { type FileDiff, gitDiff } from './diff.js'
import type { Commit } from './objects.js'
import { resolveRevision } from './refs.js'
import type { Repository } from './repository.js'
import { shallowCommits } from './status.js'
import { modes } from './tree.js'

export interface LogOptions {
  /** Where to start; `HEAD` unless given. */
  revision?: string
  /** Leave out what can be reached from here. */
  since?: string
  /** Only commits that change something at or below these, relative to the repository. */
  paths?: readonly string[]
  /** Pass over this many. */
  skip?: number
  limit?: number
}

export interface Log {
  /** Newest first. */
  commits: Commit[]
  /** There are more. */
  more: boolean
}

export async function gitLog(repository: Repository, options: LogOptions = {}): Promise<Log> {
  const { revision = 'HEAD', since, paths, skip = 0, limit = Infinity } = options
  const hidden = new Set<string>()
  if (since !== undefined) {
    for await (const { oid } of walk(repository, await resolveRevision(repository, since), hidden)) hidden.add(oid)
  }
  const commits: Commit[] = []
  let passed = 0
  for await (const commit of walk(repository, await resolveRevision(repository, revision), hidden, paths)) {
    repository.checkAborted()
    passed += 1
    if (passed <= skip) continue
    if (commits.length === limit) return { commits, more: true }
    commits.push(commit)
    repository.progress(commits.length)
  }
  return { commits, more: false }
}

/** By date, newest first. With paths, a parent in which they are the same is followed alone, and the commit not told of. */
async function* walk(
  repository: Repository,
  start: string,
  hidden: ReadonlySet<string>,
  paths?: readonly string[],
): AsyncGenerator<Commit> {
  const { objects } = repository
  const shallow = await shallowCommits(repository)
  const seen = new Set<string>()
  const open: Commit[] = []
  const reach = async (oid: string) => {
    if (seen.has(oid) || hidden.has(oid)) return
    seen.add(oid)
    const commit = await objects.readCommit(oid)
    const at = open.findIndex(({ committer }) => committer.timestamp < commit.committer.timestamp)
    open.splice(at === -1 ? open.length : at, 0, commit)
  }
  const stateOf = async (tree: string) => {
    const found = []
    for (const path of paths ?? []) found.push(await objects.find(tree, path))
    return found.map((entry) => entry && `${entry.mode} ${entry.oid}`).join()
  }
  await reach(start)
  for (let commit = open.shift(); commit !== undefined; commit = open.shift()) {
    const parents = shallow.has(commit.oid) ? [] : commit.parents
    let followed = parents
    let isTold = true
    if (paths !== undefined) {
      const state = await stateOf(commit.tree)
      isTold = parents.length > 0 || state !== paths.map(() => undefined).join()
      for (const parent of parents) {
        if ((await stateOf((await objects.readCommit(parent)).tree)) !== state) continue
        followed = [parent]
        isTold = false
        break
      }
    }
    for (const parent of followed) await reach(parent)
    if (isTold) yield commit
  }
}

export type Shown =
  | { kind: 'commit'; commit: Commit; files: FileDiff[] }
  | { kind: 'file'; path: string; oid: string; mode: number; bytes: Bytes }
  | { kind: 'directory'; path: string; entries: Array<{ name: string; mode: number; oid: string }> }

/**
 * A commit with what it changed, or, with a path, what stood there. A merge is shown without changes, as they are those of its
 * parents.
 */
export async function gitShow(
  repository: Repository,
  { revision = 'HEAD', path, maxFileBytes }: { revision?: string; path?: string; maxFileBytes?: number },
): Promise<Shown> {
  const { objects } = repository
  const oid = await resolveRevision(repository, revision)
  const commit = await objects.readCommit(oid)
  if (path !== undefined) {
    const entry = await objects.find(commit.tree, path)
    if (entry === undefined) throw new FsError('GIT_REFUSED', { reason: 'unmatched-path', paths: [path] })
    const { mode } = entry
    if (mode === modes.directory) return { kind: 'directory', path, entries: [...(await objects.readTree(entry.oid))] }
    if (mode === modes.submodule) throw new FsError('GIT_REFUSED', { reason: 'other-repository', paths: [path] })
    return { kind: 'file', path, oid: entry.oid, mode, bytes: await objects.readBlob(entry.oid) }
  }
  return { kind: 'commit', commit, files: await filesChangedBy(repository, commit, maxFileBytes) }
}

async function filesChangedBy(repository: Repository, commit: Commit, maxFileBytes = Infinity): Promise<FileDiff[]> {
  const [parent, ...others] = commit.parents
  if (others.length > 0) return []
  const isFirst = parent === undefined || (await shallowCommits(repository)).has(commit.oid)
  const from = isFirst ? ('nothing' as const) : { revision: parent }
  return gitDiff(repository, { from, to: { revision: commit.oid }, maxFileBytes })
}
