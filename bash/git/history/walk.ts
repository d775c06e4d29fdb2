/** Walks the history: which commits, in which order. */
import { yieldBetweenSteps } from '../../../src/fs/yield-between-steps.js'
import type { Commit } from '../../../src/git/objects/objects.js'
import { dateQueue } from '../../../src/git/refs/commit-queue.js'
import type { Repository } from '../../../src/git/repository.js'
import { type FilePair, treePairs } from '../diff/pairs.js'
import { detectRenames } from '../diff/renames.js'
import type { Pathspecs } from '../pathspec.js'
import { pathspecsOf } from '../pathspec.js'

export interface WalkOptions {
  include: readonly string[]
  exclude: readonly string[]
  order: 'date' | 'topo' | 'author-date'
  isFirstParent: boolean
  specs?: Pathspecs
  /** The one path to follow through renames. */
  follow?: string
  sinceSeconds?: number
  untilSeconds?: number
  /** Fill `parents` with the nearest commits that are shown. */
  rewritesParents: boolean
  /** Keep commits of all parents of a merge. */
  isFullHistory: boolean
  /** Only the commits of `include`, by date or as they were given. */
  noWalk?: 'sorted' | 'unsorted'
  /** Left out of what is shown. */
  isWanted?: (oid: string) => boolean
}

export interface WalkedCommit extends Commit {
  isBoundary?: true
  /** For `--follow`: the path at this commit. */
  followed?: string
}

/** The commits that can be shown, newest first or in topological order. */
export async function* walkCommits(repository: Repository, options: WalkOptions): AsyncGenerator<WalkedCommit> {
  const { isWanted = () => true } = options
  if (options.noWalk !== undefined) {
    const all = await Promise.all([...new Set(options.include)].map((oid) => repository.objects.readCommit(oid)))
    if (options.noWalk === 'sorted') all.sort((a, b) => b.committer.timestamp - a.committer.timestamp)
    yield* all
    return
  }
  for await (const commit of ordered(repository, options)) if (isWanted(commit.oid)) yield commit
}

/** The parents of the commits that are shown which are not shown themselves. */
export async function boundaryOf(repository: Repository, shown: readonly Commit[]): Promise<WalkedCommit[]> {
  const known = new Set(shown.map(({ oid }) => oid))
  const outside = [...new Set(shown.flatMap(({ parents }) => parents))].filter((oid) => !known.has(oid)).reverse()
  const commits = await Promise.all(outside.map((oid) => repository.objects.readCommit(oid)))
  return inTopologicalOrder(commits, { order: 'topo', isFirstParent: false }).map((commit) => ({
    ...commit,
    isBoundary: true as const,
  }))
}

async function* ordered(repository: Repository, options: WalkOptions): AsyncGenerator<WalkedCommit> {
  const excluded = await ancestors(repository, options.exclude, options.isFirstParent && false)
  const chosen = walkByDate(repository, options, excluded)
  if (options.order === 'date' && !options.rewritesParents) {
    yield* chosen
    return
  }
  const commits: WalkedCommit[] = []
  for await (const commit of chosen) commits.push(commit)
  const linked =
    options.specs === undefined || options.specs.isAll ? commits : await relinked(repository, commits, options)
  yield* options.order === 'date' && !options.rewritesParents ? linked : inTopologicalOrder(linked, options)
}

export async function ancestors(
  repository: Repository,
  starts: readonly string[],
  isFirstParent = false,
): Promise<Set<string>> {
  const turn = yieldBetweenSteps(repository.checkAborted)
  const seen = new Set<string>(starts)
  const pending = [...seen]
  for (let oid = pending.pop(); oid !== undefined; oid = pending.pop()) {
    await turn()
    const { parents } = await repository.objects.readCommit(oid)
    for (const parent of isFirstParent ? parents.slice(0, 1) : parents) {
      if (seen.has(parent)) continue
      seen.add(parent)
      pending.push(parent)
    }
  }
  return seen
}

async function* walkByDate(
  repository: Repository,
  options: WalkOptions,
  excluded: ReadonlySet<string>,
): AsyncGenerator<WalkedCommit> {
  const { objects } = repository
  const { isFirstParent, specs, sinceSeconds, untilSeconds } = options
  const turn = yieldBetweenSteps(repository.checkAborted)
  const seen = new Set<string>()
  const queue = dateQueue()
  const reach = async (oid: string) => {
    if (seen.has(oid) || excluded.has(oid)) return
    seen.add(oid)
    queue.push(await objects.readCommit(oid))
  }
  for (const oid of options.include) await reach(oid)
  let followed = options.follow
  for (let commit = queue.shift(); commit !== undefined; commit = queue.shift()) {
    await turn()
    const own = commit
    // Commits by clocks that are wrong are rare; git looks a little further than this.
    if (sinceSeconds !== undefined && own.committer.timestamp < sinceSeconds) continue
    const parents = isFirstParent ? own.parents.slice(0, 1) : own.parents
    let next = parents
    let isShown = true
    if (followed !== undefined) {
      const step = await followStep(repository, own, followed)
      isShown = step.isChanged
      const path = followed
      followed = step.before
      for (const parent of next) await reach(parent)
      if (isShown && isInTime(own, untilSeconds)) yield { ...own, followed: path }
      continue
    }
    if (specs !== undefined && !specs.isAll) {
      const kept = await simplified(repository, own, parents, specs, options.isFullHistory)
      next = kept.parents
      isShown = kept.isShown
    }
    for (const parent of next) await reach(parent)
    if (isShown && isInTime(own, untilSeconds))
      yield next === own.parents
        ? own
        : {
            ...own,
            ...(specs !== undefined && {
              parents: isFirstParent ? own.parents : next.length < parents.length ? next : own.parents,
            }),
          }
  }
}

function isInTime({ committer }: Commit, untilSeconds: number | undefined): boolean {
  return untilSeconds === undefined || committer.timestamp <= untilSeconds
}

/** Whether a commit changes something that is wanted, and which parents still matter. */
export async function simplified(
  repository: Repository,
  commit: Commit,
  parents: readonly string[],
  specs: Pathspecs,
  isFullHistory: boolean,
): Promise<{ isShown: boolean; parents: readonly string[] }> {
  if (parents.length === 0)
    return { isShown: (await treePairs(repository, undefined, commit.tree, specs)).length > 0, parents }
  let isSame = false
  for (const parent of parents) {
    const { tree } = await repository.objects.readCommit(parent)
    if ((await treePairs(repository, tree, commit.tree, specs)).length > 0) continue
    if (!isFullHistory) return { isShown: false, parents: [parent] }
    isSame = true
  }
  return { isShown: !isSame, parents }
}

async function followStep(
  repository: Repository,
  commit: Commit,
  path: string,
): Promise<{ isChanged: boolean; before: string }> {
  const [parent] = commit.parents
  const before = parent === undefined ? undefined : (await repository.objects.readCommit(parent)).tree
  if (commit.parents.length > 1) return { isChanged: false, before: path }
  const own = await treePairs(repository, before, commit.tree, pathspecsOf([path], '', repository.root))
  if (own.length === 0) return { isChanged: false, before: path }
  if (own[0]?.status !== 'A' || before === undefined) return { isChanged: true, before: path }
  const renamed = await detectRenames(await treePairs(repository, before, commit.tree))
  const source = renamed.find((pair: FilePair) => pair.path === path && pair.status === 'R')
  return { isChanged: true, before: source?.oldPath ?? path }
}

/** Parents that are not shown are replaced by the nearest ones that are. */
async function relinked(
  repository: Repository,
  commits: readonly WalkedCommit[],
  options: WalkOptions,
): Promise<WalkedCommit[]> {
  const shown = new Set(commits.map(({ oid }) => oid))
  const known = new Map<string, string | undefined>()
  const nearest = async (start: string): Promise<string | undefined> => {
    const path: string[] = []
    let at: string | undefined = start
    while (at !== undefined && !shown.has(at)) {
      if (known.has(at)) {
        at = known.get(at)
        break
      }
      path.push(at)
      const commit: Commit = await repository.objects.readCommit(at)
      const { parents }: { parents: readonly string[] } =
        options.specs === undefined
          ? commit
          : await simplified(
              repository,
              commit,
              options.isFirstParent ? commit.parents.slice(0, 1) : commit.parents,
              options.specs,
              false,
            )
      at = parents[0]
    }
    for (const each of path) known.set(each, at)
    return at
  }
  return Promise.all(
    commits.map(async (commit) => {
      const parents: string[] = []
      for (const parent of commit.parents) {
        const found = await nearest(parent)
        if (found !== undefined && !parents.includes(found)) parents.push(found)
      }
      return { ...commit, parents }
    }),
  )
}

/** No commit before all of its children; a branch is shown in one piece. */
function inTopologicalOrder(
  commits: readonly WalkedCommit[],
  { order, isFirstParent }: Pick<WalkOptions, 'order' | 'isFirstParent'>,
): WalkedCommit[] {
  const byId = new Map(commits.map((commit) => [commit.oid, commit]))
  const degrees = new Map<string, number>(commits.map(({ oid }) => [oid, 1]))
  const parentsOf = ({ parents }: WalkedCommit) => (isFirstParent ? parents.slice(0, 1) : parents)
  for (const commit of commits) {
    for (const parent of parentsOf(commit)) {
      const degree = degrees.get(parent)
      if (degree !== undefined) degrees.set(parent, degree + 1)
    }
  }
  const dateOf = (commit: WalkedCommit) => (order === 'author-date' ? commit.author : commit.committer).timestamp
  const isByDate = order !== 'topo'
  const tips = commits.filter(({ oid }) => degrees.get(oid) === 1)
  const pending = isByDate ? [...tips] : [...tips].reverse()
  const take = () => {
    if (!isByDate) return pending.pop()
    let best = 0
    for (let i = 1; i < pending.length; i += 1)
      if (dateOf(pending[i] as WalkedCommit) > dateOf(pending[best] as WalkedCommit)) best = i
    return pending.splice(best, 1)[0]
  }
  const sorted: WalkedCommit[] = []
  for (let commit = take(); commit !== undefined; commit = take()) {
    for (const oid of parentsOf(commit)) {
      const degree = degrees.get(oid)
      const parent = byId.get(oid)
      if (degree === undefined || parent === undefined) continue
      degrees.set(oid, degree - 1)
      if (degree - 1 === 1) pending.push(parent)
    }
    degrees.set(commit.oid, 0)
    sorted.push(commit)
  }
  return sorted
}
