/** Moves, removes, locks and forgets linked working trees. */
import type { Draft } from '../../../src/change/draft.js'
import { basename, join } from '../../../src/fs/path.js'
import { gitStatus } from '../../../src/git/commands/status.js'
import { kindAt } from '../../../src/git/git-directory.js'
import { modes } from '../../../src/git/objects/tree.js'
import { type Repository, readIndex } from '../../../src/git/repository.js'
import { type GitContext, open } from '../context.js'
import { fatal, GitError } from '../git-error.js'
import { flag, parseGit, value } from '../options.js'
import { checkPlace, linkedWorktree, readWorktrees, type Worktree } from './worktrees.js'

interface Tools {
  /** Removes what `.git` knows of a working tree. */
  forget(id: string): Promise<void>
  removeTree(path: string): Promise<void>
}

/** Changes the shared `.git` and these directories as one. */
export async function changeWorktrees(
  context: GitContext,
  { commonDirectory, fs }: Repository,
  { label, places }: { label: string; places: readonly string[] },
  body: (draft: Draft, tools: Tools) => Promise<void>,
): Promise<void> {
  const request = {
    label: `git worktree ${label}`,
    scopes: [commonDirectory, ...places].map((path) => ({ path, tree: true })),
    gitDirectories: [commonDirectory, ...places.map((place) => join(place, '.git'))],
    replacesProtected: true,
  }
  await context.workspace.changes.run(request, async (draft) => {
    const removeTree = async (path: string): Promise<void> => {
      if ((await fs.stat(path)).kind === 'directory')
        for (const { name } of await fs.readDir(path)) await removeTree(join(path, name))
      await draft.remove(path)
    }
    const forget = async (id: string) => {
      const all = join(commonDirectory, 'worktrees')
      await removeTree(join(all, id))
      if ((await fs.readDir(all)).length === 1) await draft.remove(all)
    }
    await body(draft, { forget, removeTree })
  })
}

const isMain = (given: string) => `'${given}' is a main working tree`
const isNeverLocked = () => 'The main working tree cannot be locked or unlocked'

export async function lockWorktree(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('worktree lock', args, { reason: value('--reason') })
  const [name] = given.all
  if (name === undefined || given.all.length > 1)
    throw new GitError('usage: git worktree lock [--reason <string>] <worktree>', 129)
  const repository = await open(context)
  const { lock, directory } = linkedWorktree(context, await readWorktrees(repository), name, isNeverLocked)
  if (lock !== undefined) throw fatal(`'${name}' is already locked${lock === '' ? '' : `, reason: ${lock}`}`)
  const reason = given.value('reason') ?? ''
  const text = new TextEncoder().encode(reason === '' || reason.endsWith('\n') ? reason : `${reason}\n`)
  await changeWorktrees(context, repository, { label: 'lock', places: [] }, (draft) =>
    draft.write(join(directory, 'locked'), text).then(() => {}),
  )
  return 0
}

export async function unlockWorktree(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('worktree unlock', args, {})
  const [name] = given.all
  if (name === undefined || given.all.length > 1) throw new GitError('usage: git worktree unlock <worktree>', 129)
  const repository = await open(context)
  const { lock, directory } = linkedWorktree(context, await readWorktrees(repository), name, isNeverLocked)
  if (lock === undefined) throw fatal(`'${name}' is not locked`)
  await changeWorktrees(context, repository, { label: 'unlock', places: [] }, (draft) =>
    draft.remove(join(directory, 'locked')),
  )
  return 0
}

const forceSpecs = { force: flag('-f', '--force') } as const

export async function removeWorktree(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('worktree remove', args, forceSpecs)
  const [name] = given.all
  if (name === undefined || given.all.length > 1) throw new GitError('usage: git worktree remove [-f] <worktree>', 129)
  const force = given.given.length
  const repository = await open(context)
  const tree = linkedWorktree(context, await readWorktrees(repository), name, isMain)
  refuseLocked(tree, force, 'remove')
  const isThere = (await kindAt(repository.fs, tree.place)) !== undefined
  if (isThere) {
    await validate(repository, tree, 'remove')
    if (force === 0) await refuseDirty(context, tree, name)
  }
  await changeWorktrees(context, repository, { label: 'remove', places: [tree.place] }, async (_, tools) => {
    if (isThere) await tools.removeTree(tree.place)
    await tools.forget(tree.id)
  })
  return 0
}

function refuseLocked({ lock }: Worktree, force: number, verb: 'move' | 'remove'): void {
  if (lock === undefined || force > 1) return
  const why = lock === '' ? ';' : `, lock reason: ${lock}`
  throw fatal(`cannot ${verb} a locked working tree${why}\nuse '${verb} -f -f' to override or unlock first`)
}

/** The directory has to lead back to the repository. */
async function validate({ fs }: Repository, { place, directory }: Worktree, verb: 'move' | 'remove'): Promise<void> {
  const failed = (why: string) => fatal(`validation failed, cannot ${verb} working tree: ${why}`)
  const own = join(place, '.git')
  const kind = await kindAt(fs, own)
  if (kind === undefined) throw failed(`'${own}' does not exist`)
  const text = kind === 'file' ? new TextDecoder().decode(await fs.readFile(own)) : ''
  const [, target] = /^gitdir: (.+?)\s*$/.exec(text) ?? []
  if (target === undefined) throw failed(`'${own}' is not a .git file, error code ${kind === 'file' ? 5 : 2}`)
  if (fs.resolve(target, place) !== directory)
    throw failed(`'${place}' does not point back to '.git/worktrees/${basename(directory)}'`)
}

async function refuseDirty(context: GitContext, { place }: Worktree, name: string): Promise<void> {
  const inside = await open({ ...context, cwd: place })
  await refuseSubmodules(inside)
  const status = await gitStatus(inside, { untracked: 'normal' })
  const found = [status.staged, status.unstaged, status.untracked, status.conflicted]
  if (found.some((each) => each.length > 0))
    throw fatal(`'${name}' contains modified or untracked files, use --force to delete it`)
}

async function refuseSubmodules(repository: Repository): Promise<void> {
  const { entries } = await readIndex(repository)
  if (entries.some(({ mode }) => mode === modes.submodule))
    throw fatal('working trees containing submodules cannot be moved or removed')
}

export async function moveWorktree(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('worktree move', args, forceSpecs)
  const [name, target] = given.all
  if (name === undefined || target === undefined || given.all.length > 2)
    throw new GitError('usage: git worktree move <worktree> <new-path>', 129)
  const force = given.given.length
  const repository = await open(context)
  const { fs } = repository
  const worktrees = await readWorktrees(repository)
  const tree = linkedWorktree(context, worktrees, name, isMain)
  const named = await fs.locate(context.path(target))
  const isInside = (await kindAt(fs, named)) === 'directory'
  const place = isInside ? join(named, basename(tree.place)) : named
  const shown = isInside ? `${target.replace(/\/+$/, '')}/${basename(tree.place)}` : target
  const stale = await checkPlace(context, repository, worktrees, { given: shown, place, force, action: 'move' })
  refuseLocked(tree, force, 'move')
  await validate(repository, tree, 'move')
  await refuseSubmodules(await open({ ...context, cwd: tree.place }))
  const places = [tree.place, place]
  await changeWorktrees(context, repository, { label: 'move', places }, async (draft, tools) => {
    if (stale !== undefined) await tools.forget(stale)
    if ((await kindAt(fs, place)) !== undefined) await draft.remove(place)
    await draft.move(tree.place, place)
    await draft.write(join(tree.directory, 'gitdir'), new TextEncoder().encode(`${join(place, '.git')}\n`))
  })
  return 0
}

export async function pruneWorktrees(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('worktree prune', args, {
    dryRun: flag('-n', '--dry-run'),
    verbose: flag('-v', '--verbose'),
    expire: value('--expire'),
  })
  if (given.all.length > 0) throw new GitError('usage: git worktree prune [-n] [-v] [--expire <expire>]', 129)
  const expire = given.value('expire')
  if (expire !== undefined && expire !== 'now' && expire !== 'all')
    throw fatal(`'--expire ${expire}' is not supported by this git`)
  const repository = await open(context)
  const gone = (await readWorktrees(repository)).filter((each) => each.gone !== undefined)
  for (const { id, gone: reason } of gone)
    if (given.has('dryRun') || given.has('verbose')) context.err.write(`Removing worktrees/${id}: ${reason}\n`)
  if (given.has('dryRun')) return 0
  for (const { id } of gone)
    await changeWorktrees(context, repository, { label: 'prune', places: [] }, (_, tools) => tools.forget(id as string))
  return 0
}
