/** The working trees of a repository: its own, and those linked to it. */
import { dirname, join } from '../../../src/fs/path.js'
import { isTrue } from '../../../src/git/config.js'
import { kindAt } from '../../../src/git/git-directory.js'
import { comparePaths } from '../../../src/git/objects/object-id.js'
import type { Repository } from '../../../src/git/repository.js'
import { type GitContext, prefixOf } from '../context.js'
import { fatal } from '../git-error.js'

export interface Worktree {
  /** Its name below `.git/worktrees`; undefined for the main one. */
  id: string | undefined
  /** Where its files are. */
  place: string
  /** The directory of its `HEAD`. */
  directory: string
  isBare: boolean
  oid: string | undefined
  /** The full name of its branch; undefined when `HEAD` is detached. */
  branch: string | undefined
  /** Branches that a rebase or a bisection returns to. */
  busyWith: readonly string[]
  /** Undefined when it is not locked; may be empty. */
  lock: string | undefined
  /** Why it can be forgotten; undefined when it can't. */
  gone: string | undefined
}

/** The main one first, others by their paths. */
export async function readWorktrees(repository: Repository): Promise<Worktree[]> {
  const { staged, commonDirectory } = repository
  const main = await readWorktree(repository, undefined)
  const linked: Worktree[] = []
  for (const id of await staged.list(join(commonDirectory, 'worktrees')))
    linked.push(await readWorktree(repository, id))
  return [main, ...linked.sort((a, b) => comparePaths(a.place, b.place))]
}

async function readWorktree(repository: Repository, id: string | undefined): Promise<Worktree> {
  const { commonDirectory, config, isBare } = repository
  const directory = id === undefined ? commonDirectory : join(commonDirectory, `worktrees/${id}`)
  const read = (name: string) => readText(repository, join(directory, name))
  const head = (await read('HEAD')) ?? ''
  const branch = /^ref: (.*)$/.exec(head)?.[1]
  const link = id === undefined ? undefined : await read('gitdir')
  const rebased = (await read('rebase-merge/head-name')) ?? ''
  const bisected = await read('BISECT_START')
  return {
    id,
    place: placeOf(repository, link, directory),
    directory,
    isBare: id === undefined && (isBare || isTrue(config, 'core.bare') === true),
    oid: branch === undefined ? head : (await repository.refs.resolve(branch)).oid,
    branch,
    busyWith: [...(rebased.startsWith('refs/') ? [rebased] : []), ...(bisected ? [`refs/heads/${bisected}`] : [])],
    lock: id === undefined ? undefined : await read('locked'),
    gone: id === undefined ? undefined : await reasonToPrune(repository, directory, link),
  }
}

function placeOf({ commonDirectory, isBare }: Repository, link: string | undefined, directory: string): string {
  if (link !== undefined) return link.replace(/\/\.git$/, '') || '/'
  if (directory !== commonDirectory || isBare) return directory
  return dirname(commonDirectory)
}

async function reasonToPrune(
  repository: Repository,
  directory: string,
  link: string | undefined,
): Promise<string | undefined> {
  if ((await repository.staged.stat(directory))?.kind !== 'directory') return 'not a valid directory'
  if ((await readText(repository, join(directory, 'locked'))) !== undefined) return undefined
  if (link === undefined) return 'gitdir file does not exist'
  if (link === '') return 'invalid gitdir file'
  const kind = await kindAt(repository.fs, repository.fs.resolve(link, directory)).catch(() => undefined)
  return kind === undefined ? 'gitdir file points to non-existent location' : undefined
}

async function readText({ staged }: Repository, path: string): Promise<string | undefined> {
  if ((await staged.stat(path))?.kind !== 'file') return undefined
  return new TextDecoder().decode(await staged.reader(path)()).trim()
}

/** The working tree that a user means: by the end of its path, or by a path. */
export function findWorktree(context: GitContext, worktrees: readonly Worktree[], given: string): Worktree | undefined {
  const named = worktrees.filter(({ place }) => place === given || place.endsWith(`/${given}`))
  if (given !== '' && named.length === 1) return named[0]
  const path = context.path(given)
  return worktrees.find(({ place }) => place === path)
}

/** The same, of those that are linked. */
export function linkedWorktree(
  context: GitContext,
  worktrees: readonly Worktree[],
  given: string,
  ofMain: (given: string) => string,
): Worktree & { id: string } {
  const found = findWorktree(context, worktrees, given)
  if (found === undefined) throw fatal(`'${given}' is not a working tree`)
  const { id } = found
  if (id === undefined) throw fatal(ofMain(given))
  return { ...found, id }
}

/** Refuses a branch that is in use in any of the working trees. */
export function refuseInUse(context: GitContext, worktrees: readonly Worktree[], branch: string): void {
  const [user] = usersOf(worktrees, branch)
  if (user !== undefined) throw fatal(`'${branch}' is already checked out at '${context.shown(user.place)}'`)
}

/** Where a branch is checked out, or will be again. */
export function usersOf(worktrees: readonly Worktree[], branch: string): Worktree[] {
  const ref = `refs/heads/${branch}`
  return worktrees.filter((each) => !each.isBare && (each.branch === ref || each.busyWith.includes(ref)))
}

/** Returns the name of a working tree that is gone from there, and is to be forgotten. */
export async function checkPlace(
  context: GitContext,
  repository: Repository,
  worktrees: readonly Worktree[],
  { given, place, force, action }: { given: string; place: string; force: number; action: 'add' | 'move' },
): Promise<string | undefined> {
  const shown = given.startsWith('/') ? given : `${await prefixOf(context, repository)}${given}`
  const kind = await kindAt(repository.fs, place)
  if (kind !== undefined && !(kind === 'directory' && (await repository.fs.readDir(place)).length === 0))
    throw fatal(`'${shown}' already exists`)
  const known = worktrees.find((each) => each.place === place)
  if (known?.id === undefined) return undefined
  const isLocked = known.lock !== undefined
  if (force > (isLocked ? 1 : 0)) return known.id
  throw fatal(
    isLocked
      ? `'${shown}' is a missing but locked worktree;\nuse '${action} -f -f' to override, or 'unlock' and 'prune' or 'remove' to clear`
      : `'${shown}' is a missing but already registered worktree;\nuse '${action} -f' to override, or 'prune' or 'remove' to clear`,
  )
}
