/** Lists commits, and shows one of them. */
import { FsError } from '../../errors.js'
import type { Bytes } from '../../fs/types.js'
import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import { tooLarge } from '../limits.js'
import type { Commit } from '../objects/objects.js'
import { modes } from '../objects/tree.js'
import { dateQueue } from '../refs/commit-queue.js'
import { resolveRevision } from '../refs/refs.js'
import type { Repository } from '../repository.js'
import { type FileDiff, gitDiff } from './diff.js'

export interface LogOptions {
  /** The starting point. Default: `HEAD`. */
  revision?: string
  /** Exclude commits reachable from here. */
  since?: string
  /** Only commits that change something at or below these paths, relative to the repository. */
  paths?: readonly string[]
  /** Skip this many commits. */
  skip?: number
  limit?: number
}

export interface Log {
  /** Newest first. */
  commits: Commit[]
  /** True when there are more commits. */
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

/**
 * Walks commits by date, newest first. With paths, a commit equal to one of its parents in these paths is skipped, and
 * only that parent is followed.
 */
async function* walk(
  repository: Repository,
  start: string,
  hidden: ReadonlySet<string>,
  paths?: readonly string[],
): AsyncGenerator<Commit> {
  const { objects } = repository
  const turn = yieldBetweenSteps(repository.checkAborted)
  const stateOf = pathStates(repository, paths ?? [])
  const seen = new Set<string>()
  const queue = dateQueue()
  const reach = async (oid: string) => {
    if (seen.has(oid) || hidden.has(oid)) return
    seen.add(oid)
    queue.push(await objects.readCommit(oid))
  }
  await reach(start)
  for (let commit = queue.shift(); commit !== undefined; commit = queue.shift()) {
    await turn()
    const { parents } = commit
    let followed = parents
    let isIncluded = true
    if (paths !== undefined) {
      const state = await stateOf(commit.tree)
      isIncluded = parents.length > 0 || /[^,]/.test(state)
      for (const parent of parents) {
        if ((await stateOf((await objects.readCommit(parent)).tree)) !== state) continue
        followed = [parent]
        isIncluded = false
        break
      }
    }
    for (const parent of followed) await reach(parent)
    if (isIncluded) yield commit
  }
}

const maxStates = 100_000

/** The entries at the paths of a tree, as one string. Only trees on the way are read, each once. */
function pathStates({ objects }: Repository, paths: readonly string[]): (tree: string) => Promise<string> {
  const known = new Map<string, string>()

  /** `rest` is the remaining path below a tree. */
  async function at(tree: string, rest: string): Promise<string> {
    const key = `${tree} ${rest}`
    const before = known.get(key)
    if (before !== undefined) return before
    const slash = rest.indexOf('/')
    const entry = await objects.find(tree, slash === -1 ? rest : rest.slice(0, slash))
    let state = ''
    if (entry !== undefined && slash === -1) state = `${entry.mode} ${entry.oid}`
    else if (entry?.mode === modes.directory) state = await at(entry.oid, rest.slice(slash + 1))
    if (known.size >= maxStates) known.clear()
    known.set(key, state)
    return state
  }

  return async (tree) => {
    const states: string[] = []
    for (const path of paths) states.push(path === '' ? tree : await at(tree, path))
    return states.join()
  }
}

export type ShowResult =
  | { kind: 'commit'; commit: Commit; files: FileDiff[] }
  | { kind: 'file'; path: string; oid: string; mode: number; bytes: Bytes }
  | { kind: 'directory'; path: string; entries: Array<{ name: string; mode: number; oid: string }> }

/** A commit with its changes, or, with a path, the entry there. A merge has no changes of its own. */
export async function gitShow(
  repository: Repository,
  { revision = 'HEAD', path, maxFileBytes }: { revision?: string; path?: string; maxFileBytes?: number },
): Promise<ShowResult> {
  const { objects } = repository
  const oid = await resolveRevision(repository, revision)
  const commit = await objects.readCommit(oid)
  if (path !== undefined) {
    const entry = await objects.find(commit.tree, path)
    if (entry === undefined) throw new FsError('GIT_REFUSED', { reason: 'unmatched-path', paths: [path] })
    const { mode } = entry
    if (mode === modes.directory) return { kind: 'directory', path, entries: [...(await objects.readTree(entry.oid))] }
    if (mode === modes.submodule) throw new FsError('GIT_REFUSED', { reason: 'other-repository', paths: [path] })
    if (maxFileBytes !== undefined && (await objects.blobSize(entry.oid)) > maxFileBytes) {
      throw tooLarge(`${path} at ${revision}`, maxFileBytes)
    }
    return { kind: 'file', path, oid: entry.oid, mode, bytes: await objects.readBlob(entry.oid) }
  }
  return { kind: 'commit', commit, files: await filesChangedBy(repository, commit, maxFileBytes) }
}

async function filesChangedBy(repository: Repository, commit: Commit, maxFileBytes = Infinity): Promise<FileDiff[]> {
  const [parent, ...others] = commit.parents
  if (others.length > 0) return []
  const from = parent === undefined ? ('nothing' as const) : { revision: parent }
  return gitDiff(repository, { from, to: { revision: commit.oid }, maxFileBytes })
}
